import { BODY_STRIDE, SPIN } from './bodies';

/**
 * Moves every grain by its end-of-step velocity (implicit Euler, Brendel et al. eq. (1.2)) and turns it by its angular velocity
 * w = s/r, exactly for constant w. Internal units: the step is 1.
 * @param motion bodies as in packBodies
 * @param positions N x 3, moved in place
 * @param orientations N x 4, unit quaternions x, y, z, w, turned in place
 * @param radii N
 */
export function integrate(motion: Float64Array, positions: Float64Array, orientations: Float64Array, radii: Float64Array): void {
  for (let i = 0, body = 0; i < radii.length; i++, body += BODY_STRIDE) {
    for (let axis = 0; axis < 3; axis++) positions[3 * i + axis] += motion[body + axis];
    const wx = motion[body + SPIN] / radii[i];
    const wy = motion[body + SPIN + 1] / radii[i];
    const wz = motion[body + SPIN + 2] / radii[i];
    const angle = Math.sqrt(wx * wx + wy * wy + wz * wz);
    if (angle > 0) rotate(orientations, 4 * i, wx / angle, wy / angle, wz / angle, angle);
  }
}

/** Turns the quaternion at `q` by `angle` about a unit axis of the resting frame, and normalises it against rounding. */
function rotate(orientations: Float64Array, q: number, ax: number, ay: number, az: number, angle: number): void {
  const sine = Math.sin(angle / 2);
  const w = Math.cos(angle / 2);
  const x = ax * sine;
  const y = ay * sine;
  const z = az * sine;
  const qx = orientations[q];
  const qy = orientations[q + 1];
  const qz = orientations[q + 2];
  const qw = orientations[q + 3];
  const nx = w * qx + x * qw + y * qz - z * qy;
  const ny = w * qy + y * qw + z * qx - x * qz;
  const nz = w * qz + z * qw + x * qy - y * qx;
  const nw = w * qw - x * qx - y * qy - z * qz;
  const scale = 1 / Math.sqrt(nx * nx + ny * ny + nz * nz + nw * nw);
  orientations[q] = nx * scale;
  orientations[q + 1] = ny * scale;
  orientations[q + 2] = nz * scale;
  orientations[q + 3] = nw * scale;
}
