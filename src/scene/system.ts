import type { TriangleGrid } from './mesh/triangleGrid';
import type { TriangleMesh } from './mesh/triangleMesh';
import type { PairLaw, Quaternion, SolverOptions, Vector, WallMotion, WallShape } from './problem';

/**
 * What both backends take: the problem in internal units, so that single precision has room.
 * Length: mean grain diameter. Mass: mean grain mass. Time: one step. A velocity is a displacement per step,
 * an impulse is a force times the step.
 *
 * Bodies are the N grains followed by the W walls; a wall is a body that no impulse moves (inverse mass 0).
 */
export interface System {
  units: Units;
  grains: number;
  bodies: number;
  /** m r^2 over the moment of inertia, kappa: 2.5 for spheres, 2 for disks */
  inertiaFactor: number;
  /** N x 3, relative to `units.origin`; along periodic axes from 0 to the period */
  positions: Float64Array;
  /** Length of the periodic box along each axis, 0 where the axis is open; absent: open space. */
  periods?: Vector;
  /** N */
  radii: Float64Array;
  /** (N + W), 0 for walls and fixed grains */
  inverseMasses: Float64Array;
  /** (N + W) x 3 */
  velocities: Float64Array;
  /** (N + W) x 3, spin s = r w: angular velocity times radius, so that a sphere's surface speed needs no radius */
  spins: Float64Array;
  /** N x 3, velocity gained per step from gravity and external force; 0 for fixed grains */
  accelerations: Float64Array;
  /** N x 3, spin gained per step from external torque; 0 for fixed grains */
  spinAccelerations: Float64Array;
  /** (N + W), index of the material */
  materials: Uint32Array;
  /** Points and radii in internal units, relative to `units.origin`. */
  walls: WallShape[];
  /** W, as messages name them. */
  wallNames: string[];
  /** The walls that are meshes; empty where there are none. */
  meshes: SystemMesh[];
  /** How walls move by themselves, for each; lengths as in `walls`, per step. Undefined for those that do not. */
  motions: (WallMotion | undefined)[];
  /** How each had turned when its motion began; undefined: not at all. */
  turned: (Quaternion | undefined)[];
  /** The walls that are pistons. `force` is the impulse that it exerts in a step, towards the grains. */
  pistons: { wall: number; mass: number; force: number }[];
  /** Impulses instead of forces: a cohesion of F_c is F_c dt here. */
  laws: PairLaw[];
  /** M x M, index into laws */
  lawOf: Uint32Array;
  solver: SolverOptions;
}

/** A wall of triangles, in internal units. */
export interface SystemMesh {
  wall: number;
  /** Number of its first feature among those of all meshes. */
  firstFeature: number;
  mesh: TriangleMesh;
  grid: TriangleGrid;
}

export interface Units {
  /** Scene length per internal length: the mean grain diameter. */
  length: number;
  /** Scene mass per internal mass: the mean grain mass. */
  mass: number;
  /** Scene time per internal time: the step. */
  time: number;
  /** Scene position of the internal origin; along periodic axes the lower end of the box. */
  origin: Vector;
}
