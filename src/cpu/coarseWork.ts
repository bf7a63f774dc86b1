import { SLIDING_TOLERANCE } from '../settings';
import { SPIN } from './bodies';
import { normalImpulse } from './contactLaw';
import {
  CONTACT_STRIDE,
  type ContactBlock,
  EXTRA_STRIDE,
  FRICTION,
  GAP,
  IMPULSE,
  PULL,
  REDUCED_MASS,
  ROLLING_FRICTION,
  SHARE_A,
  SHARE_B,
  SLIDES,
  SLIP_TARGET,
  STATIC_FRICTION,
  TORQUE,
  TORSION_FRICTION,
} from './contacts';

/** Impulses this close to their bound, relatively, are at it. */
const AT_BOUND = 1 - SLIDING_TOLERANCE;

/**
 * r = P_n (V_n + g+) + P_t V_t of a contact that presses: what a share s of its impulse would do beyond what the law asks for.
 * @param slidingWork whether the work of friction is part of it where the contact slides: all slip is then taken for one that
 * is to stop
 */
export function work(block: ContactBlock, slot: number, motion: Float64Array, slidingWork: boolean): number {
  const { data, bodies, general } = block;
  const k = CONTACT_STRIDE * slot;
  const nx = data[k];
  const ny = data[k + 1];
  const nz = data[k + 2];
  const px = data[k + IMPULSE];
  const py = data[k + IMPULSE + 1];
  const pz = data[k + IMPULSE + 2];
  const normal = px * nx + py * ny + pz * nz;
  if (normal <= 0) return 0;
  const a = bodies[2 * slot];
  const b = bodies[2 * slot + 1];
  const sx = motion[a + SPIN] + motion[b + SPIN];
  const sy = motion[a + SPIN + 1] + motion[b + SPIN + 1];
  const sz = motion[a + SPIN + 2] + motion[b + SPIN + 2];
  const vx = motion[b] - motion[a] - (sy * nz - sz * ny);
  const vy = motion[b + 1] - motion[a + 1] - (sz * nx - sx * nz);
  const vz = motion[b + 2] - motion[a + 2] - (sx * ny - sy * nx);
  const approach = vx * nx + vy * ny + vz * nz;
  let tangential = px * vx + py * vy + pz * vz - normal * approach;
  if (general) return generalWork(block, slot, motion, slidingWork, normal, approach, tangential);
  const square = px * px + py * py + pz * pz - normal * normal;
  if (!slidingWork && tangential < 0 && square >= (AT_BOUND * data[k + FRICTION] * normal) ** 2) tangential = 0;
  return normal * (approach + data[k + GAP]) + tangential;
}

/**
 * The same where laws are more than plain: V_n + g+ is what the law's normal part is off by, P_n less its answer over the mass, so
 * that collisions count from the rebound; slip counts from what a collision aims at; and torques do work too.
 */
function generalWork(
  block: ContactBlock,
  slot: number,
  motion: Float64Array,
  slidingWork: boolean,
  normal: number,
  approach: number,
  friction: number,
): number {
  const { data, extra, bodies } = block;
  const k = CONTACT_STRIDE * slot;
  const e = EXTRA_STRIDE * slot;
  const mass = data[k + REDUCED_MASS];
  const answer = normalImpulse(block, slot, normal - mass * approach);
  let [tangential, turning, square] = [friction, 0, 0];
  // Torsion: along the normal, of the torque and of the relative spin.
  let [along, spinAlong] = [0, 0];
  for (let axis = 0; axis < 3; axis++) {
    const tau = extra[e + TORQUE + axis];
    tangential -= data[k + IMPULSE + axis] * extra[e + SLIP_TARGET + axis];
    const spinA = motion[bodies[2 * slot] + SPIN + axis];
    const spinB = motion[bodies[2 * slot + 1] + SPIN + axis];
    const spin = extra[e + SHARE_B] * spinB - extra[e + SHARE_A] * spinA;
    turning += tau * spin;
    square += tau * tau;
    along += tau * data[k + axis];
    spinAlong += spin * data[k + axis];
  }
  const bearing = normal + extra[e + PULL];
  const torsion = along * spinAlong;
  const rolling = turning - torsion;
  const slides = !slidingWork && tangential < 0 && extra[e + SLIDES] === 1;
  const rolls = !slidingWork && rolling < 0 && square - along * along >= (AT_BOUND * extra[e + ROLLING_FRICTION] * bearing) ** 2;
  const twists = !slidingWork && torsion < 0 && Math.abs(along) >= AT_BOUND * extra[e + TORSION_FRICTION] * bearing;
  return (normal * (normal - answer)) / mass + (slides ? 0 : tangential) + (rolls ? 0 : rolling) + (twists ? 0 : torsion);
}

/**
 * Whether impulse and torque may grow by the same factor and stay within their bounds, which a bond's pull does not make larger: whether
 * they are within those that they would have without it.
 */
export function mayGrow({ data, extra }: ContactBlock, slot: number, normal: number): boolean {
  const k = CONTACT_STRIDE * slot;
  const e = EXTRA_STRIDE * slot;
  if (extra[e + PULL] === 0) return true;
  let [impulse, torque, along] = [-normal * normal, 0, 0];
  for (let axis = 0; axis < 3; axis++) {
    impulse += data[k + IMPULSE + axis] ** 2;
    torque += extra[e + TORQUE + axis] ** 2;
    along += data[k + axis] * extra[e + TORQUE + axis];
  }
  const within = (square: number, friction: number) => square <= (friction * normal) ** 2;
  return (
    within(impulse, extra[e + STATIC_FRICTION]) &&
    within(torque - along * along, extra[e + ROLLING_FRICTION]) &&
    within(along * along, extra[e + TORSION_FRICTION])
  );
}
