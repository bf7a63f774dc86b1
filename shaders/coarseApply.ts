import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import type { CoarseOptions } from './coarse';

/** What applies a proposal, from the factors that wait in previousImpulses; for the module of the coarse level. */
export const coarseApply = ({
  momentum,
  split,
  giants,
  torques,
}: Pick<CoarseOptions, 'momentum' | 'split' | 'giants' | 'torques'>) => wgsl`
fn isApplied() -> bool { return control.stopped == 0u && !halted() && control.coarse.applies != 0u; }

/** What the changes of its impulses add to a grain, over its mass. */
struct Push { force: vec3f, torque: vec3f }

/** With those of every so many of its contacts at hand, from one on. */
fn addChanges(grain: u32, before: Push, first: u32, stride: u32) -> Push {
  var push = before.force;
  var turn = before.torque;
  for (var e = startOfSides(grain) + first; e < startOfSides(grain + 1u); e += stride) {
    let side = sideAt(e);
    let k = side >> 1u;
    #if ${split}
    if (k < PAGE_FIRST || k >= PAGE_END) { continue; }
    #endif
    let sign = select(-1.0, 1.0, (side & 1u) == 1u);
    let change = previousImpulses[STRIDE * k].w * impulses[STRIDE * k].xyz;
    push += sign * change;
    turn -= cross(normals[k].xyz, change);
    #if ${torques}
    let torque = impulses[STRIDE * k + 1u];
    turn += sign * shareOf(torque, sign) * previousImpulses[STRIDE * k].w * torque.xyz;
    #endif
  }
  return Push(push, turn);
}

fn addPush(grain: u32, push: Push) {
  let inverseMass = motion[2u * grain].w;
  let dv = vec4f(inverseMass * push.force, 0.0);
  let ds = vec4f(INERTIA_FACTOR * inverseMass * push.torque, 0.0);
  motion[2u * grain] += dv;
  motion[2u * grain + 1u] += ds;
  #if ${momentum}
  previousMotion[2u * grain] += dv;
  previousMotion[2u * grain + 1u] += ds;
  #endif
}

/** Gives the grains what the change of their impulses does, now and as of the last sweep. */
@compute @workgroup_size(WORKGROUP_SIZE)
fn moveGrains(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let grain = flatIndex(group, groups, local, WORKGROUP_SIZE);
  let isActive = grain < params.grains && isApplied();
  var push = Push(vec3f(0.0), vec3f(0.0));
  #if ${split}
  if (isActive && PAGE_FIRST > 0u) { push = pushOf(grain); }
  #endif
  var has = false;
  #if ${giants}
  has = isActive && startOfSides(grain + 1u) - startOfSides(grain) > GIANT;
  for (var giants = giantsOf(has, local); any(giants != vec2u(0u)); giants = withoutFirst(giants)) {
    let next = firstGiant(giants);
    let part = addChanges(flatIndex(group, groups, next, WORKGROUP_SIZE), Push(vec3f(0.0), vec3f(0.0)), local, TEAM_SIZE);
    let force = teamReduce(vec4f(part.force, 0.0), local).xyz;
    let torque = teamReduce(vec4f(part.torque, 0.0), local).xyz;
    if (local == next) { push = Push(push.force + force, push.torque + torque); }
  }
  #endif
  if (!isActive) { return; }
  if (!has) { push = addChanges(grain, push, 0u, 1u); }
  #if ${split}
  coarseMembers[2u * grain] = vec4u(bitcast<vec3u>(push.force), 0u);
  coarseMembers[2u * grain + 1u] = vec4u(bitcast<vec3u>(push.torque), 0u);
  #else
  if (motion[2u * grain].w != 0.0) { addPush(grain, push); }
  #endif
}

#if ${split}
fn pushOf(grain: u32) -> Push {
  return Push(bitcast<vec3f>(coarseMembers[2u * grain].xyz), bitcast<vec3f>(coarseMembers[2u * grain + 1u].xyz));
}

/** After the contacts of both buffers. */
@compute @workgroup_size(WORKGROUP_SIZE)
fn applyMoves(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let grain = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (grain < params.grains && isApplied() && motion[2u * grain].w != 0.0) { addPush(grain, pushOf(grain)); }
}
#endif

/** Impulses now and of the sweep before change alike, so that the heavy ball's increments stay. */
@compute @workgroup_size(WORKGROUP_SIZE)
fn changeImpulses(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let k = PAGE_FIRST + flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (k >= endOfContacts() || !isApplied()) { return; }
  let factor = previousImpulses[STRIDE * k].w;
  for (var row = 0u; row < STRIDE; row++) {
    let change = vec4f(factor * impulses[STRIDE * k + row].xyz, 0.0);
    impulses[STRIDE * k + row] += change;
    previousImpulses[STRIDE * k + row] += change;
  }
}
`;
