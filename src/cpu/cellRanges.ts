import type { Vector } from '../scene/problem';
import { CELL_PARTS, cellEdges, type GridLevel, periodParts, wrapCell } from './grid';

/** Rows of neighbouring cells at most, each of which may go on at the other end of the grid. */
const MOST_RANGES = 18;

/** Stretches of a grid's grains that lie in neighbouring cells: those of cells along x follow each other. */
export class CellRanges {
  count = 0;
  /** Begin and end of each, in turn, in Grid.grains. */
  readonly bounds = new Uint32Array(2 * MOST_RANGES);

  /** Adds the cells `from` to `to` along x, at most one beyond the ends of the grid, which wrap around; as y and z do. */
  addRow(starts: Uint32Array, { dims, firstCell }: GridLevel, from: number, to: number, y: number, z: number): void {
    const nx = dims[0];
    const row = firstCell + (wrapCell(z, dims[2]) * dims[1] + wrapCell(y, dims[1])) * nx;
    if (from < 0) this.add(starts[row + nx - 1], starts[row + nx]);
    if (to >= nx) this.add(starts[row], starts[row + 1]);
    const first = row + Math.max(from, 0);
    const last = row + Math.min(to, nx - 1);
    if (first <= last) this.add(starts[first], starts[last + 1]);
  }

  private add(begin: number, end: number): void {
    if (begin === end) return;
    this.bounds[2 * this.count] = begin;
    this.bounds[2 * this.count + 1] = end;
    this.count++;
  }
}

/**
 * The cells of a level around a place, as far as a distance reaches: its own, and along each axis the one before and the one after
 * it, or not. In whole parts of a diameter, as the GPU reckons, so that both find the same cells.
 */
export class CellsAround {
  /** Coordinates of the first and the last cell along each axis, at most one beyond the ends of the grid. */
  readonly low = new Int32Array(3);
  readonly high = new Int32Array(3);
  /** Number of the cell that the place lies in. */
  home = 0;
  private readonly units: number[];
  private readonly parts: number[];
  /** Along periodic axes the number of the last cell, and its parts; along open ones there is none. */
  private readonly last: number[];
  private readonly lastParts: number[];

  constructor(
    private readonly level: GridLevel,
    periods: Readonly<Vector> = [0, 0, 0],
  ) {
    const { dims, cellParts } = level;
    this.units = periods.map((period) => (period > 0 ? period / periodParts(period) : 1 / CELL_PARTS));
    this.parts = periods.map((period, axis) => (period > 0 ? Math.floor(periodParts(period) / dims[axis]) : cellParts));
    this.last = periods.map((period, axis) => (period > 0 ? dims[axis] - 1 : Infinity));
    this.lastParts = periods.map((period, axis) => periodParts(period) - (dims[axis] - 1) * this.parts[axis]);
  }

  /**
   * @param positions N x 3
   * @param i the grain whose place is meant
   * @param distance in CELL_PARTS, from the centre
   */
  place(positions: Float64Array, i: number, distance: number): void {
    const { dims, firstCell } = this.level;
    let home = 0;
    for (let axis = 2; axis >= 0; axis--) {
      const count = dims[axis];
      const part = Math.floor(positions[3 * i + axis] / this.units[axis]);
      const cell = Math.min(Math.floor(part / this.parts[axis]), this.last[axis]);
      const offset = part - cell * this.parts[axis];
      const edge = cell === this.last[axis] ? this.lastParts[axis] : this.parts[axis];
      const wrapped = wrapAny(cell, count);
      this.low[axis] = count > 1 && offset < distance ? wrapped - 1 : wrapped;
      this.high[axis] = count > 1 && offset + distance >= edge ? wrapped + 1 : wrapped;
      home = home * count + wrapped;
    }
    this.home = firstCell + home;
  }

  /** The stretches of grains in these cells. */
  collect(starts: Uint32Array, ranges: CellRanges): void {
    ranges.count = 0;
    for (let z = this.low[2]; z <= this.high[2]; z++) {
      for (let y = this.low[1]; y <= this.high[1]; y++) ranges.addRow(starts, this.level, this.low[0], this.high[0], y, z);
    }
  }

  /** The largest of a number that each cell of the grid has, over these cells. */
  largest(values: Float64Array): number {
    const { dims, firstCell } = this.level;
    let most = 0;
    for (let z = this.low[2]; z <= this.high[2]; z++) {
      for (let y = this.low[1]; y <= this.high[1]; y++) {
        const row = firstCell + (wrapCell(z, dims[2]) * dims[1] + wrapCell(y, dims[1])) * dims[0];
        for (let x = this.low[0]; x <= this.high[0]; x++) most = Math.max(most, values[row + wrapCell(x, dims[0])]);
      }
    }
    return most;
  }
}

/**
 * The cells of a level within a distance of a place along each axis, however many, each once: where a grain meets far smaller ones.
 * Lengths in mean diameters.
 */
export class CellBox {
  /** Along each axis the first cell, and how many follow each other from it on, around the end of the level. */
  readonly first = new Int32Array(3);
  readonly counts = new Int32Array(3);
  private readonly edges: number[];
  private readonly periods: Readonly<Vector>;

  constructor(
    private readonly level: GridLevel,
    periods: Readonly<Vector> = [0, 0, 0],
  ) {
    this.edges = cellEdges(level, periods);
    this.periods = periods;
  }

  place(positions: Float64Array, i: number, distance: number): void {
    const { dims } = this.level;
    for (let axis = 0; axis < 3; axis++) {
      const [x, edge, count, period] = [positions[3 * i + axis], this.edges[axis], dims[axis], this.periods[axis]];
      const [low, high] = [this.cellAt(x - distance, axis), this.cellAt(x + distance, axis)];
      const across = period > 0 ? ((high - low + count) % count) + 1 : high - low + 1;
      // Of a box the last cell is the longest; where both ends are in one cell the way may lead around.
      const all = across >= count || (period > 0 && 2 * distance >= (count - 1) * edge);
      this.first[axis] = all ? 0 : wrapAny(low, count);
      this.counts[axis] = all ? count : across;
    }
  }

  private cellAt(x: number, axis: number): number {
    const period = this.periods[axis];
    if (!(period > 0)) return Math.floor(x / this.edges[axis]);
    return Math.min(Math.floor((x - period * Math.floor(x / period)) / this.edges[axis]), this.level.dims[axis] - 1);
  }

  /** The stretches of grains in the cells of one row, which has the numbers `y` and `z` from the first one on. */
  collectRow(starts: Uint32Array, ranges: CellRanges, y: number, z: number): void {
    const { dims } = this.level;
    const end = this.first[0] + this.counts[0];
    ranges.count = 0;
    const [atY, atZ] = [wrapCell(this.first[1] + y, dims[1]), wrapCell(this.first[2] + z, dims[2])];
    ranges.addRow(starts, this.level, this.first[0], Math.min(end, dims[0]) - 1, atY, atZ);
    if (end > dims[0]) ranges.addRow(starts, this.level, 0, end - dims[0] - 1, atY, atZ);
  }
}

/** Number of any cell along an axis of `count` cells that wraps around. */
function wrapAny(cell: number, count: number): number {
  if (cell >= 0 && cell < count) return cell;
  const rest = cell % count;
  return rest < 0 ? rest + count : rest;
}
