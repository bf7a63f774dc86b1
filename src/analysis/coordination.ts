import { ANYTHING, checkOptions } from '../arguments';
import type { ContactState } from '../report';
import { checkContacts, checkDimension, checkPositions, checkRegion, LENGTH } from './arguments';
import { grainsInside, type Region } from './region';

export interface CoordinationOptions {
  /** Contacts that bear less than this share of the mean force are none. Default 1e-3. */
  threshold?: number;
  /** Bearing contacts that a grain needs, or it is a rattler: 2 with friction, 4 without (3 for disks without). Default 2. */
  needed?: number;
  /** Grains whose centres lie here alone are counted; their contacts with others are. */
  region?: Region;
  dimension?: 2 | 3;
}

export interface Coordination {
  /** Bearing contacts per grain, each contact of two grains counted at both. */
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
  const partners: number[][] = Array.from({ length: grains }, () => []);
  for (const c of bearing) {
    partners[contacts.first[c]].push(contacts.second[c]);
    if (contacts.second[c] < grains) partners[contacts.second[c]].push(contacts.first[c]);
  }
  const counts = Uint32Array.from(partners, ({ length }) => length);
  const left = counts.slice();
  const rattlers = new Uint8Array(grains);
  const loose = [...left.keys()].filter((i) => left[i] < needed);
  for (let i = loose.pop(); i !== undefined; i = loose.pop()) {
    if (rattlers[i] === 1) continue;
    rattlers[i] = 1;
    for (const j of partners[i]) if (j < grains && rattlers[j] === 0 && --left[j] < needed) loose.push(j);
  }
  const counted = region === undefined ? [...counts.keys()] : grainsInside(region, positions, dimension);
  const kept = counted.filter((i) => rattlers[i] === 0);
  return { mean: mean(counted, counts), withoutRattlers: mean(kept, left), rattlers, contacts: counts };
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
