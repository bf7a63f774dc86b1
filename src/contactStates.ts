import { SLIDING_TOLERANCE } from './settings';

export const OPEN = 0;
export const STICKING = 1;
export const SLIDING = 2;

/**
 * State of each contact by where its impulse lies in Coulomb's cone.
 * @param normals C x 3, from first to second
 * @param impulses C x 3, on the second body, or forces
 * @param friction C, mu
 */
export function contactStates(count: number, normals: Float64Array, impulses: Float64Array, friction: Float64Array): Uint8Array {
  const states = new Uint8Array(count);
  for (let c = 0; c < count; c++) {
    const k = 3 * c;
    const normal = normals[k] * impulses[k] + normals[k + 1] * impulses[k + 1] + normals[k + 2] * impulses[k + 2];
    if (!(normal > 0)) continue;
    const tangential = Math.hypot(
      impulses[k] - normal * normals[k],
      impulses[k + 1] - normal * normals[k + 1],
      impulses[k + 2] - normal * normals[k + 2],
    );
    states[c] = tangential >= (1 - SLIDING_TOLERANCE) * friction[c] * normal ? SLIDING : STICKING;
  }
  return states;
}
