import type { Fault } from '../errors';
import { FaultList, formatValue } from './faults';
import { GrainIndex } from './grainIndex';
import { type GrainGroup, grainName } from './grains';
import type { MeshShape } from './mesh/read';
import type { Grains, Material, Periodic, Space, Vector, Wall } from './problem';
import { isMoving } from './wallMotion';
import { wallDistance } from './walls';

/** Centres nearer than this share of the sum of the radii are in one place: no direction to push the grains apart is left in single precision. */
const ONE_PLACE = 1e-6;
/** Overlaps below this, in mean diameters, are rounding. */
const ROUNDING = 1e-9;
/** Overlapping pairs per grain, on the mean, above which a scene is refused, and so many that are always allowed. Touching grains make three. */
const MAX_OVERLAPS_PER_GRAIN = 50;
const ALLOWED_OVERLAPS = 100_000;
/** The same for pairs of fixed grains, which may well make up a dense surface. */
const MAX_FIXED_OVERLAPS_PER_GRAIN = 1000;
/** A wall nearer to a grain's centre than this share of the radius goes through it. */
const DEEP = 0.5;
/** Mass of the heaviest grain over that of the lightest, up to which sweeps carry loads from one to the other in a step or a few dozen. */
const EASY_MASS_RATIO = 1e6;
/** A file's own masses may differ from those by density so much, in all, without a word. */
const MASS_TOLERANCE = 0.01;

/** What is wrong with grains that are each right by themselves, and what to know of them. */
export interface Findings {
  faults: Fault[];
  warnings: string[];
}

/** Looks at all grains together: in one place, overlapping, on the wrong side of a wall. */
export function checkPlaces(grains: Grains, { walls, periodic }: Space, groups: readonly GrainGroup[]): Findings {
  const name = (grain: number) => grainName(groups, grain);
  const overlaps = new Overlaps(2 * mean(grains.radii), name);
  const faults = [...checkPairs(grains, periodic, overlaps, name), ...checkWalls(grains, walls, overlaps, name)];
  return { faults, warnings: overlaps.warnings };
}

/** Overlaps met: how many, and the largest. */
class Overlaps {
  private pairs = 0;
  private atWalls = 0;
  private largest = 0;
  private place: () => string = () => '';
  private readonly least: number;

  constructor(
    private readonly meanDiameter: number,
    private readonly name: (grain: number) => string,
  ) {
    this.least = ROUNDING * meanDiameter;
  }

  add(depth: number, grain: number, other: number | Wall): void {
    if (depth <= this.least) return;
    if (typeof other === 'number') this.pairs++;
    else this.atWalls++;
    if (depth <= this.largest) return;
    this.largest = depth;
    this.place = () =>
      `${this.name(grain)} and ${typeof other === 'number' ? this.name(other) : `wall ${formatValue(other.name)}`}`;
  }

  get warnings(): string[] {
    if (this.pairs + this.atWalls === 0) return [];
    const shares = `${(this.largest / this.meanDiameter).toPrecision(3)} mean diameters`;
    return [
      `${this.pairs} overlaps between grains and ${this.atWalls} with walls at the start; the largest is ${this.largest.toPrecision(3)} (${shares}), of ${this.place()}. Overlaps are kept from growing, not pushed out: a settled packing has many small ones, larger ones are to be moved apart`,
    ];
  }
}

/** Pairs of fixed grains may overlap: they never meet. */
function checkPairs(
  { count, positions, radii, fixed }: Grains,
  periodic: Space['periodic'],
  overlaps: Overlaps,
  name: (grain: number) => string,
): Fault[] {
  const faults = new FaultList('grains in one place');
  const index = new GrainIndex(positions, radii, periodic);
  const levels = Uint16Array.from(radii, (radius) => index.level(radius));
  const most = levels.reduce((a, b) => Math.max(a, b), 0);
  const allowed = [MAX_OVERLAPS_PER_GRAIN, MAX_FIXED_OVERLAPS_PER_GRAIN].map((mean) => Math.max(ALLOWED_OVERLAPS, mean * count));
  const met = [0, 0];
  /** Of each grain it is told once that it lies where another does. */
  const told = new Uint8Array(count);
  let i = 0;
  const found = (j: number, distance: number) => {
    const sum = radii[i] + radii[j];
    const [first, second] = i < j ? [i, j] : [j, i];
    const kind = fixed[i] && fixed[j] ? 1 : 0;
    if (++met[kind] > allowed[kind]) {
      const message = `overlaps ${name(first)}, and grains overlap so deeply that there are more than ${allowed[kind]} such pairs; make the radii smaller or move the grains apart, or check the units`;
      faults.add(() => ({ path: name(second), message }));
      return true;
    }
    if (distance <= ONE_PLACE * sum) {
      if (told[second] === 1) return false;
      told[second] = 1;
      faults.add(() => ({ path: name(second), message: `lies in one place with ${name(first)}; move or remove one of them` }));
    } else if (kind === 0) overlaps.add(sum - distance, first, second);
    return false;
  };
  // Each pair is met once: large size classes first, every grain against those that are in already.
  for (let level = most; level >= 0; level--) {
    for (i = 0; i < count; i++) {
      if (levels[i] !== level) continue;
      if (index.overlaps(positions[3 * i], positions[3 * i + 1], positions[3 * i + 2], radii[i], found)) return faults.faults;
      index.add(i);
    }
  }
  return faults.faults;
}

/**
 * Whether a wall goes through a grain. Of a plate or a mesh it is then anyone's guess on which side the grain is; a wall that moves would drag
 * it along. Others have a side, on which the centre is.
 */
export const goesThrough = ({ shape, motion }: Wall, distance: number, radius: number) =>
  distance < DEEP * radius && (shape.kind === 'mesh' || (shape.kind === 'plane' && !!shape.region) || isMoving(motion));

/** Fixed grains may lie anywhere: they never touch a wall. */
function checkWalls(grains: Grains, walls: readonly Wall[], overlaps: Overlaps, name: (grain: number) => string): Fault[] {
  const { count, positions, radii, fixed } = grains;
  const faults = new FaultList('grains outside the walls');
  for (const wall of walls) {
    for (let i = 0; i < count; i++) {
      if (fixed[i]) continue;
      const distance = wallDistance(wall, positions[3 * i], positions[3 * i + 1], positions[3 * i + 2], radii[i]);
      if (distance < 0) {
        faults.add(() => ({ path: name(i), message: outside(distance, wall) }));
      } else if (goesThrough(wall, distance, radii[i])) {
        faults.add(() => ({ path: name(i), message: `wall ${formatValue(wall.name)} goes through it; move one of them` }));
      } else if (distance < radii[i]) overlaps.add(radii[i] - distance, i, wall);
    }
  }
  return faults.faults;
}

function outside(distance: number, { name, shape }: Wall): string {
  const mend = shape.kind === 'plane' ? 'move it, or turn the normal' : 'move it, or change the side';
  return `the centre is ${(-distance).toPrecision(3)} beyond wall ${formatValue(name)}, on the side where no grains are; ${mend}`;
}

/** One warning for each pair of materials that can meet without a law for it. */
export function missingLaws(
  materials: readonly Material[],
  grains: Grains,
  walls: readonly Wall[],
  hasLaw: (a: number, b: number) => boolean,
): string[] {
  const all = new Float64Array(materials.length);
  const free = new Float64Array(materials.length);
  for (let i = 0; i < grains.count; i++) {
    all[grains.materials[i]]++;
    if (!grains.fixed[i]) free[grains.materials[i]]++;
  }
  const atWalls = new Set(walls.map(({ material }) => material));
  const canMeet = (a: number, b: number) => {
    const betweenGrains = a === b ? free[a] > 0 && all[a] > 1 : all[a] > 0 && all[b] > 0 && free[a] + free[b] > 0;
    return betweenGrains || (free[a] > 0 && atWalls.has(b)) || (free[b] > 0 && atWalls.has(a));
  };
  const warnings: string[] = [];
  for (let a = 0; a < materials.length; a++) {
    for (let b = a; b < materials.length; b++) {
      if (hasLaw(a, b) || !canMeet(a, b)) continue;
      const names = [materials[a].name, materials[b].name].map(formatValue);
      warnings.push(`${names.join(' and ')} can meet but have no entry in "contacts": they are frictionless`);
    }
  }
  return warnings;
}

/** Grains that move, of masses so far apart that the sweeps of a step do not see that the light ones carry the heavy ones. */
export function massRatioWarnings({ masses, fixed }: Grains): string[] {
  let [least, most] = [Infinity, 0];
  for (let i = 0; i < masses.length; i++) {
    if (fixed[i]) continue;
    least = Math.min(least, masses[i]);
    most = Math.max(most, masses[i]);
  }
  if (most <= EASY_MASS_RATIO * least) return [];
  return [
    `the heaviest grain has ${(most / least).toPrecision(2)} times the mass of the lightest: where light grains carry heavy ones steps may not converge, and the heavy ones sink in meanwhile; bring sizes or densities nearer, or see that timeStep is short and solver.convergence.maxIterations large enough`,
  ];
}

/** Steps in which gravity moves a grain by more than a mean diameter: scenes in seconds and millimetres, for instance. */
export function timeStepWarnings(gravity: Vector, timeStep: number, { radii }: Grains): string[] {
  const scale = Math.sqrt((2 * sum(radii)) / radii.length / Math.hypot(...gravity));
  if (!(timeStep > scale)) return [];
  return [
    `timeStep: ${timeStep} is ${(timeStep / scale).toPrecision(3)} sqrt(d/g), with d the mean diameter: in one step gravity moves a grain beyond its neighbours; take ${(0.1 * scale).toPrecision(2)} or less, or see whether lengths and times have the same units`,
  ];
}

/** Meshes in which no grain has room, nor could rest on: those in metres among grains in millimetres, for instance. */
export function meshWarnings(meshes: ReadonlyMap<string, MeshShape>, smallest: number): string[] {
  return [...meshes].flatMap(([name, { mesh }]) => {
    const axes = [0, 1, 2].map((axis) => mesh.vertices.filter((_, k) => k % 3 === axis));
    const longest = axes.reduce(
      (most, x) => Math.max(most, x.reduce((a, b) => Math.max(a, b)) - x.reduce((a, b) => Math.min(a, b))),
      0,
    );
    if (!(longest < 2 * smallest)) return [];
    return [
      `wall ${formatValue(name)}: the mesh is ${longest.toPrecision(3)} long, less than the smallest grain (diameter ${(2 * smallest).toPrecision(3)}): is its "scale" right?`,
    ];
  });
}

/** Masses come from the density; a file whose own masses say otherwise deserves a word. */
export function massWarnings(groups: readonly GrainGroup[], masses: Float64Array): string[] {
  return groups.flatMap(({ settings, start, count, table }) => {
    if (!table?.masses) return [];
    const given = sum(table.masses);
    const used = sum(masses.subarray(start, start + count));
    if (Math.abs(given - used) <= MASS_TOLERANCE * used) return [];
    return [
      `${settings.file} gives its grains ${given.toPrecision(4)} of mass in all, the density of ${formatValue(settings.material)} makes it ${used.toPrecision(4)}; the density is taken`,
    ];
  });
}

/** A group has one material, which is not said of the types in its file. */
export function typeWarnings(groups: readonly GrainGroup[]): string[] {
  return groups.flatMap(({ settings: { file, material }, table }) => {
    const types = [...new Set(table?.types)].sort((a, b) => a - b);
    if (types.length < 2) return [];
    return [
      `${file} has grains of ${types.length} types (${types.slice(0, 3).join(', ')}${types.length > 3 ? ', ...' : ''}), and all are of ${formatValue(material)}: for other materials give a file of each type a group of its own`,
    ];
  });
}

/** A file of grains in periodic space that comes into a scene which is open there, or of another length. Disks are periodic in z too. */
export function boxWarnings(groups: readonly GrainGroup[], periodic: Periodic | undefined, dimension: 2 | 3): string[] {
  return groups.flatMap(({ settings: { file }, table }) => {
    const { box } = table ?? {};
    return ['x', 'y', 'z'].slice(0, dimension).flatMap((name, axis) => {
      const length = periodic?.lengths[axis];
      const own = box?.periodic[axis] ? box.max[axis] - box.min[axis] : 0;
      if (own === 0 || Math.abs(own - length!) <= 1e-6 * own) return [];
      return `${file} has a box that is periodic along ${name}, ${own} long; the scene is ${length ? `${length} long` : 'open'} there: see "periodic"`;
    });
  });
}

/** A grain that is both fixed and given a motion was likely meant as a wall that moves. */
export function idleMotionWarnings(groups: readonly GrainGroup[]): string[] {
  return groups.flatMap(({ path, settings: { list = [] } }) => {
    const moves = ({ velocity, angularVelocity }: (typeof list)[number]) =>
      [...(velocity ?? []), ...angularVelocity].some((x) => x !== 0);
    const first = list.findIndex((entry) => entry.fixed && moves(entry));
    if (first < 0) return [];
    return [
      `${path}.list[${first}] is fixed: its velocity counts for nothing. What moves as given can be a wall, of a mesh for instance`,
    ];
  });
}

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values: Float64Array): number {
  return sum(values) / values.length;
}
