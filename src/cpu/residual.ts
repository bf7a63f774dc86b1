import { SPIN } from './bodies';
import { applyContactLaw } from './contactLaw';
import { CONTACT_STRIDE, type ContactBlock, EXTRA_STRIDE, FRICTION, GAP, IMPULSE, REDUCED_MASS, TORQUE } from './contacts';

/** How far the contacts are from meeting their laws. |P| is that of the impulse and, where there are torques, T/r* together. */
export interface Residual {
  /** Root mean square of |law - P| over the mean |P|. */
  rms: number;
  /** Largest |law - P| over the mean |P|. */
  max: number;
}

/** What is gathered over the contacts where the impulse or the law's answer is not zero. */
interface Sums {
  active: number;
  /** of |law - P|^2, and the largest of them */
  squares: number;
  largest: number;
  /** of |P| and of |law| */
  impulses: number;
  wanted: number;
}

/**
 * What the law would still change, asked of all contacts at once and not applied; both means over the contacts where
 * the impulse or the law's answer is not zero. In units of the mean impulse, or of the law's where all impulses are zero.
 */
export function residual(block: ContactBlock, motion: Float64Array): Residual {
  const { active, squares, largest, impulses, wanted } = block.general ? generalSums(block, motion) : plainSums(block, motion);
  if (active === 0) return { rms: 0, max: 0 };
  const scale = (impulses > 0 ? impulses : wanted) / active;
  return { rms: Math.sqrt(squares / active) / scale, max: Math.sqrt(largest) / scale };
}

/** Of the shock law, split into normal and tangential parts: |law - P|^2 is the sum of their squares. */
function plainSums({ count, data, bodies, inertiaFactor }: ContactBlock, motion: Float64Array): Sums {
  const tangentialShare = 1 / (1 + inertiaFactor);
  let active = 0;
  let squares = 0;
  let largest = 0;
  let impulses = 0;
  let wanted = 0;
  for (let slot = 0; slot < count; slot++) {
    const k = CONTACT_STRIDE * slot;
    const a = bodies[2 * slot];
    const b = bodies[2 * slot + 1];
    const nx = data[k];
    const ny = data[k + 1];
    const nz = data[k + 2];
    const px = data[k + IMPULSE];
    const py = data[k + IMPULSE + 1];
    const pz = data[k + IMPULSE + 2];
    const wx = motion[b] - motion[a];
    const wy = motion[b + 1] - motion[a + 1];
    const wz = motion[b + 2] - motion[a + 2];
    const mass = data[k + REDUCED_MASS];
    const acting = px * nx + py * ny + pz * nz;
    const approach = wx * nx + wy * ny + wz * nz;
    const normal = Math.max(acting - mass * (approach + data[k + GAP]), 0);
    const impulse = px * px + py * py + pz * pz;
    if (normal === 0 && impulse === 0) continue;
    const sx = motion[a + SPIN] + motion[b + SPIN];
    const sy = motion[a + SPIN + 1] + motion[b + SPIN + 1];
    const sz = motion[a + SPIN + 2] + motion[b + SPIN + 2];
    const tangential = tangentialShare * mass;
    const hx = px - acting * nx;
    const hy = py - acting * ny;
    const hz = pz - acting * nz;
    const tx = hx - tangential * (wx - approach * nx - (sy * nz - sz * ny));
    const ty = hy - tangential * (wy - approach * ny - (sz * nx - sx * nz));
    const tz = hz - tangential * (wz - approach * nz - (sx * ny - sy * nx));
    const limit = data[k + FRICTION] * normal;
    const square = tx * tx + ty * ty + tz * tz;
    const scale = square > limit * limit ? limit / Math.sqrt(square) : 1;
    const cx = scale * tx - hx;
    const cy = scale * ty - hy;
    const cz = scale * tz - hz;
    const change = (normal - acting) * (normal - acting) + cx * cx + cy * cy + cz * cz;
    active++;
    squares += change;
    if (change > largest) largest = change;
    impulses += Math.sqrt(impulse);
    wanted += Math.sqrt(normal * normal + scale * scale * square);
  }
  return { active, squares, largest, impulses, wanted };
}

/** Of the general law, with torques. */
function generalSums(block: ContactBlock, motion: Float64Array): Sums {
  const { count, data, answers, extra, torqueAnswers } = block;
  applyContactLaw(block, 0, count, motion, 0, answers);
  let [active, squares, largest, impulses, wanted] = [0, 0, 0, 0, 0];
  for (let slot = 0; slot < count; slot++) {
    let [impulse, answer, change] = [0, 0, 0];
    for (let axis = 0; axis < 3; axis++) {
      const p = data[CONTACT_STRIDE * slot + IMPULSE + axis];
      const q = answers[3 * slot + axis];
      const torque = extra[EXTRA_STRIDE * slot + TORQUE + axis];
      const wantedTorque = torqueAnswers[3 * slot + axis];
      impulse += p * p + torque * torque;
      answer += q * q + wantedTorque * wantedTorque;
      change += (q - p) ** 2 + (wantedTorque - torque) ** 2;
    }
    if (impulse === 0 && answer === 0) continue;
    active++;
    squares += change;
    if (change > largest) largest = change;
    impulses += Math.sqrt(impulse);
    wanted += Math.sqrt(answer);
  }
  return { active, squares, largest, impulses, wanted };
}
