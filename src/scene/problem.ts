/** A scene that was read, generated and checked, as structures of arrays in the units of the scene. */
export interface Problem {
  title: string;
  gravity: Vector;
  timeStep: number;
  steps: number;
  materials: Material[];
  /** Coulomb's mu for each ordered pair of materials, M x M, symmetric. */
  friction: Float64Array;
  grains: Grains;
  walls: Wall[];
  solver: SolverOptions;
  output: OutputOptions;
  /** What the user should know although the scene runs: overlaps in a file, pairs of materials without a law. */
  warnings: string[];
}

export type Vector = [number, number, number];

export interface Material {
  name: string;
  /** Undefined where no grain uses the material. */
  density: number | undefined;
}

/** N grains; index is the grain's id, in the order of the scene file. */
export interface Grains {
  count: number;
  /** N x 3 */
  positions: Float64Array;
  /** N */
  radii: Float64Array;
  /** N */
  masses: Float64Array;
  /** N x 3 */
  velocities: Float64Array;
  /** N x 3, radians per time */
  angularVelocities: Float64Array;
  /** N x 3, constant external force beside gravity */
  forces: Float64Array;
  /** N x 3, constant external torque */
  torques: Float64Array;
  /** N, index into materials */
  materials: Uint32Array;
  /** N, 1 for a grain that never moves */
  fixed: Uint8Array;
}

export type WallShape =
  /** The half space on the side that `normal` (unit) points to is free for grains. */
  | { kind: 'plane'; point: Vector; normal: Vector }
  /** Infinite cylinder about `axis` (unit); grains are on `side` of its surface. */
  | { kind: 'cylinder'; point: Vector; axis: Vector; radius: number; side: 'inside' | 'outside' };

export interface Wall {
  /** Unique; a box gives six (or fewer) planes called `name.-x`, `name.+x` and so on. */
  name: string;
  /** Name of the box that the plane is a face of. */
  box?: string;
  /** Index into materials. */
  material: number;
  shape: WallShape;
}

/** `balance` is null: it is not tested. */
export type Convergence =
  | { criterion: 'fixed'; iterations: number }
  | { criterion: 'local'; epsilon: number; delta: number; maxIterations: number }
  | { criterion: 'global'; epsilon: number; maxIterations: number }
  | { criterion: 'residual'; tolerance: number; balance: number | null; maxIterations: number };

export interface SolverOptions {
  sweep: 'coloured' | 'random';
  order: 'fixed' | 'random';
  /** Heavy-ball factor of coloured sweeps, 0 to 0.95. */
  momentum: number;
  convergence: Convergence;
  warmStart: boolean;
  seed: number;
}

export interface OutputOptions {
  /** Steps between frames, step 0 included; 0: only the last state. */
  every: number;
  frames: 'vtp' | 'none';
  contacts: boolean;
}
