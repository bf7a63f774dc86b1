import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { SLIDERS_STAY_AFTER } from '../src/settings';
import { bodies } from './bodies';
import { contactLaw } from './contactLaw';
import { CRITERIA, control, TEAM_ROWS, TEAM_SIZE } from './control';
import type { LawOptions } from './shockLaw';

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

export interface ConvergenceOptions extends LawOptions {
  /** The criterion looks at how impulses changed in the last sweep. */
  changes: boolean;
}

/**
 * Whether the sweeps may stop: the residual r = sqrt(mean |shockLaw - P|^2) / mean |P|, the law evaluated for all contacts on
 * the present velocities, both means over the contacts where P or the answer is not zero; and the local and global criteria
 * of Unger and Kertesz, eqs (35) and (36).
 */
export const convergence = ({ changes, ...law }: ConvergenceOptions) => wgsl`
${control}
${bodies()}
${teamSum}
@group(0) @binding(2) var<storage, read> contactPairs: array<vec2u>;
@group(0) @binding(3) var<storage, read> normals: array<vec4f>;
@group(0) @binding(4) var<storage, read> impulses: array<vec4f>;
@group(0) @binding(5) var<storage, read> previousImpulses: array<vec4f>;
@group(0) @binding(6) var<storage, read> motion: array<vec4f>;            // velocity with the inverse mass and spin of each body, in turn
@group(0) @binding(7) var<storage, read_write> partials: array<vec4f>;    // PARTS for each workgroup
${contactLaw(law, { laws: 8, memories: 9 })}
const PARTS = ${law.torques ? 3 : 2}u;

const NOTHING = -1e30;     // below any excess

var<workgroup> teamStopped: u32;

fn teamIdle(local: u32) -> bool {
  if (local == 0u) { teamStopped = control.stopped | atomicLoad(&control.halt); }
  return workgroupUniformLoad(&teamStopped) != 0u;
}

@compute @workgroup_size(TEAM_SIZE)
fn residuals(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {
  if (teamIdle(local)) { return; }
  var change = vec4f(0.0);      // squared change asked for, contacts concerned, |answer|, largest change
  var size = vec4f(0.0, 0.0, 0.0, NOTHING);   // |P|, |P before|, bearing contacts, largest excess of the last change over epsilon |P|, with torques
  #if ${law.torques}
  var together = 0.0;           // sum of |P| and |tau| together
  #endif
  for (var k = group.x * TEAM_SIZE + local; k < control.candidates; k += params.teams * TEAM_SIZE) {
    let pair = contactPairs[k];
    let normal = normals[k];
    let impulse = impulses[STRIDE * k];
    let first = 2u * (pair.x & ID_MASK);
    let second = 2u * (pair.y & ID_MASK);
    let v1 = motion[first];
    let v2 = motion[second];
    let borne = length(impulse.xyz);
    #if ${changes}
    let previous = previousImpulses[STRIDE * k].xyz;
    #endif
    #if ${law.general}
    var torque = vec3f(0.0);
    #if ${law.torques}
    torque = impulses[STRIDE * k + 1u].xyz;
    #endif
    let share = shareOfFirst(motion[first + 1u].w, motion[second + 1u].w, pair.y);
    // As in the last sweep.
    let stays = control.iteration > ${SLIDERS_STAY_AFTER}u && slidesByMark(impulse.w);
    let full = contactLaw(normal.xyz, normal.w, impulse.xyz, torque, v1, motion[first + 1u], v2, motion[second + 1u], share, lawOfMark(impulse.w), aimOf(k), stays);
    let answer = vec2f(length(full.impulse), length(full.torque));
    let asked = length(vec2f(length(full.impulse - impulse.xyz), length(full.torque - torque)));
    #else
    let velocity = relativeVelocity(v1.xyz, motion[first + 1u].xyz, v2.xyz, motion[second + 1u].xyz, normal.xyz);
    let answer = shockLaw(normal.xyz, normal.w, impulse.xyz, velocity, normalMass(v1.w, v2.w), impulse.w);
    let asked = length(answer - impulse.xyz);
    #endif
    var acting = borne;
    #if ${law.torques}
    acting = length(vec2f(borne, length(torque)));
    together += acting;
    #endif
    change = vec4f(change.xyz + vec3f(asked * asked, select(0.0, 1.0, asked > 0.0 || acting > 0.0), length(answer)), max(change.w, asked));
    size += vec4f(borne, 0.0, select(0.0, 1.0, dot(impulse.xyz, normal.xyz) > 0.0), 0.0);
    #if ${changes}
    var changed = length(impulse.xyz - previous);
    #if ${law.torques}
    changed = length(vec2f(changed, length(torque - previousImpulses[STRIDE * k + 1u].xyz)));
    #endif
    size = vec4f(size.x, size.y + length(previous), size.z, max(size.w, changed - params.epsilon * acting));
    #endif
  }
  let teamChange = teamReduce(change, local);
  let teamSize = teamReduce(size, local);
  if (local == 0u) {
    partials[PARTS * group.x] = teamChange;
    partials[PARTS * group.x + 1u] = teamSize;
  }
  #if ${law.torques}
  let teamTogether = teamReduce(vec4f(together, 0.0, 0.0, 0.0), local);
  if (local == 0u) { partials[PARTS * group.x + 2u] = teamTogether; }
  #endif
}

@compute @workgroup_size(TEAM_SIZE)
fn decide(@builtin(local_invocation_index) local: u32) {
  if (teamIdle(local)) { return; }
  var teamChange = vec4f(0.0);
  var teamSize = vec4f(0.0, 0.0, 0.0, NOTHING);
  for (var team = local; team < params.teams; team += TEAM_SIZE) {
    teamChange = combine(teamChange, partials[PARTS * team]);
    teamSize = combine(teamSize, partials[PARTS * team + 1u]);
  }
  let change = teamReduce(teamChange, local);
  let size = teamReduce(teamSize, local);
  #if ${law.torques}
  var teamTogether = vec4f(0.0);
  for (var team = local; team < params.teams; team += TEAM_SIZE) { teamTogether = combine(teamTogether, partials[PARTS * team + 2u]); }
  let together = teamReduce(teamTogether, local).x;
  #else
  let together = size.x;
  #endif
  if (local != 0u) { return; }
  let concerned = max(change.y, 1.0);
  let candidates = f32(control.candidates);
  let scale = select(change.z, together, together > 0.0) / concerned;
  control.residual = select(0.0, sqrt(change.x / concerned) / scale, scale > 0.0);
  control.residualMax = select(0.0, change.w / scale, scale > 0.0);
  control.meanImpulse = size.x / candidates;
  control.bearing = u32(size.z);
  var converged = false;
  switch (params.criterion) {
    case ${CRITERIA.indexOf('fixed')}u: { converged = control.iteration >= params.maxIterations; }
    case ${CRITERIA.indexOf('local')}u: { converged = size.w <= params.delta * control.meanImpulse; }
    case ${CRITERIA.indexOf('global')}u: { converged = abs(size.x - size.y) <= params.epsilon * size.x; }
    default: { converged = control.residual <= params.tolerance; }
  }
  control.converged = select(0u, 1u, converged);
  control.stopped = select(0u, 1u, converged || control.iteration >= params.maxIterations);
}

/** After the sweeps of a submission: a step that needs more of them goes no further. */
@compute @workgroup_size(1)
fn checkStopped() {
  if (!halted() && control.stopped == 0u) { atomicOr(&control.halt, HALT_SWEEPS); }
}
`;
