import { BODY_STRIDE, SPIN } from './bodies';
import type { ContactBlock } from './contacts';
import { applyShockLaw } from './shockLaw';

/** Updates the contacts one by one in the given order, without momentum: the papers' random sweep. */
export function sweepInOrder(block: ContactBlock, order: Uint32Array, motion: Float64Array): void {
  for (const slot of order) applyShockLaw(block, slot, slot + 1, motion, 0);
}

/**
 * Heavy ball: velocities and spins go on as they changed in the last sweep, as the impulses do in `applyShockLaw`.
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
