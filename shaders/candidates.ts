import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { bodies, type WallOptions, wallAfter } from './bodies';
import { control, LATTICE_PER_DIAMETER } from './control';
import { type CellOptions, cells } from './grid';
import { notes } from './notes';

/**
 * Runs statements for each stretch from `begin` to `end` of the grains by cell among which partners of `grain` may be: in its own level of
 * cells and in the levels of larger grains, in the cells that the sphere cuts in which they can be. Cells of a row follow each other in
 * memory, but where the level wraps around.
 * @param half every pair is met once: from one of the two alone, be it of the same level or of two
 */
const forEachStretch = (half: boolean, statements: string) => wgsl`
  let own = levelOf(f.w);
  for (var level = own; level < LEVELS; level++) {
    #if ${half}
    if (level > own && looksDown(level, own)) { continue; }
    #endif
    let distance = unitsToMeet(level, f.w + reach);
    let around = cellsAround(level, q, f, distance);
    let n = i32(levels[level].dims.x);
    let halved = ${half} && level == own;
    for (var z = select(around.low.z, around.home.z, halved); z <= around.high.z; z++) {
      let wayZ = wayTo(z - around.home.z, around.before.z, around.after.z);
      let ownLayer = halved && z == around.home.z;
      for (var y = select(around.low.y, around.home.y, ownLayer); y <= around.high.y; y++) {
        let wayY = wayTo(y - around.home.y, around.before.y, around.after.y);
        let square = f32(distance) * f32(distance) - wayZ * wayZ - wayY * wayY;
        if (square < 0.0) { continue; }
        let row = rowOf(level, y, z);
        let high = select(around.home.x, around.high.x, around.after.x * around.after.x <= square);
        #if ${half}
        let ownRow = ownLayer && y == around.home.y;
        #else
        let ownRow = false;
        #endif
        for (var x = select(around.home.x, around.low.x, !ownRow && around.before.x * around.before.x <= square); x <= high;) {
          let last = select(min(high, n - 1), x, x < 0 || x >= n);
          var begin = linked[row + u32(wrapCell(x, n))];
          #if ${half}
          if (ownRow && x == around.home.x) { begin = slot + 1u; }
          #endif
          let end = linked[row + u32(wrapCell(last, n)) + 1u];
          ${statements}
          x = last + 1;
        }
      }
    }
  }`;

/** Grains among which a workgroup finds those that have to look again. */
export const AGAIN_BLOCK = 1024;

/**
 * Pairs whose gap can close in this step: the first body is the smaller grain (ties: the lower id), so that no grain owns a
 * long list; lists are sorted by the second body, walls last. They are counted and noted in no order, each where it is met first, then
 * filled from the notes; a grain with more candidates than can be noted looks for them again. Between two levels of cells one side looks
 * for the other: each small grain for larger ones, or each large one for smaller ones. The counts must be zero before.
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

/** Beyond the reach of both: points of the lattice are as much as this nearer to each other or farther apart than the centres are. */
const ROUNDED = ${2 / LATTICE_PER_DIAMETER}f;

/** Notes the pairs of a grain with those of a stretch of the grains by cell. */
fn visit(grain: u32, q: vec4i, f: vec4f, reach: f32, begin: u32, end: u32) {
  for (var k = begin; k < end; k++) {
    let seen = noted[k];
    let e = vec3f(latticeDifference(q.xyz, bitcast<vec3i>(seen.xyz))) * LATTICE_UNIT;
    let farthest = f.w + reach + bitcast<f32>(seen.w) + ROUNDED;
    if (dot(e, e) > farthest * farthest) { continue; }
    let other = linked[params.cells + 1u + k];
    if (!isWithinReach(q, f, reach, other)) { continue; }
    let owner = select(other, grain, owns(grain, f.w, other, offsets[other].w));
    note(owner, atomicAdd(&candidateCounts[owner], 1u), select(grain, other, owner == grain));
  }
}

fn isWithinReach(q: vec4i, f: vec4f, reach: f32, other: u32) -> bool {
  let otherOffset = offsets[other];
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
${forEachStretch(true, wgsl`visit(grain, q, f, reach, begin, end);`)}
  if ((u32(q.w) & FIXED) != 0u) { return; }
  for (var wall = 0u; wall < params.walls; wall++) {
    if (gapAtWall(q, f, wall) > reach + reaches[params.grains + wall].x) { continue; }
    note(grain, atomicAdd(&candidateCounts[grain], 1u), params.grains + wall);
  }
}

#if ${space.levels > 1}
/** The slot behind the last grain of a level. */
fn endOfLevel(level: u32) -> u32 {
  if (level + 1u == LEVELS) { return params.grains; }
  return linked[levels[level + 1u].firstCell];
}

/** A few invocations for each grain that looks at finer levels, with a row of cells at a time. */
@compute @workgroup_size(WORKGROUP_SIZE)
fn lookDown(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  if (halted()) { return; }
  var index = flatIndex(group, groups, local, WORKGROUP_SIZE);
  var own = 1u;
  var slot = linked[levels[own].firstCell];
  while (index >= (endOfLevel(own) - slot) * levels[own].lookers) {
    index -= (endOfLevel(own) - slot) * levels[own].lookers;
    own++;
    if (own == LEVELS) { return; }
    slot = linked[levels[own].firstCell];
  }
  let lookers = levels[own].lookers;
  slot += index / lookers;
  let grain = linked[params.cells + 1u + slot];
  let q = lattice[grain];
  let f = offsets[grain];
  let reach = reaches[grain].x;
  for (var level = 0u; level < own; level++) {
    if (!looksDown(own, level)) { continue; }
    let distance = unitsToMeet(level, f.w + reach);
    let box = cellBox(level, q, f, distance);
    let n = i32(levels[level].dims.x);
    for (var k = i32(index % lookers); k < box.counts.y * box.counts.z; k += i32(lookers)) {
      let y = k % box.counts.y;
      let z = k / box.counts.y;
      let wayY = wayToCell(box.begin.y + y * box.length.y, box.length.y);
      let wayZ = wayToCell(box.begin.z + z * box.length.z, box.length.z);
      let square = f32(distance) * f32(distance) - wayY * wayY - wayZ * wayZ;
      if (square < 0.0) { continue; }
      let cells = cellsWithin(box, square);
      let row = rowOf(level, box.first.y + y, box.first.z + z);
      let begin = wrapCell(box.first.x + cells.x, n);
      visit(grain, q, f, reach, linked[row + u32(begin)], linked[row + u32(min(begin + cells.y, n))]);
      if (begin + cells.y > n) { visit(grain, q, f, reach, linked[row], linked[row + u32(begin + cells.y - n)]); }
    }
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
    let other = readNote(grain, filled - start);
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

var<workgroup> again: array<u32, ${AGAIN_BLOCK}>;
var<workgroup> agains: atomic<u32>;

/** For grains with more candidates than were noted: those of a workgroup are gathered first, since they are few. */
@compute @workgroup_size(WORKGROUP_SIZE)
fn lookAgain(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  if (teamHalted(local)) { return; }
  let first = flatIndex(group, groups, 0u, ${AGAIN_BLOCK}u);
  for (var grain = first + local; grain < min(params.grains, first + ${AGAIN_BLOCK}u); grain += WORKGROUP_SIZE) {
    if (starts[grain + 1u] - starts[grain] > params.notes) { again[atomicAdd(&agains, 1u)] = grain; }
  }
  workgroupBarrier();
  for (var k = local; k < atomicLoad(&agains); k += WORKGROUP_SIZE) { listCandidates(again[k]); }
}

fn listCandidates(grain: u32) {
  let start = starts[grain];
  let q = lattice[grain];
  let f = offsets[grain];
  let reach = reaches[grain].x;
  let first = grain | (u32(q.w) & FIXED);
  var filled = start;
${forEachStretch(
  false,
  wgsl`
          for (var k = begin; k < end; k++) {
            let other = linked[params.cells + 1u + k];
            if (other == grain || !owns(grain, f.w, other, offsets[other].w) || !isWithinReach(q, f, reach, other)) { continue; }
            insert(start, filled, vec2u(first, other | (u32(lattice[other].w) & FIXED)));
            filled++;
          }`,
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
