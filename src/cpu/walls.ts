import { boxCorners, intoFrame, outOfFrame, turned, unturned } from '../scene/mesh/pose';
import type { TriangleGrid } from '../scene/mesh/triangleGrid';
import { wrapped } from '../scene/periodic';
import type { Vector } from '../scene/problem';
import type { System, SystemMesh } from '../scene/system';
import { isAbove, type WallContact, wallContact } from '../scene/wallContact';
import { surfaceWay, type WallStep, wallStep } from '../scene/wallMotion';
import { BASE_REACH } from '../settings';
import { BODY_STRIDE } from './bodies';
import { featureContact } from './featureContact';

/** The walls in a step that begins after `step` steps; lengths in mean diameters. */
export function wallSteps({ walls, motions, turned }: System, step: number): WallStep[] {
  return walls.map((shape, w) => wallStep(shape, motions[w], step, step + 1, turned[w]));
}

/**
 * Gap at the start of the step, and whether the pair can touch within it: the nearer of where the wall is before and after.
 * @param end overwritten
 */
export function nearestGap(
  wall: WallStep,
  x: number,
  y: number,
  z: number,
  radius: number,
  touch: WallContact,
  end: WallContact,
): number {
  wallContact(wall.start, x, y, z, radius, touch);
  if (wall.start === wall.end) return touch.gap;
  wallContact(wall.end, x, y, z, radius, end, isAbove(wall.start, ...touch.normal));
  return Math.min(touch.gap, end.gap);
}

/**
 * Gap at the start of the step between a sphere and a wall or a feature of a mesh, and the contact normal.
 * @param key as in CandidateList.keys
 */
export function boundaryContact(
  system: System,
  walls: readonly WallStep[],
  key: number,
  x: number,
  y: number,
  z: number,
  radius: number,
  out: WallContact,
): void {
  const wall = walls[key - system.grains];
  if (wall) wallContact(wall.start, x, y, z, radius, out);
  else meshContact(system, walls, { end: 0 }, key, [x, y, z], radius, out);
}

/**
 * The same at the end of the step.
 * @param place where the sphere is then, along periodic axes going on from where it was
 * @param before where it was before the step
 * @param normal of the contact, which tells the side of a plate or a facet
 */
export function boundaryContactAfter(
  system: System,
  walls: readonly WallStep[],
  key: number,
  [x, y, z]: Float64Array,
  before: ArrayLike<number>,
  radius: number,
  [nx, ny, nz]: Float64Array,
  out: WallContact,
): void {
  const wall = walls[key - system.grains];
  if (wall) wallContact(wall.end, x, y, z, radius, out, isAbove(wall.start, nx, ny, nz));
  else meshContact(system, walls, { end: 1, before }, key, [x, y, z], radius, out, [nx, ny, nz]);
}

/** When a place is meant: before the step (0), or after it (1), for which `before` tells where the grain was. */
type Moment = { end: 0 } | { end: 1; before: ArrayLike<number> };

/** A place as it is seen in a mesh's frame, in the image of the periodic box in which the grain is there before the step. */
export function seenFrom({ periods }: System, { poses }: WallStep, moment: Moment, place: Vector): Vector {
  if (!poses) return place;
  const seen = intoFrame(poses[moment.end], ...place);
  if (!periods) return seen;
  const start = moment.end === 0 ? seen : intoFrame(poses[0], moment.before[0], moment.before[1], moment.before[2]);
  return seen.map((x, axis) => x + (wrapped(start[axis], 0, periods[axis]) - start[axis])) as Vector;
}

function meshContact(
  system: System,
  walls: readonly WallStep[],
  moment: Moment,
  key: number,
  place: Vector,
  radius: number,
  out: WallContact,
  normal?: Vector,
): void {
  const feature = key - system.grains - walls.length;
  const { mesh, firstFeature, wall } = featureMesh(system.meshes, feature);
  const pose = walls[wall].poses?.[moment.end];
  const [x, y, z] = seenFrom(system, walls[wall], moment, place);
  const towards = normal && (pose ? unturned(pose.rotation, ...normal) : normal);
  featureContact(mesh, feature - firstFeature, x, y, z, radius, out, towards);
  if (pose) out.normal.splice(0, 3, ...turned(pose.rotation, ...out.normal));
}

/** The longest way that a point of a mesh goes in the step; 0 where it does not move. */
export function longestWay(wall: WallStep, grid: TriangleGrid): number {
  const before = wall.poses?.[0];
  if (!before) return 0;
  return Math.max(...boxCorners(grid).map((corner) => Math.hypot(...surfaceWay(wall, ...outOfFrame(before, ...corner)))));
}

/** How far a mesh that moves reaches from its wall's point; 0 for one that rests. */
export function reachFromPoint({ start, end, poses }: WallStep, grid: TriangleGrid): number {
  if (start === end || !poses) return 0;
  const { from } = poses[0];
  return Math.max(...boxCorners(grid).map((corner) => Math.hypot(...corner.map((x, axis) => x - from[axis]))));
}

/** The body that a key of CandidateList.keys means: a feature's wall. */
export function wallOfKey({ grains, walls, meshes }: System, key: number): number {
  const feature = key - grains - walls.length;
  return feature < 0 ? key : grains + featureMesh(meshes, feature).wall;
}

/** The mesh that has a feature, numbered among those of all meshes. */
function featureMesh(meshes: readonly SystemMesh[], feature: number): SystemMesh {
  let m = meshes.length - 1;
  while (meshes[m].firstFeature > feature) m--;
  return meshes[m];
}

/** Keys from `first` on with one whole part of (key - first)/images are images of one feature in periodic space. */
export interface FeatureImages {
  first: number;
  images: number;
}

/** Undefined where there are no meshes. */
export function featureImages({ grains, walls, meshes }: System): FeatureImages | undefined {
  return meshes.length > 0 ? { first: grains + walls.length, images: meshes[0].mesh.images } : undefined;
}

/**
 * How far moving walls come nearer to grains that they may meet in the step: grains there are pushed, and push others. Of meshes
 * it is taken that they may meet all grains in the sphere about the wall's point that holds them, by their longest way.
 * @param free bodies with their free velocities
 * @returns N, mean diameters; undefined where no wall moves
 */
export function wallPushes(
  { grains, radii, meshes, periods }: System,
  walls: readonly WallStep[],
  positions: Float64Array,
  free: Float64Array,
): Float64Array | undefined {
  if (walls.every(({ start, end }) => start === end)) return undefined;
  const moving = walls.filter(({ start, end }) => start !== end && start.kind !== 'mesh');
  const movingMeshes = meshes.flatMap(({ wall, grid }) => {
    const step = walls[wall];
    if (step.start === step.end) return [];
    return [{ point: step.start.point, around: reachFromPoint(step, grid), way: longestWay(step, grid) }];
  });
  const pushes = new Float64Array(grains);
  const [before, after] = [0, 0].map((): WallContact => ({ gap: 0, normal: [0, 0, 0] }));
  for (let i = 0; i < grains; i++) {
    const speed = Math.hypot(free[BODY_STRIDE * i], free[BODY_STRIDE * i + 1], free[BODY_STRIDE * i + 2]);
    for (const wall of moving) {
      nearestGap(wall, positions[3 * i], positions[3 * i + 1], positions[3 * i + 2], radii[i], before, after);
      if (after.gap <= BASE_REACH + speed && before.gap - after.gap > pushes[i]) pushes[i] = before.gap - after.gap;
    }
    for (const { point, around, way } of movingMeshes) {
      // Along a periodic axis it has images all along.
      const distance = Math.hypot(...point.map((x, axis) => (periods?.[axis] ? 0 : positions[3 * i + axis] - x)));
      if (distance <= around + radii[i] + way + BASE_REACH + speed && way > pushes[i]) pushes[i] = way;
    }
  }
  return pushes;
}
