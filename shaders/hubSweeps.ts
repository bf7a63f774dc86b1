import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { HUB_COLOURS, HUB_ROUND, LEAST_HUB_ROUND } from '../src/settings';
import { HUB_ROW, HUB_STARTS, type HubOptions } from './hubs';
import { pistonStruct } from './pistons';

/**
 * Sweeps over the contacts of hubs, at the end of each sweep; spliced into solve.ts. Grains come colour by colour, those of one at
 * once where there are many, then pistons. As the reference has it: a piston is solved together with all its contacts, a grain
 * stands for copies of itself. Where contacts lie in two buffers, those of pistons are in the first one, and what a round that lies in
 * both found in the first is kept for the second.
 */
export const hubSweeps = ({
  momentum,
  split = false,
  pistons,
  hubGrains,
  iterations,
  general,
}: HubOptions & { momentum: boolean; split?: boolean; iterations: number; general: boolean }) => wgsl`
const HUB_TABLE = ORDER + COLOURS;
const HUB_ROUND = ${HUB_ROUND}u;
const ROWS = 8u;
#if ${pistons > 0}
${pistonStruct}
@group(0) @binding(15) var<uniform> pistons: array<Piston, ${Math.max(1, pistons)}>;
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

/** A hub, the same for all of the workgroup. */
fn shareHub(hub: Hub, local: u32) -> Hub {
  if (local == 0u) { teamHub = hub; }
  return workgroupUniformLoad(&teamHub);
}

#if ${hubGrains}
/** A grain at a place in the order of the hubs; at the end of its colours its body is NONE. */
fn hubGrainAt(place: u32, colours: vec2u) -> Hub {
  if (place >= schedule[HUB_TABLE + colours.y]) { return Hub(NONE, 0u, 0u, 0u); }
  let row = HUB_TABLE + ${HUB_STARTS}u + ${HUB_ROW}u * place;
  let body = schedule[row];
  // As many as the grain is mean masses heavy.
  let heavy = 1.0 / max(motion[2u * body].w, ${0.5 / HUB_ROUND}f);
  return Hub(body, schedule[row + 1u], schedule[row + 2u], u32(clamp(round(heavy), ${LEAST_HUB_ROUND}.0, ${HUB_ROUND}.0)));
}

/** The hubs from one colour on to before another, hub by hub, of which this workgroup has every so many. */
fn sweepHubGrains(colours: vec2u, first: u32, stride: u32, warm: bool, local: u32) {
  for (var k = first; ; k += stride) {
    let hub = shareHub(hubGrainAt(schedule[HUB_TABLE + colours.x] + k, colours), local);
    if (hub.body == NONE) { break; }
    for (var begin = hub.begin; begin < hub.end; begin += hub.round) { hubRound(hub, begin, warm, local); }
  }
}

/** One round of a grain's contacts: split, one contact for each copy, joined. */
fn hubRound(hub: Hub, first: u32, warm: bool, local: u32) {
  let count = min(hub.round, hub.end - first);
  #if ${split}
  if (first + count <= PAGE_FIRST || first >= PAGE_END) { return; }
  #endif
  let velocity = motion[2u * hub.body];
  let spin = motion[2u * hub.body + 1u];
  var gain = Gain(vec3f(0.0), vec3f(0.0));
  let k = first + local;
  if (local < count && k >= PAGE_FIRST && k < PAGE_END) {
    let pair = contactPairs[k];
    let normal = normals[k];
    var at = motionOf(pair);
    let isFirst = (pair.x & ID_MASK) == hub.body;
    if (isFirst) { at.v1.w *= f32(count); } else { at.v2.w *= f32(count); }
    var change = Change(vec3f(0.0), vec3f(0.0));
    if (warm) { change = warmChange(k); } else { change = updateFrom(k, pair, normal, at); }
    let gains = gainsOf(pair, change, normal.xyz, at);
    if (isFirst) { gain = gains.first; } else { gain = gains.second; }
    addGains(pair | select(vec2u(0u, FIXED), vec2u(FIXED, 0u), isFirst), gains, at);
  }
  #if ${split}
  if (k < PAGE_FIRST) { gain = Gain(control.carried[2u * local].xyz, control.carried[2u * local + 1u].xyz); }
  if (first + count > PAGE_END) {
    control.carried[2u * local] = vec4f(gain.velocity, 0.0);
    control.carried[2u * local + 1u] = vec4f(gain.spin, 0.0);
    return;
  }
  #endif
  let sums = hubSum(vec4f(gain.velocity, 0.0), vec4f(gain.spin, 0.0), local);
  if (local == 0u) {
    motion[2u * hub.body] = velocity + sums[0] / f32(count);
    motion[2u * hub.body + 1u] = spin + sums[1] / f32(count);
  }
  storageBarrier();
}

/** A colour of hubs, a workgroup for each. */
@compute @workgroup_size(HUB_ROUND)
fn sweepHubColour(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  if (teamTail(local) != 0u) { sweepHubGrains(vec2u(slot.value, slot.value + 1u), group.x, groups.x, false, local); }
}

@compute @workgroup_size(HUB_ROUND)
fn warmHubColour(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  if (teamTail(local) != 0u) { sweepHubGrains(vec2u(slot.value, slot.value + 1u), group.x, groups.x, true, local); }
}
#endif

#if ${pistons > 0}
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

#if ${general}
/** Mass with which a contact answers a little more of the piston's velocity: 0 where its normal impulse stays as it is. */
fn normalSlope(stopping: f32, mass: f32, gap: f32, aim: Aim) -> f32 {
  let leaving = stopping + mass * aim.rebound;
  let closing = stopping - mass * gap;
  let most = workImpulse(stopping, mass, aim);
  if (max(closing, min(leaving, most)) >= 0.0) {
    let mean = 0.5 * (mass * aim.parting - stopping);
    let bent = 0.5 * mass * most * inverseSqrt(max(mean * mean + mass * aim.work, 1e-30));
    return select(bent, mass, closing >= most || leaving < most);
  }
  return select(0.0, mass, leaving < 0.0 && leaving >= -aim.pull);
}

struct Bounds { velocity: f32, least: f32, most: f32, done: u32 }
var<workgroup> teamBounds: Bounds;

/** M v + sum P_n(v) grows with v, with more than one bend: Newton's method between bounds that close in. */
fn balancePiston(hub: Hub, piston: Piston, first: f32, start: f32, local: u32) -> f32 {
  if (local == 0u) { teamBounds = Bounds(first, -1e30, 1e30, 0u); }
  for (var iteration = 0u; iteration < ${iterations}u; iteration++) {
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
  #if ${general}
  let velocity = balancePiston(hub, piston, last, start, local);
  #else
  if (local == 0u) { teamBalance = Balance(last, NONE, 0u); }
  for (var iteration = 0u; iteration < ${iterations}u; iteration++) {
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
  for (var k = hub.begin + local; k < hub.end; k += HUB_ROUND) { updateContact(k); }
  storageBarrier();
}
#endif

#if ${pistons > 0}
/** The contacts of a piston, in the same place among those of the pistons as the piston is. */
fn pistonAt(p: u32) -> Hub { return Hub(pistons[p].body, schedule[p], schedule[p + 1u], HUB_ROUND); }
#endif

/** Hubs of the colours from the slot's on, then the pistons. */
@compute @workgroup_size(HUB_ROUND)
fn sweepHubs(@builtin(local_invocation_index) local: u32) {
  if (teamTail(local) == 0u) { return; }
  #if ${hubGrains}
  sweepHubGrains(vec2u(slot.value, ${HUB_COLOURS + 1}u), 0u, 1u, false, local);
  #endif
  #if ${pistons > 0}
  for (var p = 0u; p < ${pistons}u; p++) {
    let hub = shareHub(pistonAt(p), local);
    if (hub.begin < hub.end) { sweepPiston(hub, pistons[p], local); }
  }
  #endif
  if (local == 0u) { control.iteration++; }
}

@compute @workgroup_size(HUB_ROUND)
fn warmHubs(@builtin(local_invocation_index) local: u32) {
  if (teamTail(local) == 0u) { return; }
  #if ${hubGrains}
  sweepHubGrains(vec2u(slot.value, ${HUB_COLOURS + 1}u), 0u, 1u, true, local);
  #endif
  #if ${pistons > 0}
  for (var p = 0u; p < ${pistons}u; p++) {
    let hub = shareHub(pistonAt(p), local);
    for (var k = hub.begin + local; k < hub.end; k += HUB_ROUND) { applyWarmImpulse(k); }
    storageBarrier();
  }
  #endif
}
`;
