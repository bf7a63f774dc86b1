import type { Vector } from '../scene/problem';
import { CELL_PARTS, cellEdges, type GridLevel, periodParts, wrapCell, wrappedCell } from './grid';

/** Stretches in neighbouring cells at most: in the rest of a cell's own row and in four beside it, each of which may go on at the other end. */
const MOST_RANGES = 10;

/** Stretches of a grid's grains that lie in neighbouring cells: those of cells along x follow each other. */
export class CellRanges {
  count = 0;
  /** Begin and end of each, in turn, in Grid.grains. */
  readonly bounds = new Uint32Array(2 * MOST_RANGES);

  /** Adds the cells `from` to `to` along x of a row that has `nx` and begins with cell `row`; both may be beyond its ends, around which it wraps. */
  addRow(starts: Uint32Array, row: number, nx: number, from: number, to: number): void {
    this.add(starts[row + Math.max(from, 0)], starts[row + Math.min(to + 1, nx)]);
    if (from < 0) this.add(starts[row + nx + from], starts[row + nx]);
    if (to >= nx) this.add(starts[row], starts[row + to + 1 - nx]);
  }

  add(begin: number, end: number): void {
    if (begin === end) return;
    this.bounds[2 * this.count] = begin;
    this.bounds[2 * this.count + 1] = end;
    this.count++;
  }
}

/**
 * Writes coordinates in whole parts of a diameter, as the GPU reckons.
 * @param positions N x 3
 * @param i the grain whose place is meant
 * @param units of each axis, see partUnits
 */
export function wholeParts(positions: Float64Array, i: number, units: Float64Array, place: Float64Array): void {
  for (let axis = 0; axis < 3; axis++) place[axis] = Math.floor(positions[3 * i + axis] / units[axis]);
}

/** Lengths of the parts along each axis, in mean diameters. */
export function partUnits(periods: Readonly<Vector> = [0, 0, 0]): Float64Array {
  return Float64Array.from(periods, (period) => (period > 0 ? period / periodParts(period) : 1 / CELL_PARTS));
}

/**
 * The cells of a level around a place, as far as a distance reaches: its own, and along each axis the one before and the one after
 * it, or not. In whole parts of a diameter, as the GPU reckons, so that both find the same cells.
 */
export class CellsAround {
  /** Coordinates of the first and the last cell along each axis, at most one beyond the ends of the grid. */
  readonly low = new Int32Array(3);
  readonly high = new Int32Array(3);
  private readonly parts: Float64Array;
  /** Along periodic axes the number of the last cell, and its parts; along open ones there is none. */
  private readonly last: Float64Array;
  private readonly lastParts: Float64Array;

  constructor(
    private readonly level: GridLevel,
    periods: Readonly<Vector> = [0, 0, 0],
  ) {
    const { dims, cellParts } = level;
    this.parts = Float64Array.from(periods, (period, axis) =>
      period > 0 ? Math.floor(periodParts(period) / dims[axis]) : cellParts,
    );
    this.last = Float64Array.from(periods, (period, axis) => (period > 0 ? dims[axis] - 1 : Infinity));
    this.lastParts = Float64Array.from(periods, (period, axis) => periodParts(period) - (dims[axis] - 1) * this.parts[axis]);
  }

  /**
   * @param place coordinates in whole parts
   * @param distance in CELL_PARTS, from the centre
   */
  put(place: Float64Array, distance: number): void {
    const { low, high, parts, last, lastParts } = this;
    const { dims } = this.level;
    for (let axis = 0; axis < 3; axis++) {
      const count = dims[axis];
      const part = parts[axis];
      const cell = Math.min(Math.floor(place[axis] / part), last[axis]);
      const offset = place[axis] - cell * part;
      const edge = cell === last[axis] ? lastParts[axis] : part;
      const wrapped = cell - count * Math.floor(cell / count);
      // By sign bits: which cells are met is chance.
      const several = count > 1 ? 1 : 0;
      low[axis] = wrapped - (several & ((offset - distance) >>> 31));
      high[axis] = wrapped + (several & ~((offset + distance - edge) >> 31));
    }
  }

  /** Number of the cell that a place lies in. @param place coordinates in whole parts */
  homeOf(place: Float64Array): number {
    const { dims, firstCell } = this.level;
    const { parts, last } = this;
    const x = Math.min(Math.floor(place[0] / parts[0]), last[0]);
    const y = Math.min(Math.floor(place[1] / parts[1]), last[1]);
    const z = Math.min(Math.floor(place[2] / parts[2]), last[2]);
    return firstCell + wrappedCell(x, y, z, dims[0], dims[1], dims[2]);
  }

  /** The largest of a number that each cell of the grid has, over these cells. */
  largest(values: Float64Array): number {
    const { low, high } = this;
    const { dims, firstCell } = this.level;
    const [nx, ny, nz] = dims;
    let most = 0;
    for (let z = low[2]; z <= high[2]; z++) {
      const layer = wrapCell(z, nz) * ny;
      for (let y = low[1]; y <= high[1]; y++) {
        const row = firstCell + (layer + wrapCell(y, ny)) * nx;
        for (let x = low[0]; x <= high[0]; x++) {
          const value = values[row + wrapCell(x, nx)];
          if (value > most) most = value;
        }
      }
    }
    return most;
  }
}

/**
 * The cells of a level within a distance of a place along each axis, however many, each once: where a grain meets those of another
 * level. Lengths in mean diameters.
 */
export class CellBox {
  /** Along each axis the first cell, and how many follow each other from it on, around the end of the level. */
  readonly first = new Int32Array(3);
  readonly counts = new Int32Array(3);
  /** Number of the first cell before it is wrapped; NaN where the cells may hold images, which are anywhere. */
  private readonly low = new Float64Array(3);
  private readonly edges: number[];

  constructor(
    private readonly level: GridLevel,
    private readonly periods: Readonly<Vector> = [0, 0, 0],
  ) {
    this.edges = cellEdges(level, periods);
  }

  place(axis: number, x: number, distance: number): void {
    const edge = this.edges[axis];
    const count = this.level.dims[axis];
    const period = this.periods[axis];
    const low = this.cellAt(x - distance, axis);
    const high = this.cellAt(x + distance, axis);
    const across = period > 0 ? ((high - low + count) % count) + 1 : high - low + 1;
    // Of a box the last cell is the longest; where both ends are in one cell the way may lead around.
    const all = across >= count || (period > 0 && 2 * distance >= (count - 1) * edge);
    this.first[axis] = all ? 0 : wrapAny(low, count);
    this.counts[axis] = all ? count : across;
    this.low[axis] = all || period > 0 ? Number.NaN : low;
  }

  private cellAt(x: number, axis: number): number {
    const period = this.periods[axis];
    if (!(period > 0)) return Math.floor(x / this.edges[axis]);
    return Math.min(Math.floor((x - period * Math.floor(x / period)) / this.edges[axis]), this.level.dims[axis] - 1);
  }

  /** Square of the way along an axis from `x` to the cell that has the number `k` from the first one on, if that is known, else 0. */
  squareTo(axis: number, x: number, k: number): number {
    const way = (this.low[axis] + k) * this.edges[axis] - x;
    if (way > 0) return way * way;
    const back = -way - this.edges[axis];
    return back > 0 ? back * back : 0;
  }

  /**
   * The stretches of grains in the cells of one row, which has the numbers `y` and `z` from the first one on, that are nearer to `x`
   * than `distance`, which is at most that of the box.
   */
  collectRow(starts: Uint32Array, ranges: CellRanges, x: number, distance: number, y: number, z: number): void {
    const { dims, firstCell } = this.level;
    const row = firstCell + (wrapCell(this.first[2] + z, dims[2]) * dims[1] + wrapCell(this.first[1] + y, dims[1])) * dims[0];
    let from = this.first[0];
    let cells = this.counts[0];
    const low = this.low[0];
    if (!Number.isNaN(low)) {
      const skipped = Math.max(0, Math.floor((x - distance) / this.edges[0]) - low);
      cells = Math.min(cells, Math.floor((x + distance) / this.edges[0]) - low + 1) - skipped;
      from += skipped;
      if (from >= dims[0]) from -= dims[0];
    }
    ranges.count = 0;
    ranges.addRow(starts, row, dims[0], from, from + cells - 1);
  }
}

/** Number of any cell along an axis of `count` cells that wraps around. */
function wrapAny(cell: number, count: number): number {
  if (cell >= 0 && cell < count) return cell;
  return cell - count * Math.floor(cell / count);
}
