import type { Vector } from '../scene/problem';
import type { System } from '../scene/system';
import { isAbove, type WallContact, wallContact } from '../scene/wallContact';
import { directionOf, surfaceWay, type WallStep } from '../scene/wallMotion';
import { HUB_ROUND } from '../settings';
import { BODY_STRIDE, INVERSE_MASS, SPIN } from './bodies';
import type { CandidateList } from './candidateList';
import { grown } from './growable';
import { boundaryContactAfter } from './walls';

/**
 * Contacts with walls as the step's law needs them.
 *
 * A wall that moves without tilting is met where it is at the start, with u_n = way . n: seen from the wall it rests. One that
 * tilts is met with the normal of the step's end; the gap stays that of the start, and u_n is what the wall's motion takes
 * from it. Along the surface u is the way of the wall's own points. Contacts with walls that turn, where u differs from
 * place to place, get a body of their own each, without mass to answer, behind those of the system. Features of a mesh that
 * turns take normals as what tilts; what its motion takes from the gap is the way, along the normal, that it would carry the grain.
 * @param motion bodies with their free velocities
 * @returns the same, or a longer one with such bodies
 */
export function placeAtWalls(
  system: System,
  walls: readonly WallStep[],
  positions: Float64Array,
  motion: Float64Array,
  list: CandidateList,
): Float64Array {
  const { grains, radii, bodies } = system;
  const end: WallContact = { gap: 0, normal: [0, 0, 0] };
  let [all, count] = [motion, bodies];
  if (walls.some(({ turn }) => turn)) list.partners = list.second.slice();
  walls.forEach((wall, w) => {
    if (wall.start !== wall.end) motion.set(wall.way, BODY_STRIDE * (grains + w));
  });
  for (let c = 0; c < list.count; c++) {
    const wall = list.second[c] < grains ? undefined : walls[list.second[c] - grains];
    if (!wall || (wall.start === wall.end && !isHollow(wall))) continue;
    const i = list.first[c];
    const radius = radii[i];
    const normal = list.normals.subarray(3 * c, 3 * c + 3);
    const [x, y, z] = positions.subarray(3 * i, 3 * i + 3);
    if (wall.poses) {
      if (!wall.turn) continue;
      const place = positions.subarray(3 * i, 3 * i + 3);
      boundaryContactAfter(system, walls, list.keys[c], place, place, radius, normal, end);
      normal.set(end.normal);
      all = grown(all, BODY_STRIDE * (count + 1 + HUB_ROUND));
      list.partners[c] = count;
      addBody(all, BODY_STRIDE * count++, surfaceWay(wall, x, y, z), wall.angularVelocity, radius);
      continue;
    }
    const arm = radius + list.gaps[c];
    const surface = wall.turn && surfaceWay(wall, x + arm * normal[0], y + arm * normal[1], z + arm * normal[2]);
    let [gap, advance] = [list.gaps[c], 0];
    if (wall.tilt > 0) {
      wallContact(wall.end, x, y, z, radius, end, isAbove(wall.start, normal[0], normal[1], normal[2]));
      normal.set(end.normal);
      gap = end.gap;
      advance = gap - list.gaps[c];
    }
    if (isHollow(wall)) list.gaps[c] += leanWithMotion(wall, radius, gap, normal, all.subarray(BODY_STRIDE * i));
    if (!surface) continue;
    if (wall.tilt === 0) advance = dot(wall.way, normal);
    // The spare ones of the sweeps stay the last.
    all = grown(all, BODY_STRIDE * (count + 1 + HUB_ROUND));
    list.partners[c] = count;
    addSurface(all, BODY_STRIDE * count++, surface, advance, normal, wall.angularVelocity, radius);
  }
  return all;
}

/** The bodies before the step with the walls that move by themselves as they move in it: to grains, walls do not accelerate. */
export function withWallsOf(
  { grains, bodies }: System,
  walls: readonly WallStep[],
  moving: Float64Array,
  motion: Float64Array,
): Float64Array {
  if (walls.every(({ start, end }) => start === end)) return motion;
  const result = motion.length < moving.length ? new Float64Array(moving.length) : motion;
  if (result !== motion) result.set(motion);
  result.set(moving.subarray(BODY_STRIDE * bodies), BODY_STRIDE * bodies);
  walls.forEach((wall, w) => {
    if (wall.start !== wall.end) result.set(wall.way, BODY_STRIDE * (grains + w));
  });
  return result;
}

const dot = (a: ArrayLike<number>, b: ArrayLike<number>) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

const isHollow = ({ start }: WallStep) => 'side' in start && start.side === 'inside';

/**
 * Inside cylinders and spheres the normal n' is that of where the free motion leads, seen from the wall, and the gap is the one
 * along it, g + rho |n' - n|^2/2 with rho the distance from the axis or the centre. On the tangent plane of where it
 * starts, a grain that slides a way u along the wall would sink into it by u^2/(2 (R - r)) in every step, and the law never
 * pushes an overlap out.
 * @param gap that goes with `normal`
 * @param normal overwritten
 * @param velocity free velocity (3)
 * @returns what the gap gains
 */
function leanWithMotion(wall: WallStep, radius: number, gap: number, normal: Float64Array, velocity: Float64Array): number {
  const shape = wall.tilt > 0 ? wall.end : wall.start;
  if (!('side' in shape)) return 0;
  const axis = directionOf(shape);
  const rho = shape.radius - radius - gap;
  const way = [0, 1, 2].map((k) => velocity[k] - (wall.tilt > 0 ? 0 : wall.way[k]));
  const along = dot(way, axis);
  const ahead = way.map((v, k) => rho * normal[k] + v - along * axis[k]);
  const distance = Math.hypot(...ahead);
  if (distance === 0) return 0;
  const lean = ahead.map((x, k) => x / distance - normal[k]);
  for (let k = 0; k < 3; k++) normal[k] += lean[k];
  return 0.5 * rho * dot(lean, lean);
}

/**
 * A body that moves as the wall's surface does at a contact: by `surface` along it and by `advance` along the normal.
 * @param body offset of the body in `motion`
 */
function addSurface(
  motion: Float64Array,
  body: number,
  surface: Vector,
  advance: number,
  [nx, ny, nz]: Float64Array,
  angularVelocity: Vector,
  radius: number,
): void {
  const excess = advance - dot(surface, [nx, ny, nz]);
  const [sx, sy, sz] = angularVelocity.map((w) => radius * w);
  const velocity: Vector = [
    surface[0] + excess * nx - (sy * nz - sz * ny),
    surface[1] + excess * ny - (sz * nx - sx * nz),
    surface[2] + excess * nz - (sx * ny - sy * nx),
  ];
  addBody(motion, body, velocity, angularVelocity, radius);
}

/**
 * A body that stands for a wall that turns at a grain, with the velocity that the wall has at the grain's centre: its spin is the
 * opposite of the wall's at the grain's radius, so that v - s x n is the velocity of the surface where the grain touches it.
 */
function addBody(motion: Float64Array, body: number, velocity: Vector, angularVelocity: Vector, radius: number): void {
  motion.set(velocity, body);
  motion.set(
    angularVelocity.map((w) => -radius * w),
    body + SPIN,
  );
  motion[body + INVERSE_MASS] = 0;
}
