import { HUB_COLOURS } from '../settings';
import type { CandidateList } from './candidateList';
import type { Hub } from './hubs';
import { proposal } from './proposal';

/** Of all bodies. */
interface HubBodies {
  inverseMasses: Float64Array;
  /** Zero before and after. */
  masks: Uint32Array;
}

/**
 * Colours hubs so that no two of one colour share a body that moves, nor are in contact: the GPU sweeps those of a colour at once.
 * First fit by falling proposals, which is what its rounds arrive at.
 * @param hubs by id
 * @param order the contact at each slot of a hub
 * @returns the hubs by colour, then by id
 */
export function colourHubs(
  hubs: readonly Hub[],
  order: Uint32Array,
  { first, second }: Pick<CandidateList, 'first' | 'second'>,
  { inverseMasses, masks }: HubBodies,
): Hub[] {
  /** The hub itself and what it touches, one after the other. */
  const visit = ({ body, begin, end }: Hub, each: (body: number) => void) => {
    each(body);
    for (let slot = begin; slot < end; slot++) {
      const c = order[slot];
      const other = first[c] === body ? second[c] : first[c];
      if (inverseMasses[other] > 0) each(other);
    }
  };
  const byProposal = hubs.map((hub) => ({ ...hub, rank: proposal(hub.body) })).sort((a, b) => b.rank - a.rank);
  const coloured = byProposal.map(({ rank: _, ...hub }) => {
    let used = 0;
    visit(hub, (body) => {
      used |= masks[body];
    });
    const free = ~used;
    const colour = free === 0 ? HUB_COLOURS : 31 - Math.clz32(free & -free);
    const bit = colour < HUB_COLOURS ? 1 << colour : 0;
    visit(hub, (body) => {
      masks[body] |= bit;
    });
    return { ...hub, colour };
  });
  for (const hub of hubs) {
    visit(hub, (body) => {
      masks[body] = 0;
    });
  }
  return coloured.sort((a, b) => a.colour - b.colour || a.body - b.body);
}
