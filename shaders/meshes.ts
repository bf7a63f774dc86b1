import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { bodies } from './bodies';
import { control, LATTICE_PER_DIAMETER } from './control';
import { forEachTriangle, type MeshOptions, meshFeatures } from './meshFeatures';
import { notes } from './notes';
import { pages } from './pages';

/** Candidates at the features of meshes, and their geometry: a search of its own after that of the other candidates. */
export const meshes = ({ meshes: count, moving, ...space }: MeshOptions) => wgsl`
${control}
${pages}
${bodies(space)}
@group(0) @binding(2) var<storage, read> lattice: array<vec4i>;
@group(0) @binding(3) var<storage, read> offsets: array<vec4f>;
@group(0) @binding(4) var<storage, read> reaches: array<vec2f>;
@group(0) @binding(5) var<storage, read> features: array<Feature>;
@group(0) @binding(6) var<storage, read> meshData: array<u32>;
@group(0) @binding(7) var<storage, read_write> starts: array<u32>;         // to count: numbers; to fill: where each grain's list begins
@group(0) @binding(8) var<storage, read_write> pairs: array<vec2u>;
@group(0) @binding(9) var<storage, read> sequence: array<u32>;
@group(0) @binding(10) var<storage, read_write> contactPairs: array<vec2u>;
@group(0) @binding(11) var<storage, read_write> normals: array<vec4f>;     // w: gap
${notes(13)}

${meshFeatures({ meshes: count, moving, ...space })}

/** Reads a grain. False where it never moves. */
fn readGrain(grain: u32) -> bool {
  q = lattice[grain];
  f = offsets[grain];
  return (u32(q.w) & FIXED) == 0u;
}

/** Cells of a mesh that the grain at hand may reach. */
fn enterMesh(grain: u32, index: u32) {
  mesh = meshAt(index);
  reach = reaches[grain].x + reaches[params.grains + mesh.wall].x;
  #if ${moving}
  _ = readGrain(grain);
  enterFrame(poses[index]);
  _ = foldIntoBox();
  reach += poses[index].thereRest.w;
  #endif
  range = f.w + reach;
  let units = vec3i(i32(ceil(range * ${LATTICE_PER_DIAMETER}f)) + ${space.periods ? 2 : 1});
  let seen = placeInParts() - mesh.origin;
  low = max((seen - units) / mesh.cellUnits, vec3i(0));
  high = min((seen + units) / mesh.cellUnits, mesh.dims - 1);
  // Divisions round towards zero: what lies wholly before the first cell has none.
  if (any(seen + units < vec3i(0))) { high = vec3i(-1); }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn count(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let grain = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (grain >= params.grains || halted() || !readGrain(grain)) { return; }
  let before = starts[grain];
  var found = 0u;
  for (var m = 0u; m < ${count}u; m++) {
    enterMesh(grain, m);
    ${forEachTriangle(wgsl`
          for (var place = 0u; place < 7u; place++) {
            let feature = touchedFeature(t, place);
            if (feature == NONE) { continue; }
            note(grain, before + found, params.grains + params.walls + mesh.firstFeature + feature);
            found++;
          }`)}
  }
  starts[grain] = before + found;
}

/** For grains with more candidates than were noted. The features come last in a grain's list: they are sorted into its end. */
@compute @workgroup_size(WORKGROUP_SIZE)
fn fill(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let grain = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (grain >= params.grains || halted() || !readGrain(grain)) { return; }
  let end = starts[grain + 1u];
  if (end - starts[grain] <= params.notes) { return; }
  var begin = end;
  for (var m = 0u; m < ${count}u; m++) {
    enterMesh(grain, m);
    ${forEachTriangle(wgsl`
          for (var place = 0u; place < 7u; place++) {
            let feature = touchedFeature(t, place);
            if (feature == NONE) { continue; }
            let second = (params.grains + params.walls + mesh.firstFeature + feature) | FIXED;
            begin--;
            var slot = begin;
            for (; slot + 1u < end && pairs[slot + 1u].y < second; slot++) { pairs[slot] = pairs[slot + 1u]; }
            pairs[slot] = vec2u(grain, second);
          }`)}
  }
}

/** Geometry of contacts at features, which from then on name the wall as their second body. */
@compute @workgroup_size(WORKGROUP_SIZE)
fn place(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let k = PAGE_FIRST + flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (halted() || k >= endOfContacts()) { return; }
  let pair = pairs[sequence[k]];
  let second = pair.y & ID_MASK;
  if (second < params.grains + params.walls) { return; }
  _ = readGrain(pair.x & ID_MASK);
  let feature = features[second - params.grains - params.walls];
  #if ${moving}
  let index = u32(feature.fraction.w);
  enterFrame(poses[index]);
  let fold = foldIntoBox();
  let start = featureGeometry(feature);
  var normal = outOfFrame(poses[index], start.normal);
  if (poses[index].there.w != 0) {
    // Of what turns the normal is that of the step's end, of a facet to the side that is met.
    _ = readGrain(pair.x & ID_MASK);
    enterFrame(poses[index + ${count}u]);
    q += fold;
    let end = outOfFrame(poses[index + ${count}u], featureGeometry(feature).normal);
    normal = select(end, -end, feature.high.w == FACET && dot(end, normal) < 0.0);
  }
  normals[k] = vec4f(normal, start.gap);
  #else
  let geometry = featureGeometry(feature);
  normals[k] = vec4f(geometry.normal, geometry.gap);
  #endif
  contactPairs[k] = vec2u(pair.x, u32(feature.anchor.w) | FIXED);
}
`;
