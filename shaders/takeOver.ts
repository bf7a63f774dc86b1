import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { TAKING_OVER_COSINE, TAKING_OVER_GAP } from '../src/cpu/memory';
import type { FeatureImages } from '../src/cpu/walls';
import { AIM_ROWS } from './contactLaw';
import { sameSecond } from './sameSecond';

/**
 * How grains keep a collision under way, or a bond, where they go on from one feature of a mesh to another, as src/cpu/takeOver.ts has
 * it; for the module of memories.
 */
export const takeOver = (features: FeatureImages) => wgsl`
/** Bit of a last index that is the place of a contact which may take over a memory. */
const TAKER = 0x80000000u;

${sameSecond(features)}

fn isFeature(second: u32) -> bool { return (second & ID_MASK) >= ${features.first}u; }

fn goesOn(grain: u32, contact: u32, last: u32) -> bool {
  for (var c = contact; c < control.candidates && (pairs[c].x & ID_MASK) == grain && isFeature(pairs[c].y); c++) {
    if (isSame(pairs[c].y & ID_MASK, lastPairs[last].y & ID_MASK)) { return true; }
  }
  return false;
}

/** The first of a contact's grain at features. */
fn firstFeature(contact: u32) -> u32 {
  var begin = contact;
  for (; begin > 0u && (pairs[begin - 1u].x & ID_MASK) == (pairs[contact].x & ID_MASK) && isFeature(pairs[begin - 1u].y); begin--) {}
  return begin;
}

/** Whether what a contact of the last step remembers is a collision under way, or a bond. */
fn isBusy(last: u32) -> bool { return lastMemories[2u * last].x >= CLOSED || lastMemories[2u * last].w != UNBONDED; }

/** The contact at a feature that its grain has left which may give its memory to another, see takeOver; else NONE. */
fn giverTo(contact: u32) -> u32 {
  let grain = pairs[contact].x & ID_MASK;
  let begin = firstFeature(contact);
  var giver = NONE;
  for (var last = lastStarts[grain]; last < lastStarts[grain + 1u]; last++) {
    if (!isFeature(lastPairs[last].y) || !isBusy(last) || goesOn(grain, begin, last)) { continue; }
    if (giver == NONE || lastMemories[2u * last].y > lastMemories[2u * giver].y) { giver = last; }
  }
  return giver;
}

/** Finds for contacts at features that remember nothing what may give them its memory. */
@compute @workgroup_size(WORKGROUP_SIZE)
fn find(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let k = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (halted() || k >= control.candidates) { return; }
  let contact = sequence[k];
  let own = lastIndices[contact];
  if (!isFeature(pairs[contact].y) || (own != NONE && (lastMemories[2u * own].x != OPEN || isBusy(own)))) { return; }
  let giver = giverTo(contact);
  if (giver == NONE) { return; }
  lastIndices[contact] = k | TAKER;
  // In two parts, which single precision has exactly.
  memories[${AIM_ROWS}u * k] = vec4f(f32(giver >> 12u), f32(giver & 4095u), 0.0, 0.0);
}

/** The place k of a contact that may take over a memory, or NONE. */
fn takerAt(contact: u32) -> u32 {
  let last = lastIndices[contact];
  return select(last & ~TAKER, NONE, last == NONE || (last & TAKER) == 0u);
}

fn fits(k: u32, impulse: vec3f) -> bool {
  let meets = abs(dot(impulse, normals[k].xyz)) >= ${TAKING_OVER_COSINE}f * length(impulse);
  return normals[k].w <= ${TAKING_OVER_GAP}f && meets;
}

/** The contact whose memory contact k has, or NONE. */
fn rememberedBy(k: u32) -> u32 {
  let contact = sequence[k];
  if (takerAt(contact) == NONE) { return lastIndices[contact]; }
  let packed = memories[${AIM_ROWS}u * k];
  let giver = (u32(packed.x) << 12u) | u32(packed.y);
  let impulse = lastImpulses[STRIDE * giver].xyz;
  if (!fits(k, impulse)) { return NONE; }
  for (var c = firstFeature(contact); c < control.candidates && (pairs[c].x & ID_MASK) == (pairs[contact].x & ID_MASK); c++) {
    let other = takerAt(c);
    if (c == contact || other == NONE || !fits(other, impulse)) { continue; }
    if (normals[other].w < normals[k].w || (normals[other].w == normals[k].w && c < contact)) { return NONE; }
  }
  return giver;
}
`;
