import { nearestImage } from './periodic';
import type { Periodic } from './problem';

/** Coordinates are below this many diameters of the smallest grain: cells are numbered with 32 bits, from either side of 0. */
export const MAX_DIAMETERS = 1e9;

/** Told of a grain that overlaps and of the distance of the centres; returns true to stop the search. */
export type Found = (grain: number, distance: number) => boolean;

/**
 * Finds the grains that overlap a sphere, for grains of widely different sizes: one set of linked cells for each doubling
 * of the radius, in one hash table. A grain lies in the cells of its size class, whose edge is at least its diameter.
 * Grains are put in one by one, so that a fill can test each place against those already there. In a periodic box the nearest
 * image of a grain counts; cells then fill the box, a whole number of them along each periodic axis.
 */
export class GrainIndex {
  private readonly heads: Int32Array;
  private readonly next: Int32Array;
  /** N x 3 */
  private readonly cells: Int32Array;
  private readonly levels: Uint16Array;
  private readonly smallest: number;
  /** The grains of each size class, by level. */
  private readonly members: number[][] = [];
  private readonly mins: readonly number[];
  private readonly periods: readonly number[];
  /** Of the search at hand, along each axis: the first cell and how many there are. */
  private readonly low = [0, 0, 0];
  private readonly span = [0, 0, 0];

  /**
   * @param positions N x 3, and
   * @param radii N: read when a grain is put in and when it is found; the smallest sets the cells of the first size class
   * @param periodic at least twice as long as any two grains are wide; positions lie in it
   */
  constructor(
    private readonly positions: Float64Array,
    private readonly radii: Float64Array,
    periodic?: Periodic,
  ) {
    this.periods = periodic?.lengths ?? [0, 0, 0];
    this.mins = this.periods.map((period, axis) => (period > 0 ? periodic!.min[axis] : 0));
    this.smallest = radii.reduce((least, radius) => Math.min(least, radius), Number.POSITIVE_INFINITY);
    const count = radii.length;
    this.heads = new Int32Array(2 ** Math.ceil(Math.log2(2 * count + 2))).fill(-1);
    this.next = new Int32Array(count);
    this.cells = new Int32Array(3 * count);
    this.levels = new Uint16Array(count);
  }

  /** Size class of a radius: its cells have edges of 2 smallest 2^level. */
  level(radius: number): number {
    return Math.max(0, Math.ceil(Math.log2(radius / this.smallest)));
  }

  /** Least edge of the cells of a size class. */
  private edge(level: number): number {
    return 2 * this.smallest * 2 ** level;
  }

  /** Cells of a size class along an axis: their edge, and how many fill a period (0 along open axes). */
  private cellsAlong(axis: number, level: number): { edge: number; count: number } {
    const edge = this.edge(level);
    const period = this.periods[axis];
    if (!(period > 0)) return { edge, count: 0 };
    const count = Math.max(1, Math.floor(period / edge));
    return { edge: period / count, count };
  }

  private bucket(level: number, x: number, y: number, z: number): number {
    let hash = Math.imul(x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca77) ^ Math.imul(z, 0xc2b2ae3d) ^ Math.imul(level, 0x27d4eb2f);
    hash ^= hash >>> 15;
    return hash & (this.heads.length - 1);
  }

  /** Puts grain i in at its position. */
  add(i: number): void {
    const level = this.level(this.radii[i]);
    for (let axis = 0; axis < 3; axis++) {
      const { edge, count } = this.cellsAlong(axis, level);
      const cell = Math.floor((this.positions[3 * i + axis] - this.mins[axis]) / edge);
      this.cells[3 * i + axis] = count > 0 ? Math.min(cell, count - 1) : cell;
    }
    this.levels[i] = level;
    const bucket = this.bucket(level, this.cells[3 * i], this.cells[3 * i + 1], this.cells[3 * i + 2]);
    this.next[i] = this.heads[bucket];
    this.heads[bucket] = i;
    while (this.members.length <= level) this.members.push([]);
    this.members[level].push(i);
  }

  /**
   * Calls `found` once for each grain whose centre is nearer than the sum of the radii.
   * @returns whether it was stopped
   */
  overlaps(x: number, y: number, z: number, radius: number, found: Found): boolean {
    for (let level = 0; level < this.members.length; level++) {
      const members = this.members[level];
      if (members.length === 0) continue;
      this.rangeOf([x, y, z], level, radius + this.edge(level) / 2);
      const { low, span } = this;
      // A large sphere among far smaller grains: fewer grains than cells.
      if (span[0] * span[1] * span[2] > members.length) {
        for (const j of members) if (this.test(j, x, y, z, radius, found)) return true;
        continue;
      }
      for (let dz = 0; dz < span[2]; dz++) {
        const cz = this.wrapCell(low[2] + dz, 2, level);
        for (let dy = 0; dy < span[1]; dy++) {
          const cy = this.wrapCell(low[1] + dy, 1, level);
          for (let dx = 0; dx < span[0]; dx++) {
            const cx = this.wrapCell(low[0] + dx, 0, level);
            if (this.searchCell(level, cx, cy, cz, x, y, z, radius, found)) return true;
          }
        }
      }
    }
    return false;
  }

  /** Sets which cells of a size class reach around a point; each cell of a period once. */
  private rangeOf(point: readonly number[], level: number, reach: number): void {
    for (let axis = 0; axis < 3; axis++) {
      const { edge, count } = this.cellsAlong(axis, level);
      const x = point[axis] - this.mins[axis];
      this.low[axis] = Math.floor((x - reach) / edge);
      const span = Math.floor((x + reach) / edge) - this.low[axis] + 1;
      this.span[axis] = count > 0 ? Math.min(span, count) : span;
    }
  }

  private wrapCell(cell: number, axis: number, level: number): number {
    if (!(this.periods[axis] > 0)) return cell;
    const { count } = this.cellsAlong(axis, level);
    return ((cell % count) + count) % count;
  }

  private searchCell(
    level: number,
    cx: number,
    cy: number,
    cz: number,
    x: number,
    y: number,
    z: number,
    radius: number,
    found: Found,
  ): boolean {
    const { cells, levels, next } = this;
    for (let j = this.heads[this.bucket(level, cx, cy, cz)]; j >= 0; j = next[j]) {
      // Other cells may share the bucket; their grains are found from those cells.
      if (levels[j] !== level || cells[3 * j] !== cx || cells[3 * j + 1] !== cy || cells[3 * j + 2] !== cz) continue;
      if (this.test(j, x, y, z, radius, found)) return true;
    }
    return false;
  }

  private test(j: number, x: number, y: number, z: number, radius: number, found: Found): boolean {
    const { positions, periods } = this;
    const dx = nearestImage(positions[3 * j] - x, periods[0]);
    const dy = nearestImage(positions[3 * j + 1] - y, periods[1]);
    const dz = nearestImage(positions[3 * j + 2] - z, periods[2]);
    const limit = radius + this.radii[j];
    const squared = dx * dx + dy * dy + dz * dz;
    return squared < limit * limit && found(j, Math.sqrt(squared));
  }
}
