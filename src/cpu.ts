import { checkOptions, WORKER_OPTIONS } from './arguments';
import { openCpu } from './cpuBackend';
import type { WorkerOptions } from './page/workerSimulation';
import type { Problem } from './scene/problem';
import type { SceneInput } from './scene/schema';
import { beginSimulation, type Simulation } from './simulation';
import { toProblem } from './toProblem';

export { CapacityError, EventError, type Fault, NumericalError, SceneError } from './errors';
export { createWorkerSimulation, type WorkerOptions } from './page/workerSimulation';
export type { ContactState, State, StepReport } from './report';
export { loadProblem } from './scene/load';
export type { Problem } from './scene/problem';
export { parseScene, type Scene, type SceneInput } from './scene/schema';
export type { Simulation, SimulationSnapshot } from './simulation';

/**
 * createSimulation on the CPU reference, without any code for the GPU.
 * @throws SceneError listing every fault of the scene
 * @throws TypeError naming an option that is none, or is not what it must be
 */
export async function createCpuSimulation(scene: SceneInput | Problem, options: WorkerOptions = {}): Promise<Simulation> {
  checkOptions('createCpuSimulation', options, WORKER_OPTIONS);
  return beginSimulation(await toProblem(scene, options), options, openCpu);
}
