import { AMOUNT, ANYTHING, COUNT, checkArgument, checkOptions, FUNCTION, OBJECT } from '../arguments';
import { BODY_STRIDE, INVERSE_MASS, packBodies, SPIN } from '../cpu/bodies';
import { CONTACT_STRIDE, FRICTION, IMPULSE, PREVIOUS_IMPULSE, REDUCED_MASS } from '../cpu/contacts';
import { applyShockLaw } from '../cpu/shockLaw';
import { extrapolateBodies } from '../cpu/sweep';
import type { State } from '../report';
import { randomNumbers } from '../scene/generators/randomNumbers';
import type { Problem, Vector } from '../scene/problem';
import { PROBLEM } from '../toProblem';
import { checkContacts, checkPositions, checkRegion, WHOLE } from './arguments';
import { bearingContacts } from './coordination';
import { isInside, type Region } from './region';

export interface IndeterminacyOptions {
  /** Contacts between grains whose centres lie here, and with walls, take new forces; those with other grains stay. Absent: all grains. */
  region?: Region;
  /** Force states to find. Default 100. */
  samples?: number;
  seed?: number;
  /** Largest random force, in mean normal forces. Default 1. */
  jump?: number;
  /** Force and torque (over the radius) that a grain may lack to count as balanced, in mean normal forces. Default 1e-5. */
  tolerance?: number;
  /** Sweeps that one state may take. Default 20,000. */
  maxIterations?: number;
  /** Hears after each try how many states were found so far, and how many tries ended in none; what it throws ends the search. */
  onState?(found: number, rejected: number): void;
}

export interface Indeterminacy {
  /** Mean over the contacts of the fluctuation of the force, over the mean force: 0 where balance fixes all forces, NaN where fewer than two states were found. */
  eta: number;
  /** Standard error of eta by leaving out one of ten runs of states after the other (jackknife); NaN below 20 states. */
  error: number;
  /** Contact of the packing that each of the C' contacts looked at is. */
  contacts: Uint32Array;
  /** C' x 3, mean force on the second body over the states */
  mean: Float64Array;
  /** C', root mean square of |F - mean F| over the states */
  fluctuation: Float64Array;
  /** States that balance (of less than two no eta can be told), and tries that ended in none: the search ends with one more of these than states asked for. */
  samples: number;
  rejected: number;
}

/** Heavy ball of the sweeps (docs/solving.md); the states that it leads to are those of plain sweeps. */
const MOMENTUM = 0.8;
const CHECK_INTERVAL = 10;
/** Runs of states, one after the other left out for the error of eta. */
const BLOCKS = 10;
/** Contacts that bear less than this share of the mean force are none: they keep their force. */
const BEARING = 1e-3;

const OPTIONS = {
  ...{ samples: COUNT, seed: WHOLE, jump: AMOUNT, tolerance: AMOUNT, maxIterations: COUNT },
  region: ANYTHING,
  onState: FUNCTION,
};

/** The contacts that take new forces, and what they join; bodies as in packBodies, contacts as in ContactBlock. */
interface Network {
  /** C' */
  ids: number[];
  data: Float64Array<ArrayBuffer>;
  bodies: Uint32Array<ArrayBuffer>;
  inertiaFactor: number;
  /** Velocities and spins that all but these contacts' forces give in one unit of time. */
  load: Float64Array;
  grains: number;
  dimension: 2 | 3;
}

/**
 * How far balance and Coulomb's law leave the contact forces of a packing open (thesis, ch. 5): every contact gets a random force
 * on top of its own, and sweeps of the shock law with all gaps 0 lead back to a state of balance; again and again, each time from
 * the last state of balance. States that do not balance are left out. With F_i the force of contact i and <> over the states, eta is the
 * mean over the contacts of sqrt(<|F_i - <F_i>|^2>), of n states with n - 1 for n, divided by the mean of |<F_i>|, eqs (5.4) to (5.7).
 *
 * The packing is taken to be at rest: what else acts on a grain (weight, loads, contacts that keep their force, pistons) is what
 * balances its contacts. Forces of friction alone are varied, no torques of contacts and no cohesion. The same seed gives the same states.
 * @throws TypeError naming an argument that is not what it must be
 * @throws RangeError where no contact in the region bears, or no state balances, with the grains that lack most in the best try
 */
export function indeterminacy(
  problem: Problem,
  state: Pick<State, 'positions' | 'contacts'>,
  options: IndeterminacyOptions = {},
): Indeterminacy {
  checkArgument('indeterminacy', 'problem', problem, PROBLEM);
  checkArgument('indeterminacy', 'state', state, OBJECT);
  checkOptions('indeterminacy', options, OPTIONS);
  checkPositions('indeterminacy', state.positions, problem.grains.count);
  checkContacts('indeterminacy', state.contacts, problem.grains.count);
  if (options.region) checkRegion('indeterminacy', options.region, problem.dimension);
  const { samples = 100, seed = 1, jump = 1, tolerance = 1e-5, maxIterations = 20_000 } = options;
  const network = networkOf(problem, state, options.region);
  const { ids } = network;
  if (ids.length === 0) throw new RangeError('No contact in the region bears a force');
  const random = randomNumbers(seed);
  const least = tolerance * meanNormal(network);
  const states: Float64Array[] = [];
  let rejected = 0;
  let nearest: Lack | undefined;
  while (states.length < samples && rejected <= samples) {
    const before = network.data.slice();
    perturb(network, jump * meanNormal(network), random);
    const lack = relax(network, least, maxIterations);
    if (lack.grains === 0) states.push(impulses(network));
    else {
      rejected++;
      if (!nearest || lack.grains < nearest.grains) nearest = lack;
      // A grain that has lost the forces between which it was held would not get them back.
      network.data.set(before);
    }
    options.onState?.(states.length, rejected);
  }
  if (states.length === 0) throw new RangeError(noBalance(nearest!, rejected, tolerance, meanNormal(network)));
  const all = spreadOf(states);
  return { ...all, error: jackknife(states), contacts: Uint32Array.from(ids), samples: states.length, rejected };
}

/** What a try ended with: how many grains lack force or torque, and the one that lacks most. */
interface Lack {
  grains: number;
  grain: number;
  /** Of that grain, force or torque over the radius. */
  most: number;
}

function noBalance({ grains, grain, most }: Lack, tries: number, tolerance: number, mean: number): string {
  // A few times the tolerance is left to slow relaxation, more to grains that accelerate.
  const why =
    most < 30 * tolerance * mean
      ? 'more sweeps (maxIterations) or a larger tolerance would do'
      : 'what holds these grains now is not there in other states, or they still move';
  return (
    `No state of the forces balances. The best of ${tries} tries left grains (${grains}) that lack more than ${tolerance} of the mean force, ` +
    `grain ${grain} most (${(most / mean).toPrecision(2)}): ${why}`
  );
}

/** Mean force of each contact over the states, how far it fluctuates, and eta. */
function spreadOf(states: readonly Float64Array[]): Pick<Indeterminacy, 'eta' | 'mean' | 'fluctuation'> {
  const contacts = states[0].length / 3;
  const mean = new Float64Array(3 * contacts).map((_, k) => states.reduce((sum, forces) => sum + forces[k], 0) / states.length);
  const fluctuation = new Float64Array(contacts).map((_, c) => {
    const square = (forces: Float64Array) =>
      [0, 1, 2].reduce((sum, axis) => sum + (forces[3 * c + axis] - mean[3 * c + axis]) ** 2, 0);
    // Of the states that there are, not of these few alone: as far as they know the mean themselves, they lie too near to it.
    return Math.sqrt(states.reduce((sum, forces) => sum + square(forces), 0) / (states.length - 1));
  });
  let size = 0;
  for (let k = 0; k < mean.length; k += 3) size += Math.hypot(mean[k], mean[k + 1], mean[k + 2]);
  const eta = states.length < 2 ? Number.NaN : fluctuation.reduce((a, b) => a + b, 0) / size;
  return { eta, mean, fluctuation };
}

/** Error of eta by runs of states, as each state comes from the one before. */
function jackknife(states: readonly Float64Array[]): number {
  if (states.length < 2 * BLOCKS) return Number.NaN;
  const block = (k: number) => Math.floor((k * BLOCKS) / states.length);
  const etas = Array.from({ length: BLOCKS }, (_, left) => spreadOf(states.filter((_, k) => block(k) !== left)).eta);
  const mean = etas.reduce((a, b) => a + b, 0) / BLOCKS;
  return Math.sqrt(((BLOCKS - 1) / BLOCKS) * etas.reduce((sum, eta) => sum + (eta - mean) ** 2, 0));
}

function networkOf(problem: Problem, { positions, contacts }: Pick<State, 'positions' | 'contacts'>, region?: Region): Network {
  const { grains, walls, laws, lawOf, materials, dimension } = problem;
  const moves = Uint8Array.from({ length: grains.count }, (_, i) => {
    const at = [...positions.subarray(3 * i, 3 * i + 3)] as Vector;
    return grains.fixed[i] === 0 && (region === undefined || isInside(region, at, dimension)) ? 1 : 0;
  });
  const isOpen = (body: number) => (body < grains.count ? moves[body] === 1 : walls[body - grains.count].piston === undefined);
  const ids = bearingContacts(contacts, BEARING).filter((c) => isOpen(contacts.first[c]) && isOpen(contacts.second[c]));
  const inverseMasses = Float64Array.from({ length: grains.count + walls.length }, (_, i) =>
    moves[i] === 1 ? 1 / grains.masses[i] : 0,
  );
  const nothing = new Float64Array(3 * inverseMasses.length);
  const network: Network = {
    ids,
    data: new Float64Array(CONTACT_STRIDE * ids.length),
    bodies: new Uint32Array(2 * ids.length),
    inertiaFactor: dimension === 2 ? 2 : 2.5,
    load: packBodies(nothing, nothing, inverseMasses),
    grains: grains.count,
    dimension,
  };
  const material = (body: number) => (body < grains.count ? grains.materials[body] : walls[body - grains.count].material);
  ids.forEach((c, slot) => {
    const [a, b] = [contacts.first[c], contacts.second[c]];
    const k = CONTACT_STRIDE * slot;
    network.bodies.set([BODY_STRIDE * a, BODY_STRIDE * b], 2 * slot);
    network.data.set(contacts.normals.subarray(3 * c, 3 * c + 3), k);
    network.data[k + FRICTION] = laws[lawOf[material(a) * materials.length + material(b)]].dynamicFriction;
    network.data[k + REDUCED_MASS] = 1 / (inverseMasses[a] + inverseMasses[b]);
    network.data.set(contacts.forces.subarray(3 * c, 3 * c + 3), k + IMPULSE);
  });
  network.load = moved(network, -1);
  return network;
}

/** The bodies after one unit of time under the load and `sign` times the contacts' forces. */
function moved({ data, bodies, load, inertiaFactor }: Network, sign: 1 | -1): Float64Array {
  const motion = load.slice();
  for (let slot = 0; 2 * slot < bodies.length; slot++) {
    const k = CONTACT_STRIDE * slot;
    const [nx, ny, nz] = data.subarray(k, k + 3);
    const [px, py, pz] = data.subarray(k + IMPULSE, k + IMPULSE + 3).map((p) => sign * p);
    const turn = [ny * pz - nz * py, nz * px - nx * pz, nx * py - ny * px];
    // A body's spin r w gains m r^2/I (n x P)/m whether it is the first or the second: arm and force both change sign.
    for (const [body, side] of [
      [bodies[2 * slot], -1],
      [bodies[2 * slot + 1], 1],
    ]) {
      const inverseMass = motion[body + INVERSE_MASS];
      [px, py, pz].forEach((p, axis) => {
        motion[body + axis] += side * inverseMass * p;
        motion[body + SPIN + axis] -= inverseMass * inertiaFactor * turn[axis];
      });
    }
  }
  return motion;
}

/** Mean normal force of the contacts. */
function meanNormal({ data, ids }: Network): number {
  const normal = (k: number) =>
    data[k] * data[k + IMPULSE] + data[k + 1] * data[k + IMPULSE + 1] + data[k + 2] * data[k + IMPULSE + 2];
  return ids.reduce((sum, _, slot) => sum + normal(CONTACT_STRIDE * slot), 0) / ids.length;
}

/** Adds a random force of up to `largest` along the normal and along each direction across it, eqs (5.1) to (5.3). */
function perturb({ data, ids, dimension }: Network, largest: number, random: () => number): void {
  for (let slot = 0; slot < ids.length; slot++) {
    const k = CONTACT_STRIDE * slot;
    const normal = [...data.subarray(k, k + 3)] as Vector;
    for (const direction of [normal, ...acrossTo(normal, dimension)]) {
      const size = largest * (2 * random() - 1);
      direction.forEach((component, axis) => {
        data[k + IMPULSE + axis] += size * component;
      });
    }
  }
}

/** Unit vectors at right angles to a unit vector and to each other; in two dimensions the one in the plane. */
function acrossTo([x, y, z]: Vector, dimension: 2 | 3): Vector[] {
  if (dimension === 2) return [[-y, x, 0]];
  const other: Vector = Math.abs(x) < 0.5 ? [0, -z, y] : [z, 0, -x];
  const length = Math.hypot(...other);
  const [a, b, c] = other.map((component) => component / length);
  return [
    [a, b, c],
    [y * c - z * b, z * a - x * c, x * b - y * a],
  ];
}

/** Sweeps until no grain lacks more than `least` of force or of torque over its radius. @returns which do in the end */
function relax(network: Network, least: number, maxIterations: number): Lack {
  const { data, bodies, inertiaFactor, grains, ids } = network;
  const motion = moved(network, 1);
  const previous = motion.slice();
  for (let slot = 0; slot < ids.length; slot++) {
    const k = CONTACT_STRIDE * slot;
    data.copyWithin(k + PREVIOUS_IMPULSE, k + IMPULSE, k + IMPULSE + 3);
  }
  const block = { data, bodies, inertiaFactor };
  let lack: Lack = { grains, grain: 0, most: Number.NaN };
  for (let sweep = 1; sweep <= maxIterations; sweep++) {
    const momentum = sweep === 1 ? 0 : MOMENTUM;
    extrapolateBodies(motion, previous, grains, momentum);
    applyShockLaw(block, 0, ids.length, motion, momentum);
    if (sweep % CHECK_INTERVAL !== 0 && sweep < maxIterations) continue;
    lack = unbalanced(motion, grains, inertiaFactor, least);
    if (lack.grains === 0) break;
  }
  return lack;
}

/** The grains that lack more than `least` of force, or of torque over the radius, for balance. */
function unbalanced(motion: Float64Array, grains: number, inertiaFactor: number, least: number): Lack {
  const lack = { grains: 0, grain: 0, most: 0 };
  for (let grain = 0; grain < grains; grain++) {
    const body = BODY_STRIDE * grain;
    if (motion[body + INVERSE_MASS] === 0) continue;
    const force = Math.hypot(motion[body], motion[body + 1], motion[body + 2]);
    const torque = Math.hypot(motion[body + SPIN], motion[body + SPIN + 1], motion[body + SPIN + 2]) / inertiaFactor;
    const amount = Math.max(force, torque) / motion[body + INVERSE_MASS];
    if (amount > least) lack.grains++;
    if (amount > lack.most) [lack.grain, lack.most] = [grain, amount];
  }
  return lack;
}

/** C' x 3 */
function impulses({ data, ids }: Network): Float64Array {
  return Float64Array.from({ length: 3 * ids.length }, (_, k) => data[CONTACT_STRIDE * Math.floor(k / 3) + IMPULSE + (k % 3)]);
}
