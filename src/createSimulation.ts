import { checkOptions, SIMULATION_OPTIONS } from './arguments';
import { checkBackendName, openBackend } from './backend';
import type { Problem } from './scene/problem';
import type { SceneInput } from './scene/schema';
import { beginSimulation, type Simulation, type SimulationOptions } from './simulation';
import { toProblem } from './toProblem';

/**
 * Makes a simulation of a scene (as in a scene file, parsed) or of a problem that was loaded before.
 * @throws SceneError listing every fault of the scene
 * @throws TypeError naming an option that is none, or is not what it must be
 * @throws RangeError where `from` is no snapshot of this scene
 * @throws BackendError where the asked backend is not available, or a figure of the scene is beyond single precision on the GPU
 * @throws CapacityError where the scene does not fit the adapter
 */
export async function createSimulation(scene: SceneInput | Problem, options: SimulationOptions = {}): Promise<Simulation> {
  checkOptions('createSimulation', options, SIMULATION_OPTIONS);
  checkBackendName(options.backend);
  const problem = await toProblem(scene, options);
  return beginSimulation(problem, options, (...system) => openBackend(problem, ...system));
}
