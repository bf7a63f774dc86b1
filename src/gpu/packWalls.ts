import { latticeUnits, MESH } from '../../shaders/bodies';
import { longestWay, reachFromPoint, wallSteps } from '../cpu/walls';
import { BackendError } from '../errors';
import type { Vector, WallShape } from '../scene/problem';
import type { System } from '../scene/system';
import { directionOf, isTurning, surfaceWay, type WallStep } from '../scene/wallMotion';
import { splitDirection, toLattice } from './pack';

/** Bytes of a wall, as shaders/bodies.ts declares it. */
export const WALL_BYTES = 160;
/** Largest radius of a cylinder or sphere, in mean diameters: its square is a whole number that single precision holds. */
const MAX_RADIUS = 2048;
/** Lattice point beyond which no wall is anchored: nothing comes so far, and differences must fit into 32 bits. */
const FARTHEST = 2 ** 30;
/** Side of a plate, as in shaders/bodies.ts. */
const PLATE = 2;
/** Not among the walls that turn. */
const NONE = 0xffffffff;

/** The walls that turn, by their slots. */
export function turningWalls({ motions }: System): number[] {
  return [...motions.keys()].filter((w) => isTurning(motions[w]));
}

/**
 * Where a wall is anchored on the GPU: its point, but slid along an endless plane or an axis to be nearest the packing's
 * middle, where whole diameters are small numbers.
 */
export function wallAnchor(shape: WallShape): Vector {
  const { point } = shape;
  if (shape.kind === 'sphere' || shape.kind === 'mesh' || (shape.kind === 'plane' && shape.region)) return point;
  const direction = directionOf(shape);
  const along = point[0] * direction[0] + point[1] * direction[1] + point[2] * direction[2];
  return [0, 1, 2].map((axis) =>
    shape.kind === 'plane' ? along * direction[axis] : point[axis] - along * direction[axis],
  ) as Vector;
}

/**
 * The walls at the start of a step, and where any move those at its end after them.
 * @param step steps done before it
 * @throws BackendError for a cylinder or sphere so wide that single precision does not resolve its gaps
 */
export function packWalls(system: System, step: number): ArrayBuffer {
  const { walls, motions } = system;
  const moving = motions.some((motion) => motion);
  const packed = new ArrayBuffer(WALL_BYTES * Math.max(1, walls.length * (moving ? 2 : 1)));
  const slots = turningWalls(system);
  wallSteps(system, step).forEach((wall, w) => {
    const slot = slots.indexOf(w);
    const links = [slot < 0 ? NONE : slot, slots[w] ?? NONE, motions[w] ? walls.length + w : w];
    packWall(packed, w, wall, wall.start, system, w, links);
    if (moving) packWall(packed, walls.length + w, wall, wall.end, system, w, links);
  });
  return packed;
}

/** @param at which wall of the buffer */
function packWall(
  packed: ArrayBuffer,
  at: number,
  wall: WallStep,
  shape: WallShape,
  { materials, grains, units, periods, meshes }: System,
  w: number,
  links: readonly number[],
): void {
  const integers = new Int32Array(packed, WALL_BYTES * at, WALL_BYTES / 4);
  const rows = Array.from({ length: 10 }, (_, row) => new Float32Array(packed, WALL_BYTES * at + 16 * row, 4));
  const [, fraction, high, low, region] = rows;
  const direction = directionOf(shape);
  const lattice = latticeUnits(periods);
  wallAnchor(shape).forEach((x, axis) => {
    const farthest = FARTHEST * lattice[axis];
    [integers[axis], fraction[axis]] = toLattice(Math.max(-farthest, Math.min(farthest, x)), 0, lattice[axis]);
    [high[axis], low[axis]] = splitDirection(direction[axis]);
  });
  integers[3] = materials[grains + w];
  region[2] = wall.tilt;
  if (shape.kind === 'mesh') {
    low[3] = MESH;
    const { grid } = meshes.find(({ wall }) => wall === w)!;
    region.set([reachFromPoint(wall, grid), longestWay(wall, grid)]);
  } else if (shape.kind !== 'plane') {
    checkRadius(shape.radius, units.length);
    high[3] = Math.round(shape.radius);
    fraction[3] = shape.radius - high[3];
    low[3] = shape.side === 'inside' ? 1 : -1;
  } else if (shape.region) {
    const { inner, outer, rims } = shape.region;
    low[3] = PLATE;
    region.set([inner, outer]);
    integers[20] = (rims[0] ? 1 : 0) + (rims[1] ? 2 : 0);
  }
  integers.set(links, 21);
  const way = surfaceWay(wall, ...wallAnchor(wall.start));
  for (let row = 0; row < 3; row++) {
    if (wall.turn) rows[6 + row].set(wall.turn.subarray(3 * row, 3 * row + 3));
    rows[6 + row][3] = way[row];
  }
  rows[9].set(wall.angularVelocity);
}

function checkRadius(radius: number, length: number): void {
  if (radius <= MAX_RADIUS) return;
  const most = (MAX_RADIUS * length).toPrecision(3);
  throw new BackendError(
    `The GPU takes cylinders and spheres up to a radius of ${most} here (${MAX_RADIUS} mean diameters): use the CPU backend`,
  );
}
