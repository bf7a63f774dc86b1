import { AMOUNT, checkArgument, FUNCTION } from '../arguments';
import type { ContactState } from '../report';
import { BINS, checkContacts, LENGTH } from './arguments';
import { bearingContacts } from './coordination';

export interface ForceDistribution {
  /** Contacts that press. */
  count: number;
  /** Mean normal force. */
  mean: number;
  /** bins + 1, F/<F> */
  edges: Float64Array;
  /** bins, probability density of F/<F> */
  density: Float64Array;
  /** beta of P ~ exp(-beta F/<F>) above the mean, by maximum likelihood; and its standard error. */
  tail: { beta: number; error: number };
}

/** Normal forces of the contacts, positive where they press. @throws TypeError for what are no contacts */
export function normalForces(contacts: ContactState): Float64Array {
  checkContacts('normalForces', contacts);
  const { count, forces, normals } = contacts;
  return Float64Array.from({ length: count }, (_, c) => {
    const k = 3 * c;
    return forces[k] * normals[k] + forces[k + 1] * normals[k + 1] + forces[k + 2] * normals[k + 2];
  });
}

/**
 * Distribution of the normal forces over their mean, of contacts that press.
 * @param bins of equal width from 0 to `largest` times the mean; forces beyond count in the norm and have no bin
 * @throws TypeError naming an argument that is not what it must be
 */
export function forceDistribution(contacts: ContactState, bins = 30, largest = 6): ForceDistribution {
  checkContacts('forceDistribution', contacts);
  checkArgument('forceDistribution', 'bins', bins, BINS);
  checkArgument('forceDistribution', 'largest', largest, AMOUNT);
  const pressing = normalForces(contacts).filter((force) => force > 0);
  const mean = pressing.length > 0 ? pressing.reduce((a, b) => a + b, 0) / pressing.length : 0;
  const width = largest / bins;
  const density = new Float64Array(bins);
  let [beyond, excess] = [0, 0];
  for (const force of pressing) {
    const relative = force / mean;
    const bin = Math.floor(relative / width);
    if (bin < bins) density[bin] += 1 / (pressing.length * width);
    if (relative <= 1) continue;
    beyond++;
    excess += relative - 1;
  }
  const beta = excess > 0 ? beyond / excess : Number.NaN;
  return {
    count: pressing.length,
    mean,
    edges: Float64Array.from({ length: bins + 1 }, (_, k) => k * width),
    density,
    tail: { beta, error: beta / Math.sqrt(beyond) },
  };
}

/**
 * Mobilisation of friction, |F_t|/(mu (F_n + F_c)), of the contacts that press with more than a share `threshold` of the mean force.
 * @param friction mu of contact c
 * @param cohesion F_c of contact c, the most that its bond pulls; none by default
 * @throws TypeError naming an argument that is not what it must be
 */
export function mobilisation(
  contacts: ContactState,
  friction: (c: number) => number,
  threshold = 1e-3,
  cohesion: (c: number) => number = () => 0,
): Float64Array {
  checkContacts('mobilisation', contacts);
  checkArgument('mobilisation', 'friction', friction, FUNCTION);
  checkArgument('mobilisation', 'threshold', threshold, LENGTH);
  checkArgument('mobilisation', 'cohesion', cohesion, FUNCTION);
  const normal = normalForces(contacts);
  const { forces } = contacts;
  return Float64Array.from(
    bearingContacts(contacts, threshold).filter((c) => normal[c] > 0 && friction(c) > 0),
    (c) => {
      const square = forces[3 * c] ** 2 + forces[3 * c + 1] ** 2 + forces[3 * c + 2] ** 2;
      return Math.sqrt(Math.max(0, square - normal[c] ** 2)) / (friction(c) * (normal[c] + cohesion(c)));
    },
  );
}
