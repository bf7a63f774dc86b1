import { UNCUT } from '../settings';
import { INVERSE_MASS, SPIN } from './bodies';
import {
  CONTACT_STRIDE,
  type ContactBlock,
  EXTRA_STRIDE,
  FRICTION,
  FRICTION_WORK,
  GAP,
  IMPULSE,
  PARTING,
  PREVIOUS_IMPULSE,
  PREVIOUS_TORQUE,
  PULL,
  REBOUND,
  REBOUND_WORK,
  REDUCED_MASS,
  ROLLING_FRICTION,
  SHARE_A,
  SHARE_B,
  SLIDES,
  SLIP_TARGET,
  START_SLIP,
  STATIC_FRICTION,
  TORQUE,
  TORSION_FRICTION,
} from './contacts';

/**
 * The whole law of contacts `begin` to `end` of the block in turn, for systems with more than plain laws; arguments as for
 * `applyShockLaw`, of which this is the general form, and besides:
 * @param answers C x 3; where given, the law's answers go there and to `block.torqueAnswers`, and nothing else changes
 */
export function applyContactLaw(
  block: ContactBlock,
  begin: number,
  end: number,
  motion: Float64Array,
  momentum: number,
  answers?: Float64Array,
): void {
  for (let slot = begin; slot < end; slot++) updateContact(block, slot, motion, momentum, answers);
}

/**
 * Normal impulse of a contact, given the one that would stop the approach, -m U_n with U_n the normal velocity without it.
 *
 * - It presses to close the gap or to stop, and after a collision to leave with the rebound as long as the rebound's work lasts:
 *   from V at the start of the step it does P (V + U_n + P/m)/2.
 * - Else a bond pulls, at most with F_c, so far as the surfaces part: it holds them where they are, and lets them close
 *   (Brendel et al., section 1.8).
 */
export function normalImpulse({ data, extra }: ContactBlock, slot: number, stopping: number): number {
  const k = CONTACT_STRIDE * slot;
  const e = EXTRA_STRIDE * slot;
  const mass = data[k + REDUCED_MASS];
  const leaving = stopping + mass * extra[e + REBOUND];
  let pressing = stopping - mass * data[k + GAP];
  const work = extra[e + REBOUND_WORK];
  if (work > 0 && leaving > pressing) {
    const mean = (mass * extra[e + PARTING] - stopping) / 2;
    const root = Math.sqrt(mean * mean + mass * work);
    pressing = Math.max(pressing, Math.min(leaving, mean > 0 ? (mass * work) / (root + mean) : root - mean));
  }
  return pressing > 0 ? pressing : Math.max(Math.min(leaving, 0), -extra[e + PULL]);
}

/** Share of a trial that is left: all of it up to `most`, beyond that what makes it `limit` long. */
const slide = (square: number, most: number, limit: number) => (square > most * most ? limit / Math.sqrt(square) : 1);

/**
 * Share of an impulse g, with A g^2 = `square`, up to which it does no more than `left`: all of it does `work`, and a share s
 * square s^2 + (work - square) s.
 */
function affordable(square: number, work: number, left: number): number {
  if (work <= left) return 1;
  const rest = square - work;
  return (rest + Math.sqrt(rest * rest + 4 * square * left)) / (2 * square);
}

/**
 * One contact (Brendel et al., sections 1.4 and 1.7). Beside V = v2 - v1 - (s1 + s2) x n there is the rolling velocity
 * rho = r* (w2 - w1) = a2 s2 - a1 s1, where a1 = r2/(r1 + r2) and a2 = r1/(r1 + r2) are r* over the radii (1 and 0 against a
 * wall), and beside P the torque on the second body over r*, tau. They answer each other as
 *
 *   V_n = ... + P_n/m_n,   rho_n = ... + Q tau_n,   V_t = ... + A P_t + C tau',   rho' = ... + C P_t + Q tau'
 *
 * with tau' = tau x n, rho' = rho x n (the tangential parts, turned so that both pairs are parallel),
 * A = (1 + kappa)/m_n, C = kappa (a1/m1 - a2/m2), Q = kappa (a1^2/m1 + a2^2/m2).
 * Bounds, with N = P_n + F_c: |P_t| by friction times N, |tau'| <= mu_t N, |tau_n| <= mu_n N, each at its bound opposite to the motion
 * that is left.
 */
function updateContact(
  block: ContactBlock,
  slot: number,
  motion: Float64Array,
  momentum: number,
  answers: Float64Array | undefined,
): void {
  const { data, extra, bodies, inertiaFactor, torqueAnswers } = block;
  const k = CONTACT_STRIDE * slot;
  const e = EXTRA_STRIDE * slot;
  const a = bodies[2 * slot];
  const b = bodies[2 * slot + 1];
  const massA = motion[a + INVERSE_MASS];
  const massB = motion[b + INVERSE_MASS];
  const shareA = extra[e + SHARE_A];
  const shareB = extra[e + SHARE_B];
  const mass = data[k + REDUCED_MASS];
  const nx = data[k];
  const ny = data[k + 1];
  const nz = data[k + 2];

  // What the contact has at the moment: y and z, extrapolated by the heavy ball.
  const oldX = data[k + IMPULSE];
  const oldY = data[k + IMPULSE + 1];
  const oldZ = data[k + IMPULSE + 2];
  const yx = oldX + momentum * (oldX - data[k + PREVIOUS_IMPULSE]);
  const yy = oldY + momentum * (oldY - data[k + PREVIOUS_IMPULSE + 1]);
  const yz = oldZ + momentum * (oldZ - data[k + PREVIOUS_IMPULSE + 2]);
  const oldTurnX = extra[e + TORQUE];
  const oldTurnY = extra[e + TORQUE + 1];
  const oldTurnZ = extra[e + TORQUE + 2];
  const zx = oldTurnX + momentum * (oldTurnX - extra[e + PREVIOUS_TORQUE]);
  const zy = oldTurnY + momentum * (oldTurnY - extra[e + PREVIOUS_TORQUE + 1]);
  const zz = oldTurnZ + momentum * (oldTurnZ - extra[e + PREVIOUS_TORQUE + 2]);

  const wx = motion[b] - motion[a];
  const wy = motion[b + 1] - motion[a + 1];
  const wz = motion[b + 2] - motion[a + 2];
  const acting = yx * nx + yy * ny + yz * nz;
  const approach = wx * nx + wy * ny + wz * nz;
  const normal = normalImpulse(block, slot, acting - mass * approach);

  let px = normal * nx;
  let py = normal * ny;
  let pz = normal * nz;
  let tx = 0;
  let ty = 0;
  let tz = 0;
  let slides = false;
  const bearing = normal + extra[e + PULL];
  if (bearing > 0) {
    // Tangential parts of y, V (beyond what a collision aims at), z x n and rho x n.
    const sx = motion[a + SPIN] + motion[b + SPIN];
    const sy = motion[a + SPIN + 1] + motion[b + SPIN + 1];
    const sz = motion[a + SPIN + 2] + motion[b + SPIN + 2];
    const rx = shareB * motion[b + SPIN] - shareA * motion[a + SPIN];
    const ry = shareB * motion[b + SPIN + 1] - shareA * motion[a + SPIN + 1];
    const rz = shareB * motion[b + SPIN + 2] - shareA * motion[a + SPIN + 2];
    const vx = wx - approach * nx - (sy * nz - sz * ny) - extra[e + SLIP_TARGET];
    const vy = wy - approach * ny - (sz * nx - sx * nz) - extra[e + SLIP_TARGET + 1];
    const vz = wz - approach * nz - (sx * ny - sy * nx) - extra[e + SLIP_TARGET + 2];
    const ox = ry * nz - rz * ny;
    const oy = rz * nx - rx * nz;
    const oz = rx * ny - ry * nx;
    const hx = yx - acting * nx;
    const hy = yy - acting * ny;
    const hz = yz - acting * nz;
    const kx = zy * nz - zz * ny;
    const ky = zz * nx - zx * nz;
    const kz = zx * ny - zy * nx;

    const answerA = (1 + inertiaFactor) / mass;
    const answerC = inertiaFactor * (shareA * massA - shareB * massB);
    const answerQ = inertiaFactor * (shareA * shareA * massA + shareB * shareB * massB);
    const determinant = answerA * answerQ - answerC * answerC;
    const limit = data[k + FRICTION] * bearing;
    const most = block.slidersStay && extra[e + SLIDES] === 1 ? limit : extra[e + STATIC_FRICTION] * bearing;
    const rollingLimit = extra[e + ROLLING_FRICTION] * bearing;

    // No slip and no rolling, P_t cut to friction's cone, and the torque that then stops the rolling: what it must be unless
    // that torque is out of bounds, since seen from P_t the 2 x 2 block with tau' eliminated is isotropic too.
    let fx = hx + (answerC * ox - answerQ * vx) / determinant;
    let fy = hy + (answerC * oy - answerQ * vy) / determinant;
    let fz = hz + (answerC * oz - answerQ * vz) / determinant;
    const stickX = kx + (answerC * vx - answerA * ox) / determinant;
    const stickY = ky + (answerC * vy - answerA * oy) / determinant;
    const stickZ = kz + (answerC * vz - answerA * oz) / determinant;
    let kept = 1;
    const aimX = extra[e + SLIP_TARGET];
    const aimY = extra[e + SLIP_TARGET + 1];
    const aimZ = extra[e + SLIP_TARGET + 2];
    if (aimX !== 0 || aimY !== 0 || aimZ !== 0) {
      // P_t that reaches the aim; what it does by both accounts of its work, see restitution.ts; and by how much others change V_t.
      const startX = extra[e + START_SLIP];
      const startY = extra[e + START_SLIP + 1];
      const startZ = extra[e + START_SLIP + 2];
      const gx = hx - vx / answerA;
      const gy = hy - vy / answerA;
      const gz = hz - vz / answerA;
      const square = answerA * (gx * gx + gy * gy + gz * gz);
      const atStart = gx * startX + gy * startY + gz * startZ;
      const aimed = gx * aimX + gy * aimY + gz * aimZ;
      const otherX = aimX - startX - answerA * gx;
      const otherY = aimY - startY - answerA * gy;
      const otherZ = aimZ - startZ - answerA * gz;
      const other = (otherX * otherX + otherY * otherY + otherZ * otherZ) / answerA;
      const left = extra[e + FRICTION_WORK];
      kept = Math.min(affordable(square, atStart + aimed, left), affordable(square, 2 * atStart + square, left + other));
    }
    let size = fx * fx + fy * fy + fz * fz;
    let scale = Math.min(slide(size, most, limit), kept);
    slides = kept < UNCUT || size > most * most;
    fx *= scale;
    fy *= scale;
    fz *= scale;
    let ux = kx - (ox + answerC * (fx - hx)) / answerQ;
    let uy = ky - (oy + answerC * (fy - hy)) / answerQ;
    let uz = kz - (oz + answerC * (fz - hz)) / answerQ;
    if (ux * ux + uy * uy + uz * uz > rollingLimit * rollingLimit) {
      // The other way round: the torque at its bound, and the P_t that then stops the slip.
      scale = slide(stickX * stickX + stickY * stickY + stickZ * stickZ, rollingLimit, rollingLimit);
      ux = scale * stickX;
      uy = scale * stickY;
      uz = scale * stickZ;
      fx = hx - (vx + answerC * (ux - kx)) / answerA;
      fy = hy - (vy + answerC * (uy - ky)) / answerA;
      fz = hz - (vz + answerC * (uz - kz)) / answerA;
      slides = fx * fx + fy * fy + fz * fz > most * most;
      if (slides) {
        // It slips and rolls: one after the other, from where they are, so that this ends where both laws hold.
        fx = hx - vx / answerA;
        fy = hy - vy / answerA;
        fz = hz - vz / answerA;
        size = fx * fx + fy * fy + fz * fz;
        scale = Math.min(slide(size, limit, limit), kept);
        slides = kept < UNCUT || size > limit * limit;
        fx *= scale;
        fy *= scale;
        fz *= scale;
        ux = kx - (ox + answerC * (fx - hx)) / answerQ;
        uy = ky - (oy + answerC * (fy - hy)) / answerQ;
        uz = kz - (oz + answerC * (fz - hz)) / answerQ;
        scale = slide(ux * ux + uy * uy + uz * uz, rollingLimit, rollingLimit);
        ux *= scale;
        uy *= scale;
        uz *= scale;
      } else {
        slides = kept < UNCUT;
        fx *= kept;
        fy *= kept;
        fz *= kept;
      }
    }
    const torsionLimit = extra[e + TORSION_FRICTION] * bearing;
    const trial = zx * nx + zy * ny + zz * nz - (rx * nx + ry * ny + rz * nz) / answerQ;
    const torsion = Math.min(Math.max(trial, -torsionLimit), torsionLimit);
    px += fx;
    py += fy;
    pz += fz;
    tx = torsion * nx + (ny * uz - nz * uy);
    ty = torsion * ny + (nz * ux - nx * uz);
    tz = torsion * nz + (nx * uy - ny * ux);
  }

  if (answers !== undefined) {
    answers[3 * slot] = px;
    answers[3 * slot + 1] = py;
    answers[3 * slot + 2] = pz;
    torqueAnswers[3 * slot] = tx;
    torqueAnswers[3 * slot + 1] = ty;
    torqueAnswers[3 * slot + 2] = tz;
    return;
  }
  if (slides || !block.slidersStay) extra[e + SLIDES] = slides ? 1 : 0;
  data[k + PREVIOUS_IMPULSE] = oldX;
  data[k + PREVIOUS_IMPULSE + 1] = oldY;
  data[k + PREVIOUS_IMPULSE + 2] = oldZ;
  data[k + IMPULSE] = px;
  data[k + IMPULSE + 1] = py;
  data[k + IMPULSE + 2] = pz;
  extra[e + PREVIOUS_TORQUE] = oldTurnX;
  extra[e + PREVIOUS_TORQUE + 1] = oldTurnY;
  extra[e + PREVIOUS_TORQUE + 2] = oldTurnZ;
  extra[e + TORQUE] = tx;
  extra[e + TORQUE + 1] = ty;
  extra[e + TORQUE + 2] = tz;
  const dx = px - yx;
  const dy = py - yy;
  const dz = pz - yz;
  const cx = ny * dz - nz * dy;
  const cy = nz * dx - nx * dz;
  const cz = nx * dy - ny * dx;
  const turnA = inertiaFactor * massA;
  const turnB = inertiaFactor * massB;
  motion[a] -= massA * dx;
  motion[a + 1] -= massA * dy;
  motion[a + 2] -= massA * dz;
  motion[a + SPIN] -= turnA * (cx + shareA * (tx - zx));
  motion[a + SPIN + 1] -= turnA * (cy + shareA * (ty - zy));
  motion[a + SPIN + 2] -= turnA * (cz + shareA * (tz - zz));
  motion[b] += massB * dx;
  motion[b + 1] += massB * dy;
  motion[b + 2] += massB * dz;
  motion[b + SPIN] -= turnB * (cx - shareB * (tx - zx));
  motion[b + SPIN + 1] -= turnB * (cy - shareB * (ty - zy));
  motion[b + SPIN + 2] -= turnB * (cz - shareB * (tz - zz));
}
