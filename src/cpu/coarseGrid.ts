import type { Vector } from '../scene/problem';
import { COARSE_CELLS, COARSE_SPACING, MAX_COARSE_NODES } from '../settings';
import { grown } from './growable';

/** Nodes of a cell. */
export const CORNERS = 8;
/** How far beyond its grain's cell a contact may be for the hat functions, in cells. Larger: works may not fit into whole numbers on the GPU. */
export const OVERHANG = 0.25;

const AXES = [0, 1, 2] as const;

/**
 * The grid of the coarse level: nodes with trilinear hat functions, laid over the grains' centres and, along periodic axes, over the
 * period. Corner m of a cell is one on along x, y, z where its bit 0, 1, 2 is set.
 */
export class CoarseGrid {
  origin: Vector = [0, 0, 0];
  /** Edges of a cell. */
  spacing: Vector = [1, 1, 1];
  /** Cells along each axis; nodes are one more, but for periodic axes. */
  dims: Vector = [1, 1, 1];
  nodeDims: Vector = [2, 2, 2];
  cells = 1;
  nodes = 8;
  /** Sides of what it is laid over, mean diameters, and the longest of them. */
  sides: Vector = [0, 0, 0];
  extent = 0;
  /** cells x 8, the nodes at a cell's corners */
  corners = new Uint32Array(CORNERS);

  /** What the corners are of. */
  private linked: Vector = [0, 0, 0];

  /** @param periods along each axis, 0 where it is open */
  constructor(private readonly periods: Vector = [0, 0, 0]) {}

  /** @param positions N x 3, mean diameters; along periodic axes from 0 to the period */
  layOut(positions: Float64Array): void {
    const sides = this.measure(positions);
    this.sides = sides;
    this.extent = Math.max(...sides);
    let spacing = Math.max(COARSE_SPACING, Math.cbrt((sides[0] * sides[1] * sides[2]) / COARSE_CELLS));
    while (!this.divide(sides, spacing)) spacing *= 1.05;
    this.spacing = AXES.map((axis) => sides[axis] / this.dims[axis]) as Vector;
    this.linkCorners();
  }

  /** @returns sides of the box that is laid over */
  private measure(positions: Float64Array): Vector {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (let k = 0, axis = 0; k < positions.length; k++, axis = axis === 2 ? 0 : axis + 1) {
      if (positions[k] < low[axis]) low[axis] = positions[k];
      if (positions[k] > high[axis]) high[axis] = positions[k];
    }
    // Half a diameter more on either side, where contacts with walls are.
    this.origin = AXES.map((axis) => (this.periods[axis] > 0 ? 0 : low[axis] - 0.5)) as Vector;
    return AXES.map((axis) => this.periods[axis] || high[axis] - low[axis] + 1) as Vector;
  }

  /** @returns whether there are no more nodes than may be */
  private divide(sides: Vector, spacing: number): boolean {
    this.dims = sides.map((side) => Math.max(1, Math.ceil(side / spacing))) as Vector;
    this.nodeDims = this.dims.map((cells, axis) => (this.periods[axis] > 0 ? cells : cells + 1)) as Vector;
    this.cells = this.dims[0] * this.dims[1] * this.dims[2];
    this.nodes = this.nodeDims[0] * this.nodeDims[1] * this.nodeDims[2];
    return this.nodes <= MAX_COARSE_NODES;
  }

  private linkCorners(): void {
    const { dims, nodeDims, linked } = this;
    if (dims.every((cells, axis) => cells === linked[axis])) return;
    this.linked = dims;
    this.corners = grown(this.corners, CORNERS * this.cells);
    for (let cell = 0; cell < this.cells; cell++) {
      const place = [cell % dims[0], Math.floor(cell / dims[0]) % dims[1], Math.floor(cell / (dims[0] * dims[1]))];
      for (let m = 0; m < CORNERS; m++) {
        const [x, y, z] = AXES.map((axis) => (place[axis] + ((m >> axis) & 1)) % nodeDims[axis]);
        this.corners[CORNERS * cell + m] = x + nodeDims[0] * (y + nodeDims[1] * z);
      }
    }
  }

  /** Index along an axis of the cell that holds a coordinate; beyond the grid, of the nearest. */
  cellAlong(axis: number, x: number): number {
    const cell = Math.floor((x - this.origin[axis]) / this.spacing[axis]);
    const dims = this.dims[axis];
    if (this.periods[axis] > 0) return cell < 0 ? cell + dims : cell >= dims ? cell - dims : cell;
    return cell < 0 ? 0 : cell >= dims ? dims - 1 : cell;
  }

  /** The cell that holds a place. */
  cellAt(x: number, y: number, z: number): number {
    return this.cellAlong(0, x) + this.dims[0] * (this.cellAlong(1, y) + this.dims[1] * this.cellAlong(2, z));
  }

  /** Place along an axis in that cell, from 0 to 1. */
  within(axis: number, x: number): number {
    const along = (x - this.origin[axis]) / this.spacing[axis];
    return along - Math.floor(along);
  }
}

/**
 * Values of the hat functions of a cell's eight corners.
 * @param x place in the cell, 0 to 1 from its lower end to the next; beyond these they go on linearly
 * @param out values from `at` on, written
 */
export function hats(x: number, y: number, z: number, out: Float64Array, at: number): void {
  const low = 1 - z;
  const a = (1 - x) * (1 - y);
  const b = x * (1 - y);
  const c = (1 - x) * y;
  const d = x * y;
  out[at] = a * low;
  out[at + 1] = b * low;
  out[at + 2] = c * low;
  out[at + 3] = d * low;
  out[at + 4] = a * z;
  out[at + 5] = b * z;
  out[at + 6] = c * z;
  out[at + 7] = d * z;
}
