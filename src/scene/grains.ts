import { type Fault, SceneError } from '../errors';
import { atLine, type ParticleTable } from '../io/table';
import { formatValue } from './faults';
import { drawFillRadii, placeFills } from './generators/fills';
import { fillLattice, latticePlace } from './generators/lattice';
import { regionExtent } from './generators/regions';
import { MAX_DIAMETERS } from './grainIndex';
import { allocateGrains, setAll } from './grainSets';
import type { Found } from './laterFaults';
import { wrapPositions } from './periodic';
import { boxLengths, narrowFaults } from './periodicScene';
import type { Grains, Space } from './problem';
import type { SceneGroup } from './schema';
import { farWalls, type WallLength } from './walls';

/** A group with its place among all grains, and what its file holds. */
export interface GrainGroup {
  settings: SceneGroup;
  /** Where the scene gives it: `grains[0]`. */
  path: string;
  /** Id of its first grain. */
  start: number;
  count: number;
  table?: ParticleTable;
}

/** Reads the grains of a file, by its path as the scene gives it. */
export type ReadTable = (file: string) => Promise<ParticleTable>;

/**
 * Reads the files that groups name.
 * @param found gets the faults of all files
 * @param list where the scene lists the groups
 */
export async function readGroups(
  groups: readonly SceneGroup[],
  readTable: ReadTable,
  { faults, entries }: Found,
  list = 'grains',
): Promise<GrainGroup[]> {
  const result: GrainGroup[] = [];
  let start = 0;
  for (const [index, settings] of groups.entries()) {
    const path = `${list}[${index}]`;
    let table: ParticleTable | undefined;
    if (settings.file !== undefined) {
      try {
        table = await readTableOf(settings.file, readTable, `${path}.file`);
      } catch (error) {
        if (!(error instanceof SceneError)) throw error;
        faults.push(...error.faults);
        entries.push(path);
      }
    }
    const count = groupCount(settings, table);
    result.push({ settings, path, start, count, table });
    start += count;
  }
  return result;
}

/**
 * Reads a grain file; what is wrong beside its contents is a fault of the scene.
 * @param path of its name in the scene, for faults
 */
async function readTableOf(file: string, readTable: ReadTable, path: string): Promise<ParticleTable> {
  try {
    const table: unknown = await readTable(file);
    if ((table as ParticleTable | null)?.positions) return table as ParticleTable;
    throw new Error(`readTable gave ${formatValue(table)}; it must give the grains of the file`);
  } catch (error) {
    if (error instanceof SceneError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new SceneError([{ path, message: `cannot read ${formatValue(file)}: ${reason}` }]);
  }
}

function groupCount({ list, lattice, random, ballistic }: SceneGroup, table: ParticleTable | undefined): number {
  if (lattice) return lattice.count[0] * lattice.count[1] * lattice.count[2];
  return table?.count ?? list?.length ?? (random ?? ballistic)?.count ?? 0;
}

/** Where a grain comes from, for messages: `grains[0].list[3]`, or a file with its line. */
export function grainName(groups: readonly GrainGroup[], id: number): string {
  const group = groups.findLast(({ start }) => start <= id)!;
  const k = id - group.start;
  const { file, list, lattice } = group.settings;
  if (group.table?.firstLine !== undefined) return atLine(file!, group.table.firstLine + k);
  if (group.table) return `${file} grain ${k}`;
  if (list) return `${group.path}.list[${k}]`;
  if (lattice) return `${group.path}.lattice grain ${latticePlace(lattice, k)}`;
  const fill = (['random', 'ballistic'] as const).find((key) => group.settings[key]);
  return `${group.path}${fill ? `.${fill}` : ''} grain ${k}`;
}

/**
 * Makes all grains of a scene but their masses: those with given places first, then the fills among them, in their order.
 * @param lengths of the walls
 * @throws SceneError for each fill that does not fit, for walls and grains too far away, and for a periodic box too narrow
 */
export function makeGrains(
  groups: readonly GrainGroup[],
  space: Space,
  materialIndex: (name: string) => number,
  lengths: readonly WallLength[],
): Grains {
  const grains = allocateGrains(groups.reduce((sum, { count }) => sum + count, 0));
  for (const group of groups) {
    const { settings, start, count, table } = group;
    grains.materials.fill(materialIndex(settings.material), start, start + count);
    setAll(grains.forces, settings.force, start, count);
    if (settings.velocity) setAll(grains.velocities, settings.velocity, start, count);
    if (table) fillTable(group, table, grains);
    if (settings.list) fillList(group, grains);
    if (settings.lattice) fillLattice(settings.lattice, grains, start, space.dimension);
    const fill = settings.random ?? settings.ballistic;
    if (fill) drawFillRadii(fill, grains, start);
  }
  if (space.periodic) wrapPositions(grains.positions, space.periodic);
  checkSpread(groups, grains, lengths, space);
  placeFills(groups, grains, space);
  return grains;
}

/** Places are found by cells of the smallest grain's size, whose numbers must stay exact. */
function checkSpread(groups: readonly GrainGroup[], grains: Grains, lengths: readonly WallLength[], { periodic }: Space): void {
  const smallest = grains.radii.reduce((least, radius) => Math.min(least, radius), Number.POSITIVE_INFINITY);
  const regions = groups.map(({ settings }) => {
    const fill = settings.random ?? settings.ballistic;
    return fill ? regionExtent(fill) : 0;
  });
  const faults = [
    ...farWalls([...lengths, ...boxLengths(periodic)], smallest),
    ...narrowFaults(periodic, grains.radii, 0),
    ...spreadFaults(grains, placed(groups, 'grains'), Math.max(0, ...regions)),
  ];
  if (faults.length > 0) throw new SceneError(faults);
}

/** Names one grain by its place in the scene, else the list of all. */
export const placed = (groups: readonly GrainGroup[], list: string) => (grain?: number) =>
  grain === undefined ? list : grainName(groups, grain);

/**
 * Grains of sizes, or at places, so far apart that cells of the smallest could not be numbered.
 * @param pathOf what faults name: all grains, or the one that is farthest away
 * @param farthest coordinate, by amount, at which other grains may be
 */
export function spreadFaults(
  { positions, radii }: Pick<Grains, 'positions' | 'radii'>,
  pathOf: (grain?: number) => string,
  farthest = 0,
): Fault[] {
  const faults: Fault[] = [];
  const smallest = radii.reduce((least, radius) => Math.min(least, radius), Number.POSITIVE_INFINITY);
  const largest = radii.reduce((most, radius) => Math.max(most, radius), 0);
  if (!(largest / (2 * smallest) < MAX_DIAMETERS)) {
    const message = `radii from ${smallest.toPrecision(3)} to ${largest.toPrecision(3)} are too far apart: the largest is more than 10^9 diameters of the smallest; check the units`;
    faults.push({ path: pathOf(), message });
  }
  let far = farthest;
  let farGrain: number | undefined;
  for (let k = 0; k < positions.length; k++) {
    if (!(Math.abs(positions[k]) > far)) continue;
    far = Math.abs(positions[k]);
    farGrain = Math.floor(k / 3);
  }
  if (!(far / (2 * smallest) < MAX_DIAMETERS)) {
    const message = `grains ${far.toPrecision(3)} from the origin are more than 10^9 diameters of the smallest (radius ${smallest.toPrecision(3)}) away; move them nearer, or check the units`;
    faults.push({ path: pathOf(farGrain), message });
  }
  return faults;
}

/** A velocity of the group takes the place of those in the file. */
function fillTable({ settings, start }: GrainGroup, table: ParticleTable, grains: Grains): void {
  grains.positions.set(table.positions, 3 * start);
  grains.radii.set(table.radii, start);
  if (table.velocities && !settings.velocity) grains.velocities.set(table.velocities, 3 * start);
  if (table.angularVelocities) grains.angularVelocities.set(table.angularVelocities, 3 * start);
}

/** What an entry gives itself takes the place of what the group gives. */
function fillList({ settings, start }: GrainGroup, grains: Grains): void {
  for (const [k, { position, radius, velocity, angularVelocity, force, torque, fixed }] of settings.list!.entries()) {
    const i = start + k;
    grains.positions.set(position, 3 * i);
    grains.radii[i] = radius;
    if (velocity) grains.velocities.set(velocity, 3 * i);
    grains.angularVelocities.set(angularVelocity, 3 * i);
    if (force) grains.forces.set(force, 3 * i);
    grains.torques.set(torque, 3 * i);
    grains.fixed[i] = fixed ? 1 : 0;
  }
}
