import type { Fault } from '../errors';
import { FaultList, formatPath } from './faults';
import type { Grains } from './problem';
import { boxFaces } from './walls';

/** Vectors of the scene that lie in the plane of motion: z = 0. */
const IN_PLANE = new Set([
  'gravity',
  'setGravity',
  'position',
  'velocity',
  'force',
  'origin',
  'min',
  'max',
  'point',
  'centre',
  'normal',
  'amplitude',
]);
/** Vectors that are at right angles to it: x = y = 0. */
const ACROSS = new Set(['axis', 'angularVelocity', 'torque']);
/** What lies under these has names that the user chose. */
const NAMED = new Set(['materials', 'setMotion', 'setPiston']);

/**
 * What does not fit the dimension of the scene: in two, all that would leave the plane of motion; in three, boxes without
 * height. Looks at the scene as written, whatever else is wrong with it, so that these faults are listed with the others.
 */
export function dimensionFaults(scene: unknown): Fault[] {
  if (typeof scene !== 'object' || scene === null) return [];
  const faults: Fault[] = [];
  const report = (path: readonly PropertyKey[], message: string) => faults.push({ path: formatPath(path), message });
  walk(scene, [], 'dimension' in scene && scene.dimension === 2 ? checkPlanar : checkHeight, report);
  return faults;
}

type Path = readonly PropertyKey[];
type Report = (path: Path, message: string) => void;
type Check = (key: PropertyKey, value: unknown, path: Path, report: Report) => void;

function walk(value: unknown, path: Path, check: Check, report: Report): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    const key = Array.isArray(value) ? Number(name) : name;
    if (!NAMED.has(String(path[path.length - 1]))) check(key, inner, [...path, key], report);
    if (!isVector(inner)) walk(inner, [...path, key], check, report);
  }
}

function checkHeight(key: PropertyKey, value: unknown, path: Path, report: Report): void {
  if (key !== 'box' || typeof value !== 'object' || value === null) return;
  const { min, max } = value as Record<string, unknown>;
  if (isVector(min) && isVector(max) && max[2] === min[2]) report([...path, 'max', 2], 'must exceed that of "min"');
}

function checkPlanar(key: PropertyKey, value: unknown, path: Path, report: Report): void {
  if (isVector(value)) checkVector(key, value, path, report);
  else if (key === 'mesh') report(path, 'is a surface in three dimensions; with "dimension": 2 use planes and cylinders');
  else if (key === 'ballistic') report(path, 'falls along z; with "dimension": 2 take random or lattice');
  else if (key === 'axes' && typeof value === 'string' && value.includes('z')) {
    report(path, 'must not name z: with "dimension": 2 nothing moves along it');
  } else if (key === 'torsionFriction' && typeof value === 'number' && value > 0) {
    report(path, `must be 0, got ${value}: with "dimension": 2 nothing turns about a normal; leave it out`);
  } else if (key === 'open' && Array.isArray(value)) checkOpen(value, path, report);
}

function checkOpen(open: readonly unknown[], path: Path, report: Report): void {
  for (const [k, face] of open.entries()) {
    if (face === '-z' || face === '+z')
      report([...path, k], `must not be "${face}": with "dimension": 2 a box has no faces along z; leave it out`);
  }
  if (boxFaces(open, 2).length === 0) report(path, 'must leave one of the four sides, or there is no wall; take the box out');
}

function checkVector(key: PropertyKey, [x, y, z]: number[], place: Path, report: Report): void {
  if (IN_PLANE.has(String(key)) && z !== 0) {
    report([...place, 2], `must be 0, got ${z}: with "dimension": 2 nothing leaves the x-y plane`);
  } else if (ACROSS.has(String(key)) && (x !== 0 || y !== 0)) {
    report(place, `must be along z, such as [0, 0, 1], got [${x}, ${y}, ${z}]: with "dimension": 2 that is the only axis`);
  } else if (key === 'count' && z !== 1) {
    report([...place, 2], `must be 1, got ${z}: with "dimension": 2 there is one layer`);
  }
}

function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.length === 3 && value.every((x) => typeof x === 'number');
}

/**
 * Grains, from files above all, that lie, move or are driven out of the plane.
 * @param name where a grain comes from
 */
export function planarGrainFaults(grains: Grains, name: (grain: number) => string): Fault[] {
  const faults = new FaultList('grains that leave the x-y plane');
  const { positions, velocities, angularVelocities } = grains;
  for (let i = 0; i < grains.count; i++) {
    const [z, vz] = [positions[3 * i + 2], velocities[3 * i + 2]];
    const [wx, wy] = [angularVelocities[3 * i], angularVelocities[3 * i + 1]];
    if (z === 0 && vz === 0 && wx === 0 && wy === 0) continue;
    const given = z !== 0 ? `z = ${z}` : vz !== 0 ? `a velocity of ${vz} along z` : 'an angular velocity that is not along z';
    faults.add(() => ({ path: name(i), message: `has ${given}: with "dimension": 2 nothing leaves the x-y plane` }));
  }
  return faults.faults;
}
