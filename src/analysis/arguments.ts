import { checkArgument, type Kind, OBJECT } from '../arguments';
import type { ContactState } from '../report';
import type { Periodic } from '../scene/problem';
import type { Region } from './region';

const isVector = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length === 3 && value.every((x) => typeof x === 'number' && !Number.isNaN(x));
const isLength = (value: unknown) => typeof value === 'number' && value >= 0 && value < Infinity;

const DIMENSION: Kind = ['2 or 3', (value) => value === 2 || value === 3];
/** Bins or layers: more would be memory alone. */
export const BINS: Kind = [
  'a whole number from 1 to 1000000',
  (value) => Number.isSafeInteger(value) && (value as number) > 0 && (value as number) <= 1e6,
];
const VECTOR: Kind = ['three numbers', (value) => isVector(value) && value.every(Number.isFinite)];
/** Zero among them. */
export const LENGTH: Kind = ['a finite number from 0', isLength];
export const WHOLE: Kind = ['a whole number from 0', (value) => Number.isSafeInteger(value) && (value as number) >= 0];

/** An array of so many finite numbers. @param each how many for each of `count`, for messages */
function numbers(type: 'Float64Array' | 'Uint32Array', count: number, each: number): Kind {
  const words = `a ${type} of ${each * count} ${type === 'Float64Array' ? 'finite ' : ''}numbers, ${each} for each`;
  const is = (value: unknown) => value instanceof globalThis[type] && value.length === each * count && allFinite(value);
  return [words, is];
}

function allFinite(values: Float64Array | Uint32Array): boolean {
  for (let k = 0; k < values.length; k++) if (!Number.isFinite(values[k])) return false;
  return true;
}

/** @returns number of grains. @throws TypeError for what is not N x 3 finite numbers, of as many grains as are asked for */
export function checkPositions(of: string, positions: Float64Array, grains?: number): number {
  const whole: Kind = ['a Float64Array, three numbers for each grain', (x) => x instanceof Float64Array && x.length % 3 === 0];
  checkArgument(of, 'positions', positions, whole);
  const count = grains ?? positions.length / 3;
  checkNumbers(of, 'positions', positions, 'Float64Array', count, 3);
  return count;
}

/** @throws TypeError for what is not N radii above 0 */
export function checkRadii(of: string, radii: Float64Array): void {
  checkArgument(of, 'radii', radii, ['a Float64Array', (value) => value instanceof Float64Array]);
  checkNumbers(of, 'radii', radii, 'Float64Array', radii.length, 1);
  for (let i = 0; i < radii.length; i++) {
    if (!(radii[i] > 0)) throw new TypeError(`${of}: radii must be above 0, got ${radii[i]} for grain ${i}`);
  }
}

/** Arrays are told by their length: their numbers would fill the message. */
function checkNumbers(
  of: string,
  name: string,
  given: unknown,
  type: 'Float64Array' | 'Uint32Array',
  count: number,
  each: number,
) {
  const kind = numbers(type, count, each);
  if (kind[1](given) || !ArrayBuffer.isView(given)) return checkArgument(of, name, given, kind);
  const { length } = given as Float64Array;
  const bad = Array.from(given as Float64Array).findIndex((x) => !Number.isFinite(x));
  const got = `a ${given.constructor.name} of ${length}`;
  const where = bad >= 0 && length === each * count ? `${got} with ${(given as Float64Array)[bad]} at ${bad}` : got;
  throw new TypeError(`${of}: ${name} must be ${kind[0]}, got ${where}`);
}

/**
 * @param grains that there are, where they are known
 * @throws TypeError for what does not fit together as the contacts of a State do
 */
export function checkContacts(of: string, contacts: ContactState, grains?: number): void {
  checkArgument(of, 'contacts', contacts, OBJECT);
  const { count } = contacts;
  checkArgument(of, 'contacts.count', count, WHOLE);
  for (const name of ['first', 'second'] as const) checkNumbers(of, `contacts.${name}`, contacts[name], 'Uint32Array', count, 1);
  for (const name of ['normals', 'forces'] as const)
    checkNumbers(of, `contacts.${name}`, contacts[name], 'Float64Array', count, 3);
  const strange = grains === undefined ? -1 : contacts.first.findIndex((i) => i >= grains);
  if (strange >= 0) {
    const names = `${of}: contacts.first[${strange}] names grain ${contacts.first[strange]}`;
    throw new TypeError(`${names}, and there are ${grains}; give the contacts of the same state`);
  }
}

export function checkDimension(of: string, dimension: unknown): void {
  checkArgument(of, 'dimension', dimension, DIMENSION);
}

/** @throws TypeError for what is no box of three periods, 0 along axes that are not periodic */
export function checkPeriodic(of: string, periodic: Periodic | undefined): void {
  if (periodic === undefined) return;
  checkArgument(of, 'periodic', periodic, OBJECT);
  checkArgument(of, 'periodic.min', periodic.min, VECTOR);
  const lengths: Kind = ['three lengths, 0 along axes that are not periodic', (x) => isVector(x) && x.every(isLength)];
  checkArgument(of, 'periodic.lengths', periodic.lengths, lengths);
}

/**
 * A box may be flat. One without an end along an axis is none: its volume is not finite.
 * @param dimension in two, the z of a box does not count and a cylinder is none
 * @param periodic box that the region must not reach beyond
 * @throws TypeError for what is no region
 */
export function checkRegion(of: string, region: Region, dimension: 2 | 3, periodic?: Periodic): void {
  checkShape(of, region, dimension);
  const beyond = regionBeyond(region, periodic);
  if (beyond !== undefined) throw new TypeError(`${of}: region ${beyond}`);
}

/** Ends of a region that differ from those of a box by less than this share of the box are rounding. */
const ROUNDING = 1e-9;

/** How a region reaches beyond the periodic box, where each grain would be in it more than once; undefined where it does not. */
export function regionBeyond(region: Region, periodic: Periodic | undefined): string | undefined {
  for (let axis = 0; periodic && axis < 3; axis++) {
    const [low, length] = [periodic.min[axis], periodic.lengths[axis]];
    const [from, to] = endsAlong(region, axis);
    const room = ROUNDING * length;
    if (length === 0 || (from >= low - room && to <= low + length + room)) continue;
    return `reaches from ${from} to ${to} in ${'xyz'[axis]}, beyond the periodic box, which reaches from ${low} to ${low + length}`;
  }
  return undefined;
}

/** The ends of a region along an axis. */
export function endsAlong(region: Region, k: number): [number, number] {
  if (region.kind === 'box') return [region.min[k], region.max[k]];
  const { point, axis, radius, height } = region;
  const aside = radius * Math.hypot(...axis.filter((_, other) => other !== k));
  const [a, b] = [point[k], point[k] + height * axis[k]];
  return [Math.min(a, b) - aside, Math.max(a, b) + aside];
}

function checkShape(of: string, region: Region, dimension: 2 | 3): void {
  checkArgument(of, 'region', region, OBJECT);
  checkArgument(of, 'region.kind', region.kind, ['"box" or "cylinder"', (kind) => kind === 'box' || kind === 'cylinder']);
  if (region.kind === 'box') {
    for (const name of ['min', 'max'] as const) {
      const corner: Kind = ['three finite numbers', (x) => isVector(x) && x.slice(0, dimension).every(Number.isFinite)];
      checkArgument(of, `region.${name}`, region[name], corner);
    }
    const above: Kind = [
      'at least region.min along each axis',
      () => region.max.every((x, k) => k >= dimension || x >= region.min[k]),
    ];
    checkArgument(of, 'region.max', region.max, above);
    return;
  }
  if (dimension === 2) throw new TypeError(`${of}: region must be a box in two dimensions, got a cylinder`);
  checkArgument(of, 'region.point', region.point, VECTOR);
  const unit: Kind = ['three numbers of length 1', (x) => isVector(x) && Math.abs(Math.hypot(...x) - 1) < 1e-6];
  checkArgument(of, 'region.axis', region.axis, unit);
  checkArgument(of, 'region.radius', region.radius, LENGTH);
  checkArgument(of, 'region.height', region.height, LENGTH);
}

/** What functions take of a problem. @throws TypeError */
export function checkScene(
  of: string,
  scene: { grains: { count: number; radii: Float64Array }; dimension: 2 | 3; periodic?: Periodic },
): void {
  checkArgument(of, 'the problem', scene, OBJECT);
  checkArgument(of, 'grains', scene.grains, OBJECT);
  checkRadii(of, scene.grains.radii);
  const { length } = scene.grains.radii;
  checkArgument(of, 'grains.count', scene.grains.count, [`${length}, as many as there are radii`, (count) => count === length]);
  checkDimension(of, scene.dimension);
  checkPeriodic(of, scene.periodic);
}
