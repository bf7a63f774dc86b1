import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { UNCUT } from '../src/settings';
import { lawTable, MAX_LAWS } from './lawTable';
import { type LawOptions, shockLaw } from './shockLaw';

/**
 * The law of contacts in systems with more than plain laws, as src/cpu/contactLaw.ts has it: beside the impulse P there may be a
 * torque over r*, tau, and what a collision or a bond aims at. Plain systems have the shock law alone.
 * @param bindings of the tables that the law reads: `laws`, and `memories` where contacts remember
 */
export const contactLaw = (options: LawOptions, bindings: { laws: number; memories: number }) => wgsl`
${shockLaw(options)}
/** Vectors of a contact in impulses and previousImpulses: P, with the law's index, and tau. */
const STRIDE = ${impulseRows(options)}u;
#if ${options.general}
${lawTable}
@group(0) @binding(${bindings.laws}) var<uniform> laws: array<Law, ${MAX_LAWS}>;
#if ${options.memory}
@group(0) @binding(${bindings.memories}) var<storage, read> memories: array<vec4f>;    // see memories.ts
#endif
${generalLaw(options)}
#endif
`;

/** Rows of four numbers that a contact remembers. */
export const MEMORY_ROWS = 2;
/** With those that it aims at behind them. */
export const AIM_ROWS = 5;

/** Rows of four numbers that the impulses of a contact take. */
export function impulseRows({ torques }: Pick<LawOptions, 'torques'>): 1 | 2 {
  return torques ? 2 : 1;
}

const generalLaw = ({ torques, memory }: LawOptions) => wgsl`
/** What a contact aims at in this step: slip, normal velocity to leave with, twice the work that it may do for that, speed of parting before; the pull it bears; slip at the start, twice the work that friction may do. */
struct Aim { slip: vec3f, rebound: f32, work: f32, parting: f32, pull: f32, start: vec4f }
struct Answer { impulse: vec3f, torque: vec3f, slides: bool }

const UNCUT = ${UNCUT}f;

/** What the fourth number of an impulse says: the law's index, and by a half more that the contact slides. */
fn lawOfMark(mark: f32) -> Law { return laws[u32(mark)]; }
fn slidesByMark(mark: f32) -> bool { return fract(mark) > 0.25; }
fn markOf(before: f32, slides: bool, stay: bool) -> f32 {
  return floor(before) + select(0.0, 0.5, slides || (stay && slidesByMark(before)));
}

fn aimOf(k: u32) -> Aim {
  #if ${memory}
  let aimed = memories[${AIM_ROWS}u * k + 2u];
  let bounds = memories[${AIM_ROWS}u * k + 3u];
  return Aim(select(aimed.xyz, vec3f(0.0), control.aimless == 1u), aimed.w, bounds.x, bounds.w, bounds.y, memories[${AIM_ROWS}u * k + 4u]);
  #else
  return Aim(vec3f(0.0), 0.0, 0.0, 0.0, 0.0, vec4f(0.0));
  #endif
}

/** A trial up to as long as most, beyond that cut to limit; and no more of it than a share that is kept. */
fn slide(trial: vec3f, most: f32, limit: f32, kept: f32) -> vec3f {
  let size = length(trial);
  return min(select(1.0, limit / size, size > most), kept) * trial;
}

/** Impulse that does the work which a rebound may do: P (V + U_n + P/m) is twice that. */
fn workImpulse(stopping: f32, mass: f32, aim: Aim) -> f32 {
  if (aim.work <= 0.0) { return 0.0; }
  let mean = 0.5 * (mass * aim.parting - stopping);
  let root = sqrt(mean * mean + mass * aim.work);
  return select(root - mean, mass * aim.work / (root + mean), mean > 0.0);
}

/** Normal impulse, given the one that would stop the approach: pressing, or held by a bond. */
fn normalImpulse(stopping: f32, mass: f32, gap: f32, aim: Aim) -> f32 {
  #if ${memory}
  let leaving = stopping + mass * aim.rebound;
  let pressing = max(stopping - mass * gap, min(leaving, workImpulse(stopping, mass, aim)));
  return select(max(min(leaving, 0.0), -aim.pull), pressing, pressing > 0.0);
  #else
  return max(stopping - mass * gap, 0.0);
  #endif
}

/** Share of an impulse g, with A g^2 = square, up to which it does no more than is left: a share s does square s^2 + (work - square) s. */
fn affordable(square: f32, work: f32, left: f32) -> f32 {
  if (work <= left) { return 1.0; }
  let rest = square - work;
  return (rest + sqrt(rest * rest + 4.0 * square * left)) / (2.0 * square);
}

/** r* over the radius of the first body, 1 against walls. The bodies behind the walls are copies of grains. */
fn shareOfFirst(radius1: f32, radius2: f32, second: u32) -> f32 {
  let body = second & ID_MASK;
  return select(radius2 / (radius1 + radius2), 1.0, body >= params.grains && body < params.bodies);
}

/**
 * Impulse and torque that obey the law, given those that act now; the share is that of the first body.
 * A contact that stays a slider sticks only within dynamic friction.
 * With tau' = tau x n and rho' = rho x n, rho = a2 s2 - a1 s1 the rolling velocity, V_t changes by A P_t + C tau' and rho' by
 * C P_t + Q tau'.
 */
fn contactLaw(
  normal: vec3f, gap: f32, impulse: vec3f, torque: vec3f, v1: vec4f, s1: vec4f, v2: vec4f, s2: vec4f,
  share: f32, law: Law, aim: Aim, stays: bool,
) -> Answer {
  let mass = normalMass(v1.w, v2.w);
  let relative = v2.xyz - v1.xyz;
  let acting = dot(impulse, normal);
  let approach = dot(relative, normal);
  let pressing = normalImpulse(acting - mass * approach, mass, gap, aim);
  let bearing = pressing + aim.pull;
  if (bearing <= 0.0) { return Answer(pressing * normal, vec3f(0.0), false); }
  let slip = relative - approach * normal - cross(s1.xyz + s2.xyz, normal) - aim.slip;
  let held = impulse - acting * normal;
  let A = (1.0 + INERTIA_FACTOR) / mass;
  let limit = law.dynamicFriction * bearing;
  let most = select(law.staticFriction * bearing, limit, stays);
  // P_t that stops the slip, or reaches the aim, and what it must be for no slip and no rolling.
  let goal = held - slip / A;
  #if ${torques}
  let a1 = share;
  // The bodies of walls that turn have the opposite of the wall's spin.
  let a2 = select(1.0 - share, -1.0, s2.w == SURFACE_RADIUS);
  let rolling = a2 * s2.xyz - a1 * s1.xyz;
  let C = INERTIA_FACTOR * (a1 * v1.w - a2 * v2.w);
  let Q = INERTIA_FACTOR * (a1 * a1 * v1.w + a2 * a2 * v2.w);
  let determinant = A * Q - C * C;
  let turning = cross(rolling, normal);
  let heldTurn = cross(torque, normal);
  let rollingLimit = law.rollingFriction * bearing;
  let sticking = held + (C * turning - Q * slip) / determinant;
  #else
  let sticking = goal;
  #endif
  var kept = 1.0;
  #if ${memory}
  if (any(aim.slip != vec3f(0.0))) {
    // What the goal does by both accounts of its work, see src/cpu/restitution.ts; by how much others change V_t.
    let square = A * dot(goal, goal);
    let atStart = dot(goal, aim.start.xyz);
    let others = aim.slip - aim.start.xyz - A * goal;
    let left = aim.start.w;
    kept = min(
      affordable(square, atStart + dot(goal, aim.slip), left),
      affordable(square, 2.0 * atStart + square, left + dot(others, others) / A),
    );
  }
  #endif
  #if ${torques}
  // P_t cut to friction's cone, and the torque that then stops the rolling.
  var friction = slide(sticking, most, limit, kept);
  var slides = kept < UNCUT || length(sticking) > most;
  var turn = heldTurn - (turning + C * (friction - held)) / Q;
  if (dot(turn, turn) > rollingLimit * rollingLimit) {
    // The other way round: the torque at its bound, and the P_t that then stops the slip.
    turn = slide(heldTurn + (C * slip - A * turning) / determinant, rollingLimit, rollingLimit, 1.0);
    friction = held - (slip + C * (turn - heldTurn)) / A;
    slides = length(friction) > most;
    if (slides) {
      // It slips and rolls: one after the other, from where they are.
      slides = kept < UNCUT || length(goal) > limit;
      friction = slide(goal, limit, limit, kept);
      turn = slide(heldTurn - (turning + C * (friction - held)) / Q, rollingLimit, rollingLimit, 1.0);
    } else {
      slides = kept < UNCUT;
      friction *= kept;
    }
  }
  let torsionLimit = law.torsionFriction * bearing;
  let torsion = clamp(dot(torque, normal) - dot(rolling, normal) / Q, -torsionLimit, torsionLimit);
  return Answer(pressing * normal + friction, torsion * normal + cross(normal, turn), slides);
  #else
  return Answer(pressing * normal + slide(sticking, most, limit, kept), vec3f(0.0), kept < UNCUT || length(sticking) > most);
  #endif
}
`;
