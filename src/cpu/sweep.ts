import { BODY_STRIDE, SPIN } from './bodies';
import type { ContactBlock } from './contacts';
import { lawOf } from './law';

/** Updates the contacts one by one in the given order, without momentum: the papers' random sweep. */
export function sweepInOrder(block: ContactBlock, order: Uint32Array, motion: Float64Array): void {
  const applyLaw = lawOf(block);
  for (const slot of order) applyLaw(block, slot, slot + 1, motion, 0);
}

/**
 * Heavy ball: velocities and spins go on as they changed in the last sweep, as the impulses do in the law. (A body at a time: a
 * loop over single numbers takes twice as long, for what an engine checks in every turn.)
 * @param previous the bodies before the last sweep, overwritten by those before this one
 */
export function extrapolateBodies(motion: Float64Array, previous: Float64Array, grains: number, momentum: number): void {
  for (let k = 0; k < BODY_STRIDE * grains; k += BODY_STRIDE) {
    const vx = motion[k];
    const vy = motion[k + 1];
    const vz = motion[k + 2];
    const sx = motion[k + SPIN];
    const sy = motion[k + SPIN + 1];
    const sz = motion[k + SPIN + 2];
    motion[k] = vx + momentum * (vx - previous[k]);
    motion[k + 1] = vy + momentum * (vy - previous[k + 1]);
    motion[k + 2] = vz + momentum * (vz - previous[k + 2]);
    motion[k + SPIN] = sx + momentum * (sx - previous[k + SPIN]);
    motion[k + SPIN + 1] = sy + momentum * (sy - previous[k + SPIN + 1]);
    motion[k + SPIN + 2] = sz + momentum * (sz - previous[k + SPIN + 2]);
    previous[k] = vx;
    previous[k + 1] = vy;
    previous[k + 2] = vz;
    previous[k + SPIN] = sx;
    previous[k + SPIN + 1] = sy;
    previous[k + SPIN + 2] = sz;
  }
}
