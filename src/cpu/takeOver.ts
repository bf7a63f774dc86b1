import type { CandidateList } from './candidateList';
import { BOND, CLOSED, MEMORY_STRIDE, NONE, PHASE, TAKING_OVER_COSINE, TAKING_OVER_GAP } from './memory';

/**
 * A grain that in the middle of a collision, or bonded, goes on over an edge touches another feature of the mesh: the first new one
 * takes over what the contact that is gone remembers, if it is near and meets the grain from about where that pushed or pulled it.
 * One alone: two would give the work of one collision back twice.
 * @param lastKeys of the last step's candidates, one for all images of a feature; sorted, as are the next
 * @param first the lowest key of a feature
 */
export function takeOver(
  last: CandidateList,
  lastKeys: Uint32Array,
  list: CandidateList,
  keys: Uint32Array,
  first: number,
): void {
  const { starts, gaps, normals } = list;
  for (let i = 0; i + 1 < starts.length; i++) {
    // Most grains touch no mesh: their candidates, of which features come last, have none.
    if (!(lastKeys[last.starts[i + 1] - 1] >= first && last.starts[i + 1] > last.starts[i])) continue;
    const before = featuresOf(last, lastKeys, i, first);
    const now = featuresOf(list, keys, i, first);
    const taker = now.find((c) => !before.some((old) => lastKeys[old] === keys[c]));
    if (taker === undefined || gaps[taker] > TAKING_OVER_GAP) continue;
    const giver = before.find((old) => {
      const m = MEMORY_STRIDE * old;
      const matters = last.memory[m + PHASE] >= CLOSED || last.memory[m + BOND] !== NONE;
      return matters && !now.some((c) => keys[c] === lastKeys[old]);
    });
    if (giver === undefined) continue;
    const [x, y, z] = last.impulses.subarray(3 * giver, 3 * giver + 3);
    const along = x * normals[3 * taker] + y * normals[3 * taker + 1] + z * normals[3 * taker + 2];
    if (Math.abs(along) < TAKING_OVER_COSINE * Math.hypot(x, y, z)) continue;
    list.memory.set(last.memory.subarray(MEMORY_STRIDE * giver, MEMORY_STRIDE * (giver + 1)), MEMORY_STRIDE * taker);
  }
}

/** Candidates of a grain at features: they come last among its own. */
function featuresOf({ starts }: CandidateList, keys: Uint32Array, grain: number, first: number): number[] {
  const found: number[] = [];
  for (let c = starts[grain + 1] - 1; c >= starts[grain] && keys[c] >= first; c--) found.unshift(c);
  return found;
}
