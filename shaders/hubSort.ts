import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';

/** The contacts of each hub in order; spliced into hubs.ts. */
export const hubSort = wgsl`
var<workgroup> teamContacts: array<u32, TEAM_SIZE>;

/**
 * The contacts of each hub by their index, where the bucket of all hubs' contacts lies: sorted in runs, which are then merged by twos, to and
 * fro between the two buffers. A giant may have hundreds of thousands.
 */
@compute @workgroup_size(TEAM_SIZE)
fn sort(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  for (var place = group.x; ; place += groups.x) {
    let hub = hubAt(place, local);
    if (hub.body == NONE) { break; }
    let count = hub.end - hub.begin;
    // Merges that are still to come: after the last one they lie in the sequence.
    var merges = 0u;
    for (var run = TEAM_SIZE; run < count; run *= 2u) { merges++; }
    for (var block = 0u; block < count; block += TEAM_SIZE) {
      workgroupBarrier();
      let mine = contactIn(hub, false, block + local);
      teamContacts[local] = mine;
      workgroupBarrier();
      var rank = 0u;
      for (var k = 0u; k < TEAM_SIZE; k++) { rank += select(0u, 1u, teamContacts[k] < mine); }
      if (mine != NONE) { putContact(hub, merges % 2u == 0u, block + rank, mine); }
    }
    for (var run = TEAM_SIZE; run < count; run *= 2u) {
      storageBarrier();
      for (var own = local; own < count; own += TEAM_SIZE) { merge(hub, merges % 2u == 0u, own, run); }
      merges--;
    }
  }
}

/** A contact of a hub, in the sequence or in the list of its contacts; behind the last NONE. */
fn contactIn(hub: Turn, inSequence: bool, k: u32) -> u32 {
  if (k >= hub.end - hub.begin) { return NONE; }
  if (inSequence) { return sequence[schedule[HUB_BUCKET] + hub.begin + k]; }
  return hubContacts[hub.begin + k];
}

fn putContact(hub: Turn, inSequence: bool, k: u32, contact: u32) {
  if (inSequence) { sequence[schedule[HUB_BUCKET] + hub.begin + k] = contact; } else { hubContacts[hub.begin + k] = contact; }
}

/** Brings a contact from its run into the other buffer, behind all that are before it in its run and in the one beside. */
fn merge(hub: Turn, fromSequence: bool, own: u32, run: u32) {
  let mine = contactIn(hub, fromSequence, own);
  let first = (own / (2u * run)) * (2u * run);
  let isSecond = own - first >= run;
  let beside = min(select(first + run, first, isSecond), hub.end - hub.begin);
  var low = beside;
  var high = min(beside + run, hub.end - hub.begin);
  while (low < high) {
    let middle = (low + high) / 2u;
    if (contactIn(hub, fromSequence, middle) < mine) { low = middle + 1u; } else { high = middle; }
  }
  putContact(hub, !fromSequence, own + (low - beside) - select(0u, run, isSecond), mine);
}
`;
