import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { HUB_COLOURS, HUB_DEGREE, HUB_SIZE_RATIO } from '../src/settings';
import { bodies } from './bodies';
import { control } from './control';
import { hubSort } from './hubSort';
import { pistonStruct } from './pistons';
import { proposal } from './proposal';

/** Marks a contact in place of a colour: it belongs to the piston that the other bits give, or to one of the grains that are hubs. */
export const HUB_CONTACT = 0x80000000;

/** The hubs that there may be: bodies whose contacts leave the colouring. */
export interface HubOptions {
  pistons: number;
  /** Sizes of grains differ so much that some may be hubs. */
  hubGrains: boolean;
}

/** Where contacts without a colour are kept apart: a place for each piston, one for all grains that are hubs. */
export const hubPlaces = ({ pistons, hubGrains }: HubOptions): number => pistons + (hubGrains ? 1 : 0);

/** Words of the table of hubs in the schedule: where each of their colours begins, then body, begin and end of each. */
export const HUB_STARTS = HUB_COLOURS + 2;
export const HUB_ROW = 3;
export const hubTableWords = (hubGrains: number): number => (hubGrains > 0 ? HUB_STARTS + HUB_ROW * hubGrains : 0);

/** Grains that may be hubs where there are so many candidates. */
export function mostHubGrains(grains: number, candidates: number): number {
  return Math.min(grains, Math.ceil((2 * candidates) / (HUB_DEGREE + 1)));
}

/**
 * Chooses the hubs and marks their contacts, before the others are coloured: every piston, and every grain with more candidates than
 * HUB_DEGREE, of whose contacts those are marked that are with much smaller grains. Then hubs get colours, so that no two of one share a body that moves nor touch each other. `hubOf`, `hubCounts` and
 * `hubMasks` must be zero before.
 */
export const hubs = ({ pistons, hubGrains, colourWords }: HubOptions & { colourWords: number }) => wgsl`
${control}
${bodies()}
${pistonStruct}
${proposal}
/** Colour: below HUB_COLOURS; HUB_COLOURS: all were taken; NONE: none yet, or it has no contacts of its own. */
struct HubGrain { body: u32, colour: u32 }
@group(0) @binding(2) var<storage, read> pairs: array<vec2u>;
@group(0) @binding(3) var<storage, read_write> hubOf: array<atomic<u32>>;       // of each body: its candidates, 1 for a hub, then its place plus 1, pistons first, or 0
@group(0) @binding(4) var<storage, read_write> hubs: array<HubGrain>;           // by place, which goes by id
@group(0) @binding(5) var<storage, read_write> colours: array<u32>;
@group(0) @binding(6) var<storage, read> lattice: array<vec4i>;
@group(0) @binding(7) var<storage, read> hubSums: array<u32>;                   // of each grain: hubs before it; then of each hub: contacts of those before it
@group(0) @binding(8) var<storage, read_write> hubCounts: array<atomic<u32>>;   // of each hub: contacts that are not listed yet
@group(0) @binding(9) var<storage, read_write> hubContacts: array<u32>;         // by hub, in any order
@group(0) @binding(10) var<storage, read_write> hubMasks: array<atomic<u32>>;   // of each body: colours of hubs that it touches or is
@group(0) @binding(11) var<storage, read_write> claims: array<atomic<u32>>;     // of each grain: the highest proposal
@group(0) @binding(12) var<storage, read_write> schedule: array<u32>;           // see colouring.ts
@group(0) @binding(13) var<storage, read_write> sequence: array<u32>;
@group(0) @binding(14) var<storage, read> offsets: array<vec4f>;
#if ${pistons > 0}
@group(0) @binding(15) var<uniform> pistons: array<Piston, ${Math.max(1, pistons)}>;
#endif

const PISTONS = ${pistons}u;
const HUB_COLOURS = ${HUB_COLOURS}u;
/** In the schedule: where the contacts of hub grains begin, and the table of hubs. */
const HUB_BUCKET = ${32 * colourWords + 1}u + PISTONS;
const HUB_TABLE = ${64 * colourWords + 3}u + PISTONS;

#if ${pistons > 0}
@compute @workgroup_size(1)
fn choosePistons() {
  if (halted()) { return; }
  for (var p = 0u; p < PISTONS; p++) { atomicStore(&hubOf[pistons[p].body], p + 1u); }
}
#endif

/**
 * The hub that a contact is left to, by its place among pistons, then hub grains: a piston, or a grain ${HUB_SIZE_RATIO} times as large as
 * the other. NONE: the contact is coloured.
 */
fn ownerOf(pair: vec2u) -> u32 {
  let first = pair.x & ID_MASK;
  let second = pair.y & ID_MASK;
  // Features of meshes have numbers beyond those of the bodies.
  if (second >= params.bodies) { return NONE; }
  // Wraps around where the body is no hub.
  if (second >= params.grains) { return atomicLoad(&hubOf[second]) - 1u; }
  #if ${hubGrains}
  let radii = vec2f(offsets[first].w, offsets[second].w);
  if (radii.x > ${HUB_SIZE_RATIO}f * radii.y) { return atomicLoad(&hubOf[first]) - 1u; }
  if (radii.y > ${HUB_SIZE_RATIO}f * radii.x) { return atomicLoad(&hubOf[second]) - 1u; }
  #endif
  return NONE;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn mark(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let contact = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (halted() || contact >= control.candidates) { return; }
  let owner = ownerOf(pairs[contact]);
  colours[contact] = select(${HUB_CONTACT}u | min(owner, PISTONS), NONE, owner == NONE);
  #if ${hubGrains}
  if (owner != NONE && owner >= PISTONS) { atomicAdd(&hubCounts[owner - PISTONS], 1u); }
  #endif
}
${hubGrains ? chooseGrains : ''}
`;

const chooseGrains = wgsl`
@compute @workgroup_size(WORKGROUP_SIZE)
fn countDegrees(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let contact = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (halted() || contact >= control.candidates) { return; }
  atomicAdd(&hubOf[pairs[contact].x & ID_MASK], 1u);
  let second = pairs[contact].y & ID_MASK;
  if (second < params.grains) { atomicAdd(&hubOf[second], 1u); }
}

/** 1 for each grain that is a hub, else 0. */
@compute @workgroup_size(WORKGROUP_SIZE)
fn flag(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let grain = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (halted() || grain >= params.grains) { return; }
  let moves = (u32(lattice[grain].w) & FIXED) == 0u;
  atomicStore(&hubOf[grain], select(0u, 1u, moves && atomicLoad(&hubOf[grain]) > ${HUB_DEGREE}u));
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn list(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let grain = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (halted() || grain >= params.grains) { return; }
  if (grain == 0u) { control.hubGrains = hubSums[params.grains]; }
  if (atomicLoad(&hubOf[grain]) == 0u) { return; }
  let place = hubSums[grain];
  hubs[place] = HubGrain(grain, NONE);
  atomicStore(&hubOf[grain], PISTONS + place + 1u);
}

/** In whatever order; what is done with them does not depend on it, and \`sort\` sorts them. */
@compute @workgroup_size(WORKGROUP_SIZE)
fn gather(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let contact = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (halted() || contact >= control.candidates) { return; }
  let owner = ownerOf(pairs[contact]);
  if (owner == NONE || owner < PISTONS) { return; }
  let place = owner - PISTONS;
  hubContacts[hubSums[place] + atomicSub(&hubCounts[place], 1u) - 1u] = contact;
}

struct Turn { body: u32, begin: u32, end: u32, colour: u32 }
var<workgroup> teamTurn: Turn;
var<workgroup> teamWins: atomic<u32>;
var<workgroup> teamUsed: atomic<u32>;

/** The hub at a place, the same for all of the workgroup; behind the last its body is NONE. */
fn hubAt(place: u32, local: u32) -> Turn {
  if (local == 0u) {
    teamTurn = Turn(NONE, 0u, 0u, 0u);
    if (!halted() && place < control.hubGrains) {
      teamTurn = Turn(hubs[place].body, hubSums[place], hubSums[place + 1u], hubs[place].colour);
    }
    atomicStore(&teamWins, 1u);
    atomicStore(&teamUsed, 0u);
  }
  return workgroupUniformLoad(&teamTurn);
}

/** What a hub touches, by the order of its contacts, and the hub itself behind them; NONE where that never moves. */
fn partner(hub: Turn, k: u32) -> u32 {
  if (hub.begin + k == hub.end) { return hub.body; }
  let pair = pairs[hubContacts[hub.begin + k]];
  let other = select(pair.x, pair.y, (pair.x & ID_MASK) == hub.body);
  return select(other, NONE, (other & FIXED) != 0u);
}

fn isWaiting(hub: Turn) -> bool { return hub.colour == NONE && hub.begin < hub.end; }

/** A workgroup for each hub that has no colour yet. */
@compute @workgroup_size(TEAM_SIZE)
fn propose(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  for (var place = group.x; ; place += groups.x) {
    let hub = hubAt(place, local);
    if (hub.body == NONE) { break; }
    if (!isWaiting(hub)) { continue; }
    let mine = proposal(hub.body);
    for (var k = local; k <= hub.end - hub.begin; k += TEAM_SIZE) {
      let body = partner(hub, k);
      if (body != NONE) { atomicMax(&claims[body], mine); }
    }
  }
}

/** The highest at all bodies takes the first colour that is free at all of them; its proposals are withdrawn. */
@compute @workgroup_size(TEAM_SIZE)
fn commit(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  for (var place = group.x; ; place += groups.x) {
    let hub = hubAt(place, local);
    if (hub.body == NONE) { break; }
    if (!isWaiting(hub)) { continue; }
    let mine = proposal(hub.body);
    for (var k = local; k <= hub.end - hub.begin; k += TEAM_SIZE) {
      let body = partner(hub, k);
      if (body == NONE) { continue; }
      if (atomicLoad(&claims[body]) != mine) { atomicStore(&teamWins, 0u); }
      atomicOr(&teamUsed, atomicLoad(&hubMasks[body]));
    }
    workgroupBarrier();
    if (atomicLoad(&teamWins) != 0u) { take(hub, place, min(firstTrailingBit(~atomicLoad(&teamUsed)), HUB_COLOURS), local); }
    workgroupBarrier();
  }
}

/** With a bit for the colour, where there is one left. */
fn take(hub: Turn, place: u32, colour: u32, local: u32) {
  for (var k = local; k <= hub.end - hub.begin; k += TEAM_SIZE) {
    let body = partner(hub, k);
    if (body == NONE) { continue; }
    atomicStore(&claims[body], 0u);
    if (colour < HUB_COLOURS) { atomicOr(&hubMasks[body], 1u << colour); }
  }
  if (local == 0u) { hubs[place].colour = colour; }
}

/** What the rounds left over. */
@compute @workgroup_size(TEAM_SIZE)
fn finish(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  for (var place = group.x; ; place += groups.x) {
    let hub = hubAt(place, local);
    if (hub.body == NONE) { break; }
    if (isWaiting(hub)) { take(hub, place, HUB_COLOURS, local); }
  }
}

/** Hubs of each colour among those that an invocation has; then where its hubs of that colour go. */
var<workgroup> hubCountsOf: array<u32, TEAM_SIZE * (HUB_COLOURS + 1u)>;

/** Hubs by colour, then by id, with their contacts as \`sort\` leaves them. One workgroup, of which each invocation has a stretch of hubs. */
@compute @workgroup_size(TEAM_SIZE)
fn order(@builtin(local_invocation_index) local: u32) {
  if (teamHalted(local)) { return; }
  let each = (control.hubGrains + TEAM_SIZE - 1u) / TEAM_SIZE;
  let begin = min(local * each, control.hubGrains);
  let end = min(begin + each, control.hubGrains);
  for (var colour = 0u; colour <= HUB_COLOURS; colour++) { hubCountsOf[colour * TEAM_SIZE + local] = 0u; }
  for (var place = begin; place < end; place++) {
    if (hubs[place].colour != NONE) { hubCountsOf[hubs[place].colour * TEAM_SIZE + local]++; }
  }
  workgroupBarrier();
  if (local == 0u) { sumHubs(); }
  workgroupBarrier();
  let first = schedule[HUB_BUCKET];
  for (var place = begin; place < end; place++) {
    let colour = hubs[place].colour;
    if (colour == NONE) { continue; }
    let row = HUB_TABLE + ${HUB_STARTS}u + ${HUB_ROW}u * hubCountsOf[colour * TEAM_SIZE + local];
    hubCountsOf[colour * TEAM_SIZE + local]++;
    schedule[row] = hubs[place].body;
    schedule[row + 1u] = first + hubSums[place];
    schedule[row + 2u] = first + hubSums[place + 1u];
  }
}

/** Prefix sums of what was counted, where each colour begins, and how many there are. */
fn sumHubs() {
  var sum = 0u;
  control.hubColours = 0u;
  control.hubsAtOnce = 0u;
  for (var colour = 0u; colour <= HUB_COLOURS; colour++) {
    schedule[HUB_TABLE + colour] = sum;
    for (var k = colour * TEAM_SIZE; k < (colour + 1u) * TEAM_SIZE; k++) {
      let own = hubCountsOf[k];
      hubCountsOf[k] = sum;
      sum += own;
    }
    let own = sum - schedule[HUB_TABLE + colour];
    if (own == 0u) { continue; }
    control.hubs++;
    if (colour == HUB_COLOURS) { continue; }
    control.hubColours = colour + 1u;
    control.hubsAtOnce = max(control.hubsAtOnce, own);
  }
  schedule[HUB_TABLE + HUB_COLOURS + 1u] = sum;
}
${hubSort}
`;
