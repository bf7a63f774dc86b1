export { type Coordination, type CoordinationOptions, coordination } from './analysis/coordination';
export { diffusionLength, effectiveStiffness, systemLength } from './analysis/diffusion';
export { type Fabric, fabric } from './analysis/fabric';
export { type ForceChains, forceChains } from './analysis/forceChains';
export { type ForceDistribution, forceDistribution, mobilisation, normalForces } from './analysis/forces';
export { type Indeterminacy, type IndeterminacyOptions, indeterminacy } from './analysis/indeterminacy';
export { type Layer, layerFigures, layersOf } from './analysis/layers';
export { type PackingFigures, type PackingState, packingFigures } from './analysis/packingFigures';
export { type RadialDistribution, radialDistribution } from './analysis/radialDistribution';
export { type Region, regionVolume } from './analysis/region';
export { type Stress, type StressScene, stress, type Tensor } from './analysis/stress';
export { touchingContacts } from './analysis/touching';
export { type Packing, volumeFraction } from './analysis/volumeFraction';
export { createSimulation } from './createSimulation';
export {
  BackendError,
  CapacityError,
  CheckpointError,
  DeviceLostError,
  EventError,
  type Fault,
  NumericalError,
  SceneError,
  ShaderError,
} from './errors';
export type { RestState } from './events/rest';
export type { EventRecord, ScheduleState } from './events/schedule';
export type { GpuState } from './gpu/gpuState';
export type { ParticleBox, ParticleTable } from './io/table';
export type { ContactState, State, StepReport } from './report';
export type { ReadTable } from './scene/grains';
export { type LoadOptions, loadProblem } from './scene/load';
export type { TriangleGrid } from './scene/mesh/triangleGrid';
export type { TriangleMesh } from './scene/mesh/triangleMesh';
export type {
  Convergence,
  EventTime,
  FillRegion,
  Grains,
  Material,
  NewMotion,
  OutputOptions,
  PairLaw,
  Periodic,
  Piston,
  PlateRegion,
  Pour,
  Problem,
  Quaternion,
  RunEvent,
  SolverOptions,
  Vector,
  Wall,
  WallMotion,
  WallShape,
} from './scene/problem';
export { parseScene, type Scene, type SceneInput, sceneJsonSchema } from './scene/schema';
export type { Units } from './scene/system';
export type { Simulation, SimulationOptions, SimulationSnapshot } from './simulation';
export type { Snapshot, SnapshotContacts, SnapshotPiston } from './snapshot';
