import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { longestReach } from '../src/cpu/reach';
import { BASE_REACH } from '../src/settings';
import { bodies, type SpaceOptions, type WallOptions, wallAfter } from './bodies';
import { control } from './control';

export interface GridOptions extends SpaceOptions, Pick<WallOptions, 'moving'> {
  /** In mean diameters; with the periods it bounds the reach, see longestReach. */
  largestRadius: number;
  /** How far beyond touch grains may still hold each other, in mean diameters. */
  range: number;
}

/** Cell of a lattice point, exact to the last bit: wraps around, as the reference's grid does. */
export const cells = ({ periods }: SpaceOptions) => wgsl`
fn floorDivide(value: i32, by: i32) -> i32 {
  return (value - select(0, by - 1, value < 0)) / by;
}

/** Integer cell coordinates, not wrapped. A remainder below zero belongs to the lattice point before. */
fn cellCoordinates(q: vec4i, f: vec4f) -> vec3i {
  let p = q.xyz - select(vec3i(0), vec3i(1), f.xyz < vec3f(0.0));
  #if ${periods !== undefined}
  // Along periodic axes the cells fill the box, and the last one has what is left.
  let filling = min(wrapPoint(p) / max(PERIODS / vec3i(params.dims), vec3i(1)), vec3i(params.dims) - 1);
  #endif
  let open = vec3i(floorDivide(p.x, params.cellUnits), floorDivide(p.y, params.cellUnits), floorDivide(p.z, params.cellUnits));
  #if ${periods !== undefined}
  return select(open, filling, PERIODIC);
  #else
  return open;
  #endif
}

/** Cell coordinates on the grid that wraps around. */
fn wrap(coordinates: vec3i) -> vec3i {
  let n = vec3i(params.dims);
  return ((coordinates % n) + n) % n;
}

/** Index of a cell next to a wrapped one; without divisions, which are slow. */
fn neighbourIndex(wrapped: vec3i, x: i32, y: i32, z: i32) -> u32 {
  let n = vec3i(params.dims);
  let beside = wrapped + vec3i(x, y, z);
  let cell = beside + select(vec3i(0), n, beside < vec3i(0)) - select(vec3i(0), n, beside >= n);
  return u32((cell.z * n.y + cell.y) * n.x + cell.x);
}

/** Layers of neighbours below and above: none where the grid has one layer, which would be its own neighbour. */
fn layersBeside() -> i32 { return select(1, 0, params.dims.z == 1u); }

fn cellIndex(coordinates: vec3i) -> u32 { return neighbourIndex(wrap(coordinates), 0, 0, 0); }
`;

/**
 * Linked cells: count, (scan,) scatter, then each grain finds its rank by id among those of its cell, so that the order
 * never depends on how atomics landed. Also the largest speed in each cell, from which a grain's reach follows.
 */
export const grid = ({ periods, largestRadius, range, moving }: GridOptions) => wgsl`
${control}
${bodies({ periods })}
${wallAfter}
${cells({ periods })}
@group(0) @binding(2) var<storage, read> lattice: array<vec4i>;
@group(0) @binding(3) var<storage, read> offsets: array<vec4f>;
@group(0) @binding(4) var<storage, read> motion: array<vec4f>;                 // velocity and spin of each body, in turn
@group(0) @binding(5) var<storage, read_write> cellCounts: array<atomic<u32>>;
@group(0) @binding(6) var<storage, read_write> cellSpeeds: array<atomic<u32>>;  // bits of f32, all positive
@group(0) @binding(7) var<storage, read_write> linked: array<u32>;              // starts of the cells, then the grains by cell
@group(0) @binding(8) var<storage, read_write> unsorted: array<u32>;
@group(0) @binding(9) var<storage, read_write> reaches: array<vec2f>;           // reach, and the least that it may be
@group(0) @binding(10) var<storage, read> walls: array<Wall>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn count(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let grain = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (grain >= params.grains || halted()) { return; }
  let cell = cellIndex(cellCoordinates(lattice[grain], offsets[grain]));
  atomicAdd(&cellCounts[cell], 1u);
  var speed = length(motion[2u * grain].xyz);
  #if ${moving}
  speed += pushOfWalls(lattice[grain], offsets[grain], speed);
  #endif
  atomicMax(&cellSpeeds[cell], bitcast<u32>(speed));
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
  let cell = cellIndex(cellCoordinates(lattice[grain], offsets[grain]));
  unsorted[linked[cell] + atomicSub(&cellCounts[cell], 1u) - 1u] = grain;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn rank(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let grain = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (grain >= params.grains || halted()) { return; }
  let wrapped = wrap(cellCoordinates(lattice[grain], offsets[grain]));
  let cell = neighbourIndex(wrapped, 0, 0, 0);
  let first = linked[cell];
  var rank = 0u;
  for (var k = first; k < linked[cell + 1u]; k++) { rank += select(0u, 1u, unsorted[k] < grain); }
  linked[params.cells + 1u + first + rank] = grain;

  var speed = 0u;
  let layers = layersBeside();
  for (var z = -layers; z <= layers; z++) {
    for (var y = -1; y <= 1; y++) {
      for (var x = -1; x <= 1; x++) {
        speed = max(speed, atomicLoad(&cellSpeeds[neighbourIndex(wrapped, x, y, z)]));
      }
    }
  }
  var reach = max(reaches[grain].y, ${BASE_REACH + range}f + bitcast<f32>(speed));
  #if ${periods !== undefined}
  reach = min(reach, ${longestReach(periods, largestRadius)}f);
  #endif
  reaches[grain].x = reach;
  atomicMax(&control.reachRequired, bitcast<u32>(reach));
}

@compute @workgroup_size(1)
fn checkReach() {
  if (halted()) { return; }
  if (bitcast<f32>(atomicLoad(&control.reachRequired)) > params.reachLimit) { atomicOr(&control.halt, HALT_REACH); }
}
`;
