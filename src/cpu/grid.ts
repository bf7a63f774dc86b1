import type { Vector } from '../scene/problem';
import { MAX_CELLS_PER_GRAIN, MIN_CELLS_PER_AXIS } from '../settings';

/**
 * Linked cells that wrap around: a cell's index along an axis is taken modulo the number of cells there, so that grains
 * may be anywhere. Grains that wrap into one cell are told apart by the distance test of the candidates. Along periodic
 * axes the cells fill the box, so that those at its two ends are neighbours; with three cells all are, however small.
 */
export interface Grid {
  dims: readonly [number, number, number];
  /** Edge of a cell, in mean diameters; along periodic axes a little more, see cellEdges. */
  cellSize: number;
  /** cells + 1: where each cell's grains begin */
  starts: Uint32Array;
  /** N grain ids, by cell, ascending within a cell */
  grains: Uint32Array;
  /** N, the cell of each grain */
  cells: Uint32Array;
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
 */
export function gridDims(
  extent: readonly number[],
  cellSize: number,
  grains: number,
  periods: Readonly<Vector> = [0, 0, 0],
): [number, number, number] {
  const limit = Math.max(MIN_CELLS_PER_AXIS ** 3, MAX_CELLS_PER_GRAIN * grains);
  // Two parts more for cells of a box, whose edges are rounded down to whole parts.
  const needed = (length: number, period: number) =>
    period > 0 ? Math.floor(period / (cellSize + 2 / CELL_PARTS)) : Math.ceil(length / cellSize) + 1;
  const dims = extent.map((length, axis) => Math.max(MIN_CELLS_PER_AXIS, needed(length, periods[axis])));
  if (extent[2] === 0 && !(periods[2] > 0)) dims[2] = 1;
  for (;;) {
    const cells = dims[0] * dims[1] * dims[2];
    if (cells <= limit) return [dims[0], dims[1], dims[2]];
    const longest = dims.indexOf(Math.max(...dims));
    dims[longest] = Math.max(MIN_CELLS_PER_AXIS, Math.floor(Math.min(dims[longest] - 1, (dims[longest] * limit) / cells)));
  }
}

/** Index of the cell that holds the integer cell coordinates, wrapped. */
export function cellIndex(dims: readonly number[], x: number, y: number, z: number): number {
  const nx = dims[0];
  const ny = dims[1];
  const nz = dims[2];
  return (((z % nz) + nz) % nz) * nx * ny + (((y % ny) + ny) % ny) * nx + (((x % nx) + nx) % nx);
}

/** Edges of the cells along the axes: in a period whole parts of it, and what is left of it goes to the last cell. */
function cellEdges(cellSize: number, dims: readonly number[], periods: Readonly<Vector>): number[] {
  return periods.map((period, axis) => {
    const parts = periodParts(period);
    return period > 0 ? Math.floor(parts / dims[axis]) * (period / parts) : cellSize;
  });
}

/**
 * Sorts grains into cells by counting; stable, so ids ascend within a cell.
 * @param positions N x 3, mean diameters; along periodic axes from 0 to the period
 */
export function buildGrid(
  positions: Float64Array,
  cellSize: number,
  dims: readonly [number, number, number],
  periods: Readonly<Vector> = [0, 0, 0],
): Grid {
  const [edgeX, edgeY, edgeZ] = cellEdges(cellSize, dims, periods);
  const [lastX, lastY, lastZ] = periods.map((period, axis) => (period > 0 ? dims[axis] - 1 : Infinity));
  const count = positions.length / 3;
  const cells = new Uint32Array(count);
  const starts = new Uint32Array(dims[0] * dims[1] * dims[2] + 1);
  for (let i = 0; i < count; i++) {
    const x = Math.min(Math.floor(positions[3 * i] / edgeX), lastX);
    const y = Math.min(Math.floor(positions[3 * i + 1] / edgeY), lastY);
    const z = Math.min(Math.floor(positions[3 * i + 2] / edgeZ), lastZ);
    cells[i] = cellIndex(dims, x, y, z);
    starts[cells[i] + 1]++;
  }
  for (let c = 1; c < starts.length; c++) starts[c] += starts[c - 1];
  const cursor = starts.slice();
  const grains = new Uint32Array(count);
  for (let i = 0; i < count; i++) grains[cursor[cells[i]]++] = i;
  return { dims, cellSize, starts, grains, cells };
}

/**
 * The 27 cells around (and with) a cell, wrapped: x fastest, then y, then z, from -1 to 1 each. In a grid of one layer those
 * of z = -1 and 1 are that layer again.
 * @param x coordinates of the cell, each within the dims
 * @param out 27, written
 */
export function neighbourCells(dims: readonly number[], x: number, y: number, z: number, out: Uint32Array): void {
  const nx = dims[0];
  const ny = dims[1];
  const nz = dims[2];
  for (let dz = -1, k = 0; dz <= 1; dz++) {
    const layer = wrap(z + dz, nz) * ny;
    for (let dy = -1; dy <= 1; dy++) {
      const row = (layer + wrap(y + dy, ny)) * nx;
      for (let dx = -1; dx <= 1; dx++, k++) out[k] = row + wrap(x + dx, nx);
    }
  }
}

/** Where the cells that neighbourCells gives begin to repeat themselves: at the end, or after the layer of the cell itself. */
export function lastNeighbour(dims: readonly number[]): number {
  return dims[2] === 1 ? 18 : 27;
}

/** `k` modulo n for -n <= k < 2 n, without a division. */
function wrap(k: number, n: number): number {
  if (k < 0) return k + n;
  return k >= n ? k - n : k;
}
