import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import type { FeatureImages } from '../src/cpu/walls';
import { bodies } from './bodies';
import { control, SORT_BLOCK } from './control';
import { HUB_CONTACT, type HubOptions, hubPlaces } from './hubs';
import { proposal } from './proposal';
import { sameSecond } from './sameSecond';

export interface ColouringOptions {
  /** Colours there are: 32 times this. */
  colourWords: number;
  /** Bodies whose contacts have no colours. */
  hubs: HubOptions;
  /** Which features of meshes are images of each other; absent: none. */
  features?: FeatureImages;
}

/** In place of a colour: all were taken. Not the number of colours, since there may be more in the next step. */
const ALL_TAKEN = 0x7fffffff;

/** Contacts in a colour above which it earns dispatches of its own; smaller ones share one workgroup, the tail: two of its rounds take about as long as a dispatch. */
export const LARGE_COLOUR = 512;

/**
 * Colours contacts so that no two of one colour share a body that moves. Contacts that persist keep their colour; each new
 * one proposes itself at its bodies by a hash of its index, and the highest at both takes the first free colour. What finds
 * none is kept in a bucket after the last colour. A function of the pairs and of the last colours alone.
 */
export const colouring = ({ colourWords, hubs, features }: ColouringOptions) => wgsl`
${control}
${bodies()}
${proposal}
const WORDS = ${colourWords}u;
const COLOURS = ${32 * colourWords}u;
@group(0) @binding(2) var<storage, read> pairs: array<vec2u>;
@group(0) @binding(3) var<storage, read_write> colours: array<u32>;
@group(0) @binding(4) var<storage, read_write> masks: array<atomic<u32>>;     // WORDS of each grain: colours taken
@group(0) @binding(5) var<storage, read_write> claims: array<atomic<u32>>;    // of each grain: the highest proposal
@group(0) @binding(6) var<storage, read> lastPairs: array<vec2u>;
@group(0) @binding(7) var<storage, read> lastStarts: array<u32>;
@group(0) @binding(8) var<storage, read> lastColours: array<u32>;
@group(0) @binding(9) var<storage, read_write> lastIndices: array<u32>;       // where a contact was in the last step, or NONE

fn moves(body: u32) -> bool { return (body & FIXED) == 0u; }

fn take(body: u32, colour: u32) {
  if (moves(body)) { atomicOr(&masks[body * WORDS + colour / 32u], 1u << (colour % 32u)); }
}

${sameSecond(features)}

/** Finds each contact in the last step by its pair, and keeps its colour. */
@compute @workgroup_size(WORKGROUP_SIZE)
fn carryOver(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let contact = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (halted() || contact >= control.candidates) { return; }
  let pair = pairs[contact];
  let grain = pair.x & ID_MASK;
  var last = NONE;
  for (var k = lastStarts[grain]; k < lastStarts[grain + 1u]; k++) {
    if (isSame(lastPairs[k].y & ID_MASK, pair.y & ID_MASK)) { last = k; }
  }
  var colour = NONE;
  #if ${hubPlaces(hubs) > 0}
  colour = colours[contact];
  #endif
  if (colour == NONE && last != NONE && lastColours[last] < COLOURS) {
    colour = lastColours[last];
    take(pair.x, colour);
    take(pair.y, colour);
  }
  lastIndices[contact] = last;
  colours[contact] = colour;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn propose(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let contact = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (halted() || contact >= control.candidates || colours[contact] != NONE) { return; }
  let pair = pairs[contact];
  let mine = proposal(contact);
  if (moves(pair.x)) { atomicMax(&claims[pair.x], mine); }
  if (moves(pair.y)) { atomicMax(&claims[pair.y], mine); }
}

/** True where the body does not matter or this proposal is its highest, which is then withdrawn for the next round. */
fn wins(body: u32, mine: u32) -> bool {
  if (!moves(body)) { return true; }
  return atomicCompareExchangeWeak(&claims[body], mine, 0u).old_value == mine;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn commit(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let contact = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (halted() || contact >= control.candidates || colours[contact] != NONE) { return; }
  let pair = pairs[contact];
  let mine = proposal(contact);
  let winsFirst = wins(pair.x, mine);
  let winsSecond = wins(pair.y, mine);
  if (!winsFirst || !winsSecond) { return; }
  var colour = COLOURS;
  for (var word = 0u; word < WORDS && colour == COLOURS; word++) {
    var taken = 0u;
    if (moves(pair.x)) { taken |= atomicLoad(&masks[pair.x * WORDS + word]); }
    if (moves(pair.y)) { taken |= atomicLoad(&masks[pair.y * WORDS + word]); }
    if (taken != NONE) { colour = 32u * word + firstTrailingBit(~taken); }
  }
  colours[contact] = select(${ALL_TAKEN}u, colour, colour < COLOURS);
  if (colour < COLOURS) {
    take(pair.x, colour);
    take(pair.y, colour);
  }
}
`;

/** 8 KiB of shared memory, of 16 that every adapter has. */
const MARKED_COLOURS = 256;

/**
 * Sorts contacts by colour, stably: numbers of each colour in each block of contacts, (scan,) then each contact's rank among
 * those of its colour in its block. The contacts of each piston come first, the uncoloured after all colours, then those of all hub grains.
 */
export const bucket = ({ colourWords, hubs }: ColouringOptions) => wgsl`
${control}
const COLOURS = ${32 * colourWords}u;
const PISTONS = ${hubs.pistons}u;
const BUCKETS = COLOURS + ${1 + hubPlaces(hubs)}u;
const SORT_BLOCK = ${SORT_BLOCK}u;
@group(0) @binding(2) var<storage, read> colours: array<u32>;
@group(0) @binding(3) var<storage, read_write> blockCounts: array<u32>;       // by bucket, then by block
@group(0) @binding(4) var<storage, read> blockStarts: array<u32>;
@group(0) @binding(5) var<storage, read_write> sequence: array<u32>;          // contacts by colour
@group(0) @binding(6) var<storage, read_write> schedule: array<u32>;          // BUCKETS + 1 starts, the order of the colours, the table of hubs (hubs.ts)

var<workgroup> counts: array<atomic<u32>, ${32 * colourWords + 1 + hubPlaces(hubs)}>;
/** Colours whose contacts are told apart at once, and for each a bit for each contact of the block. */
const MARKED = ${Math.min(MARKED_COLOURS, 32 * colourWords + 1 + hubPlaces(hubs))}u;
const MARK_WORDS = SORT_BLOCK / 32u;
var<workgroup> marks: array<atomic<u32>, MARKED * MARK_WORDS>;

fn colourOf(contact: u32) -> u32 {
  if (contact >= control.candidates) { return NONE; }
  let colour = colours[contact];
  let hub = colour ^ ${HUB_CONTACT}u;
  return select(PISTONS + min(colour, COLOURS), select(hub, BUCKETS - 1u, hub == PISTONS), hub <= PISTONS);
}

@compute @workgroup_size(SORT_BLOCK)
fn histogram(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  if (teamHalted(local)) { return; }
  let block = group.y * groups.x + group.x;
  for (var colour = local; colour < BUCKETS; colour += SORT_BLOCK) { atomicStore(&counts[colour], 0u); }
  workgroupBarrier();
  let colour = colourOf(block * SORT_BLOCK + local);
  if (colour != NONE) { atomicAdd(&counts[colour], 1u); }
  workgroupBarrier();
  if (block >= params.blocks) { return; }
  for (var c = local; c < BUCKETS; c += SORT_BLOCK) { blockCounts[c * params.blocks + block] = atomicLoad(&counts[c]); }
}

@compute @workgroup_size(SORT_BLOCK)
fn sortByColour(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  if (teamHalted(local)) { return; }
  let block = group.y * groups.x + group.x;
  let contact = block * SORT_BLOCK + local;
  let colour = colourOf(contact);
  var rank = 0u;
  for (var base = 0u; base < BUCKETS; base += MARKED) {
    for (var k = local; k < MARKED * MARK_WORDS; k += SORT_BLOCK) { atomicStore(&marks[k], 0u); }
    workgroupBarrier();
    let own = (colour - base) * MARK_WORDS;
    let marked = colour >= base && colour - base < MARKED;
    if (marked) { atomicOr(&marks[own + local / 32u], 1u << (local % 32u)); }
    workgroupBarrier();
    if (marked) {
      for (var word = 0u; word < local / 32u; word++) { rank += countOneBits(atomicLoad(&marks[own + word])); }
      rank += countOneBits(atomicLoad(&marks[own + local / 32u]) & ((1u << (local % 32u)) - 1u));
    }
    workgroupBarrier();
  }
  if (colour == NONE) { return; }
  sequence[blockStarts[colour * params.blocks + block] + rank] = contact;
}

/** Where each bucket begins, how many there are, and their order until it is drawn anew. */
@compute @workgroup_size(1)
fn tabulate() {
  if (halted()) { return; }
  var used = 0u;
  var large = 0u;
  var taken = 0u;
  var next = blockStarts[0];
  for (var bucket = 0u; bucket < BUCKETS; bucket++) {
    let start = next;
    let end = blockStarts[(bucket + 1u) * params.blocks];
    next = end;
    schedule[bucket] = start;
    // Wraps around for pistons.
    let colour = bucket - PISTONS;
    if (colour < COLOURS) {
      schedule[BUCKETS + 1u + colour] = colour;
      if (end > start) { used = colour + 1u; }
      if (end - start > ${LARGE_COLOUR}u) { large = colour + 1u; }
    } else if (colour == COLOURS) {
      control.uncoloured = end - start;
    } else if (bucket < PISTONS) {
      taken += select(0u, 1u, end > start);
    }
  }
  schedule[BUCKETS] = control.candidates;
  control.hubs = taken;
  control.colours = used;
  control.largeColours = large;
  if (control.candidates == 0u) {
    control.stopped = 1u;
    control.converged = 1u;
    control.residual = 0.0;
    control.residualMax = 0.0;
    control.meanImpulse = 0.0;
    control.bearing = 0u;
    control.balance = 0.0;
  }
}
`;
