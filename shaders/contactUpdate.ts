import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { SLIDERS_STAY_AFTER } from '../src/settings';
import type { LawOptions } from './shockLaw';

export interface UpdateOptions extends LawOptions {
  /** Heavy ball on: impulses are extrapolated before each sweep but the first. */
  momentum: boolean;
  /** The criterion of convergence looks at how impulses changed in the last sweep. */
  changes: boolean;
  /** Grains swell in steps without impulses. */
  swells: boolean;
}

/** Whether a sweep needs the impulses of the one before. */
export function keepsPrevious({ momentum, changes }: Pick<UpdateOptions, 'momentum' | 'changes'>): boolean {
  return momentum || changes;
}

/** The update of one contact: what its law answers to the motion of its bodies, and what that adds to them. */
export const contactUpdate = ({ momentum, changes, swells, ...law }: UpdateOptions) => wgsl`
/** Velocities, with the inverse masses, and spins of the two bodies of a contact. */
struct PairMotion { v1: vec4f, s1: vec4f, v2: vec4f, s2: vec4f }

fn motionOf(pair: vec2u) -> PairMotion {
  let first = 2u * (pair.x & ID_MASK);
  let second = 2u * (pair.y & ID_MASK);
  return PairMotion(motion[first], motion[first + 1u], motion[second], motion[second + 1u]);
}

/** How the impulse on the second body changes, and the torque over r*. */
struct Change { impulse: vec3f, torque: vec3f }
/** What that adds to a body. */
struct Gain { velocity: vec3f, spin: vec3f }
struct Gains { first: Gain, second: Gain }

fn gainsOf(pair: vec2u, change: Change, normal: vec3f, at: PairMotion) -> Gains {
  var gains = Gains(
    Gain(-at.v1.w * change.impulse, spinGain(normal, change.impulse, at.v1.w)),
    Gain(at.v2.w * change.impulse, spinGain(normal, change.impulse, at.v2.w)),
  );
  #if ${law.torques}
  let share = shareOfFirst(at.s1.w, at.s2.w, pair.y);
  gains.first.spin -= INERTIA_FACTOR * at.v1.w * share * change.torque;
  gains.second.spin += INERTIA_FACTOR * at.v2.w * (1.0 - share) * change.torque;
  #endif
  return gains;
}

/** To the bodies that are not marked as fixed. */
fn addGains(pair: vec2u, gains: Gains, at: PairMotion) {
  if ((pair.x & FIXED) == 0u) { addGain(pair.x, gains.first, at.v1, at.s1); }
  if ((pair.y & FIXED) == 0u) { addGain(pair.y, gains.second, at.v2, at.s2); }
}

fn addGain(body: u32, gain: Gain, velocity: vec4f, spin: vec4f) {
  motion[2u * body] = velocity + vec4f(gain.velocity, 0.0);
  motion[2u * body + 1u] = spin + vec4f(gain.spin, 0.0);
}

/** What a gap counts as, which is less while the grains are swollen. */
fn gapNow(gap: f32) -> f32 {
  #if ${swells}
  return max(gap, 0.0) - select(0.0, control.coarse.swelling, control.iteration < control.coarse.swollen);
  #else
  return max(gap, 0.0);
  #endif
}

fn updateContact(k: u32) {
  let pair = contactPairs[k];
  let normal = normals[k];
  let at = motionOf(pair);
  addGains(pair, gainsOf(pair, updateFrom(k, pair, normal, at), normal.xyz, at), at);
}

fn applyWarmImpulse(k: u32) {
  let change = warmChange(k);
  #if ${!law.general}
  if (all(change.impulse == vec3f(0.0))) { return; }
  #endif
  let pair = contactPairs[k];
  let at = motionOf(pair);
  addGains(pair, gainsOf(pair, change, normals[k].xyz, at), at);
}

#if ${law.general}
${generalUpdate({ momentum, changes, swells, ...law })}
#else
/** Updates the impulse of a contact of bodies that move so, and tells how it has changed. */
fn updateFrom(k: u32, pair: vec2u, normal: vec4f, at: PairMotion) -> Change {
  let stored = impulses[k];
  var impulse = stored.xyz;
  #if ${momentum}
  if (control.iteration > 0u) { impulse += control.momentum * (impulse - previousImpulses[k].xyz); }
  #endif
  #if ${keepsPrevious({ momentum, changes })}
  previousImpulses[k] = stored;
  #endif
  let velocity = relativeVelocity(at.v1.xyz, at.s1.xyz, at.v2.xyz, at.s2.xyz, normal.xyz);
  let answer = shockLaw(normal.xyz, gapNow(normal.w), impulse, velocity, normalMass(at.v1.w, at.v2.w), stored.w);
  impulses[k] = vec4f(answer, stored.w);
  return Change(answer - impulse, vec3f(0.0));
}

/** What the impulse that a contact starts with changes. */
fn warmChange(k: u32) -> Change {
  let impulse = impulses[k];
  #if ${keepsPrevious({ momentum, changes })}
  previousImpulses[k] = impulse;
  #endif
  return Change(impulse.xyz, vec3f(0.0));
}
#endif
`;

/** The update of a contact where laws are more than plain: impulse and torque together. */
const generalUpdate = ({ momentum, changes, torques }: UpdateOptions) => wgsl`
fn updateFrom(k: u32, pair: vec2u, normal: vec4f, at: PairMotion) -> Change {
  let stored = impulses[STRIDE * k];
  var impulse = stored.xyz;
  var torque = vec3f(0.0);
  #if ${momentum}
  if (control.iteration > 0u) { impulse += control.momentum * (impulse - previousImpulses[STRIDE * k].xyz); }
  #endif
  #if ${keepsPrevious({ momentum, changes })}
  previousImpulses[STRIDE * k] = stored;
  #endif
  #if ${torques}
  let storedTorque = impulses[STRIDE * k + 1u];
  torque = storedTorque.xyz;
  #if ${momentum}
  if (control.iteration > 0u) { torque += control.momentum * (torque - previousImpulses[STRIDE * k + 1u].xyz); }
  #endif
  #if ${keepsPrevious({ momentum, changes })}
  previousImpulses[STRIDE * k + 1u] = storedTorque;
  #endif
  #endif
  let share = shareOfFirst(at.s1.w, at.s2.w, pair.y);
  let stay = control.iteration >= control.coarse.swollen + ${SLIDERS_STAY_AFTER}u;
  let answer = contactLaw(normal.xyz, gapNow(normal.w), impulse, torque, at.v1, at.s1, at.v2, at.s2, share, lawOfMark(stored.w), aimOf(k), stay && slidesByMark(stored.w));
  impulses[STRIDE * k] = vec4f(answer.impulse, markOf(stored.w, answer.slides, stay));
  #if ${torques}
  impulses[STRIDE * k + 1u] = vec4f(answer.torque, share);
  #endif
  return Change(answer.impulse - impulse, answer.torque - torque);
}

fn warmChange(k: u32) -> Change {
  let impulse = impulses[STRIDE * k];
  #if ${keepsPrevious({ momentum, changes })}
  previousImpulses[STRIDE * k] = impulse;
  #endif
  var torque = vec4f(0.0);
  #if ${torques}
  torque = impulses[STRIDE * k + 1u];
  #if ${keepsPrevious({ momentum, changes })}
  previousImpulses[STRIDE * k + 1u] = torque;
  #endif
  #endif
  return Change(impulse.xyz, torque.xyz);
}
`;
