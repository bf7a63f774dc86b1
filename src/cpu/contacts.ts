import type { PairLaw } from '../scene/problem';
import { SPHERE_INERTIA_FACTOR } from '../settings';
import { BODY_STRIDE, INVERSE_MASS, SPIN } from './bodies';
import type { CandidateList } from './candidates';
import type { Colouring } from './colouring';
import { grown } from './growable';

/** Doubles per contact in `ContactBlock.data`, and where the parts begin. */
export const CONTACT_STRIDE = 12;
export const GAP = 3;
export const FRICTION = 4;
export const REDUCED_MASS = 5;
export const IMPULSE = 6;
export const PREVIOUS_IMPULSE = 9;

/** Contacts in the order of the sweeps, each in one stretch of memory. */
export class ContactBlock {
  count = 0;
  /** colours + 1: where each colour begins */
  colourStarts: Uint32Array = new Uint32Array(1);
  /** C (may be longer): the candidate that each contact is */
  order: Uint32Array = new Uint32Array(0);
  /** C x 2, offsets of the two bodies in the motion array */
  bodies = new Uint32Array(0);
  /**
   * C x 12: normal (0 to 2), g+ = max(gap, 0) (3), mu (4), m_n = 1/(1/m1 + 1/m2) (5), impulse P on the second body (6 to 8),
   * P before the last sweep (9 to 11)
   */
  data = new Float64Array(0);
  /** C x 3, scratch for the shock law's answers */
  answers = new Float64Array(0);

  /** Copies candidates with their impulses into the order of the colours. `motion` gives the inverse masses. */
  gather(
    list: CandidateList,
    { starts, order }: Pick<Colouring, 'starts' | 'order'>,
    motion: Float64Array,
    laws: readonly PairLaw[],
  ): void {
    this.count = list.count;
    this.colourStarts = starts;
    this.order = order;
    this.bodies = grown(this.bodies, 2 * list.count);
    this.data = grown(this.data, CONTACT_STRIDE * list.count);
    this.answers = grown(this.answers, 3 * list.count);
    const { bodies, data } = this;
    for (let slot = 0; slot < list.count; slot++) {
      const c = order[slot];
      const k = CONTACT_STRIDE * slot;
      const a = BODY_STRIDE * list.first[c];
      const b = BODY_STRIDE * list.second[c];
      bodies[2 * slot] = a;
      bodies[2 * slot + 1] = b;
      for (let axis = 0; axis < 3; axis++) {
        data[k + axis] = list.normals[3 * c + axis];
        data[k + IMPULSE + axis] = list.impulses[3 * c + axis];
        data[k + PREVIOUS_IMPULSE + axis] = list.impulses[3 * c + axis];
      }
      data[k + GAP] = Math.max(list.gaps[c], 0);
      data[k + FRICTION] = laws[list.laws[c]].dynamicFriction;
      data[k + REDUCED_MASS] = 1 / (motion[a + INVERSE_MASS] + motion[b + INVERSE_MASS]);
    }
  }

  /** Copies the impulses back to the list. */
  scatter(list: CandidateList): void {
    for (let slot = 0; slot < this.count; slot++) {
      for (let axis = 0; axis < 3; axis++) {
        list.impulses[3 * this.order[slot] + axis] = this.data[CONTACT_STRIDE * slot + IMPULSE + axis];
      }
    }
  }

  /** Gives the bodies the momentum of the impulses that the contacts start from. */
  applyImpulses(motion: Float64Array): void {
    const { bodies, data } = this;
    const impulse = new Float64Array(3);
    for (let slot = 0; slot < this.count; slot++) {
      const k = CONTACT_STRIDE * slot;
      for (let axis = 0; axis < 3; axis++) impulse[axis] = data[k + IMPULSE + axis];
      applyImpulse(data, k, motion, bodies[2 * slot], bodies[2 * slot + 1], impulse);
    }
  }
}

/**
 * Gives `impulse` (3) to body b and its opposite to body a: v changes by P/m. Both arms are r n, so that for a solid sphere
 * (I = (2/5) m r^2) the spin r w of either body changes by -(5/2) (n x P)/m whatever its radius.
 * @param k where the contact's data begin
 */
function applyImpulse(data: Float64Array, k: number, motion: Float64Array, a: number, b: number, impulse: Float64Array): void {
  const nx = data[k];
  const ny = data[k + 1];
  const nz = data[k + 2];
  const dx = impulse[0];
  const dy = impulse[1];
  const dz = impulse[2];
  const massA = motion[a + INVERSE_MASS];
  const massB = motion[b + INVERSE_MASS];
  const tx = SPHERE_INERTIA_FACTOR * (ny * dz - nz * dy);
  const ty = SPHERE_INERTIA_FACTOR * (nz * dx - nx * dz);
  const tz = SPHERE_INERTIA_FACTOR * (nx * dy - ny * dx);
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
