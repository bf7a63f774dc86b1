import { nearestImage, wrapPositions } from '../scene/periodic';
import type { Periodic, Vector } from '../scene/problem';
import { checkDimension, checkRegion } from './arguments';

/** Where figures are taken. */
export type Region =
  | { kind: 'box'; min: Vector; max: Vector }
  /** From `point` on along `axis` (unit). */
  | { kind: 'cylinder'; point: Vector; axis: Vector; radius: number; height: number };

export type BoxRegion = Extract<Region, { kind: 'box' }>;

/**
 * @returns its volume; of a box in two dimensions the area of its face in the x-y plane
 * @throws TypeError for what is no region, such as a cylinder in two dimensions
 */
export function regionVolume(region: Region, dimension: 2 | 3 = 3): number {
  checkDimension('regionVolume', dimension);
  checkRegion('regionVolume', region, dimension);
  if (region.kind === 'cylinder') return Math.PI * region.radius ** 2 * region.height;
  const [x, y, z] = region.max.map((most, axis) => most - region.min[axis]);
  return dimension === 2 ? x * y : x * y * z;
}

/** A point as a cylinder sees it: how far along the axis, and the rest of the way, across it. */
export function fromAxis({ point, axis }: { point: Vector; axis: Vector }, x: Vector): { along: number; across: Vector } {
  const way = x.map((value, k) => value - point[k]);
  const along = way[0] * axis[0] + way[1] * axis[1] + way[2] * axis[2];
  return { along, across: way.map((value, k) => value - along * axis[k]) as Vector };
}

/** Whether a point lies in the region; in two dimensions a box has no ends along z. */
export function isInside(region: Region, x: Vector, dimension: 2 | 3 = 3): boolean {
  if (region.kind === 'box') {
    return x.every((value, axis) => axis >= dimension || (value >= region.min[axis] && value <= region.max[axis]));
  }
  const { along, across } = fromAxis(region, x);
  return along >= 0 && along <= region.height && Math.hypot(...across) <= region.radius;
}

/** The grains whose centres lie in the region, in order. @param positions N x 3 */
export function grainsInside(region: Region, positions: Float64Array, dimension: 2 | 3 = 3): number[] {
  return Array.from({ length: positions.length / 3 }, (_, i) => i).filter((i) =>
    isInside(region, [...positions.subarray(3 * i, 3 * i + 3)] as Vector, dimension),
  );
}

/** The share of the line from `from` to `to` that lies in the region, which is convex: 0 to 1. */
export function shareInside(region: Region, from: Vector, to: Vector, dimension: 2 | 3 = 3): number {
  let [start, end] = [0, 1];
  const keep = (low: number, high: number, at: number, slope: number) => {
    if (slope === 0) {
      // A line in a face is in the region on one side of it alone, so that images do not count twice.
      if (at < low || at >= high) end = start;
      return;
    }
    const [a, b] = [(low - at) / slope, (high - at) / slope];
    start = Math.max(start, Math.min(a, b));
    end = Math.min(end, Math.max(a, b));
  };
  if (region.kind === 'box') {
    for (let axis = 0; axis < dimension; axis++) keep(region.min[axis], region.max[axis], from[axis], to[axis] - from[axis]);
    return Math.max(0, end - start);
  }
  const [p, q] = [fromAxis(region, from), fromAxis(region, to)];
  keep(0, region.height, p.along, q.along - p.along);
  // |across + t way|^2 = R^2
  const way = q.across.map((value, k) => value - p.across[k]);
  const a = way.reduce((sum, x) => sum + x * x, 0);
  const b = way.reduce((sum, x, k) => sum + x * p.across[k], 0);
  const c = p.across.reduce((sum, x) => sum + x * x, 0) - region.radius ** 2;
  if (a === 0) return c <= 0 ? Math.max(0, end - start) : 0;
  const root = b * b - a * c;
  if (root <= 0) return 0;
  start = Math.max(start, (-b - Math.sqrt(root)) / a);
  end = Math.min(end, (-b + Math.sqrt(root)) / a);
  return Math.max(0, end - start);
}

/** Calls `visit` with the shifts by whole periods that could bring something into a region that lies in the box: its own and the neighbours'. */
export function forEachImage(periodic: Periodic | undefined, visit: (shift: Vector) => void): void {
  const shifts = [0, 1, 2].map((axis) => {
    const length = periodic?.lengths[axis] ?? 0;
    return length > 0 ? [-length, 0, length] : [0];
  });
  for (const x of shifts[0]) for (const y of shifts[1]) for (const z of shifts[2]) visit([x, y, z]);
}

/**
 * Places in the periodic box: files may have counted on beyond its faces, and regions look for grains within it.
 * @param positions N x 3, which stay as they are
 */
export function inBox(positions: Float64Array, periodic: Periodic | undefined): Float64Array {
  const isIn = (x: number, k: number) => {
    const [way, length] = [x - periodic!.min[k % 3], periodic!.lengths[k % 3]];
    return length === 0 || (way >= 0 && way < length);
  };
  if (!periodic || positions.every(isIn)) return positions;
  const places = positions.slice();
  wrapPositions(places, periodic);
  return places;
}

/** From one point to another, by the images that are nearest to each other. */
export function branch(periodic: Periodic | undefined, from: Vector, to: Vector): Vector {
  return to.map((x, axis) => nearestImage(x - from[axis], periodic?.lengths[axis] ?? 0)) as Vector;
}
