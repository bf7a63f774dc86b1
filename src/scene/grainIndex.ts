/** Coordinates are below this many diameters of the smallest grain: cells are numbered with 32 bits, from either side of 0. */
export const MAX_DIAMETERS = 1e9;

/** Told of a grain that overlaps and of the distance of the centres; returns true to stop the search. */
export type Found = (grain: number, distance: number) => boolean;

/**
 * Finds the grains that overlap a sphere, for grains of widely different sizes: one set of linked cells for each doubling
 * of the radius, in one hash table. A grain lies in the cells of its size class, whose edge is at least its diameter.
 * Grains are put in one by one, so that a fill can test each place against those already there.
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

  /**
   * @param positions N x 3, and
   * @param radii N: read when a grain is put in and when it is found; the smallest sets the cells of the first size class
   */
  constructor(
    private readonly positions: Float64Array,
    private readonly radii: Float64Array,
  ) {
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

  private edge(level: number): number {
    return 2 * this.smallest * 2 ** level;
  }

  private bucket(level: number, x: number, y: number, z: number): number {
    let hash = Math.imul(x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca77) ^ Math.imul(z, 0xc2b2ae3d) ^ Math.imul(level, 0x27d4eb2f);
    hash ^= hash >>> 15;
    return hash & (this.heads.length - 1);
  }

  /** Puts grain i in at its position. */
  add(i: number): void {
    const level = this.level(this.radii[i]);
    const edge = this.edge(level);
    for (let axis = 0; axis < 3; axis++) this.cells[3 * i + axis] = Math.floor(this.positions[3 * i + axis] / edge);
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
      const edge = this.edge(level);
      const reach = radius + edge / 2;
      const [lowX, highX] = [Math.floor((x - reach) / edge), Math.floor((x + reach) / edge)];
      const [lowY, highY] = [Math.floor((y - reach) / edge), Math.floor((y + reach) / edge)];
      const [lowZ, highZ] = [Math.floor((z - reach) / edge), Math.floor((z + reach) / edge)];
      // A large sphere among far smaller grains: fewer grains than cells.
      if ((highX - lowX + 1) * (highY - lowY + 1) * (highZ - lowZ + 1) > members.length) {
        for (const j of members) if (this.test(j, x, y, z, radius, found)) return true;
        continue;
      }
      for (let cz = lowZ; cz <= highZ; cz++) {
        for (let cy = lowY; cy <= highY; cy++) {
          for (let cx = lowX; cx <= highX; cx++) {
            if (this.searchCell(level, cx, cy, cz, x, y, z, radius, found)) return true;
          }
        }
      }
    }
    return false;
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
    const dx = this.positions[3 * j] - x;
    const dy = this.positions[3 * j + 1] - y;
    const dz = this.positions[3 * j + 2] - z;
    const limit = radius + this.radii[j];
    const squared = dx * dx + dy * dy + dz * dz;
    return squared < limit * limit && found(j, Math.sqrt(squared));
  }
}
