import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { bodies, type WallOptions, wallAfter } from './bodies';
import { control, LATTICE_PER_DIAMETER } from './control';
import { type CellOptions, cells } from './grid';

/** What counts the candidates of grains notes their second bodies, while there is room; it lies in a buffer that is idle meanwhile. */
export const notes = (binding: number) => wgsl`
@group(0) @binding(${binding}) var<storage, read_write> noted: array<u32>;

fn note(grain: u32, number: u32, second: u32) {
  if (number < params.notes) { noted[grain * params.notes + number] = second; }
}
`;

/**
 * Runs statements for each `other` grain that makes a pair with `grain`, and owns no pair with it: among those of its own level of cells
 * and of the levels of larger grains for which a condition holds, in the cells that the sphere cuts in which they can be. Cells of a row
 * follow each other in memory, but where the level wraps around.
 */
const forEachCandidate = (condition: string, statements: string) => wgsl`
  let own = levelOf(f.w);
  for (var level = own; level < LEVELS; level++) {
    if (!(${condition})) { continue; }
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

/** Invocations that look for the smaller partners of one grain together. */
export const LOOKERS = 16;

/**
 * Pairs whose gap can close in this step: the first body is the smaller grain (ties: the lower id), so that no grain owns a
 * long list; lists are sorted by the second body, walls last. They are counted and noted, then filled from the notes; a grain with more
 * candidates than can be noted looks for them again. Between two levels of cells one side looks for the other: each small grain for
 * larger ones, or each large one for smaller ones, whose partners are noted as they come.
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
@group(0) @binding(7) var<storage, read_write> candidateCounts: array<atomic<u32>>;
@group(0) @binding(8) var<storage, read> starts: array<u32>;         // where each grain's list begins
@group(0) @binding(9) var<storage, read_write> pairs: array<vec2u>;  // ids, with FIXED set for a body that never moves
${notes(10)}

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

/** Whether two grains are within reach, of which the first has the pair. */
fn isCandidate(grain: u32, q: vec4i, f: vec4f, reach: f32, other: u32) -> bool {
  let otherOffset = offsets[other];
  if (other == grain || !owns(grain, f.w, other, otherOffset.w)) { return false; }
  return isWithinReach(q, f, reach, other, otherOffset);
}

fn isWithinReach(q: vec4i, f: vec4f, reach: f32, other: u32, otherOffset: vec4f) -> bool {
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
${forEachCandidate(
  'level == own || !looksDown(level, own)',
  wgsl`
            note(grain, found, other);
            found++;`,
)}
  if ((u32(q.w) & FIXED) == 0u) {
    for (var wall = 0u; wall < params.walls; wall++) {
      if (gapAtWall(q, f, wall) > reach + reaches[params.grains + wall].x) { continue; }
      note(grain, found, params.grains + wall);
      found++;
    }
  }
  atomicStore(&candidateCounts[grain], found);
}

#if ${space.levels > 1}
/** A few invocations for each grain that is not of the smallest, with a row of cells at a time. */
@compute @workgroup_size(WORKGROUP_SIZE)
fn lookDown(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let index = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (index / ${LOOKERS}u >= params.grains || halted()) { return; }
  let slot = linked[levels[1].firstCell] + index / ${LOOKERS}u;
  if (slot >= params.grains) { return; }
  let grain = linked[params.cells + 1u + slot];
  let q = lattice[grain];
  let f = offsets[grain];
  let reach = reaches[grain].x;
  let own = levelOf(f.w);
  for (var level = 0u; level < own; level++) {
    if (!looksDown(own, level)) { continue; }
    let distance = unitsToMeet(level, f.w + reach);
    let box = cellBox(level, q, f, distance);
    let n = i32(levels[level].dims.x);
    for (var k = i32(index % ${LOOKERS}u); k < box.counts.y * box.counts.z; k += ${LOOKERS}) {
      let y = k % box.counts.y;
      let z = k / box.counts.y;
      let wayY = wayToCell(box.begin.y + y * box.length.y, box.length.y);
      let wayZ = wayToCell(box.begin.z + z * box.length.z, box.length.z);
      let square = f32(distance) * f32(distance) - wayY * wayY - wayZ * wayZ;
      if (square < 0.0) { continue; }
      let cells = cellsWithin(box, square);
      let row = rowOf(level, box.first.y + y, box.first.z + z);
      let begin = wrapCell(box.first.x + cells.x, n);
      visitSmaller(grain, q, f, reach, linked[row + u32(begin)], linked[row + u32(min(begin + cells.y, n))]);
      if (begin + cells.y > n) { visitSmaller(grain, q, f, reach, linked[row], linked[row + u32(begin + cells.y - n)]); }
    }
  }
}

/** Notes a grain with those of a stretch that it is a candidate with. */
fn visitSmaller(grain: u32, q: vec4i, f: vec4f, reach: f32, begin: u32, end: u32) {
  for (var k = begin; k < end; k++) {
    let other = linked[params.cells + 1u + k];
    if (!isWithinReach(q, f, reach, other, offsets[other])) { continue; }
    note(other, atomicAdd(&candidateCounts[other], 1u), grain);
  }
}
#endif

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
  let start = starts[grain];
  let end = starts[grain + 1u];
  if (end - start > params.notes) { return; }
  let first = grain | (u32(lattice[grain].w) & FIXED);
  for (var filled = start; filled < end; filled++) {
    let other = noted[grain * params.notes + filled - start];
    var fixedBit = FIXED;
    if (other < params.grains) { fixedBit = u32(lattice[other].w) & FIXED; }
    insert(start, filled, vec2u(first, other | fixedBit));
  }
}

/** Puts a pair into a grain's list from \`start\` to \`end\`. */
fn insert(start: u32, end: u32, pair: vec2u) {
  var place = end;
  while (place > start && (pairs[place - 1u].y & ID_MASK) > (pair.y & ID_MASK)) {
    pairs[place] = pairs[place - 1u];
    place--;
  }
  pairs[place] = pair;
}

/** For grains with more candidates than were noted. */
@compute @workgroup_size(WORKGROUP_SIZE)
fn lookAgain(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let slot = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (slot >= params.grains || halted()) { return; }
  let grain = linked[params.cells + 1u + slot];
  let start = starts[grain];
  if (starts[grain + 1u] - start <= params.notes) { return; }
  let q = lattice[grain];
  let f = offsets[grain];
  let reach = reaches[grain].x;
  let first = grain | (u32(q.w) & FIXED);
  var filled = start;
${forEachCandidate(
  'true',
  wgsl`
            insert(start, filled, vec2u(first, other | (u32(lattice[other].w) & FIXED)));
            filled++;`,
)}
  if ((u32(q.w) & FIXED) != 0u) { return; }
  for (var wall = 0u; wall < params.walls; wall++) {
    if (gapAtWall(q, f, wall) <= reach + reaches[params.grains + wall].x) {
      pairs[filled] = vec2u(first, (params.grains + wall) | FIXED);
      filled++;
    }
  }
}
`;
