import type { PairLaw } from '../scene/problem';
import type { System } from '../scene/system';
import { BODY_STRIDE, INVERSE_MASS, SPIN } from './bodies';
import type { CandidateList } from './candidateList';
import type { Colouring } from './colouring';
import { grown } from './growable';
import type { Hub } from './hubs';
import { SLIP_WORK, TARGET_STRIDE } from './memory';

/** Doubles per contact in `ContactBlock.data`, and where the parts begin. */
export const CONTACT_STRIDE = 12;
export const GAP = 3;
export const FRICTION = 4;
export const REDUCED_MASS = 5;
export const IMPULSE = 6;
export const PREVIOUS_IMPULSE = 9;

/** Doubles per contact in `ContactBlock.extra`, and where the parts begin. */
export const EXTRA_STRIDE = 23;
export const TORQUE = 0;
export const PREVIOUS_TORQUE = 3;
export const STATIC_FRICTION = 6;
export const ROLLING_FRICTION = 7;
export const TORSION_FRICTION = 8;
export const SHARE_A = 9;
export const SHARE_B = 10;
export const REBOUND = 11;
export const REBOUND_WORK = 12;
export const SLIP_TARGET = 13;
export const PULL = 16;
export const PARTING = 17;
export const START_SLIP = 18;
export const FRICTION_WORK = 21;
export const SLIDES = 22;

/** What of a system the contacts' laws depend on. */
export type LawSystem = Pick<System, 'laws' | 'inertiaFactor' | 'radii' | 'grains'>;

/** Contacts in the order of the sweeps, each in one stretch of memory. */
export class ContactBlock {
  count = 0;
  /** m r^2/I */
  inertiaFactor = 0;
  /** Whether contacts that slide are held to dynamic friction for the rest of the step, see SLIDERS_STAY_AFTER. */
  slidersStay = false;
  /** colours + 1: where each colour begins */
  colourStarts: Uint32Array = new Uint32Array(1);
  /** Contacts of hubs, behind those of all colours. */
  hubs: readonly Hub[] = [];
  /** C (may be longer): the candidate that each contact is */
  order: Uint32Array = new Uint32Array(0);
  /** C (may be longer): the contact that each candidate is */
  private slots = new Uint32Array(0);
  /** C (may be longer): contacts by colour and as in the list, whatever they do: sums that impulses depend on go by this */
  summed = new Uint32Array(0);
  /** C x 2, offsets of the two bodies in the motion array */
  bodies = new Uint32Array(0);
  /**
   * C x 12: normal (0 to 2), g+ = max(gap, 0) (3), mu, the dynamic one where there are two (4), m_n = 1/(1/m1 + 1/m2) (5),
   * impulse P on the second body (6 to 8), P before the last sweep (9 to 11)
   */
  data = new Float64Array(0);
  /**
   * C x 23, of systems with more than plain laws: torque tau = T/r* on the second body, an impulse (0 to 2), tau before the last
   * sweep (3 to 5), static friction (6), rolling (7) and torsion friction (8), r* over the radius of the
   * first (9) and of the second body (10), normal velocity to leave with (11) and twice the work that the contact may do for that (12),
   * velocity across the normal at which friction aims (13 to 15), impulse F_c of a bond or 0 (16), normal velocity at which the
   * surfaces part at the start of the step (17), velocity across the normal then (18 to 20), twice the work that friction may do
   * for its aim (21), 1 where the contact slides (22)
   */
  extra = new Float64Array(0);
  /** C x 3, scratch for the general law's answers, and C x 3 for those of torques */
  answers = new Float64Array(0);
  torqueAnswers = new Float64Array(0);

  /** @param general whether some contact obeys more than a plain law */
  constructor(readonly general = false) {}

  /** Contacts that have colours. */
  get coloured(): number {
    return this.hubs.length > 0 ? this.colourStarts[this.colourStarts.length - 1] : this.count;
  }

  /**
   * Copies candidates with their impulses into the order of the sweeps.
   * @param motion gives the inverse masses
   * @param sweepOrder C (may be longer), see SweepOrder
   */
  gather(
    list: CandidateList,
    { starts, order, hubs = [] }: Pick<Colouring, 'starts' | 'order'> & Partial<Pick<Colouring, 'hubs'>>,
    motion: Float64Array,
    system: LawSystem,
    sweepOrder = order,
  ): void {
    const { count, first, partners, normals, gaps, impulses, laws } = list;
    this.count = count;
    this.inertiaFactor = system.inertiaFactor;
    this.colourStarts = starts;
    this.order = sweepOrder;
    this.hubs = hubs;
    this.bodies = grown(this.bodies, 2 * count);
    this.data = grown(this.data, CONTACT_STRIDE * count);
    this.slots = grown(this.slots, count);
    this.summed = grown(this.summed, count);
    const { bodies, data, slots, summed } = this;
    for (let slot = 0; slot < count; slot++) slots[sweepOrder[slot]] = slot;
    for (let k = 0; k < count; k++) summed[k] = slots[order[k]];
    const frictions = Float64Array.from(system.laws, ({ dynamicFriction }) => dynamicFriction);
    // As the list has them: the other way round, half of the time would be waits for memory.
    for (let c = 0, n = 0; c < count; c++, n += 3) {
      const slot = slots[c];
      const k = CONTACT_STRIDE * slot;
      const a = BODY_STRIDE * first[c];
      const b = BODY_STRIDE * partners[c];
      bodies[2 * slot] = a;
      bodies[2 * slot + 1] = b;
      data[k] = normals[n];
      data[k + 1] = normals[n + 1];
      data[k + 2] = normals[n + 2];
      data[k + GAP] = Math.max(gaps[c], 0);
      data[k + FRICTION] = frictions[laws[c]];
      data[k + REDUCED_MASS] = 1 / (motion[a + INVERSE_MASS] + motion[b + INVERSE_MASS]);
      data[k + IMPULSE] = impulses[n];
      data[k + IMPULSE + 1] = impulses[n + 1];
      data[k + IMPULSE + 2] = impulses[n + 2];
      data[k + PREVIOUS_IMPULSE] = impulses[n];
      data[k + PREVIOUS_IMPULSE + 1] = impulses[n + 1];
      data[k + PREVIOUS_IMPULSE + 2] = impulses[n + 2];
    }
    if (this.general) this.gatherExtra(list, system);
  }

  private gatherExtra(list: CandidateList, system: LawSystem): void {
    this.extra = grown(this.extra, EXTRA_STRIDE * list.count);
    this.answers = grown(this.answers, 3 * list.count);
    this.torqueAnswers = grown(this.torqueAnswers, 3 * list.count);
    const { extra, order } = this;
    for (let slot = 0; slot < list.count; slot++) {
      const c = order[slot];
      const e = EXTRA_STRIDE * slot;
      const { staticFriction, rollingFriction, torsionFriction }: PairLaw = system.laws[list.laws[c]];
      for (let axis = 0; axis < 3; axis++) {
        extra[e + TORQUE + axis] = list.torques[3 * c + axis];
        extra[e + PREVIOUS_TORQUE + axis] = list.torques[3 * c + axis];
      }
      for (let part = 0; part <= SLIP_WORK; part++) extra[e + REBOUND + part] = list.targets[TARGET_STRIDE * c + part];
      extra[e + SLIDES] = 0;
      extra[e + STATIC_FRICTION] = staticFriction;
      extra[e + ROLLING_FRICTION] = rollingFriction;
      extra[e + TORSION_FRICTION] = torsionFriction;
      // Of a wall, as if its radius were infinite: r* = r1.
      const reduced = reducedRadius(system, list.first[c], list.second[c]);
      extra[e + SHARE_A] = reduced / system.radii[list.first[c]];
      // The body of a wall that turns has the opposite of the wall's spin at the grain's radius.
      extra[e + SHARE_B] = list.partners[c] === list.second[c] ? 1 - extra[e + SHARE_A] : -1;
    }
  }

  /** Copies the impulses and torques back to the list. */
  scatter(list: CandidateList): void {
    const { count, slots, data, extra, general } = this;
    const { impulses, torques } = list;
    for (let c = 0, n = 0; c < count; c++, n += 3) {
      const k = CONTACT_STRIDE * slots[c] + IMPULSE;
      impulses[n] = data[k];
      impulses[n + 1] = data[k + 1];
      impulses[n + 2] = data[k + 2];
      if (!general) continue;
      const t = EXTRA_STRIDE * slots[c] + TORQUE;
      for (let axis = 0; axis < 3; axis++) torques[n + axis] = extra[t + axis];
    }
  }

  /** Lets the grains of each contact swell by so much together (or shrink): their gap counts as so much less. */
  swell(swelling: number): void {
    for (let slot = 0; slot < this.count; slot++) this.data[CONTACT_STRIDE * slot + GAP] -= swelling;
  }

  /** Gives the bodies the momentum of the impulses that the contacts start from. */
  applyImpulses(motion: Float64Array): void {
    const { bodies } = this;
    for (let slot = 0; slot < this.count; slot++) {
      this.applyImpulse(CONTACT_STRIDE * slot, motion, bodies[2 * slot], bodies[2 * slot + 1]);
      if (this.general) this.applyTorque(EXTRA_STRIDE * slot, motion, bodies[2 * slot], bodies[2 * slot + 1]);
    }
  }

  /**
   * Gives the contact's impulse to body b and its opposite to body a: v changes by P/m. Both arms are r n, so that with I = m r^2/kappa the
   * spin r w of either body changes by -kappa (n x P)/m whatever its radius.
   * @param k where the contact's data begin
   */
  private applyImpulse(k: number, motion: Float64Array, a: number, b: number): void {
    const { data, inertiaFactor } = this;
    const nx = data[k];
    const ny = data[k + 1];
    const nz = data[k + 2];
    const dx = data[k + IMPULSE];
    const dy = data[k + IMPULSE + 1];
    const dz = data[k + IMPULSE + 2];
    const massA = motion[a + INVERSE_MASS];
    const massB = motion[b + INVERSE_MASS];
    const tx = inertiaFactor * (ny * dz - nz * dy);
    const ty = inertiaFactor * (nz * dx - nx * dz);
    const tz = inertiaFactor * (nx * dy - ny * dx);
    motion[a] -= massA * dx;
    motion[a + 1] -= massA * dy;
    motion[a + 2] -= massA * dz;
    motion[a + SPIN] -= massA * tx;
    motion[a + SPIN + 1] -= massA * ty;
    motion[a + SPIN + 2] -= massA * tz;
    motion[b] += massB * dx;
    motion[b + 1] += massB * dy;
    motion[b + 2] += massB * dz;
    motion[b + SPIN] -= massB * tx;
    motion[b + SPIN + 1] -= massB * ty;
    motion[b + SPIN + 2] -= massB * tz;
  }

  /** Gives the contact's torque to body b and its opposite to body a: r w changes by r T/I, that is kappa tau/m times r* over r. */
  private applyTorque(e: number, motion: Float64Array, a: number, b: number): void {
    const { extra, inertiaFactor } = this;
    const turnA = inertiaFactor * extra[e + SHARE_A] * motion[a + INVERSE_MASS];
    const turnB = inertiaFactor * extra[e + SHARE_B] * motion[b + INVERSE_MASS];
    for (let axis = 0; axis < 3; axis++) {
      motion[a + SPIN + axis] -= turnA * extra[e + TORQUE + axis];
      motion[b + SPIN + axis] += turnB * extra[e + TORQUE + axis];
    }
  }
}

/** r* = r1 r2/(r1 + r2) of two grains; of a grain and a wall the grain's radius. */
export function reducedRadius({ grains, radii }: Pick<System, 'grains' | 'radii'>, first: number, second: number): number {
  return second < grains ? (radii[first] * radii[second]) / (radii[first] + radii[second]) : radii[first];
}
