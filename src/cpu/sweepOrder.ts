import type { System } from '../scene/system';
import { SLIDING_SHARE } from '../settings';
import type { CandidateList } from './candidateList';
import { type Colouring, NO_COLOUR } from './colouring';
import { grown } from './growable';

/** What a contact did in the last step, by the impulse that it starts from. */
const STICKS = 0;
const SLIDES = 1;
const OPEN = 2;
const STATES = 3;

/**
 * Puts the contacts of each colour in an order in which the processor foresees what the law decides: those that stick, then those that
 * slide, then those that do not bear. Contacts of one colour share no body that moves, so that impulses and motion are the same to the
 * bit in any order; sums over all contacts are rounded otherwise. Keeps its buffers from step to step.
 */
export class SweepOrder {
  private order = new Uint32Array(0);
  /** C, colour and state of each candidate in one number */
  private places = new Uint32Array(0);

  /** @returns C (may be longer), the candidates by colour, then state, then as in the list; those of hubs as they were */
  arrange(
    list: Pick<CandidateList, 'count' | 'impulses' | 'normals' | 'laws'>,
    { colours, colourOf, starts, order: byColour }: Pick<Colouring, 'colours' | 'colourOf' | 'starts' | 'order'>,
    { laws }: Pick<System, 'laws'>,
  ): Uint32Array {
    const { count, impulses, normals } = list;
    this.order = grown(this.order, count);
    this.places = grown(this.places, count);
    const { order, places } = this;
    const limits = Float64Array.from(laws, ({ dynamicFriction }) => SLIDING_SHARE * dynamicFriction);
    const cursors = new Uint32Array(STATES * colours + 1);
    for (let c = 0, k = 0; c < count; c++, k += 3) {
      if (colourOf[c] === NO_COLOUR) continue;
      const px = impulses[k];
      const py = impulses[k + 1];
      const pz = impulses[k + 2];
      let state = OPEN;
      if (px !== 0 || py !== 0 || pz !== 0) {
        const normal = px * normals[k] + py * normals[k + 1] + pz * normals[k + 2];
        const limit = limits[list.laws[c]] * normal;
        state = px * px + py * py + pz * pz - normal * normal < limit * limit ? STICKS : SLIDES;
      }
      places[c] = STATES * colourOf[c] + state;
      cursors[places[c] + 1]++;
    }
    for (let place = 1; place < cursors.length; place++) cursors[place] += cursors[place - 1];
    for (let c = 0; c < count; c++) if (colourOf[c] !== NO_COLOUR) order[cursors[places[c]]++] = c;
    order.set(byColour.subarray(starts[colours], count), starts[colours]);
    return order;
  }
}
