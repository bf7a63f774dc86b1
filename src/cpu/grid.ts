import { MAX_CELLS_PER_GRAIN, MIN_CELLS_PER_AXIS } from '../settings';

/**
 * Linked cells that wrap around: a cell's index along an axis is taken modulo the number of cells there, so that grains
 * may be anywhere. Grains that wrap into one cell are told apart by the distance test of the candidates.
 */
export interface Grid {
  dims: readonly [number, number, number];
  /** Edge of a cell, in mean diameters. */
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

/** Numbers of cells along the axes for grains that spread over `extent` (3 lengths in mean diameters). */
export function gridDims(extent: readonly number[], cellSize: number, grains: number): [number, number, number] {
  const limit = Math.max(MIN_CELLS_PER_AXIS ** 3, MAX_CELLS_PER_GRAIN * grains);
  const dims = extent.map((length) => Math.max(MIN_CELLS_PER_AXIS, Math.ceil(length / cellSize) + 1));
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

/**
 * Sorts grains into cells by counting; stable, so ids ascend within a cell.
 * @param positions N x 3, mean diameters
 */
export function buildGrid(positions: Float64Array, cellSize: number, dims: readonly [number, number, number]): Grid {
  const count = positions.length / 3;
  const cells = new Uint32Array(count);
  const starts = new Uint32Array(dims[0] * dims[1] * dims[2] + 1);
  for (let i = 0; i < count; i++) {
    const x = Math.floor(positions[3 * i] / cellSize);
    const y = Math.floor(positions[3 * i + 1] / cellSize);
    const z = Math.floor(positions[3 * i + 2] / cellSize);
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
 * The 27 cells around (and with) a cell, wrapped: x fastest, then y, then z, from -1 to 1 each.
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

/** `k` modulo n for -n <= k < 2 n, without a division. */
function wrap(k: number, n: number): number {
  if (k < 0) return k + n;
  return k >= n ? k - n : k;
}
