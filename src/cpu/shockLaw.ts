import { SPHERE_INERTIA_FACTOR } from '../settings';
import { SPIN } from './bodies';
import { FRICTION, GAP, REDUCED_MASS } from './contacts';

/** m_t/m_n of solid spheres: 1/m_t = 1/m_n + r1^2/I1 + r2^2/I2 = (1 + 5/2)/m_n whatever the radii. */
const TANGENTIAL_MASS = 1 / (1 + SPHERE_INERTIA_FACTOR);

/**
 * Shock law of one contact (Brendel et al., section 1.4): the impulse with which the contact alone would meet Signorini's and
 * Coulomb's laws at the end of the step. The velocity at the contact, V = v2 - v1 - (s1 + s2) x n, holds the impulse y already;
 * the trial impulse y - m V takes it out and puts in the one that closes the gap and stops the surfaces.
 * @param data contacts as in ContactBlock
 * @param k where the contact's data begin
 * @param motion bodies as in packBodies
 * @param a offset of the first body, @param b of the second
 * @param out 3, written: the law's impulse on the second body
 */
export function shockLaw(
  data: Float64Array,
  k: number,
  motion: Float64Array,
  a: number,
  b: number,
  yx: number,
  yy: number,
  yz: number,
  out: Float64Array,
): void {
  const nx = data[k];
  const ny = data[k + 1];
  const nz = data[k + 2];
  const wx = motion[b] - motion[a];
  const wy = motion[b + 1] - motion[a + 1];
  const wz = motion[b + 2] - motion[a + 2];
  const mass = data[k + REDUCED_MASS];
  const yn = yx * nx + yy * ny + yz * nz;
  const pn = yn - mass * (wx * nx + wy * ny + wz * nz + data[k + GAP]);
  if (!(pn > 0)) {
    out[0] = 0;
    out[1] = 0;
    out[2] = 0;
    return;
  }
  const sx = motion[a + SPIN] + motion[b + SPIN];
  const sy = motion[a + SPIN + 1] + motion[b + SPIN + 1];
  const sz = motion[a + SPIN + 2] + motion[b + SPIN + 2];
  const tangential = TANGENTIAL_MASS * mass;
  let tx = yx - tangential * (wx - (sy * nz - sz * ny));
  let ty = yy - tangential * (wy - (sz * nx - sx * nz));
  let tz = yz - tangential * (wz - (sx * ny - sy * nx));
  const along = tx * nx + ty * ny + tz * nz;
  tx -= along * nx;
  ty -= along * ny;
  tz -= along * nz;
  const limit = data[k + FRICTION] * pn;
  const square = tx * tx + ty * ty + tz * tz;
  const scale = square > limit * limit ? limit / Math.sqrt(square) : 1;
  out[0] = pn * nx + scale * tx;
  out[1] = pn * ny + scale * ty;
  out[2] = pn * nz + scale * tz;
}
