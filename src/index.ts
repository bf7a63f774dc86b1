export { BackendError, CapacityError, DeviceLostError, type Fault, NumericalError, SceneError, ShaderError } from './errors';
export type { ContactState, State, StepReport } from './report';
export { loadProblem } from './scene/load';
export type {
  Convergence,
  Grains,
  Material,
  OutputOptions,
  Problem,
  SolverOptions,
  Vector,
  Wall,
  WallShape,
} from './scene/problem';
export { parseScene, type Scene, type SceneInput, sceneJsonSchema } from './scene/schema';
export { createSimulation, type Simulation, type SimulationOptions } from './simulation';
