import type { TriangleGrid } from './mesh/triangleGrid';
import type { TriangleMesh } from './mesh/triangleMesh';

/** A scene that was read, generated and checked, as structures of arrays in the units of the scene. */
export interface Problem {
  title: string;
  /** In 2 the grains are disks in the x-y plane: no motion along z, rotation about z alone. */
  dimension: 2 | 3;
  gravity: Vector;
  timeStep: number;
  steps: number;
  materials: Material[];
  /** The laws that pairs of materials have; the first is that of pairs without one: frictionless. */
  laws: PairLaw[];
  /** M x M, symmetric: index into laws for each ordered pair of materials. */
  lawOf: Uint32Array;
  /** Absent: open space. */
  periodic?: Periodic;
  grains: Grains;
  walls: Wall[];
  /** What changes during the run, in order; absent: nothing. */
  events?: RunEvent[];
  solver: SolverOptions;
  output: OutputOptions;
  /** What the user should know although the scene runs: overlaps in a file, pairs of materials without a law. */
  warnings: string[];
}

export type Vector = [number, number, number];

/** Unit quaternion x, y, z, w. */
export type Quaternion = [number, number, number, number];

export interface Material {
  name: string;
  /** Undefined where no grain uses the material. */
  density: number | undefined;
}

/** Contact law of a pair of materials. All coefficients are dimensionless, but for the cohesion. */
export interface PairLaw {
  /** Sticks while the trial |P_t| <= staticFriction P_n, else slides with dynamicFriction P_n; the two are equal for one mu. */
  staticFriction: number;
  dynamicFriction: number;
  /** Newton's e_n and e_t. */
  normalRestitution: number;
  tangentialRestitution: number;
  /** Bounds of the contact torque: |T_t| <= rollingFriction r* P_n, |T_n| <= torsionFriction r* P_n, r* = r1 r2/(r1 + r2). */
  rollingFriction: number;
  torsionFriction: number;
  /** Pull F_c that a bond bears, and the gap d_c at which it breaks; both 0 without cohesion. */
  cohesionForce: number;
  cohesionRange: number;
}

/** Space that repeats itself along some axes. */
export interface Periodic {
  /** Lower ends of the box; only those of periodic axes count. */
  min: Vector;
  /** Length of the box along each axis, 0 where the axis is open. */
  lengths: Vector;
}

/** Where grains can be. */
export interface Space {
  dimension: 2 | 3;
  walls: readonly Wall[];
  /** Absent: open space. */
  periodic?: Periodic;
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
  /** N, number of the group that it comes from: those of the scene's `grains`, then what each event inserts and pours */
  groups: Uint32Array;
}

export type WallShape =
  /**
   * The half space on the side that `normal` (unit) points to is free for grains. With a region it is a plate of no thickness,
   * which has grains on both sides and beside it.
   */
  | { kind: 'plane'; point: Vector; normal: Vector; region?: PlateRegion }
  /** Infinite cylinder about `axis` (unit); grains are on `side` of its surface. */
  | { kind: 'cylinder'; point: Vector; axis: Vector; radius: number; side: 'inside' | 'outside' }
  /** About its centre, `point`. */
  | { kind: 'sphere'; point: Vector; radius: number; side: 'inside' | 'outside' }
  /**
   * Triangles, with grains on either side; `point` is where the origin of the file's coordinates is when the wall's motion begins.
   * Mesh and grid stay as they were read, where that origin is at `home`: their own frame.
   */
  | { kind: 'mesh'; point: Vector; home: Vector; mesh: TriangleMesh; grid: TriangleGrid };

/** The part of a plane between two circles about its point. */
export interface PlateRegion {
  /** 0 for a disk. */
  inner: number;
  outer: number;
  /** Whether grains touch the inner and the outer rim; not where another plate goes on there, so that no bump arises. */
  rims: readonly [inner: boolean, outer: boolean];
}

export interface Wall {
  /** Unique; a box gives six (or fewer) planes called `name.-x`, `name.+x` and so on. */
  name: string;
  /** Name of the box that the plane is a face of. */
  box?: string;
  /** Index into materials. */
  material: number;
  shape: WallShape;
  /** How it moves by itself; absent (and without a piston): it rests. */
  motion?: WallMotion;
  /** How it had turned when the motion, or the rest, began; absent: not at all. */
  turned?: Quaternion;
  piston?: Piston;
}

/** The three add up. */
export interface WallMotion {
  velocity: Vector;
  /** About `point`, which moves with the velocity and the oscillation. */
  angularVelocity: Vector;
  point: Vector;
  /** Displacement amplitude sin(2 pi frequency t + phase) - amplitude sin(phase). */
  oscillation?: { amplitude: Vector; frequency: number; phase: number };
  /** When it begins, from the wall's shape; t above is the time since. */
  start: number;
}

/** As an event gives it; without a point a wall turns about its own, where that is then. */
export type NewMotion = Omit<WallMotion, 'point' | 'start'> & { point?: Vector };

/** A plane that moves along its normal alone, driven by the grains and by a constant force. */
export interface Piston {
  mass: number;
  /** Positive where it presses the wall towards the grains, along the normal. Gravity does not act on it. */
  force: number;
}

/** Something that changes during the run: first walls, then gravity, then grains. */
export interface RunEvent {
  when: EventTime;
  /** Names of walls, faces of boxes one by one. */
  removeWalls: string[];
  addWalls: Wall[];
  /** What changes of pistons, or makes one of a plane, by the names of walls. */
  setPiston: Record<string, Partial<Piston>>;
  /** How walls move from then on, from where they are, by their names (faces of boxes one by one); null: they rest. */
  setMotion: Record<string, NewMotion | null>;
  gravity?: Vector;
  /** Grains at their places; one that would overlap waits until there is room. */
  insert?: Grains;
  pour?: Pour;
  /** The state that it leaves is kept. */
  checkpoint: boolean;
  stop: boolean;
  /** What it does in a few words, for the log. */
  text: string;
}

/** After so many steps; or once the grains are at rest (src/events/rest.ts). */
export type EventTime = { step: number } | { rest: number };

/** Grains that come at random places of a region, so many per time. */
export interface Pour {
  /** In the order in which they come; their positions, all the region's middle, say nothing. */
  grains: Grains;
  region: FillRegion;
  /** Grains per time. */
  rate: number;
  seed: number;
}

/** Exactly one is given. The cylinder goes from its point along its axis. */
export interface FillRegion {
  box?: { min: Vector; max: Vector };
  cylinder?: { point: Vector; axis: Vector; radius: number; height: number };
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
  /** The coarse level: auto takes it where it pays. */
  coarse: 'auto' | 'on' | 'off';
  convergence: Convergence;
  warmStart: boolean;
  seed: number;
}

export interface OutputOptions {
  /** Steps between frames, step 0 included; 0: only the last state. */
  every: number;
  frames: 'vtp' | 'xyz' | 'dump' | 'none';
  contacts: boolean;
}
