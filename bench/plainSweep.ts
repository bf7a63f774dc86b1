import { INVERSE_MASS, SPIN } from '../src/cpu/bodies';
import { CONTACT_STRIDE, type ContactBlock, GAP, IMPULSE, REDUCED_MASS } from '../src/cpu/contacts';

const STRIDE = 8;

/**
 * What the sweeps are measured against: the shock law of spheres with one coefficient of friction, as the shortest loop over
 * typed arrays, without momentum, without impulses of the last sweep, without anything that a scene might want besides.
 */
export class PlainSweep {
  /** C x 8: normal, g+, impulse, reduced mass */
  private readonly data: Float64Array;
  private readonly start: Float64Array;
  private readonly bodies: Int32Array;
  private readonly motion: Float64Array;
  private readonly begun: Float64Array;
  private readonly inertiaFactor: number;

  /** @param motion bodies as in packBodies; the sweeps go on in a copy of theirs */
  constructor(
    { count, data, bodies, inertiaFactor }: ContactBlock,
    motion: Float64Array,
    private readonly friction: number,
  ) {
    this.begun = motion.slice();
    this.data = new Float64Array(STRIDE * count);
    this.bodies = Int32Array.from(bodies.subarray(0, 2 * count));
    this.motion = motion.slice();
    this.inertiaFactor = inertiaFactor;
    for (let c = 0; c < count; c++) {
      const contact = data.subarray(CONTACT_STRIDE * c, CONTACT_STRIDE * (c + 1));
      this.data.set(contact.subarray(0, GAP + 1), STRIDE * c);
      this.data.set(contact.subarray(IMPULSE, IMPULSE + 3), STRIDE * c + 4);
      this.data[STRIDE * c + 7] = contact[REDUCED_MASS];
    }
    this.start = this.data.slice();
  }

  /** Back to where the sweeps began. */
  restart(): void {
    this.data.set(this.start);
    this.motion.set(this.begun);
  }

  sweep(): void {
    const { data, bodies, motion, friction, inertiaFactor } = this;
    const tangentialShare = 1 / (1 + inertiaFactor);
    for (let c = 0, k = 0; k < data.length; c++, k += STRIDE) {
      const a = bodies[2 * c];
      const b = bodies[2 * c + 1];
      const nx = data[k];
      const ny = data[k + 1];
      const nz = data[k + 2];
      const wx = motion[b] - motion[a];
      const wy = motion[b + 1] - motion[a + 1];
      const wz = motion[b + 2] - motion[a + 2];
      const oldX = data[k + 4];
      const oldY = data[k + 5];
      const oldZ = data[k + 6];
      const mass = data[k + 7];
      const normal = oldX * nx + oldY * ny + oldZ * nz - mass * (wx * nx + wy * ny + wz * nz + data[k + 3]);
      let px = 0;
      let py = 0;
      let pz = 0;
      if (normal > 0) {
        const sx = motion[a + SPIN] + motion[b + SPIN];
        const sy = motion[a + SPIN + 1] + motion[b + SPIN + 1];
        const sz = motion[a + SPIN + 2] + motion[b + SPIN + 2];
        const tx = oldX - tangentialShare * mass * (wx - (sy * nz - sz * ny));
        const ty = oldY - tangentialShare * mass * (wy - (sz * nx - sx * nz));
        const tz = oldZ - tangentialShare * mass * (wz - (sx * ny - sy * nx));
        const along = tx * nx + ty * ny + tz * nz;
        const square = (tx - along * nx) ** 2 + (ty - along * ny) ** 2 + (tz - along * nz) ** 2;
        const limit = friction * normal;
        const scale = square > limit * limit ? limit / Math.sqrt(square) : 1;
        px = normal * nx + scale * (tx - along * nx);
        py = normal * ny + scale * (ty - along * ny);
        pz = normal * nz + scale * (tz - along * nz);
      }
      data[k + 4] = px;
      data[k + 5] = py;
      data[k + 6] = pz;
      const dx = px - oldX;
      const dy = py - oldY;
      const dz = pz - oldZ;
      const rx = inertiaFactor * (ny * dz - nz * dy);
      const ry = inertiaFactor * (nz * dx - nx * dz);
      const rz = inertiaFactor * (nx * dy - ny * dx);
      const massA = motion[a + INVERSE_MASS];
      const massB = motion[b + INVERSE_MASS];
      motion[a] -= massA * dx;
      motion[a + 1] -= massA * dy;
      motion[a + 2] -= massA * dz;
      motion[a + SPIN] -= massA * rx;
      motion[a + SPIN + 1] -= massA * ry;
      motion[a + SPIN + 2] -= massA * rz;
      motion[b] += massB * dx;
      motion[b + 1] += massB * dy;
      motion[b + 2] += massB * dz;
      motion[b + SPIN] -= massB * rx;
      motion[b + SPIN + 1] -= massB * ry;
      motion[b + SPIN + 2] -= massB * rz;
    }
  }
}
