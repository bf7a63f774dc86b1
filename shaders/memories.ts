import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { CLOSED, FORMED, HOLDING, LEAST_PARTING, LEAST_SLIP, NONE, OPEN, RESTING, STOPPED } from '../src/cpu/memory';
import type { FeatureImages } from '../src/cpu/walls';
import { BOND_GAP } from '../src/settings';
import { bodies } from './bodies';
import { AIM_ROWS, impulseRows } from './contactLaw';
import { control } from './control';
import { lawTable, MAX_LAWS } from './lawTable';
import { pages } from './pages';
import type { LawOptions } from './shockLaw';
import { takeOver } from './takeOver';

/** The number of a contact in `memories` that is the pull which its bond bore. */
export const PULL_PLACE = 13;

/**
 * What contacts remember of collisions and bonds, and what they aim at in the step at hand; src/cpu/restitution.ts and bonds.ts.
 *
 * A memory: phase of a collision, its speed of approach, twice the work that stopped it so far, state of the bond; then the slip
 * when it began, and what friction has taken since. Followed, in `memories`, by the aim: slip, rebound; twice the work of the
 * rebound, pull, what an impulse of this step adds to the work that stops, speed at which the surfaces part already; velocity across the
 * normal at the start of the step, twice the work that friction may do for its aim.
 */
export interface MemoriesOptions extends LawOptions {
  /** Features of meshes; absent: there are no meshes. */
  features?: FeatureImages;
}

export const memories = ({ features, ...law }: MemoriesOptions) => wgsl`
${control}
${pages}
${bodies()}
${lawTable}
@group(0) @binding(2) var<storage, read> sequence: array<u32>;
@group(0) @binding(3) var<storage, read_write> lastIndices: array<u32>;
@group(0) @binding(4) var<storage, read_write> lastMemories: array<vec4f>;    // in the order of the candidates
@group(0) @binding(5) var<storage, read_write> memories: array<vec4f>;
@group(0) @binding(6) var<storage, read> contactPairs: array<vec2u>;
@group(0) @binding(7) var<storage, read> normals: array<vec4f>;
@group(0) @binding(8) var<storage, read> impulses: array<vec4f>;              // w: index of the law
@group(0) @binding(9) var<storage, read> velocities: array<vec4f>;           // at the start of the step
@group(0) @binding(10) var<storage, read> spins: array<vec4f>;
@group(0) @binding(11) var<storage, read> motion: array<vec4f>;              // free in aim, of the end of the step in weigh
@group(0) @binding(12) var<uniform> laws: array<Law, ${MAX_LAWS}>;
@group(0) @binding(13) var<storage, read> pairs: array<vec2u>;
@group(0) @binding(14) var<storage, read> lastPairs: array<vec2u>;
@group(0) @binding(15) var<storage, read> lastStarts: array<u32>;
@group(0) @binding(16) var<storage, read_write> lastImpulses: array<vec4f>;   // in the order of the candidates
@group(0) @binding(17) var<storage, read_write> claims: array<atomic<u32>>;    // of each grain, see mark; zero before and after

const STRIDE = ${impulseRows(law)}u;
const OPEN = ${OPEN}f;
const RESTING = ${RESTING}f;
const CLOSED = ${CLOSED}f;
const STOPPED = ${STOPPED}f;
const UNBONDED = ${NONE}f;
const HOLDING = ${HOLDING}f;
const FORMED = ${FORMED}f;

/** The two bodies of a contact: velocities, of the second against the first's, and the sums of their spins. */
struct Relative { normal: vec3f, velocity: vec3f, spin: vec3f }

fn atStart(k: u32) -> Relative {
  let first = contactPairs[k].x & ID_MASK;
  let second = contactPairs[k].y & ID_MASK;
  // Surfaces of walls that turn, behind the bodies, do not accelerate.
  if (second >= params.bodies) {
    return Relative(normals[k].xyz, motion[2u * second].xyz - velocities[first].xyz, spins[first].xyz + motion[2u * second + 1u].xyz);
  }
  return Relative(normals[k].xyz, velocities[second].xyz - velocities[first].xyz, spins[first].xyz + spins[second].xyz);
}

fn inMotion(k: u32) -> Relative {
  let first = 2u * (contactPairs[k].x & ID_MASK);
  let second = 2u * (contactPairs[k].y & ID_MASK);
  return Relative(normals[k].xyz, motion[second].xyz - motion[first].xyz, motion[first + 1u].xyz + motion[second + 1u].xyz);
}

/** Velocity of the second body's surface against the first's across the normal. */
fn acrossOf(pair: Relative) -> vec3f {
  return pair.velocity - cross(pair.spin, pair.normal) - dot(pair.velocity, pair.normal) * pair.normal;
}

/** How much faster an impulse across the normal makes two bodies slip. */
fn mobility(k: u32) -> f32 {
  return ${1 + law.inertiaFactor}f * (motion[2u * (contactPairs[k].x & ID_MASK)].w + motion[2u * (contactPairs[k].y & ID_MASK)].w);
}

#if ${features !== undefined}
${features && takeOver(features)}
#else
/** The contact whose memory contact k has, or NONE. */
fn rememberedBy(k: u32) -> u32 { return lastIndices[sequence[k]]; }
#endif

@compute @workgroup_size(WORKGROUP_SIZE)
fn recall(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let k = PAGE_FIRST + flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (halted() || k >= endOfContacts()) { return; }
  let last = rememberedBy(k);
  if (!lastAtHand(select(last, 0u, last == NONE))) { return; }
  for (var row = 0u; row < 2u; row++) {
    var remembered = vec4f(0.0);
    if (last != NONE) { remembered = lastMemories[2u * last + row]; }
    memories[${AIM_ROWS}u * k + row] = remembered;
  }
}

/** What a collision and a bond ask of this step. */
@compute @workgroup_size(WORKGROUP_SIZE)
fn aim(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let k = PAGE_FIRST + flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (halted() || k >= endOfContacts()) { return; }
  let normal = normals[k].xyz;
  let gap = normals[k].w;
  let law = laws[u32(impulses[STRIDE * k].w)];
  var remembered = memories[${AIM_ROWS}u * k];
  var slip = memories[${AIM_ROWS}u * k + 1u];
  let start = atStart(k);
  let current = acrossOf(start);
  let approach = dot(start.velocity, normal);
  if (remembered.x == OPEN) {
    // The velocity at which it begins a collision, should it press in this step.
    remembered.y = max(-approach, 0.0);
    slip = vec4f(select(vec3f(0.0), current, approach < 0.0), 0.0);
  }
  let gained = dot(inMotion(k).velocity - start.velocity, normal);
  let leaving = select(0.0, law.normalRestitution * remembered.y, remembered.x == STOPPED);
  // What pushes the bodies together in this step is not the collision's to undo: a slow grain comes to rest.
  let parting = select(0.0, max(approach, 0.0), leaving > 0.0);
  let rebound = max(length(vec2f(leaving, parting)) + min(gained, 0.0), 0.0);
  let work = select(0.0, law.normalRestitution * law.normalRestitution * remembered.z, leaving > 0.0);
  let share = max(max(gap, 0.0) - approach, 0.0);
  // Rounding must not keep bodies that were placed in touch from bonding.
  let touched = remembered.w != UNBONDED || gap <= ${BOND_GAP}f;
  let bonded = law.cohesionForce > 0.0 && touched && gap <= law.cohesionRange;
  remembered.w = select(UNBONDED, HOLDING, bonded);
  memories[${AIM_ROWS}u * k] = remembered;
  memories[${AIM_ROWS}u * k + 1u] = slip;
  // The normal has turned since the slip was taken.
  var across = slip.xyz - dot(slip.xyz, normal) * normal;
  let size = length(across);
  var spent = vec4f(0.0);
  if (size > ${LEAST_SLIP}f * remembered.y && law.tangentialRestitution > 0.0) {
    let bound = sqrt(max(dot(current, current) + min(mobility(k) * slip.w, size * size), 0.0));
    across *= -law.tangentialRestitution * bound / size;
    spent = vec4f(current, max(slip.w, 0.0));
  } else { across = vec3f(0.0); }
  memories[${AIM_ROWS}u * k + 4u] = spent;
  memories[${AIM_ROWS}u * k + 2u] = vec4f(across, rebound);
  memories[${AIM_ROWS}u * k + 3u] = vec4f(work, select(0.0, law.cohesionForce, bonded), share, parting);
}

/** Velocity at which the bodies of a contact part at the start of the step. */
fn partingOf(k: u32) -> f32 {
  let first = contactPairs[k].x & ID_MASK;
  let second = contactPairs[k].y & ID_MASK;
  if (second >= params.bodies) { return dot(motion[2u * second].xyz - velocities[first].xyz, normals[k].xyz); }
  return dot(velocities[second].xyz - velocities[first].xyz, normals[k].xyz);
}

/** After the sweeps: grains that others have pushed against bodies from which they moved away, and how fast; src/cpu/restitution.ts. */
@compute @workgroup_size(WORKGROUP_SIZE)
fn mark(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let k = PAGE_FIRST + flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (halted() || k >= endOfContacts()) { return; }
  let parting = partingOf(k);
  if (memories[${AIM_ROWS}u * k].x > RESTING || parting <= 0.0 || dot(impulses[STRIDE * k].xyz, normals[k].xyz) <= 0.0) { return; }
  let ids = contactPairs[k] & vec2u(ID_MASK);
  for (var side = 0u; side < 2u; side++) {
    // Numbers above 0 are in the order of their bits.
    if (ids[side] < params.grains && motion[2u * ids[side]].w > 0.0) { atomicMax(&claims[ids[side]], bitcast<u32>(parting)); }
  }
}

fn partedBy(id: u32) -> f32 {
  if (id >= params.grains) { return 0.0; }
  return bitcast<f32>(atomicLoad(&claims[id]));
}

/** Twice the work that stopping took in the step, in place of what an impulse of 1 would have added. */
@compute @workgroup_size(WORKGROUP_SIZE)
fn stop(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let k = PAGE_FIRST + flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (halted() || k >= endOfContacts()) { return; }
  let ids = contactPairs[k] & vec2u(ID_MASK);
  let pressing = max(dot(impulses[STRIDE * k].xyz, normals[k].xyz), 0.0);
  var share = memories[${AIM_ROWS}u * k + 3u].z;
  if (max(partedBy(ids.x), partedBy(ids.y)) > ${LEAST_PARTING}f * memories[${AIM_ROWS}u * k].y) {
    let alone = -2.0 * partingOf(k) - pressing * (motion[2u * ids.x].w + motion[2u * ids.y].w);
    share = max(min(share, alone), 0.0);
  }
  memories[${AIM_ROWS}u * k + 3u].z = pressing * share;
}

/** After the sweeps: what friction takes from the slip of a collision, while the velocities of the start are there. */
@compute @workgroup_size(WORKGROUP_SIZE)
fn weigh(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let k = PAGE_FIRST + flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (halted() || k >= endOfContacts()) { return; }
  let before = acrossOf(atStart(k));
  let after = acrossOf(inMotion(k));
  let impulse = impulses[STRIDE * k].xyz;
  let change = after - before;
  let alone = 2.0 * dot(impulse, after) - dot(change, change) / mobility(k);
  memories[${AIM_ROWS}u * k + 1u].w -= max(dot(impulse, before + after), alone);
}

/** After the step: what contacts take into the next one, in the order of the candidates. */
@compute @workgroup_size(WORKGROUP_SIZE)
fn keep(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let k = PAGE_FIRST + flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (halted() || k >= endOfContacts()) { return; }
  let candidate = sequence[k];
  if (!lastAtHand(candidate)) { return; }
  let stored = impulses[STRIDE * k];
  let pressing = max(dot(stored.xyz, normals[k].xyz), 0.0);
  let stopping = memories[${AIM_ROWS}u * k + 3u].z;
  let before = memories[${AIM_ROWS}u * k];
  var slip = memories[${AIM_ROWS}u * k + 1u];
  var after = before;
  if (before.x == OPEN && pressing > 0.0 && before.y > 0.0) {
    after.x = CLOSED;
    after.z = stopping;
  } else if (before.x == CLOSED) {
    after.x = STOPPED;
    after.z += stopping;
  } else {
    after = vec4f(select(OPEN, RESTING, pressing > 0.0), 0.0, 0.0, before.w);
    slip = vec4f(0.0);
  }
  if (before.w == UNBONDED && pressing > 0.0 && laws[u32(stored.w)].cohesionForce > 0.0) { after.w = FORMED; }
  lastMemories[2u * candidate] = after;
  lastMemories[2u * candidate + 1u] = slip;
}
`;
