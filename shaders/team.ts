import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { TEAM_ROWS, TEAM_SIZE } from './control';

/** Sums over a workgroup, in a fixed order. */
export const teamSum = wgsl`
var<workgroup> teamValues: array<vec4f, ${TEAM_SIZE}>;
var<workgroup> teamRows: array<vec4f, ${TEAM_ROWS}>;

fn combine(a: vec4f, b: vec4f) -> vec4f { return vec4f(a.xyz + b.xyz, max(a.w, b.w)); }

/** Sum over the workgroup of value.xyz, maximum of value.w; rows by one invocation each, then the rows: two barriers. */
fn teamReduce(value: vec4f, local: u32) -> vec4f {
  teamValues[local] = value;
  workgroupBarrier();
  if (local < ${TEAM_ROWS}u) {
    var row = teamValues[local * ${TEAM_ROWS}u];
    for (var k = 1u; k < ${TEAM_ROWS}u; k++) { row = combine(row, teamValues[local * ${TEAM_ROWS}u + k]); }
    teamRows[local] = row;
  }
  workgroupBarrier();
  var result = teamRows[0];
  for (var row = 1u; row < ${TEAM_ROWS}u; row++) { result = combine(result, teamRows[row]); }
  return result;
}
`;

/** Whether the sweeps have ended, for all of a workgroup. */
export const teamIdle = wgsl`
var<workgroup> teamStopped: u32;

/** The same for all of a workgroup, so that barriers may follow. Ends with a barrier. */
fn teamIdle(local: u32) -> bool {
  if (local == 0u) { teamStopped = control.stopped | atomicLoad(&control.halt); }
  return workgroupUniformLoad(&teamStopped) != 0u;
}
`;
