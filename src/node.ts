import { checkOptions, SIMULATION_OPTIONS } from './arguments';
import { checkBackendName } from './backend';
import { BackendError } from './errors';
import { createSimulation, type Simulation, type SimulationOptions } from './index';
import { nodeGpu } from './node/gpu';
import type { Problem } from './scene/problem';
import type { SceneInput } from './scene/schema';

export * from './index';
export {
  type Checkpoint,
  type CheckpointGrains,
  type CheckpointSource,
  type Resumption,
  readCheckpoint,
  resumeFrom,
  writeCheckpoint,
} from './node/checkpoint/checkpoint';
export type { Fingerprint } from './node/checkpoint/fingerprint';
export { nodeGpu } from './node/gpu';
export { loadSceneFile, type SceneFileOptions } from './node/sceneFile';
export type { Overrides } from './scene/override';

/** Node brings its own GPU. */
const { device: _device, gpu: _gpu, ...NODE_OPTIONS } = SIMULATION_OPTIONS;

/**
 * createSimulation for Node: WebGPU comes from the optional package `webgpu`. Backend "webgpu" without a GPU runs on an
 * installed Chromium's software Vulkan driver; "auto" takes a GPU only if it is one.
 * @throws TypeError naming an option that is none, or is not what it must be
 * @throws BackendError where the asked backend is not available
 */
export async function createNodeSimulation(
  scene: SceneInput | Problem,
  options: Pick<SimulationOptions, 'backend' | 'signal' | 'profile' | 'readText' | 'readBytes' | 'from' | 'onCheckpoint'> = {},
): Promise<Simulation> {
  checkOptions('createNodeSimulation', options, NODE_OPTIONS);
  const { backend = 'auto', ...others } = options;
  checkBackendName(backend);
  if (backend === 'cpu') return createSimulation(scene, { backend, ...others });
  const gpu = await nodeGpu(backend);
  if (gpu) return createSimulation(scene, { backend, gpu, ...others });
  if (backend === 'auto') return createSimulation(scene, { backend: 'cpu', ...others });
  throw new BackendError(
    'WebGPU is not available: the optional package "webgpu" is not installed or does not load here. Use the CPU backend',
  );
}
