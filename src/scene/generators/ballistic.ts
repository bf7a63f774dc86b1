import { wrapped } from '../periodic';
import type { Grains, Space, Vector } from '../problem';
import type { SceneGroup } from '../schema';
import { Columns } from './columns';
import { randomNumbers } from './randomNumbers';
import { placeDrawer } from './regions';

export type BallisticSettings = NonNullable<SceneGroup['ballistic']>;

/**
 * Ballistic deposition: grains one by one fall along -z from the top of the box, at random x and y. A grain whose centre first
 * comes within the capture radius of a deposited centre moves along the line of centres until they touch; one whose centre
 * first comes to the capture radius less its own radius above the bottom of the box drops onto the bottom. What it meets on
 * the way stops it. Grains of other groups that are there already count as deposited, and touch where they are met before
 * they capture.
 * @param start the first grain; radii from there on are given
 * @param there ids of the grains that are there already
 * @returns how many grains came to lie before one began within reach of a deposited one, at the top
 */
export function deposit(
  settings: BallisticSettings,
  grains: Grains,
  start: number,
  there: Iterable<number>,
  space: Space,
): number {
  const { count, box, captureRadius, seed } = settings;
  const { positions, radii } = grains;
  const { periodic } = space;
  const falls = new Falls(grains, captureRadius, space);
  for (const i of there) falls.add(i);
  // Another sequence than that of the radii, or places and radii would be correlated.
  const drawPlace = placeDrawer({ box }, randomNumbers(~seed >>> 0), space);
  const centre: Vector = [0, 0, 0];
  for (let i = start; i < start + count; i++) {
    if (!drawPlace(radii[i], centre)) return i - start;
    centre[2] = box.max[2] - radii[i];
    if (!falls.fall(centre, radii[i], box.min[2])) return i - start;
    for (let axis = 0; axis < 3; axis++) {
      positions[3 * i + axis] = periodic ? wrapped(centre[axis], periodic.min[axis], periodic.lengths[axis]) : centre[axis];
    }
    falls.add(i);
  }
  return count;
}

/** In place of the id of a captor: there is none; the sphere is within reach of another already at the start. */
const NONE = -1;
const BLOCKED = -2;

/** Height of a falling centre at its capture, and from there to the captor's. */
interface Way {
  height: number;
  dx: number;
  dy: number;
  dz: number;
}

/** Exact falls of spheres onto those that are there. */
class Falls {
  private readonly columns: Columns;
  /** Largest distance of centres at which a sphere captures or touches. */
  private readonly farthest: number;
  private readonly largest: number;

  constructor(
    private readonly grains: Grains,
    private readonly captureRadius: number,
    { periodic }: Space,
  ) {
    this.largest = grains.radii.reduce((most, radius) => Math.max(most, radius), 0);
    this.farthest = Math.max(captureRadius, 2 * this.largest);
    this.columns = new Columns(grains.positions, this.farthest, periodic);
  }

  add(i: number): void {
    this.columns.add(i);
  }

  /** Moves the centre to where the sphere comes to lie; false where it is within reach of another at the start. */
  fall(centre: Vector, radius: number, bottom: number): boolean {
    const { captor, way } = this.firstCapture(centre, radius);
    if (captor === BLOCKED) return false;
    const overBottom = bottom + this.captureRadius - radius;
    if (captor === NONE || overBottom > way.height) {
      centre[2] = Math.min(centre[2], overBottom);
      this.move(centre, radius, [0, 0, -1], centre[2] - (bottom + radius), NONE);
      return true;
    }
    centre[2] = way.height;
    const distance = Math.hypot(way.dx, way.dy, way.dz);
    const direction: Vector = [way.dx / distance, way.dy / distance, way.dz / distance];
    this.move(centre, radius, direction, distance - radius - this.grains.radii[captor], captor);
    return true;
  }

  /** What captures a falling sphere first, the height of its centre then and the way to the captor; the lower id of two. */
  private firstCapture([x, y, z]: Vector, radius: number): { captor: number; way: Way } {
    const { positions, radii } = this.grains;
    let captor = NONE;
    const way: Way = { height: Number.NEGATIVE_INFINITY, dx: 0, dy: 0, dz: 0 };
    this.columns.around(x, y, this.farthest, (j, dx, dy) => {
      const zj = positions[3 * j + 2];
      if (captor === BLOCKED || zj + this.farthest < way.height) return false;
      const reach = Math.max(this.captureRadius, radius + radii[j]);
      const square = reach * reach - dx * dx - dy * dy;
      if (square < 0) return true;
      const dz = Math.sqrt(square);
      if (Math.abs(z - zj) <= dz) captor = BLOCKED;
      const earlier = zj + dz > way.height || (zj + dz === way.height && j < captor);
      if (captor === BLOCKED || zj > z || !earlier) return true;
      captor = j;
      Object.assign(way, { height: zj + dz, dx, dy, dz: -dz });
      return true;
    });
    return { captor, way };
  }

  /** Moves the centre along `direction` (unit) by `length`, or until the sphere touches one other than `captor`. */
  private move(centre: Vector, radius: number, direction: Vector, length: number, captor: number): void {
    const { positions, radii } = this.grains;
    const middle = centre.map((x, axis) => x + 0.5 * length * direction[axis]);
    const range = 0.5 * length * Math.hypot(direction[0], direction[1]) + radius + this.largest;
    const lowest = Math.min(centre[2], centre[2] + length * direction[2]) - radius - this.largest;
    let way = length;
    this.columns.around(middle[0], middle[1], range, (k, dx, dy) => {
      if (positions[3 * k + 2] < lowest) return false;
      if (k === captor) return true;
      const [ex, ey, ez] = [middle[0] + dx - centre[0], middle[1] + dy - centre[1], positions[3 * k + 2] - centre[2]];
      const along = ex * direction[0] + ey * direction[1] + ez * direction[2];
      const apart = ex * ex + ey * ey + ez * ez - (radius + radii[k]) ** 2;
      const discriminant = along * along - apart;
      if (along > 0 && discriminant > 0) way = Math.min(way, Math.max(0, apart / (along + Math.sqrt(discriminant))));
      return true;
    });
    for (let axis = 0; axis < 3; axis++) centre[axis] += way * direction[axis];
  }
}
