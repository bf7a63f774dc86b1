import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { AIMLESS_SWEEPS, COARSE_PAUSE, FAR_FROM_SETTLED, SLIDERS_STAY_AFTER, STALL_TESTS } from '../src/settings';
import { remainder } from './balance';
import { bodies } from './bodies';
import { coarseWork } from './coarseWork';
import { contactLaw } from './contactLaw';
import { CRITERIA, control } from './control';
import { pages } from './pages';
import type { LawOptions } from './shockLaw';
import { teamIdle, teamSum } from './team';

/** Where the whole number that sums of works are scaled to lies: below the largest of 32 bits, with room for what is rounded. */
const WORK_SCALE = 2 ** 30;

export interface ConvergenceOptions extends LawOptions {
  /** Contacts lie in two buffers: sums over the first go on over the second. */
  split?: boolean;
  /** The criterion looks at how impulses changed in the last sweep. */
  changes: boolean;
  /** The balance is asked for, or the coarse level has turns: a test may end with a proposal of the coarse level. */
  proposes: boolean;
  /** Balance asked for by the criterion. */
  balanced: boolean;
  /** Heavy ball on. */
  momentum: boolean;
}

/**
 * Whether the sweeps may stop: the residual r = sqrt(mean |shockLaw - P|^2) / mean |P|, the law evaluated for all contacts on
 * the present velocities, both means over the contacts where P or the answer is not zero; and the local and global criteria
 * of Unger and Kertesz, eqs (35) and (36). Then the balance: its remainder here, the rest after a proposal of the coarse level.
 */
export const convergence = ({ changes, proposes, balanced, momentum, split = false, ...law }: ConvergenceOptions) => wgsl`
${control}
${pages}
${bodies()}
${teamSum}
${teamIdle}
@group(0) @binding(2) var<storage, read> contactPairs: array<vec2u>;
@group(0) @binding(3) var<storage, read> normals: array<vec4f>;
@group(0) @binding(4) var<storage, read> impulses: array<vec4f>;
@group(0) @binding(5) var<storage, read> previousImpulses: array<vec4f>;
@group(0) @binding(6) var<storage, read> motion: array<vec4f>;            // velocity with the inverse mass and spin of each body, in turn
@group(0) @binding(7) var<storage, read_write> partials: array<vec4f>;    // PARTS for each workgroup
@group(0) @binding(10) var<storage, read> level: array<f32>;              // see balance.ts
${contactLaw(law, { laws: 8, memories: 9 })}
${remainder}
#if ${proposes}
${coarseWork(law)}
#endif
const PARTS = 3u;

const NOTHING = -1e30;     // below any excess

@compute @workgroup_size(TEAM_SIZE)
fn residuals(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {
  if (teamIdle(local)) { return; }
  var change = vec4f(0.0);      // squared change asked for, contacts concerned, |answer|, largest change
  var size = vec4f(0.0, 0.0, 0.0, NOTHING);   // |P|, |P before|, bearing contacts, largest excess of the last change over epsilon |P|, with torques
  var more = vec4f(0.0);        // |P| and |tau| together, |work|
  #if ${split}
  let carried = carriedAt(group.x, 3u, local);
  if (PAGE_FIRST > 0u) {
    change = control.carried[carried];
    size = control.carried[carried + 1u];
    more = control.carried[carried + 2u];
  }
  #endif
  for (var k = firstContact(group.x * TEAM_SIZE + local, params.teams * TEAM_SIZE); k < endOfContacts(); k += params.teams * TEAM_SIZE) {
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
    let stays = control.iteration > control.coarse.swollen + ${SLIDERS_STAY_AFTER}u && slidesByMark(impulse.w);
    let full = contactLaw(normal.xyz, max(normal.w, 0.0), impulse.xyz, torque, v1, motion[first + 1u], v2, motion[second + 1u], share, lawOfMark(impulse.w), aimOf(k), stays);
    let answer = vec2f(length(full.impulse), length(full.torque));
    let asked = length(vec2f(length(full.impulse - impulse.xyz), length(full.torque - torque)));
    #if ${proposes}
    more.y += abs(work(normal, impulse, torque, v1, motion[first + 1u], v2, motion[second + 1u], share, aimOf(k)));
    #endif
    #else
    let velocity = relativeVelocity(v1.xyz, motion[first + 1u].xyz, v2.xyz, motion[second + 1u].xyz, normal.xyz);
    let answer = shockLaw(normal.xyz, max(normal.w, 0.0), impulse.xyz, velocity, normalMass(v1.w, v2.w), impulse.w);
    let asked = length(answer - impulse.xyz);
    #if ${proposes}
    more.y += abs(work(normal, impulse, velocity));
    #endif
    #endif
    var acting = borne;
    #if ${law.torques}
    acting = length(vec2f(borne, length(torque)));
    more.x += acting;
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
  #if ${split}
  if (PAGE_END != NONE) {
    control.carried[carried] = change;
    control.carried[carried + 1u] = size;
    control.carried[carried + 2u] = more;
    return;
  }
  #endif
  let teamChange = teamReduce(change, local);
  let teamSize = teamReduce(size, local);
  if (local == 0u) {
    partials[PARTS * group.x] = teamChange;
    partials[PARTS * group.x + 1u] = teamSize;
  }
  #if ${law.torques || proposes}
  let teamMore = teamReduce(more, local);
  if (local == 0u) { partials[PARTS * group.x + 2u] = teamMore; }
  #endif
}

#if ${momentum}
/** Takes momentum back where the residual no longer falls. */
fn watchMomentum() {
  if (control.watched >= ${STALL_TESTS}u && control.residual >= control.watchedResiduals[control.watched % ${STALL_TESTS}u]) {
    control.momentum = max(0.0, 1.0 - 2.0 * (1.0 - control.momentum));
    control.watched = 0u;
  }
  control.watchedResiduals[control.watched % ${STALL_TESTS}u] = control.residual;
  control.watched++;
}
#endif

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
  #if ${law.torques || proposes}
  var teamMore = vec4f(0.0);
  for (var team = local; team < params.teams; team += TEAM_SIZE) { teamMore = combine(teamMore, partials[PARTS * team + 2u]); }
  let more = teamReduce(teamMore, local);
  #endif
  #if ${law.torques}
  let together = more.x;
  #else
  let together = size.x;
  #endif
  let remaining = remainder(size.x, local);
  if (local != 0u) { return; }
  let concerned = max(change.y, 1.0);
  let candidates = f32(control.candidates);
  let scale = select(change.z, together, together > 0.0) / concerned;
  control.residual = select(0.0, sqrt(change.x / concerned) / scale, scale > 0.0);
  control.residualMax = select(0.0, change.w / scale, scale > 0.0);
  control.meanImpulse = size.x / candidates;
  control.bearing = u32(size.z);
  control.coarse.applies = 0u;
  control.coarse.wanted = 0u;
  if (control.iteration < control.coarse.swollen) { return; }
  var settled = false;
  switch (params.criterion) {
    case ${CRITERIA.indexOf('fixed')}u: { settled = control.iteration >= params.maxIterations; }
    case ${CRITERIA.indexOf('local')}u: { settled = size.w <= params.delta * control.meanImpulse; }
    case ${CRITERIA.indexOf('global')}u: { settled = abs(size.x - size.y) <= params.epsilon * size.x; }
    default: {
      if (control.residual > control.coarse.bearable) { control.coarse.nextTurn += ${COARSE_PAUSE}f; }
      control.coarse.bearable = 1e30;
      settled = control.residual <= params.tolerance;
      #if ${momentum}
      if (!settled) { watchMomentum(); }
      #endif
    }
  }
  let last = control.iteration >= params.maxIterations;
  #if ${law.memory}
  let ends = params.criterion != ${CRITERIA.indexOf('fixed')}u && control.iteration + ${AIMLESS_SWEEPS}u >= params.maxIterations;
  if (ends && !last && !settled && control.residual > ${FAR_FROM_SETTLED}f) { control.aimless = 1u; }
  #endif
  let converged = settled && remaining <= params.balance;
  #if ${proposes}
  let due = f32(control.iteration) >= control.coarse.nextTurn && control.iteration <= params.lastTurn;
  let corrects = due && control.coarse.extent >= params.coarseExtent;
  if (corrects${balanced ? ' || last || converged' : ''}) {
    control.coarse.scale = select(0.0, ${WORK_SCALE}f / more.y, more.y > 1e-28);
    control.coarse.settled = select(0u, 1u, settled);
    control.coarse.corrects = select(0u, 1u, corrects);
    control.coarse.remainder = remaining;
    control.coarse.wanted = 1u;
    return;
  }
  #endif
  control.balance = remaining;
  control.converged = select(0u, 1u, converged);
  control.stopped = select(0u, 1u, converged || last);
}

/** After the sweeps of a submission: a step that needs more of them goes no further. */
@compute @workgroup_size(1)
fn checkStopped() {
  if (!halted() && control.stopped == 0u) { atomicOr(&control.halt, HALT_SWEEPS); }
}
`;
