import { CpuSolver } from './cpu/solver';
import { BackendError } from './errors';
import { describeAdapter, isSoftwareAdapter, requestLargeDevice } from './gpu/adapter';
import type { Backend } from './report';
import { formatChoices, formatValue } from './scene/faults';
import type { System } from './scene/system';

const BACKENDS: readonly unknown[] = ['auto', 'webgpu', 'cpu'];

/** @throws BackendError for a backend that there is not */
export function checkBackendName(name: unknown): void {
  if (name === undefined || BACKENDS.includes(name)) return;
  throw new BackendError(`There is no backend ${formatValue(name)}: choose ${formatChoices(BACKENDS)}`);
}

export interface BackendChoice {
  /** Default auto: WebGPU where a device is given or a hardware adapter answers, else the CPU. */
  backend?: 'auto' | 'webgpu' | 'cpu';
  /** An existing device to share; `dispose` does not destroy it. */
  device?: GPUDevice;
  /** Where to look for adapters; default `navigator.gpu` where there is one. */
  gpu?: GPU;
  /** Times the stages on the GPU, where the device has timestamps; takes a little time itself. */
  profile?: boolean;
}

/** A backend for one system, and what it runs on. */
export interface OpenBackend {
  solver: Backend;
  name: 'webgpu' | 'cpu';
  /** What the GPU adapter says of itself; null on the CPU. */
  adapter: string | null;
  softwareAdapter: boolean;
  /** Milliseconds that each stage took so far; null where they are not timed. */
  stageTimes(): Promise<Record<string, number> | null>;
  dispose(): void;
}

/**
 * Opens the backend that was asked for.
 * @throws BackendError where WebGPU was asked for by name and is not to be had
 */
export async function openBackend(system: System, choice: BackendChoice): Promise<OpenBackend> {
  const { backend = 'auto', device, profile = false } = choice;
  if (backend === 'cpu') return openCpu(system);
  if (system.solver.sweep === 'random') {
    if (backend === 'auto') return openCpu(system);
    throw new BackendError('solver.sweep "random" runs on the CPU only: use "coloured", or the CPU backend');
  }
  if (device) return openGpu(system, { device, info: device.adapterInfo, owned: false, profile });
  const gpu = choice.gpu ?? globalThis.navigator?.gpu;
  const adapter = await gpu?.requestAdapter({ powerPreference: 'high-performance' });
  if (backend === 'auto' && (!adapter || isSoftwareAdapter(adapter.info))) return openCpu(system);
  if (!adapter) throw new BackendError('No WebGPU adapter answers here: use the CPU backend');
  return openGpu(system, { device: await requestLargeDevice(adapter), info: adapter.info, owned: true, profile });
}

function openCpu(system: System): OpenBackend {
  const solver = new CpuSolver(system);
  const dispose = () => solver.dispose();
  return { solver, name: 'cpu', adapter: null, softwareAdapter: false, stageTimes: async () => null, dispose };
}

interface OpenDevice {
  device: GPUDevice;
  info: GPUAdapterInfo;
  /** Made here, so that it is destroyed with the backend. */
  owned: boolean;
  profile: boolean;
}

async function openGpu(system: System, { device, info, owned, profile }: OpenDevice): Promise<OpenBackend> {
  const close = () => {
    if (owned) device.destroy();
  };
  try {
    const { GpuSolver } = await import('./gpu/solver');
    const solver = await GpuSolver.create(device, system, { profile });
    return {
      solver,
      name: 'webgpu',
      adapter: describeAdapter(info),
      softwareAdapter: isSoftwareAdapter(info),
      stageTimes: async () => (await solver.stageTimes()) ?? null,
      dispose: () => {
        solver.dispose();
        close();
      },
    };
  } catch (error) {
    close();
    throw error;
  }
}
