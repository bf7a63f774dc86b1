import { CapacityError } from '../errors';
import { isOutOfMemory } from '../outOfMemory';
import type { ParticleTable } from './table';

/** Rows of the first block, and of the largest. */
const FIRST_ROWS = 1024;
const MOST_ROWS = 65_536;

/** The arrays of a table, and how many numbers of a row each takes. */
const WIDTHS = { positions: 3, radii: 1, velocities: 3, angularVelocities: 3, masses: 1, ids: 1, types: 1 } as const;
export type ColumnKey = keyof typeof WIDTHS;

/** An array of a table that grows row by row: in blocks, so that nothing is made for rows that only are announced. */
export class Column {
  /** Of the block that is being filled: its row k begins at k x width. */
  array: Float64Array | Uint32Array = new Float64Array(0);
  readonly width: number;
  private readonly blocks: (Float64Array | Uint32Array)[] = [];

  constructor(readonly key: ColumnKey) {
    this.width = WIDTHS[key];
  }

  /** Begins a block. */
  open(rows: number): void {
    this.array = this.make(rows * this.width);
    this.blocks.push(this.array);
  }

  /** All rows in one array; the blocks are given up. @param rows in all, the last block being filled in part */
  join(rows: number): Float64Array | Uint32Array {
    const all = this.make(rows * this.width);
    let at = 0;
    for (const block of this.blocks.splice(0)) {
      const used = Math.min(block.length, all.length - at);
      all.set(used < block.length ? block.subarray(0, used) : block, at);
      at += used;
    }
    return all;
  }

  private make(length: number): Float64Array | Uint32Array {
    return this.key === 'types' ? new Uint32Array(length) : new Float64Array(length);
  }
}

/** The rows of a table of which nobody knows how many will come. */
export class GrainRows {
  count = 0;
  private room = 0;

  constructor(private readonly columns: readonly Column[]) {}

  /**
   * Makes room for one more row.
   * @returns its place in the block of each column
   * @throws CapacityError where the main memory does not hold it
   */
  add(): number {
    if (this.count === this.start + this.room) {
      this.start = this.count;
      this.room = Math.min(MOST_ROWS, Math.max(FIRST_ROWS, this.count));
      this.within(() => {
        for (const column of this.columns) column.open(this.room);
      });
    }
    return this.count++ - this.start;
  }

  /** @throws CapacityError where the main memory does not hold it */
  table(): ParticleTable {
    const arrays = this.within(() => this.columns.map((column) => [column.key, column.join(this.count)]));
    return { count: this.count, ...Object.fromEntries(arrays) };
  }

  private within<T>(make: () => T): T {
    try {
      return make();
    } catch (error) {
      if (!isOutOfMemory(error)) throw error;
      const bytes = 8 * this.columns.reduce((sum, { width }) => sum + width, 0);
      const needed = `each takes ${bytes} bytes while the file is read, and as many again at its end`;
      // Half of them had room twice.
      const fits = Math.floor(this.count / 2);
      throw new CapacityError(
        `The main memory that is free does not hold the file's grains: ${needed}; it gave out at grain ${this.count}, so that about ${fits} grains would fit`,
        { cause: error },
      );
    }
  }

  /** The row at which the block begins. */
  private start = 0;
}
