import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { longestReach } from '../src/cpu/longestReach';
import { BASE_REACH, MOST_GRAINS_IN_CELL, SLOW } from '../src/settings';
import { bodies, type SpaceOptions, type WallOptions, wallAfter } from './bodies';
import { control } from './control';
import { notes } from './notes';

export interface GridOptions extends CellOptions, Pick<WallOptions, 'moving'> {
  /** In mean diameters; with the periods it bounds the reach, see longestReach. */
  largestRadius: number;
  /** How far beyond touch grains may still hold each other, in mean diameters. */
  range: number;
}

export interface CellOptions extends SpaceOptions {
  /** Levels of cells, see SizeLevels. */
  levels: number;
}

/** Cells of a lattice point, exact to the last bit: they wrap around, as the reference's grid does. */
export const cells = ({ periods, levels }: CellOptions) => wgsl`
const LEVELS = ${levels}u;
struct Level {
  dims: vec3u, cellUnits: i32,
  firstCell: u32,         // number of its first cell among those of all levels
  largestRadius: f32,     // of its grains
  looksDown: u32,         // levels of smaller grains that its grains look at, by bits; the others look at it
  lookers: u32,           // invocations for each of its grains that looks at these
}
@group(0) @binding(12) var<uniform> levels: array<Level, LEVELS>;

/** A cell by its coordinates, not wrapped; how far a place is from its beginning, and its length, in lattice units. */
struct Cell { coordinates: vec3i, offset: vec3i, length: vec3i }

fn levelOf(radius: f32) -> u32 {
  var level = 0u;
  while (level + 1u < LEVELS && radius > levels[level].largestRadius) { level++; }
  return level;
}

fn looksDown(level: u32, finer: u32) -> bool { return ((levels[level].looksDown >> finer) & 1u) != 0u; }

fn floorDivide(value: i32, by: i32) -> i32 {
  return (value - select(0, by - 1, value < 0)) / by;
}

/** A remainder below zero belongs to the lattice point before. */
fn pointAt(q: vec4i, f: vec4f) -> vec3i { return q.xyz - select(vec3i(0), vec3i(1), f.xyz < vec3f(0.0)); }

fn cellAt(level: u32, q: vec4i, f: vec4f) -> Cell { return cellOf(level, pointAt(q, f)); }

/** The cell of a level in which a lattice point lies. */
fn cellOf(level: u32, p: vec3i) -> Cell {
  let units = levels[level].cellUnits;
  let open = vec3i(floorDivide(p.x, units), floorDivide(p.y, units), floorDivide(p.z, units));
  #if ${periods !== undefined}
  // Along periodic axes the cells fill the box, and the last one has what is left.
  let last = vec3i(levels[level].dims) - 1;
  let part = select(vec3i(units), max(PERIODS / (last + 1), vec3i(1)), PERIODIC);
  let place = select(p, wrapPoint(p), PERIODIC);
  let coordinates = select(open, min(place / part, last), PERIODIC);
  return Cell(coordinates, place - coordinates * part, select(part, PERIODS - last * part, PERIODIC & (coordinates == last)));
  #else
  return Cell(open, p - open * units, vec3i(units));
  #endif
}

/** Cell coordinates on a level that wraps around. */
fn wrap(level: u32, coordinates: vec3i) -> vec3i {
  let n = vec3i(levels[level].dims);
  // Most are within, and divisions are slow.
  if (all(coordinates >= vec3i(0)) && all(coordinates < n)) { return coordinates; }
  return ((coordinates % n) + n) % n;
}

/** Number of a cell along an axis of n cells, from one before the first to one behind the last; without divisions, which are slow. */
fn wrapCell(cell: i32, n: i32) -> i32 { return cell + select(0, n, cell < 0) - select(0, n, cell >= n); }

/** Number of the first cell of a row along x, among those of all levels. */
fn rowOf(level: u32, y: i32, z: i32) -> u32 {
  let n = vec3i(levels[level].dims);
  return levels[level].firstCell + u32((wrapCell(z, n.z) * n.y + wrapCell(y, n.y)) * n.x);
}

fn cellIndex(level: u32, x: i32, y: i32, z: i32) -> u32 { return rowOf(level, y, z) + u32(wrapCell(x, i32(levels[level].dims.x))); }

fn homeIndex(level: u32, coordinates: vec3i) -> u32 {
  let home = wrap(level, coordinates);
  return cellIndex(level, home.x, home.y, home.z);
}

/** First and last cell along each axis, at most one beyond the ends of the level, which wraps around; what lies between the place and those beside its own. */
struct CellsAround { low: vec3i, high: vec3i, home: vec3i, before: vec3f, after: vec3f }

/** The cells of a level as far as a distance in lattice units reaches, at most the 27 around; where there is one layer only those in it. */
fn cellsAround(level: u32, q: vec4i, f: vec4f, distance: i32) -> CellsAround {
  let n = vec3i(levels[level].dims);
  let cell = cellAt(level, q, f);
  let home = wrap(level, cell.coordinates);
  let several = n > vec3i(1);
  let before = several & (cell.offset < vec3i(distance));
  let after = several & (cell.offset + distance >= cell.length);
  return CellsAround(
    home - select(vec3i(0), vec3i(1), before), home + select(vec3i(0), vec3i(1), after), home,
    vec3f(cell.offset), vec3f(cell.length - cell.offset - 1),
  );
}

/**
 * Along each axis the first of some cells, and how many follow each other from it on, around the end of the level; where from a place
 * the first one begins, and the length of each, in lattice units, or 0 where cells may be anywhere.
 */
struct CellBox { first: vec3i, counts: vec3i, begin: vec3i, length: vec3i }

/** The cells of a level within a distance in lattice units along each axis, however many, each once, as src/cpu/cellRanges.ts has them. */
fn cellBox(level: u32, q: vec4i, f: vec4f, distance: i32) -> CellBox {
  let n = vec3i(levels[level].dims);
  let p = pointAt(q, f);
  let low = cellOf(level, p - distance);
  let high = cellOf(level, p + distance);
  var across = high.coordinates - low.coordinates + 1;
  var all = across >= n;
  var anywhere = all;
  #if ${periods !== undefined}
  across = select(across, across + n, PERIODIC & (across <= vec3i(0)));
  // Of a box the last cell is the longest; where both ends are in one cell the way may lead around.
  all = (across >= n) | (PERIODIC & (vec3i(2 * distance) >= (n - 1) * (PERIODS / n)));
  anywhere = all | PERIODIC;
  #endif
  return CellBox(
    select(wrap(level, low.coordinates), vec3i(0), all), select(across, n, all),
    select(-distance - low.offset, vec3i(0), anywhere), select(low.length, vec3i(0), anywhere),
  );
}

/** The way along an axis to a cell of a box: its begin from the place, and its length. */
fn wayToCell(begin: i32, length: i32) -> f32 { return f32(max(max(begin - 1, -begin - length), 0)); }

/** Of a row of cells of a box those nearer than the root of a square: the number of the first one, and how many. */
fn cellsWithin(box: CellBox, square: f32) -> vec2i {
  if (box.length.x == 0) { return vec2i(0, box.counts.x); }
  let distance = i32(ceil(sqrt(square))) + 1;
  let first = max(0, (-distance - box.begin.x) / box.length.x);
  return vec2i(first, min(box.counts.x, (distance - box.begin.x) / box.length.x + 1) - first);
}
`;

/**
 * Linked cells: count, (scan,) scatter, then each grain finds its rank by id among those of its cell, so that the order
 * never depends on how atomics landed. Also the largest speed in each cell, from which a grain's reach follows.
 */
export const grid = ({ periods, levels, largestRadius, range, moving }: GridOptions) => wgsl`
${control}
${bodies({ periods })}
${wallAfter}
${cells({ periods, levels })}
@group(0) @binding(2) var<storage, read> lattice: array<vec4i>;
@group(0) @binding(3) var<storage, read> offsets: array<vec4f>;
@group(0) @binding(4) var<storage, read> motion: array<vec4f>;                 // velocity and spin of each body, in turn
@group(0) @binding(5) var<storage, read_write> cellCounts: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> cellSpeeds: array<atomic<u32>>;  // bits of f32, all positive; those above slow alone; behind those of a level's own grains those of finer ones, then the largest of each level
@group(0) @binding(7) var<storage, read_write> linked: array<u32>;              // starts of the cells, then the grains by cell
@group(0) @binding(8) var<storage, read_write> unsorted: array<u32>;
@group(0) @binding(9) var<storage, read_write> reaches: array<vec2f>;           // reach, and the least that it may be
@group(0) @binding(10) var<storage, read> walls: array<Wall>;
${notes(11)}

@compute @workgroup_size(WORKGROUP_SIZE)
fn count(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let grain = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (grain >= params.grains || halted()) { return; }
  let level = levelOf(offsets[grain].w);
  let cell = homeIndex(level, cellAt(level, lattice[grain], offsets[grain]).coordinates);
  atomicAdd(&cellCounts[cell], 1u);
  var speed = length(motion[2u * grain].xyz);
  #if ${moving}
  speed += pushOfWalls(lattice[grain], offsets[grain], speed);
  #endif
  raiseSpeed(fastestOf(level), speed);
  if (speed <= params.slow) { return; }
  raiseSpeed(cell, speed);
  for (var coarser = level + 1u; coarser < LEVELS; coarser++) {
    let home = params.cells + homeIndex(coarser, cellAt(coarser, lattice[grain], offsets[grain]).coordinates);
    raiseSpeed(home, speed);
  }
}

/** Where the largest speed of a level is. */
fn fastestOf(level: u32) -> u32 { return ${levels > 1 ? 2 : 1}u * params.cells + level; }

/** For what many grains share: few have to write. */
fn raiseSpeed(index: u32, speed: f32) {
  if (atomicLoad(&cellSpeeds[index]) < bitcast<u32>(speed)) { atomicMax(&cellSpeeds[index], bitcast<u32>(speed)); }
}

#if ${moving}
/** How far moving walls come nearer to a grain that they may meet in the step: it is pushed, and pushes others. */
fn pushOfWalls(q: vec4i, f: vec4f, speed: f32) -> f32 {
  var push = 0.0;
  for (var wall = 0u; wall < params.walls; wall++) {
    if (wallAfter(wall) == wall) { continue; }
    if (walls[wall].low.w == MESH) {
      let around = walls[wall].region.x + walls[wall].region.y + f.w + ${BASE_REACH}f + speed;
      let way = wayFromWall(q, f, walls[wall]);
      if (length(way.whole + way.rest) <= around) { push = max(push, walls[wall].region.y); }
      continue;
    }
    let before = wallGeometry(q, f, walls[wall], 0.0);
    let after = wallGeometry(q, f, walls[wallAfter(wall)], sideOf(before, walls[wall])).gap;
    if (after <= ${BASE_REACH}f + speed) { push = max(push, before.gap - after); }
  }
  return push;
}
#endif

@compute @workgroup_size(WORKGROUP_SIZE)
fn scatter(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let grain = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (grain >= params.grains || halted()) { return; }
  let level = levelOf(offsets[grain].w);
  let cell = homeIndex(level, cellAt(level, lattice[grain], offsets[grain]).coordinates);
  // What follows takes time with the square of their number.
  if (linked[cell + 1u] - linked[cell] > ${MOST_GRAINS_IN_CELL}u) {
    atomicMin(&control.badGrain, grain);
    atomicOr(&control.halt, HALT_CROWDED);
    return;
  }
  unsorted[linked[cell] + atomicSub(&cellCounts[cell], 1u) - 1u] = grain;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn rank(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let slot = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (slot >= params.grains || halted()) { return; }
  let grain = unsorted[slot];
  let level = levelOf(offsets[grain].w);
  let home = wrap(level, cellAt(level, lattice[grain], offsets[grain]).coordinates);
  let cell = cellIndex(level, home.x, home.y, home.z);
  let first = linked[cell];
  var rank = 0u;
  for (var k = first; k < linked[cell + 1u]; k++) { rank += select(0u, 1u, unsorted[k] < grain); }
  linked[params.cells + 1u + first + rank] = grain;

  var most = 0u;
  for (var l = 0u; l < LEVELS; l++) { most = max(most, atomicLoad(&cellSpeeds[fastestOf(l)])); }
  var speed = bitcast<f32>(most);
  if (speed > params.slow) { speed = fastestAround(grain, level, home); }
  var reach = max(reaches[grain].y, ${BASE_REACH + range}f + speed);
  #if ${periods !== undefined}
  reach = min(reach, ${longestReach(periods, largestRadius)}f);
  #endif
  reaches[grain].x = reach;
  noted[first + rank] = vec4u(bitcast<vec3u>(lattice[grain].xyz), bitcast<u32>(offsets[grain].w + reach));
  atomicMax(&control.reachRequired, bitcast<u32>(reach));
}

/** What a grain in a cell reckons with where some are not slow. */
fn fastestAround(grain: u32, level: u32, home: vec3i) -> f32 {
  var own = 0u;
  var finer = 0u;
  let layers = select(1, 0, levels[level].dims.z == 1u);
  for (var z = home.z - layers; z <= home.z + layers; z++) {
    for (var y = home.y - 1; y <= home.y + 1; y++) {
      for (var x = home.x - 1; x <= home.x + 1; x++) {
        let beside = cellIndex(level, x, y, z);
        own = max(own, atomicLoad(&cellSpeeds[beside]));
        #if ${levels > 1}
        if (level > 0u) { finer = max(finer, atomicLoad(&cellSpeeds[params.cells + beside])); }
        #endif
      }
    }
  }
  var speed = max(params.slow, bitcast<f32>(own));
  for (var coarser = level + 1u; coarser < LEVELS; coarser++) {
    // Most grains need not look: none of the larger ones is so fast.
    if (larger(speed, atomicLoad(&cellSpeeds[fastestOf(coarser)])) == speed) { continue; }
    // Farther from each other the two cannot be candidates.
    let distance = (levels[level].cellUnits + levels[coarser].cellUnits + 1) / 2;
    let around = cellsAround(coarser, lattice[grain], offsets[grain], distance);
    var there = 0u;
    for (var z = around.low.z; z <= around.high.z; z++) {
      for (var y = around.low.y; y <= around.high.y; y++) {
        for (var x = around.low.x; x <= around.high.x; x++) {
          there = max(there, atomicLoad(&cellSpeeds[cellIndex(coarser, x, y, z)]));
        }
      }
    }
    speed = larger(speed, there);
  }
  return larger(speed, finer);
}

/** What a grain reckons with that does so with a speed, beside one of another level by its bits. */
fn larger(speed: f32, bits: u32) -> f32 {
  let other = bitcast<f32>(bits);
  return select(speed, other, other > speed + ${SLOW}f);
}

@compute @workgroup_size(1)
fn checkReach() {
  if (halted()) { return; }
  if (bitcast<f32>(atomicLoad(&control.reachRequired)) > params.reachLimit) { atomicOr(&control.halt, HALT_REACH); }
}
`;
