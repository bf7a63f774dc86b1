import { BODY_STRIDE } from './bodies';
import type { ContactBlock } from './contacts';
import { lawOf } from './law';

/** Updates the contacts one by one in the given order, without momentum: the papers' random sweep. */
export function sweepInOrder(block: ContactBlock, order: Uint32Array, motion: Float64Array): void {
  const applyLaw = lawOf(block);
  for (const slot of order) applyLaw(block, slot, slot + 1, motion, 0);
}

/**
 * Heavy ball: velocities and spins go on as they changed in the last sweep, as the impulses do in the law. (Inverse masses,
 * which never change, go through the loop unharmed: it runs over memory without a break.)
 * @param previous the bodies before the last sweep, overwritten by those before this one
 */
export function extrapolateBodies(motion: Float64Array, previous: Float64Array, grains: number, momentum: number): void {
  for (let k = 0; k < BODY_STRIDE * grains; k++) {
    const now = motion[k];
    motion[k] = now + momentum * (now - previous[k]);
    previous[k] = now;
  }
}
