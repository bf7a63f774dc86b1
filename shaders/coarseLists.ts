import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { COARSE_CELLS, COARSE_SPACING, FAR, MAX_COARSE_NODES, SWELLING } from '../src/settings';
import { bodies, type SpaceOptions } from './bodies';
import { COARSE_BLOCK, coarseGrid, coarseListPlaces } from './coarseGrid';
import { control } from './control';
import { HUB_ROW, HUB_STARTS, type HubOptions } from './hubs';

export interface CoarseListsOptions extends SpaceOptions {
  colourWords: number;
  /** Bodies whose contacts have no colours. */
  hubs: HubOptions;
  /** See coarseExtent. */
  leastExtent: number;
  /** See loadAxis. */
  loadAxis: number | undefined;
  /** The contacts of each grain are wanted too. */
  sides: boolean;
  /** They have a buffer of their own. */
  split?: boolean;
}

/** Invocations of a workgroup that has a block of grains: two grains each. */
export const BLOCK_SIZE = COARSE_BLOCK / 2;

/**
 * Lays the coarse grid over a packing, and lists the grains of each cell and the contacts of each grain in an order that is a
 * function of the packing and its colours.
 */
export const coarseLists = ({
  colourWords,
  leastExtent,
  loadAxis,
  hubs,
  sides,
  split = false,
  ...space
}: CoarseListsOptions) => wgsl`
${control}
${bodies(space)}
${coarseGrid(space)}
${coarseListPlaces({ sides, split })}
const WORDS = ${colourWords}u;
const COLOURS = ${32 * colourWords}u;
const BLOCK_SIZE = ${BLOCK_SIZE}u;
const PISTONS = ${hubs.pistons}u;
const HUB_TABLE = ${64 * colourWords + 3}u + PISTONS;    // in the schedule, see hubs.ts
@group(0) @binding(2) var<storage, read> lattice: array<vec4i>;
@group(0) @binding(3) var<storage, read_write> coarseLists: array<u32>;
@group(0) @binding(4) var<storage, read_write> coarseCounts: array<atomic<u32>>;   // of the blocks of each cell, then of each grain's contacts
@group(0) @binding(5) var<storage, read> contactPairs: array<vec2u>;
@group(0) @binding(6) var<storage, read> masks: array<u32>;                        // WORDS of each grain: colours of its contacts
@group(0) @binding(7) var<storage, read> schedule: array<u32>;                     // see solve.ts
@group(0) @binding(8) var<storage, read> sequence: array<u32>;
@group(0) @binding(9) var<storage, read> colours: array<u32>;
#if ${split}
@group(0) @binding(10) var<storage, read_write> coarseSides: array<u32>;
#endif

var<workgroup> teamLow: array<atomic<i32>, 3>;
var<workgroup> teamHigh: array<atomic<i32>, 3>;

/** The box of the grains' lattice points; and counts from 0, here, where nothing happens in a step that was submitted after a halted one. */
@compute @workgroup_size(TEAM_SIZE)
fn findBox(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {
  if (teamHalted(local)) { return; }
  let counted = startOfSums()${sides ? ' + params.grains' : ''};
  for (var k = group.x * TEAM_SIZE + local; k < counted; k += params.teams * TEAM_SIZE) { atomicStore(&coarseCounts[k], 0u); }
  if (local < 3u) {
    atomicStore(&teamLow[local], 0x7fffffff);
    atomicStore(&teamHigh[local], -0x7fffffff);
  }
  workgroupBarrier();
  var low = vec3i(0x7fffffff);
  var high = vec3i(-0x7fffffff);
  for (var grain = group.x * TEAM_SIZE + local; grain < params.grains; grain += params.teams * TEAM_SIZE) {
    low = min(low, lattice[grain].xyz);
    high = max(high, lattice[grain].xyz);
  }
  for (var axis = 0u; axis < 3u; axis++) {
    atomicMin(&teamLow[axis], low[axis]);
    atomicMax(&teamHigh[axis], high[axis]);
  }
  workgroupBarrier();
  if (local < 3u) {
    atomicMin(&control.coarse.low[local], atomicLoad(&teamLow[local]));
    atomicMax(&control.coarse.high[local], atomicLoad(&teamHigh[local]));
  }
}

/**
 * Half a diameter more on either side, where contacts with walls are; along periodic axes the period. A long packing to which
 * a load comes swells, see src/cpu/coarseSchedule.ts.
 */
@compute @workgroup_size(1)
fn layOut() {
  if (halted()) { return; }
  var low: vec3i;
  var high: vec3i;
  for (var axis = 0u; axis < 3u; axis++) {
    low[axis] = atomicLoad(&control.coarse.low[axis]);
    high[axis] = atomicLoad(&control.coarse.high[axis]);
  }
  var origin = vec3f(low) * LATTICE_UNIT - 0.5;
  var sides = vec3f(high - low) * LATTICE_UNIT + 1.0;
  #if ${space.periods !== undefined}
  origin = select(origin, vec3f(0.0), PERIODIC);
  sides = select(sides, vec3f(PERIODS) * LATTICE_UNIT, PERIODIC);
  #endif
  var spacing = max(${COARSE_SPACING}f, pow(sides.x * sides.y * sides.z / ${COARSE_CELLS}f, 1.0 / 3.0));
  var dims = dimsFor(sides, spacing);
  while (nodesOf(dims) > ${MAX_COARSE_NODES}u) {
    spacing *= 1.05;
    dims = dimsFor(sides, spacing);
  }
  let nodeDims = nodeDimsOf(dims);
  for (var axis = 0u; axis < 3u; axis++) {
    control.coarse.origin[axis] = origin[axis];
    control.coarse.spacing[axis] = sides[axis] / f32(dims[axis]);
    control.coarse.dims[axis] = dims[axis];
    control.coarse.nodeDims[axis] = nodeDims[axis];
  }
  control.coarse.cells = dims.x * dims.y * dims.z;
  control.coarse.nodes = nodesOf(dims);
  let extent = max(sides.x, max(sides.y, sides.z));
  control.coarse.extent = extent;
  let height = ${loadAxis === undefined ? 'extent' : `sides[${loadAxis}]`};
  control.coarse.tall = select(0u, 1u, extent >= ${leastExtent}f && height >= ${FAR.height * leastExtent}f);
  let isPacking = f32(control.candidates) >= ${SWELLING.candidates}f * f32(params.grains);
  if (params.swelling > 0.0 && extent >= ${leastExtent}f && isPacking && control.step == params.swellingStep) {
    control.coarse.swelling = params.swelling * extent;
    control.coarse.swollen = ${SWELLING.sweeps}u;
    control.coarse.nextTurn = ${SWELLING.sweeps}f;
    control.coarse.far = 1u;
    control.momentum = 0.5 * (1.0 + control.momentum);
  }
}

fn dimsFor(sides: vec3f, spacing: f32) -> vec3u { return vec3u(clamp(ceil(sides / spacing), vec3f(1.0), vec3f(1024.0))); }

fn nodeDimsOf(dims: vec3u) -> vec3u {
  #if ${space.periods !== undefined}
  return select(dims + 1u, dims, PERIODIC);
  #else
  return dims + 1u;
  #endif
}

fn nodesOf(dims: vec3u) -> u32 {
  let nodeDims = nodeDimsOf(dims);
  return nodeDims.x * nodeDims.y * nodeDims.z;
}

fn cellOf(grain: u32) -> u32 { return cellIndex(cellAt(gridPlace(lattice[grain]))); }

/** Grains of each cell in each block, and contacts of each grain: one for each of its colours, and those that have none. */
@compute @workgroup_size(BLOCK_SIZE)
fn count(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  if (halted()) { return; }
  let block = group.y * groups.x + group.x;
  for (var k = local; k < COARSE_BLOCK; k += BLOCK_SIZE) {
    let grain = block * COARSE_BLOCK + k;
    if (grain >= params.grains) { continue; }
    atomicAdd(&coarseCounts[cellOf(grain) * coarseBlocks() + block], 1u);
    #if ${sides}
    atomicAdd(&coarseCounts[startOfSums() + grain], colouredContacts(grain, COLOURS));
    #endif
  }
  #if ${sides}
  for (var index = block * BLOCK_SIZE + local; index < others(); index += coarseBlocks() * BLOCK_SIZE) {
    let k = otherAt(index);
    for (var side = 0u; side < 2u; side++) {
      if (isMover(contactPairs[k][side])) { atomicAdd(&coarseCounts[startOfSums() + contactPairs[k][side]], 1u); }
    }
  }
  #endif
}

fn isMover(body: u32) -> bool { return (body & FIXED) == 0u && body < params.grains; }

/** Cells of the grains of a block, two to a word: much shared memory takes some drivers long to compile. */
var<workgroup> blockCells: array<u32, BLOCK_SIZE>;

fn cellInBlock(grain: u32) -> u32 {
  if (grain >= params.grains) { return MOST_CELLS; }
  return cellOf(grain);
}

/** Grains by cell, in each cell by number. */
@compute @workgroup_size(BLOCK_SIZE)
fn listGrains(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  if (teamHalted(local)) { return; }
  let block = group.y * groups.x + group.x;
  let first = block * COARSE_BLOCK + 2u * local;
  let cells = vec2u(cellInBlock(first), cellInBlock(first + 1u));
  blockCells[local] = cells.x | (cells.y << 16u);
  workgroupBarrier();
  var ranks = vec2u(0u);
  for (var before = 0u; before < local; before++) {
    let word = blockCells[before];
    ranks += select(vec2u(0u), vec2u(1u), vec2u(word & 0xffffu) == cells) + select(vec2u(0u), vec2u(1u), vec2u(word >> 16u) == cells);
  }
  if (cells.x == cells.y) { ranks.y++; }
  for (var k = 0u; k < 2u; k++) {
    if (first + k >= params.grains) { continue; }
    coarseLists[startOfGrains() + coarseLists[cells[k] * coarseBlocks() + block] + ranks[k]] = first + k;
  }
}

#if ${sides}
/** A grain's contacts of colours below one: no two have the same. */
fn colouredContacts(grain: u32, colour: u32) -> u32 {
  var found = 0u;
  for (var word = 0u; word < WORDS && 32u * word < colour; word++) {
    let below = select((1u << (colour % 32u)) - 1u, NONE, colour >= 32u * (word + 1u));
    found += countOneBits(masks[grain * WORDS + word] & below);
  }
  return found;
}

#if ${split}
fn listSide(at: u32, side: u32) { coarseSides[at] = side; }
fn listedSide(at: u32) -> u32 { return coarseSides[at]; }
#else
fn listSide(at: u32, side: u32) { coarseLists[at] = side; }
fn listedSide(at: u32) -> u32 { return coarseLists[at]; }
#endif

/** Contacts of each grain by their colours. */
@compute @workgroup_size(WORKGROUP_SIZE)
fn listColoured(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let k = schedule[PISTONS] + flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (halted() || k >= schedule[PISTONS + COLOURS]) { return; }
  let pair = contactPairs[k];
  let colour = colours[sequence[k]];
  for (var side = 0u; side < 2u; side++) {
    if (isMover(pair[side])) { listSide(startOfSides(pair[side]) + colouredContacts(pair[side], colour), 2u * k + side); }
  }
}

/** Contacts without a colour: those of pistons come before all colours, the others behind them. */
fn others() -> u32 { return schedule[PISTONS] + control.candidates - schedule[PISTONS + COLOURS]; }

fn otherAt(index: u32) -> u32 { return select(index + schedule[PISTONS + COLOURS] - schedule[PISTONS], index, index < schedule[PISTONS]); }

/** Behind all that are listed: the counts say how many of a grain's contacts are not. */
fn listLast(body: u32, side: u32) {
  if (isMover(body)) { listSide(startOfSides(body) + atomicSub(&coarseCounts[startOfSums() + body], 1u) - 1u, side); }
}

/** Those without a colour behind the others, in any order; but those of hub grains, see below. */
@compute @workgroup_size(TEAM_SIZE)
fn listOthers(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {
  if (halted()) { return; }
  let end = others() - (control.candidates - startOfHubs());
  for (var index = group.x * TEAM_SIZE + local; index < end; index += params.teams * TEAM_SIZE) {
    let k = otherAt(index);
    for (var side = 0u; side < 2u; side++) { listLast(contactPairs[k][side], 2u * k + side); }
  }
}

fn startOfHubs() -> u32 { return ${hubs.hubGrains ? `schedule[PISTONS + COLOURS + 1u]` : 'control.candidates'}; }

#if ${hubs.hubGrains}
/** Contacts of hub grains: on the side of the hub in their order, right behind its colours. */
@compute @workgroup_size(TEAM_SIZE)
fn listHubs(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  if (halted()) { return; }
  for (var place = group.x; place < schedule[HUB_TABLE + ${HUB_STARTS - 1}u]; place += groups.x) {
    let row = HUB_TABLE + ${HUB_STARTS}u + ${HUB_ROW}u * place;
    let hub = schedule[row];
    let begin = schedule[row + 1u];
    let first = startOfSides(hub) + colouredContacts(hub, COLOURS);
    for (var k = begin + local; k < schedule[row + 2u]; k += TEAM_SIZE) {
      let side = select(1u, 0u, (contactPairs[k].x & ID_MASK) == hub);
      listSide(first + k - begin, 2u * k + side);
      listLast(contactPairs[k][1u - side], 2u * k + 1u - side);
    }
  }
}
#endif

/** What was listed in any order, in that of the contacts: few of each grain. */
@compute @workgroup_size(WORKGROUP_SIZE)
fn sortOthers(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let grain = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (halted() || grain >= params.grains) { return; }
  let end = startOfSides(grain + 1u);
  let begin = startOfSides(grain) + atomicLoad(&coarseCounts[startOfSums() + grain]);
  for (var next = begin + 1u; next < end; next++) {
    let side = listedSide(next);
    var place = next;
    for (; place > begin && listedSide(place - 1u) > side; place--) { listSide(place, listedSide(place - 1u)); }
    listSide(place, side);
  }
}
#endif
`;
