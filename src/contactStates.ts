import { SLIDING_TOLERANCE } from './settings';

export const OPEN = 0;
export const STICKING = 1;
export const SLIDING = 2;

/** What bounds the friction of each of C contacts. */
export interface FrictionBounds {
  /** C, mu_s */
  staticFriction: Float64Array;
  /** C, mu_d */
  dynamicFriction: Float64Array;
  /** C, pull F_c that a bond bears, in the unit of the impulses; absent: none */
  pulls?: Float64Array;
}

/**
 * State of each contact by where its impulse lies in Coulomb's cones: at the dynamic one it slides, and nowhere beyond the
 * static one.
 * @param normals C x 3, from first to second
 * @param impulses C x 3, on the second body, or forces
 */
export function contactStates(
  normals: Float64Array,
  impulses: Float64Array,
  { staticFriction, dynamicFriction, pulls }: FrictionBounds,
): Uint8Array {
  const states = new Uint8Array(staticFriction.length);
  for (let c = 0; c < states.length; c++) {
    const k = 3 * c;
    const normal = normals[k] * impulses[k] + normals[k + 1] * impulses[k + 1] + normals[k + 2] * impulses[k + 2];
    const bearing = normal + (pulls?.[c] ?? 0);
    if (!(bearing > 0)) continue;
    const tangential = Math.hypot(
      impulses[k] - normal * normals[k],
      impulses[k + 1] - normal * normals[k + 1],
      impulses[k + 2] - normal * normals[k + 2],
    );
    const sliding = dynamicFriction[c] * bearing;
    const atDynamic = Math.abs(tangential - sliding) <= SLIDING_TOLERANCE * sliding;
    const beyondStatic = tangential >= (1 - SLIDING_TOLERANCE) * staticFriction[c] * bearing;
    states[c] = atDynamic || beyondStatic ? SLIDING : STICKING;
  }
  return states;
}
