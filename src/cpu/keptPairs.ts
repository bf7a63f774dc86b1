import { nearestImage } from '../scene/periodic';
import type { System } from '../scene/system';
import { KEPT_SKIN, LEAST_KEPT_STEPS, LEAST_SKIN_RADIUS, SEARCHES_WITHOUT_SKIN } from '../settings';
import { CELL_PARTS, type Grid } from './grid';
import { grown } from './growable';
import { longestReach } from './longestReach';
import type { PairSearch } from './pairSearch';
import { largestRadius } from './sizeLevels';

/** Kept free for what is rounded, mean diameters. */
const ROUNDING = 1e-6;

/**
 * The pairs of grains within reach and a skin, kept as long as they hold all pairs within reach: while every grain has moved by no
 * more, and reaches no farther beyond, than it had to spare when they were found. What they hold beside these depends on the steps
 * before, and is left out by whoever goes through them.
 */
export class KeptPairs {
  /** N + 1: where the pairs of each first grain begin, as in CandidateList, and the second grains, ascending for each first one. */
  readonly starts: Uint32Array;
  seconds = new Uint32Array(0);
  /** N x 3, where they were found; NaN before, so that no grain is near. */
  private readonly places: Float64Array;
  /** N, how far the grains then reached, with the skin. */
  readonly spans: Float64Array;
  private readonly longest: number;
  /** Steps that the pairs have served, and searches that are yet to be without a skin since it did not pay. */
  private served = LEAST_KEPT_STEPS;
  private without = 0;

  constructor(private readonly system: System) {
    const { grains, periods } = system;
    this.starts = new Uint32Array(grains + 1);
    this.places = new Float64Array(3 * grains).fill(Number.NaN);
    this.spans = new Float64Array(grains);
    this.longest = longestReach(periods, largestRadius(system));
  }

  get count(): number {
    return this.starts[this.starts.length - 1];
  }

  /** Whether all pairs within these reaches are among them. @param positions N x 3 @param reach N */
  hold(positions: Float64Array, reach: Float64Array): boolean {
    const { places, spans } = this;
    const [px, py, pz] = this.system.periods ?? [0, 0, 0];
    for (let i = 0, k = 0; i < spans.length; i++, k += 3) {
      const dx = nearestImage(positions[k] - places[k], px);
      const dy = nearestImage(positions[k + 1] - places[k + 1], py);
      const dz = nearestImage(positions[k + 2] - places[k + 2], pz);
      const spare = spans[i] - ROUNDING - reach[i];
      if (!(spare >= 0 && dx * dx + dy * dy + dz * dz <= spare * spare)) return false;
    }
    this.served++;
    return true;
  }

  /** Begins anew with what the search finds. @param step for errors */
  search(search: PairSearch, grid: Grid, reach: Float64Array, step: number): void {
    if (this.served < LEAST_KEPT_STEPS) this.without = SEARCHES_WITHOUT_SKIN;
    const skin = this.without > 0 ? 0 : KEPT_SKIN;
    this.served = skin > 0 ? 0 : LEAST_KEPT_STEPS;
    this.without--;
    const { spans, system } = this;
    const room = grid.levels.map(({ cellParts, largestRadius }) => (cellParts - 1) / (2 * CELL_PARTS) - largestRadius);
    for (let i = 0; i < spans.length; i++) {
      const most = Math.min(room[grid.levelOf[i]], this.longest);
      spans[i] = Math.max(reach[i], Math.min(reach[i] + skin * Math.max(LEAST_SKIN_RADIUS, system.radii[i]), most));
    }
    this.places.fill(Number.NaN);
    search.find(grid, spans, step);
    this.sort(search);
    this.places.set(grid.positions);
  }

  /** Counting sort by the first grain, then by insertion within its short list. */
  private sort({ pairs, count }: PairSearch): void {
    const { starts } = this;
    this.seconds = grown(this.seconds, count);
    const { seconds } = this;
    starts.fill(0);
    for (let k = 0; k < count; k++) starts[pairs[2 * k] + 1]++;
    for (let i = 1; i < starts.length; i++) starts[i] += starts[i - 1];
    const cursors = starts.slice();
    for (let k = 0; k < count; k++) {
      const begin = starts[pairs[2 * k]];
      let slot = cursors[pairs[2 * k]]++;
      for (; slot > begin && seconds[slot - 1] > pairs[2 * k + 1]; slot--) seconds[slot] = seconds[slot - 1];
      seconds[slot] = pairs[2 * k + 1];
    }
  }
}
