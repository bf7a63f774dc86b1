import type { CandidateList } from './candidateList';
import { APPROACH, BOND, CLOSED, MEMORY_STRIDE, NONE, OPEN, PHASE, TAKING_OVER_COSINE, TAKING_OVER_GAP } from './memory';

/**
 * A grain that in the middle of a collision, or bonded, goes on over an edge touches another feature of the mesh: of those that
 * remember nothing themselves, are near and meet the grain from about where the contact that is gone pushed or pulled it, the
 * nearest takes over what that remembers, where several are gone the one that met faster. One alone: two would give the work of one collision back twice.
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
  const { starts, gaps, normals, memory } = list;
  for (let i = 0; i + 1 < starts.length; i++) {
    // Most grains touch no mesh: their candidates, of which features come last, have none.
    if (!(lastKeys[last.starts[i + 1] - 1] >= first && last.starts[i + 1] > last.starts[i])) continue;
    const before = featuresOf(last, lastKeys, i, first);
    const now = featuresOf(list, keys, i, first);
    const gone = before.filter((old) => isBusy(last, old) && !now.some((c) => keys[c] === lastKeys[old]));
    if (gone.length === 0) continue;
    const approach = (old: number) => last.memory[MEMORY_STRIDE * old + APPROACH];
    const giver = gone.reduce((fastest, old) => (approach(old) > approach(fastest) ? old : fastest));
    const [x, y, z] = last.impulses.subarray(3 * giver, 3 * giver + 3);
    const fitting = now.filter((c) => {
      if (memory[MEMORY_STRIDE * c + PHASE] !== OPEN || isBusy(list, c) || gaps[c] > TAKING_OVER_GAP) return false;
      const along = x * normals[3 * c] + y * normals[3 * c + 1] + z * normals[3 * c + 2];
      return Math.abs(along) >= TAKING_OVER_COSINE * Math.hypot(x, y, z);
    });
    if (fitting.length === 0) continue;
    const taker = fitting.reduce((nearest, c) => (gaps[c] < gaps[nearest] ? c : nearest));
    memory.set(last.memory.subarray(MEMORY_STRIDE * giver, MEMORY_STRIDE * (giver + 1)), MEMORY_STRIDE * taker);
  }
}

/** Whether a contact remembers a collision under way, or a bond. */
function isBusy({ memory }: CandidateList, c: number): boolean {
  return memory[MEMORY_STRIDE * c + PHASE] >= CLOSED || memory[MEMORY_STRIDE * c + BOND] !== NONE;
}

/** Candidates of a grain at features: they come last among its own. */
function featuresOf({ starts }: CandidateList, keys: Uint32Array, grain: number, first: number): number[] {
  const found: number[] = [];
  for (let c = starts[grain + 1] - 1; c >= starts[grain] && keys[c] >= first; c--) found.unshift(c);
  return found;
}
