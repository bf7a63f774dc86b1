import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { SLIDING_TOLERANCE } from '../src/settings';
import type { LawOptions } from './shockLaw';

/**
 * r = P_n (V_n + g+) + P_t V_t of a contact that presses, without the work of friction where it slides unless the step is
 * far from balance, as src/cpu/coarseWork.ts has it; for modules with the contact law.
 */
export const coarseWork = ({ general, torques, memory }: LawOptions) => wgsl`
/** Impulses this close to their bound, relatively, are at it. */
const AT_BOUND = ${1 - SLIDING_TOLERANCE}f;

#if ${general}
fn work(
  normal: vec4f, impulse: vec4f, torque: vec3f, v1: vec4f, s1: vec4f, v2: vec4f, s2: vec4f, share: f32, aim: Aim,
) -> f32 {
  let pressing = dot(impulse.xyz, normal.xyz);
  if (pressing <= 0.0) { return 0.0; }
  let velocity = relativeVelocity(v1.xyz, s1.xyz, v2.xyz, s2.xyz, normal.xyz);
  let approach = dot(velocity, normal.xyz);
  let mass = normalMass(v1.w, v2.w);
  let answer = normalImpulse(pressing - mass * approach, mass, max(normal.w, 0.0), aim);
  let held = impulse.xyz - pressing * normal.xyz;
  let tangential = dot(held, velocity) - dot(impulse.xyz, aim.slip);
  var sum = pressing * (pressing - answer) / mass;
  let mayDissipate = control.coarse.far == 0u;
  if (!(mayDissipate && tangential < 0.0 && slidesByMark(impulse.w))) { sum += tangential; }
  #if ${torques}
  let a2 = select(1.0 - share, -1.0, s2.w == SURFACE_RADIUS);
  let spin = a2 * s2.xyz - share * s1.xyz;
  let along = dot(torque, normal.xyz);
  let torsion = along * dot(spin, normal.xyz);
  let rolling = dot(torque, spin) - torsion;
  let law = lawOfMark(impulse.w);
  let bound = AT_BOUND * (pressing + aim.pull);
  if (!(mayDissipate && rolling < 0.0 && length(torque - along * normal.xyz) >= bound * law.rollingFriction)) { sum += rolling; }
  if (!(mayDissipate && torsion < 0.0 && abs(along) >= bound * law.torsionFriction)) { sum += torsion; }
  #endif
  return sum;
}
#else
fn work(normal: vec4f, impulse: vec4f, velocity: vec3f) -> f32 {
  let pressing = dot(impulse.xyz, normal.xyz);
  if (pressing <= 0.0) { return 0.0; }
  let approach = dot(velocity, normal.xyz);
  let held = impulse.xyz - pressing * normal.xyz;
  let limit = AT_BOUND * impulse.w * pressing;
  let tangential = dot(held, velocity);
  let slides = control.coarse.far == 0u && tangential < 0.0 && dot(held, held) >= limit * limit;
  return pressing * (approach + max(normal.w, 0.0)) + select(tangential, 0.0, slides);
}
#endif

#if ${memory}
/** Whether impulse and torque may grow by the same factor and stay within their bounds, which a bond's pull does not make larger. */
fn mayGrow(normal: vec3f, impulse: vec4f, torque: vec3f, aim: Aim) -> bool {
  if (aim.pull == 0.0) { return true; }
  let pressing = dot(impulse.xyz, normal);
  let law = lawOfMark(impulse.w);
  let across = length(impulse.xyz - pressing * normal);
  let along = dot(torque, normal);
  let rolling = length(torque - along * normal);
  return across <= law.staticFriction * pressing && rolling <= law.rollingFriction * pressing &&
    abs(along) <= law.torsionFriction * pressing;
}
#endif
`;
