import type { CandidateList } from './candidateList';
import { grown } from './growable';
import { colourHubs } from './hubColours';
import { type Hub, isMuchLarger } from './hubs';
import { proposal } from './proposal';

const WORD = 32;

/** Colour of a contact that has none yet. */
export const NO_COLOUR = 0xffffffff;
const NO_HUB = 0xffffffff;

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
  /** Contacts of hubs, which have no colour: they come after all colours, in the order of the sweeps; only hubs with contacts. */
  hubs: Hub[];
  /** Hubs that are updated one after the other: those of a colour count as one. */
  hubTurns: number;
}

/**
 * Greedy colouring: contacts keep the colours of the last step, each new one takes the first that is free at both of its
 * bodies, in the order of a hash of their indices. This is what the GPU's rounds of proposals (Jones and Plassmann) arrive
 * at, so that both backends sweep in the same order. Keeps its buffers from step to step.
 */
export class Colourer {
  private readonly bodies: number;
  /** 32-bit words per body in `used` */
  private words = 1;
  /** Bit k of a body: colour k has a contact of it. */
  private used: Uint32Array;
  private colourOf = new Uint32Array(0);
  private order = new Uint32Array(0);
  /** Place among the hubs for each body that is one, else NO_HUB. */
  private readonly hubOf: Uint32Array;
  /** Of each body, colours of hubs that have a contact with it. */
  private readonly hubMasks: Uint32Array;

  constructor(
    private readonly inverseMasses: Float64Array,
    /** Of the grains; needed where some are hubs. */
    private readonly radii: ArrayLike<number> = [],
  ) {
    this.bodies = inverseMasses.length;
    this.used = new Uint32Array(this.bodies);
    this.hubOf = new Uint32Array(this.bodies).fill(NO_HUB);
    this.hubMasks = new Uint32Array(this.bodies);
  }

  /**
   * @param kept C (may be longer), colours of the last step or NO_COLOUR; absent: all are new
   * @param hubs pistons, whose contacts are left out, and grains, of which those with much smaller ones are
   * @param grains bodies before this one are grains, the others walls; absent: all are
   */
  colour(
    list: Pick<CandidateList, 'count' | 'first' | 'second'>,
    kept?: Uint32Array,
    hubs: readonly number[] = [],
    grains = this.bodies,
  ): Colouring {
    const { count, first, second } = list;
    this.colourOf = grown(this.colourOf, count);
    this.used.fill(0);
    hubs.forEach((body, hub) => {
      this.hubOf[body] = hub;
    });
    let colours = 0;
    const give = (c: number, colour: number) => {
      this.colourOf[c] = colour;
      this.use(first[c], colour);
      this.use(second[c], colour);
      if (colour >= colours) colours = colour + 1;
    };
    const fresh: number[] = [];
    for (let c = 0; c < count; c++) {
      const colour = kept?.[c] ?? NO_COLOUR;
      if (hubs.length > 0 && this.hubOfContact(first[c], second[c]) !== NO_HUB) this.colourOf[c] = NO_COLOUR;
      else if (colour === NO_COLOUR) fresh.push(c);
      else give(c, colour);
    }
    for (const c of inOrderOfProposal(fresh)) give(c, this.firstFree(first[c], second[c]));
    const colouring = this.bucket(list, colours, hubs, grains);
    for (const body of hubs) this.hubOf[body] = NO_HUB;
    return colouring;
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
    if (this.inverseMasses[body] === 0) return;
    while (colour >= WORD * this.words) this.widen();
    this.used[body * this.words + (colour >>> 5)] |= 1 << (colour & 31);
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

  /** Place of the hub that the contact is left to: a piston, or a grain HUB_SIZE_RATIO times as large as the other. */
  private hubOfContact(i: number, j: number): number {
    const { hubOf, radii } = this;
    if (j >= this.bodies) return NO_HUB;
    if (hubOf[j] !== NO_HUB && (j >= radii.length || isMuchLarger(radii[j], radii[i]))) return hubOf[j];
    return hubOf[i] !== NO_HUB && j < radii.length && isMuchLarger(radii[i], radii[j]) ? hubOf[i] : NO_HUB;
  }

  /** Counting sort by colour, then by hub, stable. */
  private bucket(
    { count, first, second }: Pick<CandidateList, 'count' | 'first' | 'second'>,
    colours: number,
    hubs: readonly number[],
    grains: number,
  ): Colouring {
    this.order = grown(this.order, count);
    const { colourOf, order } = this;
    const place = (c: number) => (colourOf[c] === NO_COLOUR ? colours + this.hubOfContact(first[c], second[c]) : colourOf[c]);
    const starts = new Uint32Array(colours + hubs.length + 1);
    for (let c = 0; c < count; c++) starts[place(c) + 1]++;
    for (let k = 1; k < starts.length; k++) starts[k] += starts[k - 1];
    const cursors = starts.slice();
    for (let c = 0; c < count; c++) order[cursors[place(c)]++] = c;
    const withContacts = hubs
      .map((body, hub): Hub => ({ body, begin: starts[colours + hub], end: starts[colours + hub + 1] }))
      .filter(({ begin, end }) => end > begin);
    const inOrder = withContacts.length > 0 ? this.hubsInOrder({ first, second }, withContacts, grains) : [];
    const hubTurns = new Set(inOrder.map(({ body, colour }) => (body < grains ? colour : body))).size;
    return { colours, colourOf, starts: starts.subarray(0, colours + 1), order, hubs: inOrder, hubTurns };
  }

  /** Grains by colour, then pistons. */
  private hubsInOrder(list: Pick<CandidateList, 'first' | 'second'>, hubs: readonly Hub[], grains: number): Hub[] {
    const coloured = colourHubs(
      hubs.filter(({ body }) => body < grains),
      this.order,
      list,
      { inverseMasses: this.inverseMasses, masks: this.hubMasks },
    );
    return [...coloured, ...hubs.filter(({ body }) => body >= grains)];
  }
}

/** Contacts by falling hash of their indices. */
function inOrderOfProposal(contacts: readonly number[]): Uint32Array {
  const hashes = Uint32Array.from(contacts, proposal);
  const places = Uint32Array.from(contacts.keys()).sort((a, b) => hashes[b] - hashes[a]);
  return places.map((place) => contacts[place]);
}
