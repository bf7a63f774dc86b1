import { checkArgument } from '../arguments';
import type { ContactState } from '../report';
import { checkContacts, LENGTH, WHOLE } from './arguments';
import { normalForces } from './forces';

export interface ForceChains {
  /** Contacts between grains that press with more than the mean, and their share of those that press. */
  contacts: number;
  share: number;
  /** Sizes in grains of the networks that these join, the largest first. */
  sizes: number[];
  /** N, index of each grain's network in `sizes`; -1 for grains in none. */
  chainOf: Int32Array;
}

/**
 * The strong network (Radjai et al. 1998): grains joined by contacts whose normal force is above `times` the mean of those that press.
 * @param grains N
 * @throws TypeError naming an argument that is not what it must be
 */
export function forceChains(contacts: ContactState, grains: number, times = 1): ForceChains {
  checkArgument('forceChains', 'grains', grains, WHOLE);
  checkContacts('forceChains', contacts, grains);
  checkArgument('forceChains', 'times', times, LENGTH);
  const forces = normalForces(contacts);
  let [pressing, sum] = [0, 0];
  for (let c = 0; c < contacts.count; c++) {
    if (forces[c] <= 0 || contacts.second[c] >= grains) continue;
    pressing++;
    sum += forces[c];
  }
  const least = (times * sum) / Math.max(1, pressing);
  const parent = Int32Array.from({ length: grains }, (_, i) => i);
  const root = (i: number) => {
    while (parent[i] !== i) {
      parent[i] = parent[parent[i]];
      i = parent[i];
    }
    return i;
  };
  let strong = 0;
  const joined = new Uint8Array(grains);
  for (let c = 0; c < contacts.count; c++) {
    const [i, j] = [contacts.first[c], contacts.second[c]];
    if (forces[c] <= least || j >= grains) continue;
    strong++;
    joined[i] = joined[j] = 1;
    parent[root(i)] = root(j);
  }
  const members = new Map<number, number>();
  for (let i = 0; i < grains; i++) if (joined[i]) members.set(root(i), (members.get(root(i)) ?? 0) + 1);
  const order = [...members].sort(([a, sizeA], [b, sizeB]) => sizeB - sizeA || a - b);
  const place = new Map(order.map(([id], k) => [id, k]));
  return {
    contacts: strong,
    share: strong / Math.max(1, pressing),
    sizes: order.map(([, size]) => size),
    chainOf: Int32Array.from(joined, (is, i) => (is ? place.get(root(i))! : -1)),
  };
}
