import { INVERSE_MASS, SPIN } from './bodies';
import { CONTACT_STRIDE, type ContactBlock, FRICTION, GAP, IMPULSE, PREVIOUS_IMPULSE, REDUCED_MASS } from './contacts';

/**
 * Shock law (Brendel et al., section 1.4) of contacts `begin` to `end` of the block in turn: the impulse with which each contact
 * alone would meet Signorini's and Coulomb's laws at the end of the step. The velocity at the contact,
 * V = v2 - v1 - (s1 + s2) x n, holds the contact's impulse y = P + momentum (P - P before the last sweep) already; the trial
 * impulse y - m V takes it out and puts in the one that closes the gap and stops the surfaces. The bodies get the change at once.
 *
 * This is the sweeps' inner loop, and all of the law: calls that the engine does not inline would double its time, and a branch
 * for those who want the answer alone (see residual) would take a sixth more.
 * @param motion bodies as in packBodies
 */
export function applyShockLaw(
  { data, bodies, inertiaFactor }: Pick<ContactBlock, 'data' | 'bodies' | 'inertiaFactor'>,
  begin: number,
  end: number,
  motion: Float64Array,
  momentum: number,
): void {
  // m_t/m_n: 1/m_t = 1/m_n + r1^2/I1 + r2^2/I2 = (1 + kappa)/m_n whatever the radii.
  const tangentialShare = 1 / (1 + inertiaFactor);
  for (let slot = begin; slot < end; slot++) {
    const k = CONTACT_STRIDE * slot;
    const a = bodies[2 * slot];
    const b = bodies[2 * slot + 1];
    const nx = data[k];
    const ny = data[k + 1];
    const nz = data[k + 2];
    const ax = motion[a];
    const ay = motion[a + 1];
    const az = motion[a + 2];
    const bx = motion[b];
    const by = motion[b + 1];
    const bz = motion[b + 2];
    const wx = bx - ax;
    const wy = by - ay;
    const wz = bz - az;
    const oldX = data[k + IMPULSE];
    const oldY = data[k + IMPULSE + 1];
    const oldZ = data[k + IMPULSE + 2];
    const previousX = data[k + PREVIOUS_IMPULSE];
    const previousY = data[k + PREVIOUS_IMPULSE + 1];
    const previousZ = data[k + PREVIOUS_IMPULSE + 2];
    const yx = oldX + momentum * (oldX - previousX);
    const yy = oldY + momentum * (oldY - previousY);
    const yz = oldZ + momentum * (oldZ - previousZ);
    const mass = data[k + REDUCED_MASS];
    const acting = yx * nx + yy * ny + yz * nz;
    const approach = wx * nx + wy * ny + wz * nz;
    const normal = acting - mass * (approach + data[k + GAP]);
    let px = 0;
    let py = 0;
    let pz = 0;
    if (normal > 0) {
      const sx = motion[a + SPIN] + motion[b + SPIN];
      const sy = motion[a + SPIN + 1] + motion[b + SPIN + 1];
      const sz = motion[a + SPIN + 2] + motion[b + SPIN + 2];
      const tangential = tangentialShare * mass;
      const along = acting - tangential * approach;
      const tx = yx - tangential * (wx - (sy * nz - sz * ny)) - along * nx;
      const ty = yy - tangential * (wy - (sz * nx - sx * nz)) - along * ny;
      const tz = yz - tangential * (wz - (sx * ny - sy * nx)) - along * nz;
      const limit = data[k + FRICTION] * normal;
      const square = tx * tx + ty * ty + tz * tz;
      const scale = square > limit * limit ? limit / Math.sqrt(square) : 1;
      px = normal * nx + scale * tx;
      py = normal * ny + scale * ty;
      pz = normal * nz + scale * tz;
    } else if (isZero(oldX, oldY, oldZ) && isZero(previousX, previousY, previousZ)) {
      // Open and it was: about a third of the candidates of a packing at rest, of which nothing changes.
      continue;
    }
    data[k + PREVIOUS_IMPULSE] = oldX;
    data[k + PREVIOUS_IMPULSE + 1] = oldY;
    data[k + PREVIOUS_IMPULSE + 2] = oldZ;
    data[k + IMPULSE] = px;
    data[k + IMPULSE + 1] = py;
    data[k + IMPULSE + 2] = pz;
    const dx = px - yx;
    const dy = py - yy;
    const dz = pz - yz;
    const rx = inertiaFactor * (ny * dz - nz * dy);
    const ry = inertiaFactor * (nz * dx - nx * dz);
    const rz = inertiaFactor * (nx * dy - ny * dx);
    const massA = motion[a + INVERSE_MASS];
    const massB = motion[b + INVERSE_MASS];
    motion[a] = ax - massA * dx;
    motion[a + 1] = ay - massA * dy;
    motion[a + 2] = az - massA * dz;
    motion[a + SPIN] -= massA * rx;
    motion[a + SPIN + 1] -= massA * ry;
    motion[a + SPIN + 2] -= massA * rz;
    motion[b] = bx + massB * dx;
    motion[b + 1] = by + massB * dy;
    motion[b + 2] = bz + massB * dz;
    motion[b + SPIN] -= massB * rx;
    motion[b + SPIN + 1] -= massB * ry;
    motion[b + SPIN + 2] -= massB * rz;
  }
}

const isZero = (x: number, y: number, z: number) => x === 0 && y === 0 && z === 0;
