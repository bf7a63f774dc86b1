import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { control, TEAM_ROWS, TEAM_SIZE } from './control';

/** Numbers that one workgroup scans. */
export const SCAN_BLOCK = TEAM_SIZE * 4;

/**
 * Exclusive prefix sum in three dispatches: sums of blocks, their own prefix sums, then the blocks with their base added.
 * sums[n] becomes the total.
 */
export const scan = () => wgsl`
${control}
struct Length { count: u32 }
@group(0) @binding(2) var<storage, read> counts: array<u32>;
@group(0) @binding(3) var<storage, read_write> sums: array<u32>;
@group(0) @binding(4) var<storage, read_write> blockSums: array<u32>;
@group(0) @binding(5) var<uniform> range: Length;

var<workgroup> teamValues: array<u32, ${TEAM_SIZE}>;
var<workgroup> teamRows: array<u32, ${TEAM_ROWS}>;

/** Exclusive prefix sum over the workgroup: rows by one invocation each, then the rows before; two barriers. */
fn teamScan(value: u32, local: u32) -> u32 {
  teamValues[local] = value;
  workgroupBarrier();
  if (local < ${TEAM_ROWS}u) {
    var sum = 0u;
    for (var k = local * ${TEAM_ROWS}u; k < (local + 1u) * ${TEAM_ROWS}u; k++) {
      let own = teamValues[k];
      teamValues[k] = sum;
      sum += own;
    }
    teamRows[local] = sum;
  }
  workgroupBarrier();
  return rowsBefore(local / ${TEAM_ROWS}u) + teamValues[local];
}

/** Sum of the first rows of the last teamScan; of all of them, the total. */
fn rowsBefore(rows: u32) -> u32 {
  var sum = 0u;
  for (var row = 0u; row < rows; row++) { sum += teamRows[row]; }
  return sum;
}

fn load(index: u32) -> u32 {
  if (index >= range.count) { return 0u; }
  return counts[index];
}

@compute @workgroup_size(TEAM_SIZE)
fn sumBlocks(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  if (teamHalted(local)) { return; }
  let block = group.y * groups.x + group.x;
  let first = block * ${SCAN_BLOCK}u + local * 4u;
  let value = load(first) + load(first + 1u) + load(first + 2u) + load(first + 3u);
  _ = teamScan(value, local);
  if (local == 0u && first < range.count) { blockSums[block] = rowsBefore(${TEAM_ROWS}u); }
}

@compute @workgroup_size(TEAM_SIZE)
fn scanBlockSums(@builtin(local_invocation_index) local: u32) {
  if (teamHalted(local)) { return; }
  let blocks = (range.count + ${SCAN_BLOCK - 1}u) / ${SCAN_BLOCK}u;
  var base = 0u;
  for (var first = 0u; first < blocks; first += TEAM_SIZE) {
    let index = first + local;
    var value = 0u;
    if (index < blocks) { value = blockSums[index]; }
    let before = teamScan(value, local);
    if (index < blocks) { blockSums[index] = base + before; }
    base += rowsBefore(${TEAM_ROWS}u);
  }
  if (local == 0u) { sums[range.count] = base; }
}

@compute @workgroup_size(TEAM_SIZE)
fn scanBlocks(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  if (teamHalted(local)) { return; }
  let block = group.y * groups.x + group.x;
  let first = block * ${SCAN_BLOCK}u + local * 4u;
  let values = vec4u(load(first), load(first + 1u), load(first + 2u), load(first + 3u));
  let before = teamScan(values.x + values.y + values.z + values.w, local);
  if (first >= range.count) { return; }
  var sum = blockSums[block] + before;
  for (var k = 0u; k < 4u && first + k < range.count; k++) {
    sums[first + k] = sum;
    sum += values[k];
  }
}
`;
