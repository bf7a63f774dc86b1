import type { GpuState } from './gpu/gpuState';
import type { Snapshot } from './snapshot';

/** What one step did. Backends give internal units, the public simulation the units of the scene (impulses become forces). */
export interface StepReport {
  /** Steps done since the start, this one included. */
  step: number;
  /** Contacts that bear: P_n > 0. */
  contacts: number;
  candidates: number;
  colours: number;
  /** Sweeps. */
  iterations: number;
  converged: boolean;
  /**
   * Root mean square change that the shock law asks for, over the candidates where the force or the law's answer is not zero, as
   * a share of the mean force over the same candidates (docs/solving.md, "Convergence").
   */
  residual: number;
  /** Largest such change of one contact, as a share of the same mean. */
  residualMax: number;
  /**
   * Global balance: the share of the load that the packing as a whole does not bear yet (docs/solving.md, "Balance"); null where it is
   * not measured.
   */
  balance: number | null;
  /** Mean |P| over all candidates, those without a force included. */
  meanForce: number;
  /** Overlaps after the step, in mean grain diameters, over pairs with gap below 1e-3 d; those that do not overlap count as 0. */
  meanPenetration: number;
  maxPenetration: number;
  /** Of translation and rotation. */
  kineticEnergy: number;
  /** Sum of m v over the grains. */
  momentum: [number, number, number];
  /** W x 6: force and torque (about the wall's point) that the grains exert on each wall. */
  wallLoads: Float64Array;
  /** W x 6: position of each wall's point after the step, and its velocity in the step. */
  wallMotions: Float64Array;
  /** The grain that moved farthest in this step, in its own diameters. */
  fastestGrain: number;
  fastestDisplacement: number;
  /** What happens after the step, by the scene's events; absent where nothing does. */
  events?: string;
  /** Attempts that were undone because a capacity or a grain's reach was exceeded. */
  redone: number;
}

/** State between steps. Backends give internal units, the public simulation the units of the scene. */
export interface State {
  step: number;
  /** N x 3 */
  positions: Float64Array;
  /** N x 3 */
  velocities: Float64Array;
  /** N x 3; backends give spins r w here, the public simulation angular velocities. */
  angularVelocities: Float64Array;
  /** N x 4, unit quaternions x, y, z, w */
  orientations: Float64Array;
  /** W x 7: position of each wall's point, and how it is turned from its place in the scene: a unit quaternion x, y, z, w. */
  walls: Float64Array;
  contacts: ContactState;
}

/** All candidates of the last step, C of them; those with zero force did not touch. */
export interface ContactState {
  count: number;
  /** C, grain id */
  first: Uint32Array;
  /** C, grain id, or N + index of the wall */
  second: Uint32Array;
  /** C x 3, unit, from first to second */
  normals: Float64Array;
  /** C, at the start of the step that made them */
  gaps: Float64Array;
  /** C x 3, on the second body */
  forces: Float64Array;
  /** C x 3, contact torque of rolling and torsion friction on the second body (the first gets the opposite), beside what the force does */
  torques: Float64Array;
  /** C, 0 open, 1 sticking, 2 sliding */
  states: Uint8Array;
}

/** A solver of one system: the CPU reference or the GPU. */
export interface Backend {
  /** Steps done. */
  readonly steps: number;
  /** Does `count` steps, one report each. */
  step(count: number, onReport?: (report: StepReport) => void, signal?: AbortSignal): Promise<void>;
  read(): Promise<State>;
  /** What a backend made from it goes on from with the same bits; between steps. */
  capture(): Promise<Snapshot>;
  /** Where the state lies on the GPU, its walls in internal units; null on the CPU. */
  gpuState(): GpuState | null;
  dispose(): void;
  /** Bytes of GPU memory held; 0 on the CPU. */
  readonly gpuMemoryBytes: number;
}
