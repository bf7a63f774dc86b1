import { ANYTHING, checkOptions } from '../arguments';
import type { ContactState } from '../report';
import { checkContacts, checkDimension, checkPositions, checkRegion, LENGTH } from './arguments';
import { grainsInside, type Region } from './region';

export interface CoordinationOptions {
  /** Contacts that bear less than this share of the mean force are none. Default 1e-3. */
  threshold?: number;
  /** Bearing contacts that a grain needs, or it is a rattler: 2 with friction, 4 without (3 for disks without). Default 2. */
  needed?: number;
  /** Grains whose centres lie here alone are counted; their contacts with others are. In periodic space positions must lie in the box. */
  region?: Region;
  dimension?: 2 | 3;
}

export interface Coordination {
  /** Bearing contacts per grain, each contact of two grains counted at both, those with walls at one. */
  mean: number;
  /** The same over the grains that are no rattlers, contacts with rattlers left out. */
  withoutRattlers: number;
  /** N, 1 for rattlers, of the whole packing also where a region is given */
  rattlers: Uint8Array;
  /** N, bearing contacts of each grain */
  contacts: Uint32Array;
}

const OPTIONS = { threshold: LENGTH, needed: LENGTH, region: ANYTHING, dimension: ANYTHING };

/**
 * Coordination numbers. Rattlers are taken out again and again until every grain left has as many contacts as it needs.
 * @param positions N x 3
 * @throws TypeError naming an argument that is not what it must be
 */
export function coordination(contacts: ContactState, positions: Float64Array, options: CoordinationOptions = {}): Coordination {
  checkOptions('coordination', options, OPTIONS);
  const { threshold = 1e-3, needed = 2, region, dimension = 3 } = options;
  const grains = checkPositions('coordination', positions);
  checkContacts('coordination', contacts, grains);
  checkDimension('coordination', dimension);
  if (region !== undefined) checkRegion('coordination', region, dimension);
  const bearing = bearingContacts(contacts, threshold);
  const { partners, starts } = partnersOf(contacts, bearing, grains);
  const counts = Uint32Array.from({ length: grains }, (_, i) => starts[i + 1] - starts[i]);
  const left = counts.slice();
  const rattlers = new Uint8Array(grains);
  const loose: number[] = [];
  for (let i = 0; i < grains; i++) if (left[i] < needed) loose.push(i);
  for (let i = loose.pop(); i !== undefined; i = loose.pop()) {
    if (rattlers[i] === 1) continue;
    rattlers[i] = 1;
    for (const j of partners.subarray(starts[i], starts[i + 1])) {
      if (j < grains && rattlers[j] === 0 && --left[j] < needed) loose.push(j);
    }
  }
  const counted = region === undefined ? [...counts.keys()] : grainsInside(region, positions, dimension);
  const kept = counted.filter((i) => rattlers[i] === 0);
  return { mean: mean(counted, counts), withoutRattlers: mean(kept, left), rattlers, contacts: counts };
}

/** What each grain touches, one grain's after the other's: in one array, as lists for a million grains would take the memory of a file. */
function partnersOf({ first, second }: ContactState, bearing: readonly number[], grains: number) {
  const starts = new Uint32Array(grains + 1);
  const both = (visit: (i: number, j: number) => void) => {
    for (const c of bearing) {
      visit(first[c], second[c]);
      if (second[c] < grains) visit(second[c], first[c]);
    }
  };
  both((i) => starts[i + 1]++);
  for (let i = 0; i < grains; i++) starts[i + 1] += starts[i];
  const [partners, filled] = [new Uint32Array(starts[grains]), starts.slice()];
  both((i, j) => {
    partners[filled[i]++] = j;
  });
  return { partners, starts };
}

/** Indices of the contacts that bear more than a share of the mean force over all contacts with a force. */
export function bearingContacts({ count, forces }: ContactState, threshold: number): number[] {
  const sizes = Float64Array.from({ length: count }, (_, c) => Math.hypot(forces[3 * c], forces[3 * c + 1], forces[3 * c + 2]));
  const active = sizes.filter((size) => size > 0);
  const least = active.length > 0 ? (threshold * active.reduce((a, b) => a + b, 0)) / active.length : 0;
  return [...sizes.keys()].filter((c) => sizes[c] > least);
}

function mean(grains: readonly number[], counts: Uint32Array): number {
  return grains.length > 0 ? grains.reduce((sum, i) => sum + counts[i], 0) / grains.length : 0;
}
