import type { Vector } from '../scene/problem';
import { BASE_REACH, MAX_CELLS_PER_GRAIN, MIN_CELLS_PER_AXIS, STRETCH_COST } from '../settings';
import type { SizeLevels } from './sizeLevels';

/**
 * Linked cells that wrap around: a cell's index along an axis is taken modulo the number of cells there, so that grains
 * may be anywhere. Grains that wrap into one cell are told apart by the distance test of the candidates. Along periodic
 * axes the cells fill the box, so that those at its two ends are neighbours; with three cells all are, however small.
 * Grains of widely different sizes lie in cells of several levels, see SizeLevels.
 */
export interface Grid {
  levels: readonly GridLevel[];
  /** N, the level of each grain */
  levelOf: Uint8Array;
  /** N x 3, where the grains are */
  positions: Float64Array;
  /** Of the box, 0 along open axes; absent in open space. */
  periods?: Readonly<Vector>;
  /** cells + 1: where each cell's grains begin */
  readonly starts: Uint32Array;
  /** N grain ids, by cell, ascending within a cell */
  readonly grains: Uint32Array;
  /** N, the cell of each grain */
  readonly cells: Uint32Array;
}

/** The cells of one size. */
export interface GridLevel {
  dims: readonly [number, number, number];
  /** Edge of a cell, in CELL_PARTS; along periodic axes a little more, see cellEdges. */
  cellParts: number;
  /** Number of its first cell among those of all levels. */
  firstCell: number;
  /** Of its grains, in single precision. */
  largestRadius: number;
  /** Of its grains. */
  meanRadius: number;
  grains: number;
}

/** Cells are a whole number of these parts of a mean diameter, so that both backends have the same ones. */
export const CELL_PARTS = 256;

/** Edge of cells within whose neighbours all pairs are found, given that no grain reaches farther than `reachLimit`; in parts. */
export function cellParts(largestRadius: number, reachLimit: number): number {
  // One part more than needed, for what the GPU rounds.
  return Math.ceil(2 * (largestRadius + reachLimit) * CELL_PARTS) + 1;
}

/** A period as a whole number of parts, each close to a part of a mean diameter: the lattice of the GPU. */
export function periodParts(period: number): number {
  return Math.round(period * CELL_PARTS);
}

/**
 * Numbers of cells along the axes for grains that spread over `extent` (3 lengths in mean diameters), and over the box
 * where the axis is periodic; one layer along z where they do not spread at all, as disks do not.
 * @param most cells in all, or the least number there may be
 */
function gridDims(
  extent: readonly number[],
  cellSize: number,
  most: number,
  periods: Readonly<Vector> = [0, 0, 0],
): [number, number, number] {
  const limit = Math.max(MIN_CELLS_PER_AXIS ** 3, most);
  // Two parts more for cells of a box, whose edges are rounded down to whole parts.
  const needed = (length: number, period: number) =>
    period > 0 ? Math.floor(period / (cellSize + 2 / CELL_PARTS)) : Math.ceil(length / cellSize) + 1;
  const dims = extent.map((length, axis) => Math.max(MIN_CELLS_PER_AXIS, needed(length, periods[axis])));
  if (extent[2] === 0 && !(periods[2] > 0)) dims[2] = 1;
  const capped = (cap: number) => dims.map((along) => Math.min(along, cap)) as [number, number, number];
  // Cut evenly: a packing in a corner of a wide space would lie in a few rows of cells of a grid that is long along one axis.
  let [fits, exceeds] = [MIN_CELLS_PER_AXIS, Math.max(...dims) + 1];
  while (exceeds - fits > 1) {
    const cap = Math.floor((fits + exceeds) / 2);
    if (cellCount({ dims: capped(cap) }) <= limit) fits = cap;
    else exceeds = cap;
  }
  return capped(fits);
}

/**
 * The cells of all levels, for grains that spread over `extent` and reach no farther than `reachLimit`. A level gets its share of
 * MAX_CELLS_PER_GRAIN, one half by the number of its grains, the other as all have it: the number of cells goes by that of the
 * grains, whatever their sizes.
 */
export function layOutGrid(
  { largestRadii, meanRadii, counts }: Omit<SizeLevels, 'levelOf'>,
  extent: readonly number[],
  reachLimit: number,
  periods?: Readonly<Vector>,
): GridLevel[] {
  const grains = counts.reduce((sum, count) => sum + count, 0);
  let firstCell = 0;
  return largestRadii.map((largestRadius, level) => {
    const parts = cellParts(largestRadius, reachLimit);
    const most = Math.floor((MAX_CELLS_PER_GRAIN / 2) * (counts[level] + grains / counts.length));
    const dims = gridDims(extent, parts / CELL_PARTS, most, periods);
    const laidOut = { dims, cellParts: parts, firstCell, largestRadius, meanRadius: meanRadii[level], grains: counts[level] };
    firstCell += cellCount(laidOut);
    return laidOut;
  });
}

export function cellCount({ dims }: Pick<GridLevel, 'dims'>): number {
  return dims[0] * dims[1] * dims[2];
}

/** Of all levels. */
export function totalCells(levels: readonly GridLevel[]): number {
  return levels.reduce((sum, level) => sum + cellCount(level), 0);
}

/** Whether it takes less for grains of a level to look for those of another one than the other way round. */
export function looksAt(level: GridLevel, other: GridLevel): boolean {
  return costOfLooking(level, other) < costOfLooking(other, level);
}

/** An estimate of what it takes a level's grains to look at the cells of another one for those that are in it, in distance tests. */
function costOfLooking(level: GridLevel, other: GridLevel): number {
  const [x, y, z] = cellsLookedAt(level, other);
  return level.grains * (STRETCH_COST * y * z + (other.grains * x * y * z) / cellCount(other));
}

/** Cells of another level along each axis that a level's grains look at, on the mean. */
function cellsLookedAt({ meanRadius }: GridLevel, other: GridLevel): number[] {
  // A partner lies up to half a cell farther than the grain reaches, on either side of its own cell.
  return other.dims.map((count) => Math.min(count, 2 + (2 * (meanRadius + BASE_REACH) * CELL_PARTS) / other.cellParts));
}

/** Rows of cells of finer levels that each grain of a level looks at, on the mean. */
export function rowsLookedDown(levels: readonly GridLevel[], level: number): number {
  const looked = levels.slice(0, level).filter((finer) => looksAt(levels[level], finer));
  return looked.reduce((rows, finer) => {
    const [, y, z] = cellsLookedAt(levels[level], finer);
    return rows + y * z;
  }, 0);
}

/** Edges of a level's cells along the axes: in a period whole parts of it, and what is left of it goes to the last cell. */
export function cellEdges({ cellParts, dims }: GridLevel, periods: Readonly<Vector> = [0, 0, 0]): number[] {
  return periods.map((period, axis) => {
    const parts = periodParts(period);
    return period > 0 ? Math.floor(parts / dims[axis]) * (period / parts) : cellParts / CELL_PARTS;
  });
}

/**
 * Grains in cells. Which cell each is in is found when it is first asked for, and grains are sorted by cell when that is: in most steps of a
 * packing at rest neither, in most of a flow only the first.
 * @param positions N x 3, mean diameters; along periodic axes from 0 to the period; not moved before
 * @param levelOf N, see SizeLevels
 */
export function buildGrid(
  positions: Float64Array,
  levels: readonly GridLevel[],
  levelOf: Uint8Array,
  periods?: Readonly<Vector>,
): Grid {
  let cells: Uint32Array | undefined;
  let sorted: ReturnType<typeof sortByCell> | undefined;
  const find = () => {
    cells ??= findCells(positions, levels, levelOf, periods);
    return cells;
  };
  const sort = () => {
    sorted ??= sortByCell(find(), totalCells(levels));
    return sorted;
  };
  return {
    levels,
    levelOf,
    positions,
    get starts() {
      return sort().starts;
    },
    get grains() {
      return sort().grains;
    },
    get cells() {
      return find();
    },
    ...(periods ? { periods } : {}),
  };
}

/** The cell of each grain. */
function findCells(
  positions: Float64Array,
  levels: readonly GridLevel[],
  levelOf: Uint8Array,
  periods: Readonly<Vector> | undefined,
): Uint32Array {
  const cells = new Uint32Array(levelOf.length);
  // Of each level in turn, 3 each: one pass over the grains takes two thirds of the time of one for each level.
  const dims = Float64Array.from(levels.flatMap((level) => level.dims));
  const edges = Float64Array.from(levels.flatMap((level) => cellEdges(level, periods)));
  const last = Float64Array.from(dims, (along, k) => (periods && periods[k % 3] > 0 ? along - 1 : Infinity));
  const firsts = Float64Array.from(levels, (level) => level.firstCell);
  const ends = Float64Array.from(levels, (level) => level.firstCell + cellCount(level) - 1);
  for (let i = 0, p = 0; i < cells.length; i++, p += 3) {
    const level = levelOf[i];
    const k = 3 * level;
    const x = Math.min(Math.floor(positions[p] / edges[k]), last[k]);
    const y = Math.min(Math.floor(positions[p + 1] / edges[k + 1]), last[k + 1]);
    const z = Math.min(Math.floor(positions[p + 2] / edges[k + 2]), last[k + 2]);
    const cell = firsts[level] + wrappedCell(x, y, z, dims[k], dims[k + 1], dims[k + 2]);
    // Beyond 2^50 cells the remainder is not exact any more.
    cells[i] = Math.min(ends[level], Math.max(firsts[level], cell));
  }
  return cells;
}

/** By counting; stable, so ids ascend within a cell. */
function sortByCell(cells: Uint32Array, count: number): Pick<Grid, 'starts' | 'grains'> {
  const starts = new Uint32Array(count + 1);
  for (let i = 0; i < cells.length; i++) starts[cells[i] + 1]++;
  for (let c = 1; c < starts.length; c++) starts[c] += starts[c - 1];
  const cursor = starts.slice();
  const grains = new Uint32Array(cells.length);
  for (let i = 0; i < cells.length; i++) grains[cursor[cells[i]]++] = i;
  return { starts, grains };
}

/** Number of any cell among those of a level that wraps around. Without branches: in a packing around the origin most coordinates are below zero or not by chance. */
export function wrappedCell(x: number, y: number, z: number, nx: number, ny: number, nz: number): number {
  return ((z - nz * Math.floor(z / nz)) * ny + y - ny * Math.floor(y / ny)) * nx + x - nx * Math.floor(x / nx);
}

/** Number of a cell along an axis of `count` cells, for -count <= cell < 2 count, without a division. */
export function wrapCell(cell: number, count: number): number {
  if (cell < 0) return cell + count;
  return cell >= count ? cell - count : cell;
}
