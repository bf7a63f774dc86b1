import type { CandidateList } from './candidates';
import { grown } from './growable';

const WORD = 32;

/** Contacts in colours: no two of one colour share a body that can move. */
export interface Colouring {
  /** Number of colours used. */
  colours: number;
  /** C (may be longer), the colour of each candidate */
  colourOf: Uint32Array;
  /** colours + 1: where each colour begins in `order` */
  starts: Uint32Array;
  /** C (may be longer), candidates by colour, in list order within a colour */
  order: Uint32Array;
}

/** Greedy first-fit colouring in the order of the list; keeps its buffers from step to step. */
export class Colourer {
  private readonly bodies: number;
  /** 32-bit words per body in `used` */
  private words = 1;
  /** Bit k of a body: colour k has a contact of it. */
  private used: Uint32Array;
  private colourOf = new Uint32Array(0);
  private order = new Uint32Array(0);

  constructor(private readonly inverseMasses: Float64Array) {
    this.bodies = inverseMasses.length;
    this.used = new Uint32Array(this.bodies);
  }

  colour({ count, first, second }: Pick<CandidateList, 'count' | 'first' | 'second'>): Colouring {
    this.colourOf = grown(this.colourOf, count);
    this.used.fill(0);
    let colours = 0;
    for (let c = 0; c < count; c++) {
      const colour = this.firstFree(first[c], second[c]);
      this.colourOf[c] = colour;
      this.use(first[c], colour);
      this.use(second[c], colour);
      if (colour >= colours) colours = colour + 1;
    }
    return this.bucket(count, colours);
  }

  /** The lowest colour that neither body has a contact of. */
  private firstFree(i: number, j: number): number {
    for (let word = 0; word < this.words; word++) {
      const free = ~(this.used[i * this.words + word] | this.used[j * this.words + word]);
      if (free !== 0) return word * WORD + (31 - Math.clz32(free & -free));
    }
    this.widen();
    return this.firstFree(i, j);
  }

  private use(body: number, colour: number): void {
    if (this.inverseMasses[body] > 0) this.used[body * this.words + (colour >>> 5)] |= 1 << (colour & 31);
  }

  /** Room for twice as many colours. */
  private widen(): void {
    const wider = new Uint32Array(2 * this.used.length);
    for (let body = 0; body < this.bodies; body++) {
      wider.set(this.used.subarray(body * this.words, (body + 1) * this.words), 2 * body * this.words);
    }
    this.words *= 2;
    this.used = wider;
  }

  /** Counting sort by colour, stable. */
  private bucket(count: number, colours: number): Colouring {
    this.order = grown(this.order, count);
    const { colourOf, order } = this;
    const starts = new Uint32Array(colours + 1);
    for (let c = 0; c < count; c++) starts[colourOf[c] + 1]++;
    for (let k = 1; k <= colours; k++) starts[k] += starts[k - 1];
    const cursors = starts.slice();
    for (let c = 0; c < count; c++) order[cursors[colourOf[c]]++] = c;
    return { colours, colourOf, starts, order };
  }
}
