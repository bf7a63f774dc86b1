import { BODY_STRIDE, SPIN } from './bodies';
import { applyImpulse, CONTACT_STRIDE, type ContactBlock, IMPULSE, PREVIOUS_IMPULSE } from './contacts';
import { shockLaw } from './shockLaw';

/** The shock law's answer of the contact at hand. */
const law = new Float64Array(3);

/**
 * One contact: extrapolate its impulse by the momentum, ask the shock law, give the bodies the change at once.
 * The sweeps' inner loop.
 */
function updateContact(data: Float64Array, bodies: Uint32Array, slot: number, motion: Float64Array, momentum: number): void {
  const k = CONTACT_STRIDE * slot;
  const a = bodies[2 * slot];
  const b = bodies[2 * slot + 1];
  const px = data[k + IMPULSE];
  const py = data[k + IMPULSE + 1];
  const pz = data[k + IMPULSE + 2];
  const yx = px + momentum * (px - data[k + PREVIOUS_IMPULSE]);
  const yy = py + momentum * (py - data[k + PREVIOUS_IMPULSE + 1]);
  const yz = pz + momentum * (pz - data[k + PREVIOUS_IMPULSE + 2]);
  data[k + PREVIOUS_IMPULSE] = px;
  data[k + PREVIOUS_IMPULSE + 1] = py;
  data[k + PREVIOUS_IMPULSE + 2] = pz;
  shockLaw(data, k, motion, a, b, yx, yy, yz, law);
  data[k + IMPULSE] = law[0];
  data[k + IMPULSE + 1] = law[1];
  data[k + IMPULSE + 2] = law[2];
  applyImpulse(data, k, motion, a, b, law[0] - yx, law[1] - yy, law[2] - yz);
}

/** Updates contacts `begin` to `end` of the block in turn: a colour, or several in a row. */
export function sweepRange(
  { data, bodies }: ContactBlock,
  begin: number,
  end: number,
  motion: Float64Array,
  momentum: number,
): void {
  for (let slot = begin; slot < end; slot++) updateContact(data, bodies, slot, motion, momentum);
}

/** Updates the contacts one by one in the given order, without momentum: the papers' random sweep. */
export function sweepInOrder({ data, bodies, count }: ContactBlock, order: Uint32Array, motion: Float64Array): void {
  for (let k = 0; k < count; k++) updateContact(data, bodies, order[k], motion, 0);
}

/**
 * Heavy ball: velocities and spins go on as they changed in the last sweep, as the impulses do in `sweepRange`.
 * @param previous the bodies before the last sweep, overwritten by those before this one
 */
export function extrapolateBodies(motion: Float64Array, previous: Float64Array, grains: number, momentum: number): void {
  for (let body = 0; body < BODY_STRIDE * grains; body += BODY_STRIDE) {
    for (let k = body; k < body + 2 * SPIN; k++) {
      const now = motion[k];
      motion[k] = now + momentum * (now - previous[k]);
      previous[k] = now;
    }
  }
}
