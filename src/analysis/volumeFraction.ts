import type { Grains, Periodic, Vector } from '../scene/problem';
import { checkPositions, checkRegion, checkScene } from './arguments';
import { forEachImage, fromAxis, inBox, type Region, regionVolume } from './region';

/** Intervals of Simpson's rule across a sphere that the region's surface cuts; the error is about 1e-5 of its volume at most. */
const INTERVALS = 64;

/** Area that two circles share, their centres `distance` apart. */
export function sharedArea(a: number, b: number, distance: number): number {
  if (distance >= a + b) return 0;
  if (distance <= Math.abs(a - b)) return Math.PI * Math.min(a, b) ** 2;
  const segment = (radius: number, other: number) => {
    const toChord = (distance ** 2 + radius ** 2 - other ** 2) / (2 * distance);
    const cosine = Math.min(1, Math.max(-1, toChord / radius));
    return radius ** 2 * (Math.acos(cosine) - cosine * Math.sqrt(1 - cosine ** 2));
  };
  return segment(a, b) + segment(b, a);
}

/** Area of a disk about the origin where x <= a and y <= b. */
function diskQuarter(radius: number, a: number, b: number): number {
  const end = Math.min(a, radius);
  if (end <= -radius || b <= -radius) return 0;
  const height = (x: number) => Math.sqrt(Math.max(0, radius ** 2 - x * x));
  const under = (x: number) => (x * height(x) + radius ** 2 * Math.asin(Math.max(-1, Math.min(1, x / radius)))) / 2;
  const part = (from: number, to: number) => (to > from ? under(to) - under(from) : 0);
  const chord = height(Math.min(b, radius));
  // Beyond the chord y = b the disk is whole (b > 0) or not there.
  const outside = b > 0 ? 2 * (part(-radius, Math.min(end, -chord)) + part(chord, end)) : 0;
  const [from, to] = [-chord, Math.min(end, chord)];
  return outside + (to > from ? part(from, to) + b * (to - from) : 0);
}

/** Area that a disk at (x, y) shares with the rectangle from `min` to `max`. */
export function diskInRectangle(x: number, y: number, radius: number, min: ArrayLike<number>, max: ArrayLike<number>): number {
  const quarter = (a: number, b: number) => diskQuarter(radius, a - x, b - y);
  return quarter(max[0], max[1]) - quarter(min[0], max[1]) - quarter(max[0], min[1]) + quarter(min[0], min[1]);
}

/**
 * Volume of the part of a sphere that is in a region: the areas that its disks share with the region's cross-section,
 * integrated along the region's axis.
 */
export function sphereInRegion(region: Region, centre: Vector, radius: number): number {
  if (region.kind === 'cylinder') {
    const { along, across } = fromAxis(region, centre);
    const distance = Math.hypot(...across);
    if (distance >= region.radius + radius) return 0;
    const whole = distance + radius <= region.radius;
    return integrateDisks(0, region.height, along, radius, whole, (disk) => sharedArea(disk, region.radius, distance));
  }
  const { min, max } = region;
  const [x, y, z] = centre;
  const away = [x, y].some((c, axis) => c + radius <= min[axis] || c - radius >= max[axis]);
  if (away) return 0;
  const whole = [x, y].every((c, axis) => c - radius >= min[axis] && c + radius <= max[axis]);
  return integrateDisks(min[2], max[2], z, radius, whole, (disk) => diskInRectangle(x, y, disk, min, max));
}

function integrateDisks(
  low: number,
  high: number,
  centre: number,
  radius: number,
  whole: boolean,
  area: (disk: number) => number,
): number {
  const from = Math.max(low - centre, -radius);
  const to = Math.min(high - centre, radius);
  if (from >= to) return 0;
  if (whole) return Math.PI * (radius ** 2 * (to - from) - (to ** 3 - from ** 3) / 3);
  // z = radius sin(t): smooth where the disks shrink to a point.
  const angle = (z: number) => Math.asin(Math.min(1, Math.max(-1, z / radius)));
  const [start, end] = [angle(from), angle(to)];
  const step = (end - start) / INTERVALS;
  let sum = 0;
  for (let k = 0; k <= INTERVALS; k++) {
    const disk = radius * Math.cos(start + k * step);
    const weight = k === 0 || k === INTERVALS ? 1 : k % 2 === 1 ? 4 : 2;
    sum += weight * area(disk) * disk;
  }
  return (sum * step) / 3;
}

/** What of a problem the volume fraction depends on. */
export interface Packing {
  grains: Pick<Grains, 'count' | 'radii'>;
  dimension: 2 | 3;
  periodic?: Periodic;
}

/**
 * Share of the region that grains fill; what overlaps counts twice.
 * @param positions N x 3, units of the scene
 * @param region where the scene is periodic, within the box; in two dimensions a box, of which the x-y plane counts
 * @throws TypeError naming an argument that is not what it must be
 */
export function volumeFraction(packing: Packing, positions: Float64Array, region: Region): number {
  checkScene('volumeFraction', packing);
  const { grains, dimension, periodic } = packing;
  checkPositions('volumeFraction', positions, grains.count);
  checkRegion('volumeFraction', region, dimension, periodic);
  const places = inBox(positions, periodic);
  const { part, images } = withoutPeriods(region, periodic);
  let filled = 0;
  for (let i = 0; i < grains.count; i++) {
    forEachImage(images, (shift) => {
      const centre = shift.map((by, axis) => places[3 * i + axis] + by) as Vector;
      if (dimension === 3) filled += sphereInRegion(part, centre, grains.radii[i]);
      else if (part.kind === 'box') filled += diskInRectangle(centre[0], centre[1], grains.radii[i], part.min, part.max);
    });
  }
  return filled / regionVolume(region, dimension);
}

/** Along axes on which a box spans a period it has no ends: every grain is in it once, whole, and has no images. */
function withoutPeriods(region: Region, periodic: Periodic | undefined): { part: Region; images: Periodic | undefined } {
  if (!periodic || region.kind !== 'box') return { part: region, images: periodic };
  const { min, max } = region;
  const spans = periodic.lengths.map(
    (length, axis) => length > 0 && min[axis] <= periodic.min[axis] && max[axis] >= periodic.min[axis] + length,
  );
  const open = (ends: Vector, end: number) => ends.map((x, axis) => (spans[axis] ? end : x)) as Vector;
  return {
    part: { kind: 'box', min: open(min, -Infinity), max: open(max, Infinity) },
    images: { ...periodic, lengths: periodic.lengths.map((length, axis) => (spans[axis] ? 0 : length)) as Vector },
  };
}
