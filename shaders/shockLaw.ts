import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';

export interface LawOptions {
  /** m r^2/I, kappa: 2.5 for spheres, 2 for disks */
  inertiaFactor: number;
  /** Some contact obeys more than a plain law: Signorini's and one coefficient of friction. */
  general: boolean;
  /** Some contact has a torque beside its force. */
  torques: boolean;
  /** Some contact remembers a collision or a bond. */
  memory: boolean;
}

/**
 * One contact of grains of any radii (Brendel, Unger, Wolf, section 1.3): spins are s = r w, so that
 * V = v2 - v1 - (s1 + s2) x n and m_t = m_n/(1 + kappa) whatever the radii.
 */
export const shockLaw = ({ inertiaFactor }: Pick<LawOptions, 'inertiaFactor'>) => wgsl`
const INERTIA_FACTOR = ${inertiaFactor}f;

fn relativeVelocity(v1: vec3f, s1: vec3f, v2: vec3f, s2: vec3f, normal: vec3f) -> vec3f {
  return v2 - v1 - cross(s1 + s2, normal);
}

/** Mass that answers along the normal, from the inverse masses of the two bodies. */
fn normalMass(inverseMass1: f32, inverseMass2: f32) -> f32 {
  return 1.0 / (inverseMass1 + inverseMass2);
}

/**
 * Impulse that obeys Signorini and Coulomb, given the impulse that acts now and the relative velocity that it leaves.
 * Internal units: the step is 1, a gap is a velocity; that of an overlap is 0.
 */
fn shockLaw(normal: vec3f, gap: f32, impulse: vec3f, velocity: vec3f, mass: f32, friction: f32) -> vec3f {
  let acting = dot(impulse, normal);
  let approach = dot(velocity, normal);
  let pressing = acting - mass * (approach + gap);
  if (pressing <= 0.0) { return vec3f(0.0); }
  let sticking = (impulse - acting * normal) - (1.0 / (1.0 + INERTIA_FACTOR)) * mass * (velocity - approach * normal);
  let size = length(sticking);
  let limit = friction * pressing;
  return pressing * normal + select(1.0, limit / size, size > limit) * sticking;
}

/** What an impulse adds to the spin of either body. */
fn spinGain(normal: vec3f, impulse: vec3f, inverseMass: f32) -> vec3f {
  return -INERTIA_FACTOR * inverseMass * cross(normal, impulse);
}
`;
