import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { bodies, type SpaceOptions, type WallOptions, wallAfter } from './bodies';
import { control } from './control';
import { cells } from './grid';

/** Runs statements for each `other` grain that makes a pair with `grain`, in the 27 cells around. */
const forEachCandidate = (statements: string) => wgsl`
  let layers = layersBeside();
  for (var z = -layers; z <= layers; z++) {
    for (var y = -1; y <= 1; y++) {
      for (var x = -1; x <= 1; x++) {
        let cell = neighbourIndex(wrapped, x, y, z);
        for (var k = linked[cell]; k < linked[cell + 1u]; k++) {
          let other = linked[params.cells + 1u + k];
          if (!isCandidate(grain, q, f, reach, other)) { continue; }
          ${statements}
        }
      }
    }
  }`;

/**
 * Pairs whose gap can close in this step: the first body is the smaller grain (ties: the lower id), so that no grain owns a
 * long list; lists are sorted by the second body, walls last. Run twice, to count and to fill.
 */
export const candidates = (space: SpaceOptions & WallOptions) => wgsl`
${control}
${bodies(space)}
${wallAfter}
${cells(space)}
@group(0) @binding(2) var<storage, read> lattice: array<vec4i>;
@group(0) @binding(3) var<storage, read> offsets: array<vec4f>;
@group(0) @binding(4) var<storage, read> linked: array<u32>;
@group(0) @binding(5) var<storage, read> reaches: array<vec2f>;
@group(0) @binding(6) var<storage, read> walls: array<Wall>;
@group(0) @binding(7) var<storage, read_write> starts: array<u32>;   // to count: numbers; to fill: where each grain's list begins
@group(0) @binding(8) var<storage, read_write> pairs: array<vec2u>;  // ids, with FIXED set for a body that never moves

fn owns(grain: u32, radius: f32, other: u32, otherRadius: f32) -> bool {
  return radius < otherRadius || (radius == otherRadius && grain < other);
}

/** Gap to a wall, the smaller of those before and after the wall has moved. */
fn gapAtWall(q: vec4i, f: vec4f, wall: u32) -> f32 {
  let before = wallGeometry(q, f, walls[wall], 0.0);
  #if ${space.moving}
  return min(before.gap, wallGeometry(q, f, walls[wallAfter(wall)], sideOf(before, walls[wall])).gap);
  #else
  return before.gap;
  #endif
}

fn isCandidate(grain: u32, q: vec4i, f: vec4f, reach: f32, other: u32) -> bool {
  let otherOffset = offsets[other];
  if (other == grain || !owns(grain, f.w, other, otherOffset.w)) { return false; }
  let otherLattice = lattice[other];
  if ((u32(q.w) & u32(otherLattice.w) & FIXED) != 0u) { return false; }
  return pairGeometry(q, f, otherLattice, otherOffset).gap <= reach + reaches[other].x;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn count(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let grain = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (grain >= params.grains || halted()) { return; }
  let q = lattice[grain];
  let f = offsets[grain];
  let reach = reaches[grain].x;
  let wrapped = wrap(cellCoordinates(q, f));
  var found = 0u;
${forEachCandidate(wgsl`found++;`)}
  if ((u32(q.w) & FIXED) == 0u) {
    for (var wall = 0u; wall < params.walls; wall++) {
      if (gapAtWall(q, f, wall) <= reach + reaches[params.grains + wall].x) { found++; }
    }
  }
  starts[grain] = found;
}

@compute @workgroup_size(1)
fn checkCapacity() {
  if (halted()) { return; }
  control.candidates = starts[params.grains];
  if (control.candidates > params.candidateCapacity) { atomicOr(&control.halt, HALT_CANDIDATES); }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn fill(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let grain = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (grain >= params.grains || halted()) { return; }
  let q = lattice[grain];
  let f = offsets[grain];
  let reach = reaches[grain].x;
  let wrapped = wrap(cellCoordinates(q, f));
  let first = grain | (u32(q.w) & FIXED);
  let start = starts[grain];
  var end = start;
${forEachCandidate(wgsl`
          var place = end;
          while (place > start && (pairs[place - 1u].y & ID_MASK) > other) {
            pairs[place] = pairs[place - 1u];
            place--;
          }
          pairs[place] = vec2u(first, other | (u32(lattice[other].w) & FIXED));
          end++;`)}
  if ((u32(q.w) & FIXED) != 0u) { return; }
  for (var wall = 0u; wall < params.walls; wall++) {
    if (gapAtWall(q, f, wall) <= reach + reaches[params.grains + wall].x) {
      pairs[end] = vec2u(first, (params.grains + wall) | FIXED);
      end++;
    }
  }
}
`;
