import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { bodies, type WallOptions, wallAfter } from './bodies';
import { control, LATTICE_PER_DIAMETER } from './control';
import { type CellOptions, cells } from './grid';

/**
 * Runs statements for each `other` grain that makes a pair with `grain`: among those of its own level of cells and of the levels of
 * larger grains, in the cells that the sphere cuts in which they can be. Cells of a row follow each other in memory, but where the
 * level wraps around.
 */
const forEachCandidate = (statements: string) => wgsl`
  for (var level = levelOf(f.w); level < LEVELS; level++) {
    let distance = unitsToMeet(level, f.w + reach);
    let around = cellsAround(level, q, f, distance);
    let n = i32(levels[level].dims.x);
    for (var z = around.low.z; z <= around.high.z; z++) {
      let wayZ = wayTo(z - around.home.z, around.before.z, around.after.z);
      for (var y = around.low.y; y <= around.high.y; y++) {
        let wayY = wayTo(y - around.home.y, around.before.y, around.after.y);
        let square = f32(distance) * f32(distance) - wayZ * wayZ - wayY * wayY;
        if (square < 0.0) { continue; }
        let row = rowOf(level, y, z);
        let high = select(around.home.x, around.high.x, around.after.x * around.after.x <= square);
        for (var x = select(around.home.x, around.low.x, around.before.x * around.before.x <= square); x <= high;) {
          let last = select(min(high, n - 1), x, x < 0 || x >= n);
          let end = linked[row + u32(wrapCell(last, n)) + 1u];
          for (var k = linked[row + u32(wrapCell(x, n))]; k < end; k++) {
            let other = linked[params.cells + 1u + k];
            if (!isCandidate(grain, q, f, reach, other)) { continue; }
            ${statements}
          }
          x = last + 1;
        }
      }
    }
  }`;

/**
 * Pairs whose gap can close in this step: the first body is the smaller grain (ties: the lower id), so that no grain owns a
 * long list; lists are sorted by the second body, walls last. Run twice, to count and to fill.
 */
export const candidates = (space: CellOptions & WallOptions) => wgsl`
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

/** How far from its centre a grain may meet those of a level, in lattice units; two more than needed, for what is rounded. */
fn unitsToMeet(level: u32, radiusAndReach: f32) -> i32 {
  let farthest = levels[level].largestRadius + bitcast<f32>(atomicLoad(&control.reachRequired));
  return i32(ceil((radiusAndReach + farthest) * ${LATTICE_PER_DIAMETER}f)) + 2;
}

/** The way along an axis to the cell before, to the own one or to the one after. */
fn wayTo(cell: i32, before: f32, after: f32) -> f32 { return select(select(0.0, after, cell > 0), before, cell < 0); }

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
  let together = reach + reaches[other].x;
  let e = separation(q, f, otherLattice, otherOffset);
  let farthest = f.w + otherOffset.w + together;
  // Most are too far by more than is rounded: without root and division.
  return dot(e, e) <= 1.00001 * farthest * farthest && pairGeometry(q, f, otherLattice, otherOffset).gap <= together;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn count(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let slot = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (slot >= params.grains || halted()) { return; }
  let grain = linked[params.cells + 1u + slot];
  let q = lattice[grain];
  let f = offsets[grain];
  let reach = reaches[grain].x;
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
  let slot = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (slot >= params.grains || halted()) { return; }
  let grain = linked[params.cells + 1u + slot];
  let q = lattice[grain];
  let f = offsets[grain];
  let reach = reaches[grain].x;
  let first = grain | (u32(q.w) & FIXED);
  let start = starts[grain];
  var filled = start;
${forEachCandidate(wgsl`
          var place = filled;
          while (place > start && (pairs[place - 1u].y & ID_MASK) > other) {
            pairs[place] = pairs[place - 1u];
            place--;
          }
          pairs[place] = vec2u(first, other | (u32(lattice[other].w) & FIXED));
          filled++;`)}
  if ((u32(q.w) & FIXED) != 0u) { return; }
  for (var wall = 0u; wall < params.walls; wall++) {
    if (gapAtWall(q, f, wall) <= reach + reaches[params.grains + wall].x) {
      pairs[filled] = vec2u(first, (params.grains + wall) | FIXED);
      filled++;
    }
  }
}
`;
