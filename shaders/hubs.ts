import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { COLOURED_DEGREES, HUB_ROUND, LEAST_HUB_ROUND, MAX_HUB_GRAINS } from '../src/settings';
import { bodies } from './bodies';
import { HUB_BODIES, HUB_CONTACT } from './colouring';
import { control } from './control';
import { pistonStruct } from './pistons';

/** The hubs that there may be: bodies whose contacts leave the colouring. */
export interface HubOptions {
  pistons: number;
  /** Sizes of grains differ so much that some may be hubs. */
  hubGrains: boolean;
}

/** Places for hubs: pistons first, then grains. */
export const hubPlaces = ({ pistons, hubGrains }: HubOptions): number => pistons + (hubGrains ? MAX_HUB_GRAINS : 0);

const DEGREES = COLOURED_DEGREES.length;
/** Words of `hubs`: grains above each degree, grains listed, then the bodies in the order of their places. */
export const hubWords = (options: HubOptions): number => DEGREES + 1 + hubPlaces(options);

/**
 * Chooses the hubs and marks their contacts, before the others are coloured: every piston, and grains with more candidates than
 * the least of COLOURED_DEGREES that at most MAX_HUB_GRAINS exceed. `hubOf` and `hubs` must be zero before.
 */
export const hubs = ({ pistons }: HubOptions) => wgsl`
${control}
${bodies()}
${pistonStruct}
@group(0) @binding(2) var<storage, read> pairs: array<vec2u>;
@group(0) @binding(3) var<storage, read_write> hubOf: array<atomic<u32>>;   // of each body: its candidates, then its place among the hubs plus 1, or 0
@group(0) @binding(4) var<storage, read_write> hubs: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> colours: array<u32>;
@group(0) @binding(6) var<storage, read> lattice: array<vec4i>;
#if ${pistons > 0}
@group(0) @binding(7) var<uniform> pistons: array<Piston, ${Math.max(1, pistons)}>;
#endif

const DEGREES = array(${COLOURED_DEGREES.map((degree) => `${degree}u`).join(', ')});

@compute @workgroup_size(WORKGROUP_SIZE)
fn countDegrees(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let contact = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (halted() || contact >= control.candidates) { return; }
  atomicAdd(&hubOf[pairs[contact].x & ID_MASK], 1u);
  let second = pairs[contact].y & ID_MASK;
  if (second < params.bodies) { atomicAdd(&hubOf[second], 1u); }
}

fn moves(grain: u32) -> bool { return (u32(lattice[grain].w) & FIXED) == 0u; }

@compute @workgroup_size(WORKGROUP_SIZE)
fn countLarge(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let grain = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (halted() || grain >= params.grains || !moves(grain)) { return; }
  let degree = atomicLoad(&hubOf[grain]);
  for (var k = 0u; k < ${DEGREES}u && degree > DEGREES[k]; k++) { atomicAdd(&hubs[k], 1u); }
}

/** In whatever order; \`choose\` sorts them. */
@compute @workgroup_size(WORKGROUP_SIZE)
fn listLarge(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let grain = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (halted() || grain >= params.bodies) { return; }
  let degree = atomicExchange(&hubOf[grain], 0u);
  if (grain >= params.grains || degree <= DEGREES[0] || !moves(grain)) { return; }
  var k = 0u;
  while (k < ${DEGREES}u && atomicLoad(&hubs[k]) > ${MAX_HUB_GRAINS}u) { k++; }
  if (k == ${DEGREES}u || degree <= DEGREES[k]) { return; }
  atomicStore(&hubs[${HUB_BODIES + pistons}u + atomicAdd(&hubs[${DEGREES}u], 1u)], grain);
}

@compute @workgroup_size(1)
fn choose() {
  if (halted()) { return; }
  #if ${pistons > 0}
  for (var p = 0u; p < ${pistons}u; p++) {
    atomicStore(&hubs[${HUB_BODIES}u + p], pistons[p].body);
    atomicStore(&hubOf[pistons[p].body], p + 1u);
  }
  #endif
  let first = ${HUB_BODIES + pistons}u;
  let listed = atomicLoad(&hubs[${DEGREES}u]);
  for (var k = 0u; k < listed; k++) {
    let grain = atomicLoad(&hubs[first + k]);
    var place = k;
    while (place > 0u && atomicLoad(&hubs[first + place - 1u]) > grain) {
      atomicStore(&hubs[first + place], atomicLoad(&hubs[first + place - 1u]));
      place--;
    }
    atomicStore(&hubs[first + place], grain);
  }
  for (var k = 0u; k < listed; k++) { atomicStore(&hubOf[atomicLoad(&hubs[first + k])], ${pistons}u + k + 1u); }
}

/** A contact of two hubs belongs to the first. */
@compute @workgroup_size(WORKGROUP_SIZE)
fn mark(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let contact = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (halted() || contact >= control.candidates) { return; }
  // Wraps around where the body is no hub.
  var place = atomicLoad(&hubOf[pairs[contact].x & ID_MASK]) - 1u;
  // Features of meshes have numbers beyond those of the bodies.
  let second = pairs[contact].y & ID_MASK;
  if (second < params.bodies) { place = min(place, atomicLoad(&hubOf[second]) - 1u); }
  colours[contact] = select(${HUB_CONTACT}u | place, NONE, place == NONE);
}
`;

/**
 * Sweeps over the contacts of hubs, hub after hub in one workgroup, at the end of each sweep; spliced into solve.ts.
 * As the reference has it: a piston is solved together with all its contacts, a grain stands for copies of itself.
 */
export const hubSweeps = ({
  colourWords,
  momentum,
  ...options
}: HubOptions & { colourWords: number; momentum: boolean; iterations: number; general: boolean }) => wgsl`
const HUBS = ${hubPlaces(options)}u;
const HUB_ROUND = ${HUB_ROUND}u;
const ROWS = 8u;
#if ${options.pistons > 0}
${pistonStruct}
@group(0) @binding(15) var<uniform> pistons: array<Piston, ${Math.max(1, options.pistons)}>;
#endif

/** Contacts are updated so many at once where the hub is a grain. */
struct Hub { body: u32, begin: u32, end: u32, round: u32 }
var<workgroup> teamHub: Hub;
var<workgroup> hubValues: array<vec4f, 2u * HUB_ROUND>;
var<workgroup> hubRows: array<vec4f, 2u * ROWS>;

/** Sums of two vectors over the workgroup, in a fixed order. */
fn hubSum(a: vec4f, b: vec4f, local: u32) -> array<vec4f, 2> {
  hubValues[local] = a;
  hubValues[HUB_ROUND + local] = b;
  workgroupBarrier();
  if (local < 2u * ROWS) {
    var sum = vec4f(0.0);
    for (var k = local * (HUB_ROUND / ROWS); k < (local + 1u) * (HUB_ROUND / ROWS); k++) { sum += hubValues[k]; }
    hubRows[local] = sum;
  }
  workgroupBarrier();
  var sums = array<vec4f, 2>(vec4f(0.0), vec4f(0.0));
  for (var row = 0u; row < ROWS; row++) {
    sums[0] += hubRows[row];
    sums[1] += hubRows[ROWS + row];
  }
  return sums;
}

/** The hub at a place, the same for all of the workgroup. */
fn hubAt(place: u32, local: u32) -> Hub {
  if (local == 0u) {
    let bucket = COLOURS + 1u + place;
    let body = schedule[ORDER + COLOURS + place];
    // As many as the grain is mean masses heavy.
    let heavy = 1.0 / max(motion[2u * body].w, ${0.5 / HUB_ROUND}f);
    teamHub = Hub(body, schedule[bucket], schedule[bucket + 1u], u32(clamp(round(heavy), ${LEAST_HUB_ROUND}.0, ${HUB_ROUND}.0)));
  }
  return workgroupUniformLoad(&teamHub);
}

/** The contact with the copy of the hub that this invocation has. */
fn withCopy(pair: vec2u, hub: u32, copy: u32) -> vec2u {
  return select(vec2u(pair.x, copy), vec2u(copy, pair.y), (pair.x & ID_MASK) == hub);
}

/** One round of a grain's contacts: split, one contact for each copy, joined. */
fn hubRound(hub: Hub, first: u32, warm: bool, local: u32) {
  let count = min(hub.round, hub.end - first);
  let copy = arrayLength(&motion) / 2u - HUB_ROUND + local;
  let velocity = motion[2u * hub.body];
  let spin = motion[2u * hub.body + 1u];
  var gain = vec4f(0.0);
  var turn = vec4f(0.0);
  if (local < count) {
    motion[2u * copy] = vec4f(velocity.xyz, f32(count) * velocity.w);
    motion[2u * copy + 1u] = spin;
    let pair = withCopy(contactPairs[first + local], hub.body, copy);
    if (warm) { applyWarmBetween(first + local, pair); } else { updateBetween(first + local, pair); }
    gain = vec4f(motion[2u * copy].xyz - velocity.xyz, 0.0);
    turn = vec4f(motion[2u * copy + 1u].xyz - spin.xyz, 0.0);
  }
  let sums = hubSum(gain, turn, local);
  if (local == 0u) {
    motion[2u * hub.body] = velocity + sums[0] / f32(count);
    motion[2u * hub.body + 1u] = spin + sums[1] / f32(count);
  }
  storageBarrier();
}

#if ${options.pistons > 0}
struct Balance { velocity: f32, bearing: u32, done: u32 }
var<workgroup> teamBalance: Balance;

/** Piston velocity from which on the contact bears, and the mass with which it then answers: P_n = max(0, m (v - c)). */
fn onset(k: u32) -> vec2f {
  let grain = contactPairs[k].x & ID_MASK;
  let normal = normals[k];
  var acting = impulses[STRIDE * k].xyz;
  #if ${momentum}
  if (control.iteration > 0u) { acting += control.momentum * (acting - previousImpulses[STRIDE * k].xyz); }
  #endif
  let velocity = motion[2u * grain];
  let mass = normalMass(velocity.w, 0.0);
  return vec2f(max(normal.w, 0.0) - dot(normal.xyz, velocity.xyz) - dot(acting, normal.xyz) / mass, mass);
}

#if ${options.general}
/** Mass with which a contact answers a little more of the piston's velocity: 0 where its normal impulse stays as it is. */
fn normalSlope(stopping: f32, mass: f32, gap: f32, aim: Aim) -> f32 {
  let leaving = stopping + mass * aim.rebound;
  let closing = stopping - mass * gap;
  if (max(closing, min(leaving, aim.reboundImpulse)) >= 0.0) {
    return select(0.0, mass, closing >= aim.reboundImpulse || leaving < aim.reboundImpulse);
  }
  return select(0.0, mass, leaving < 0.0 && leaving >= -aim.pull);
}

struct Bounds { velocity: f32, least: f32, most: f32, done: u32 }
var<workgroup> teamBounds: Bounds;

/** M v + sum P_n(v) grows with v, with more than one bend: Newton's method between bounds that close in. */
fn balancePiston(hub: Hub, piston: Piston, first: f32, start: f32, local: u32) -> f32 {
  if (local == 0u) { teamBounds = Bounds(first, -1e30, 1e30, 0u); }
  for (var iteration = 0u; iteration < ${options.iterations}u; iteration++) {
    let bounds = workgroupUniformLoad(&teamBounds);
    if (bounds.done != 0u) { break; }
    var mine = vec4f(0.0);     // impulse, mass
    for (var k = hub.begin + local; k < hub.end; k += HUB_ROUND) {
      let at = onset(k);
      let gap = max(normals[k].w, 0.0);
      let stopping = at.y * (bounds.velocity - at.x + gap);
      let aim = aimOf(k);
      mine += vec4f(normalImpulse(stopping, at.y, gap, aim), normalSlope(stopping, at.y, gap, aim), 0.0, 0.0);
    }
    let sums = hubSum(mine, vec4f(0.0), local);
    if (local == 0u) {
      let excess = piston.mass * (bounds.velocity - start) - piston.force + sums[0].x;
      let least = select(bounds.velocity, bounds.least, excess > 0.0);
      let most = select(bounds.most, bounds.velocity, excess > 0.0);
      let newton = bounds.velocity - excess / (piston.mass + sums[0].y);
      let next = select(0.5 * (least + most), newton, newton > least && newton < most);
      teamBounds = Bounds(select(next, newton, newton == bounds.velocity), least, most, select(0u, 1u, newton == bounds.velocity));
    }
  }
  return workgroupUniformLoad(&teamBounds).velocity;
}
#endif

/** Newton's method for M v = M v_0 + F - sum P_n(v), then each contact as at a wall of that velocity. */
fn sweepPiston(hub: Hub, piston: Piston, local: u32) {
  let start = motion[2u * hub.body + 1u].w;
  let last = select(start, dot(motion[2u * hub.body].xyz, piston.normal), control.iteration > 0u);
  #if ${options.general}
  let velocity = balancePiston(hub, piston, last, start, local);
  #else
  if (local == 0u) { teamBalance = Balance(last, NONE, 0u); }
  for (var iteration = 0u; iteration < ${options.iterations}u; iteration++) {
    let balance = workgroupUniformLoad(&teamBalance);
    if (balance.done != 0u) { break; }
    var mine = vec4f(0.0);     // mass, momentum, contacts
    for (var k = hub.begin + local; k < hub.end; k += HUB_ROUND) {
      let at = onset(k);
      if (balance.velocity > at.x) { mine += vec4f(at.y, at.y * at.x, 1.0, 0.0); }
    }
    let sums = hubSum(mine, vec4f(0.0), local);
    if (local == 0u) {
      let bearing = u32(sums[0].z);
      let velocity = (piston.mass * start + piston.force + sums[0].y) / (piston.mass + sums[0].x);
      teamBalance = Balance(velocity, bearing, select(0u, 1u, bearing == balance.bearing));
    }
  }
  let velocity = workgroupUniformLoad(&teamBalance).velocity;
  #endif
  if (local == 0u) { motion[2u * hub.body] = vec4f(velocity * piston.normal, 0.0); }
  storageBarrier();
  for (var k = hub.begin + local; k < hub.end; k += HUB_ROUND) { updateBetween(k, contactPairs[k]); }
  storageBarrier();
}
#endif

@compute @workgroup_size(HUB_ROUND)
fn sweepHubs(@builtin(local_invocation_index) local: u32) {
  if (teamTail(local) == 0u) { return; }
  for (var place = 0u; place < HUBS; place++) {
    let hub = hubAt(place, local);
    if (hub.begin == hub.end) { continue; }
    #if ${options.pistons > 0}
    if (place < ${options.pistons}u) {
      sweepPiston(hub, pistons[place], local);
      continue;
    }
    #endif
    for (var first = hub.begin; first < hub.end; first += hub.round) { hubRound(hub, first, false, local); }
  }
  if (local == 0u) { control.iteration++; }
}

@compute @workgroup_size(HUB_ROUND)
fn warmHubs(@builtin(local_invocation_index) local: u32) {
  if (teamTail(local) == 0u) { return; }
  for (var place = 0u; place < HUBS; place++) {
    let hub = hubAt(place, local);
    if (place < ${options.pistons}u) {
      for (var k = hub.begin + local; k < hub.end; k += HUB_ROUND) { applyWarmBetween(k, contactPairs[k]); }
      storageBarrier();
      continue;
    }
    for (var first = hub.begin; first < hub.end; first += hub.round) { hubRound(hub, first, true, local); }
  }
}
`;
