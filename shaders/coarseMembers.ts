import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';

/**
 * The grains of the coarse cells with their contacts, for shaders/coarse.ts. Where contacts lie in two buffers, both are bound at once
 * here, which leaves no room for what grains have in other buffers: `gather` puts that together first.
 */
export const coarseMembers = ({ split }: { split: boolean }) => wgsl`
/** A grain, the place of it, and where its contacts are listed. */
struct Member { place: vec3f, inverseMass: f32, radius: f32, begin: u32, end: u32 }

#if ${split}
@group(0) @binding(14) var<storage, read> normals0: array<vec4f>;
@group(0) @binding(15) var<storage, read> normals1: array<vec4f>;
@group(0) @binding(16) var<storage, read> impulses0: array<vec4f>;
@group(0) @binding(17) var<storage, read> impulses1: array<vec4f>;

fn sideAt(e: u32) -> u32 { return coarseSides[e]; }
fn startOfMembers(cell: u32) -> u32 { return coarseMembers[2u * params.grains + cell].x; }

fn memberAt(at: u32) -> Member {
  let own = bitcast<vec4f>(coarseMembers[2u * at]);
  let more = coarseMembers[2u * at + 1u];
  return Member(own.xyz, own.w, bitcast<f32>(more.x), more.y, more.z);
}

fn impulseRow(k: u32, row: u32) -> vec4f {
  // As many contacts as there are normals: the first buffer of the impulses may have room for more.
  if (k < arrayLength(&normals0)) { return impulses0[STRIDE * k + row]; }
  return impulses1[STRIDE * (k - arrayLength(&normals0)) + row];
}

fn normalAt(k: u32) -> vec3f {
  if (k < arrayLength(&normals0)) { return normals0[k].xyz; }
  return normals1[k - arrayLength(&normals0)].xyz;
}

/** The grains by cell. */
@compute @workgroup_size(WORKGROUP_SIZE)
fn gather(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  if (control.stopped != 0u || halted() || control.coarse.wanted == 0u) { return; }
  let at = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (at <= control.coarse.cells) { coarseMembers[2u * params.grains + at].x = startOfCell(at) - startOfGrains(); }
  if (at >= params.grains) { return; }
  let grain = coarseLists[startOfGrains() + at];
  coarseMembers[2u * at] = bitcast<vec4u>(vec4f(gridPlace(lattice[grain]), motion[2u * grain].w));
  let radius = bitcast<u32>(motion[2u * grain + 1u].w);
  coarseMembers[2u * at + 1u] = vec4u(radius, startOfSides(grain), startOfSides(grain + 1u), 0u);
}
#else
fn sideAt(e: u32) -> u32 { return coarseLists[e]; }
fn startOfMembers(cell: u32) -> u32 { return startOfCell(cell); }

fn memberAt(at: u32) -> Member {
  let grain = coarseLists[at];
  let radius = motion[2u * grain + 1u].w;
  return Member(gridPlace(lattice[grain]), motion[2u * grain].w, radius, startOfSides(grain), startOfSides(grain + 1u));
}

fn impulseRow(k: u32, row: u32) -> vec4f { return impulses[STRIDE * k + row]; }
fn normalAt(k: u32) -> vec3f { return normals[k].xyz; }
#endif
`;
