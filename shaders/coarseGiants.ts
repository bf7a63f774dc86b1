import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { PAIRS } from './coarseField';

/** Grains whose contacts a workgroup sums together, in a fixed order, where one invocation would take long; for the module of the coarse level. */
export const coarseGiants = wgsl`
/** With more contacts than this. */
const GIANT = TEAM_SIZE;

var<workgroup> giantBits: array<atomic<u32>, 2>;
var<workgroup> teamGiants: vec2u;
var<workgroup> teamMembers: vec2u;

/** Which invocations have one, by bits; the same for all of a workgroup. */
fn giantsOf(has: bool, local: u32) -> vec2u {
  if (has) { atomicOr(&giantBits[local / 32u], 1u << (local % 32u)); }
  workgroupBarrier();
  if (local == 0u) { teamGiants = vec2u(atomicExchange(&giantBits[0], 0u), atomicExchange(&giantBits[1], 0u)); }
  return workgroupUniformLoad(&teamGiants);
}

fn isGiant(grain: Member) -> bool { return grain.end - grain.begin > GIANT && grain.inverseMass > 0.0; }

fn firstGiant(bits: vec2u) -> u32 { return select(firstTrailingBit(bits.x), 32u + firstTrailingBit(bits.y), bits.x == 0u); }
fn withoutFirst(bits: vec2u) -> vec2u { return select(vec2u(bits.x & (bits.x - 1u), bits.y), vec2u(0u, bits.y & (bits.y - 1u)), bits.x == 0u); }

/** Responses of the grains of a cell, then of the giants among them, which go to the first invocation. */
fn addMembers(cell: u32, local: u32, couplings: ptr<function, array<f32, ${PAIRS}>>) {
  let end = startOfMembers(cell + 1u);
  var has = false;
  for (var at = startOfMembers(cell) + local; at < end; at += TEAM_SIZE) {
    let grain = memberAt(at);
    if (isGiant(grain)) { has = true; } else { addResponse(grain, couplings); }
  }
  if (all(giantsOf(has, local) == vec2u(0u))) { return; }
  if (local == 0u) { teamMembers = vec2u(startOfMembers(cell), end); }
  let members = workgroupUniformLoad(&teamMembers);
  for (var first = members.x; first < members.y; first += TEAM_SIZE) {
    has = first + local < members.y;
    if (has) { has = isGiant(memberAt(first + local)); }
    for (var giants = giantsOf(has, local); any(giants != vec2u(0u)); giants = withoutFirst(giants)) {
      let giant = memberAt(first + firstGiant(giants));
      var forces = array<vec3f, 8>();
      var turns = array<vec3f, 8>();
      addSides(giant, local, TEAM_SIZE, &forces, &turns);
      for (var m = 0u; m < CORNERS; m++) {
        forces[m] = teamReduce(vec4f(forces[m], 0.0), local).xyz;
        turns[m] = teamReduce(vec4f(turns[m], 0.0), local).xyz;
      }
      if (local == 0u) { addPairs(giant, &forces, &turns, couplings); }
    }
  }
}
`;
