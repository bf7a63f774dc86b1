import { HUB_ROUND } from '../settings';

/**
 * Motion of the bodies, one cache line each, for the sweeps: velocity (0 to 2), spin s = r w (3 to 5), inverse mass (6), unused.
 * Internal units: a velocity is a displacement per step.
 */
export const BODY_STRIDE = 8;
export const SPIN = 3;
export const INVERSE_MASS = 6;

/**
 * Bodies, followed by HUB_ROUND spare ones for the sweeps.
 * @param velocities bodies x 3
 * @param spins bodies x 3
 * @param inverseMasses bodies
 */
export function packBodies(velocities: Float64Array, spins: Float64Array, inverseMasses: Float64Array): Float64Array {
  const motion = new Float64Array(BODY_STRIDE * (inverseMasses.length + HUB_ROUND));
  inverseMasses.forEach((inverseMass, body) => {
    motion.set(velocities.subarray(3 * body, 3 * body + 3), BODY_STRIDE * body);
    motion.set(spins.subarray(3 * body, 3 * body + 3), BODY_STRIDE * body + SPIN);
    motion[BODY_STRIDE * body + INVERSE_MASS] = inverseMass;
  });
  return motion;
}

/** The velocities (offset 0) or spins (offset SPIN) of the first `count` bodies, count x 3. */
export function unpackBodies(motion: Float64Array, offset: number, count: number): Float64Array {
  return Float64Array.from({ length: 3 * count }, (_, k) => motion[BODY_STRIDE * Math.floor(k / 3) + offset + (k % 3)]);
}

/**
 * Free velocities: every movable body gains what gravity and external loads give in one step (Brendel et al., section 1.2).
 * @param motion at the start of the step
 * @param free bodies after the step if nothing touched
 * @param accelerations N x 3, diameters per step and step
 * @param spinAccelerations N x 3
 */
export function predict(
  motion: Float64Array,
  free: Float64Array,
  accelerations: Float64Array,
  spinAccelerations: Float64Array,
): void {
  free.set(motion.length > free.length ? motion.subarray(0, free.length) : motion);
  for (let k = 0, body = 0; k < accelerations.length; k += 3, body += BODY_STRIDE) {
    for (let axis = 0; axis < 3; axis++) {
      free[body + axis] += accelerations[k + axis];
      free[body + SPIN + axis] += spinAccelerations[k + axis];
    }
  }
}

/**
 * Id of the first grain whose velocity or spin is not finite (or overflows when squared), or -1. Fixed grains take that over from one
 * that moves, which is named instead.
 */
export function findNonFinite(motion: Float64Array, grains: number): number {
  for (let i = 0, body = 0; i < grains; i++, body += BODY_STRIDE) {
    if (motion[body + INVERSE_MASS] === 0) continue;
    let square = 0;
    for (let k = body; k < body + 2 * SPIN; k++) square += motion[k] * motion[k];
    if (!(square < Infinity)) return i;
  }
  return -1;
}
