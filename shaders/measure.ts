import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { LEAST_PASSAGE, REACH_GROWTH, RUNAWAY_DISPLACEMENT, TOUCHING_GAP } from '../src/settings';
import { bodies, FARTHEST_POINT, type SpaceOptions, type WallOptions, wallAfter } from './bodies';
import { impulseRows } from './contactLaw';
import { control, TEAM_ROWS, TEAM_SIZE } from './control';
import { pages } from './pages';
import type { LawOptions } from './shockLaw';
import { teamSum } from './team';

/** Colours whose sizes are reported, from word 32 on: more than there are large ones in packings of sizes up to 3 to 1. */
export const REPORTED_COLOURS = 32;
/** Words of a report before the loads on the walls. */
export const REPORT_WORDS = 32 + REPORTED_COLOURS;
/** The word that holds the largest displacement in the grain's own diameters. */
export const REPORT_FASTEST = 20;

/** Variants: contacts have torques; some walls are meshes; contacts lie in two buffers. */
export type MeasureOptions = SpaceOptions &
  WallOptions &
  Pick<LawOptions, 'inertiaFactor' | 'torques'> & { meshes: boolean; pistons: number; split?: boolean };

/** Figures of a step, reduced in two passes of fixed shape; and whether any grain outran its reach or is not finite. */
export const measure = ({ inertiaFactor, torques, meshes, pistons, split = false, ...space }: MeasureOptions) => wgsl`
${control}
${pages}
${bodies(space)}
${wallAfter}
${teamSum}
@group(0) @binding(2) var<storage, read> contactPairs: array<vec2u>;
@group(0) @binding(3) var<storage, read> normals: array<vec4f>;
@group(0) @binding(4) var<storage, read> impulses: array<vec4f>;
@group(0) @binding(5) var<storage, read> offsets: array<vec4f>;
@group(0) @binding(6) var<storage, read> motion: array<vec4f>;           // velocity with the inverse mass and spin of each body, in turn
@group(0) @binding(7) var<storage, read> walls: array<Wall>;
@group(0) @binding(8) var<storage, read_write> partials: array<vec4f>;      // four for each workgroup, then two for each wall and workgroup
@group(0) @binding(9) var<storage, read_write> reaches: array<vec2f>;
@group(0) @binding(10) var<storage, read> lattice: array<vec4i>;
@group(0) @binding(11) var<storage, read_write> report: array<u32>;
@group(0) @binding(12) var<storage, read> schedule: array<u32>;           // see solve.ts

const STRIDE = ${impulseRows({ torques })}u;

/** Where the partial results of a wall begin. */
fn partialsOf(wall: u32) -> u32 { return (4u + 2u * wall) * params.teams; }

/** The wall that a contact's second body is, or is a part of. */
fn wallOf(body: u32) -> u32 {
  #if ${space.turning}
  if (body >= params.bodies) { return walls[(body - params.bodies) / params.grains].links.z; }
  #endif
  return body - params.grains;
}

/** Gap after the move. */
fn gapAfter(k: u32) -> f32 {
  let pair = contactPairs[k];
  let first = pair.x & ID_MASK;
  let second = pair.y & ID_MASK;
  let moved = offsets[first] + vec4f(motion[2u * first].xyz, 0.0);
  if (second < params.grains) {
    let otherMoved = offsets[second] + vec4f(motion[2u * second].xyz, 0.0);
    return pairGeometry(lattice[first], moved, lattice[second], otherMoved).gap;
  }
  let wall = wallOf(second);
  #if ${meshes}
  if (walls[wall].low.w == MESH) {
    return normals[k].w + dot(normals[k].xyz, motion[2u * second].xyz - motion[2u * first].xyz);
  }
  #endif
  let before = wallGeometry(lattice[first], offsets[first], walls[wall], 0.0);
  let side = sideOf(before, walls[wall]);
  #if ${space.moving}
  if (wallAfter(wall) != wall) { return wallGeometry(lattice[first], moved, walls[wallAfter(wall)], side).gap; }
  #endif
  let geometry = wallGeometry(lattice[first], moved, walls[wall], side);
  return geometry.gap + dot(geometry.normal, motion[2u * second].xyz);
}

/** As checkPassage of src/cpu/runaway.ts. */
fn passes(k: u32) -> bool {
  let first = contactPairs[k].x & ID_MASK;
  let second = contactPairs[k].y & ID_MASK;
  let normal = normals[k].xyz;
  let gap = normals[k].w;
  let way = motion[2u * second].xyz - motion[2u * first].xyz;
  let most = max(offsets[first].w, ${LEAST_PASSAGE}f);
  if (second >= params.grains) { return gap + dot(normal, way) < -most; }
  if (max(gap, 0.0) + dot(normal, way) >= -most) { return false; }
  let reach = offsets[first].w + offsets[second].w;
  let apart = (gap + reach) * normal;
  let share = min(-dot(apart, way) / dot(way, way), 1.0);
  return length(apart + share * way) - reach < min(gap, 0.0) - most;
}

@compute @workgroup_size(TEAM_SIZE)
fn measureContacts(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {
  if (teamHalted(local)) { return; }
  var figures = vec4f(0.0);    // touching pairs, sum of overlaps, unused, largest overlap
  #if ${split}
  let carried = carriedAt(group.x, 1u, local);
  if (PAGE_FIRST > 0u) { figures = control.carried[carried]; }
  #endif
  for (var k = firstContact(group.x * TEAM_SIZE + local, params.teams * TEAM_SIZE); k < endOfContacts(); k += params.teams * TEAM_SIZE) {
    let gap = gapAfter(k);
    let touches = select(0.0, 1.0, gap < ${TOUCHING_GAP}f);
    let overlap = max(0.0, -gap);
    if (passes(k)) { atomicMin(&control.passage, select(k, k | FIXED, (contactPairs[k].y & ID_MASK) < params.grains)); }
    figures = vec4f(figures.xyz + vec3f(touches, overlap, 0.0), max(figures.w, overlap));
  }
  #if ${split}
  if (PAGE_END != NONE) {
    control.carried[carried] = figures;
    return;
  }
  #endif
  let result = teamReduce(figures, local);
  if (local == 0u) { partials[4u * group.x] = result; }
}

fn isFinite(v: vec3f) -> bool {
  return all((bitcast<vec3u>(v) & vec3u(0x7f800000u)) != vec3u(0x7f800000u));
}

@compute @workgroup_size(TEAM_SIZE)
fn measureBodies(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {
  if (teamHalted(local)) { return; }
  var momentum = vec4f(0.0);
  var energy = vec4f(0.0);
  var far = vec2u(0u, NONE);
  for (var grain = group.x * TEAM_SIZE + local; grain < params.grains; grain += params.teams * TEAM_SIZE) {
    let velocity = motion[2u * grain];
    let spin = motion[2u * grain + 1u].xyz;
    if (velocity.w == 0.0) { continue; }
    if (!isFinite(velocity.xyz) || !isFinite(spin)) {
      atomicMin(&control.badGrain, grain);
      atomicOr(&control.halt, HALT_NOT_FINITE);
      continue;
    }
    let speed = length(velocity.xyz);
    if (speed > reaches[grain].x) {
      reaches[grain].y = ${REACH_GROWTH}f * speed;
      atomicOr(&control.halt, HALT_OUTRUN);
    }
    momentum += vec4f(velocity.xyz / velocity.w, 0.0);
    energy.x += 0.5 * (dot(velocity.xyz, velocity.xyz) + ${1 / inertiaFactor}f * dot(spin, spin)) / velocity.w;
    let displacement = 0.5 * speed / offsets[grain].w;
    if (displacement > ${RUNAWAY_DISPLACEMENT}f) { atomicOr(&control.halt, HALT_TOO_FAST); }
    if (any(abs(vec3f(lattice[grain].xyz) + velocity.xyz / LATTICE_UNIT) > vec3f(${FARTHEST_POINT}f))) {
      atomicMin(&control.badGrain, grain);
      atomicOr(&control.halt, HALT_TOO_FAR);
    }
    let moved = bitcast<u32>(displacement);
    if (moved > far.x || (moved == far.x && grain < far.y)) { far = vec2u(moved, grain); }
  }
  let teamMomentum = teamReduce(momentum, local);
  let teamEnergy = teamReduce(energy, local);
  let farthest = teamFarthest(far, local);
  if (local == 0u) {
    partials[4u * group.x + 1u] = teamMomentum;
    partials[4u * group.x + 2u] = teamEnergy;
    partials[4u * group.x + 3u] = bitcast<vec4f>(vec4u(farthest, 0u, 0u));
  }
}

var<workgroup> teamFar: array<vec2u, ${TEAM_SIZE}>;    // bits of a displacement in the grain's own diameters, and its grain
var<workgroup> rowFar: array<vec2u, ${TEAM_ROWS}>;

fn farther(a: vec2u, b: vec2u) -> vec2u {
  return select(a, b, b.x > a.x || (b.x == a.x && b.y < a.y));
}

fn teamFarthest(far: vec2u, local: u32) -> vec2u {
  teamFar[local] = far;
  workgroupBarrier();
  if (local < ${TEAM_ROWS}u) {
    var row = teamFar[local * ${TEAM_ROWS}u];
    for (var k = 1u; k < ${TEAM_ROWS}u; k++) { row = farther(row, teamFar[local * ${TEAM_ROWS}u + k]); }
    rowFar[local] = row;
  }
  workgroupBarrier();
  var result = rowFar[0];
  for (var row = 1u; row < ${TEAM_ROWS}u; row++) { result = farther(result, rowFar[row]); }
  return result;
}

/** Force and torque on the wall of the workgroup's row. */
@compute @workgroup_size(TEAM_SIZE)
fn measureWalls(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {
  if (teamHalted(local)) { return; }
  let wall = walls[group.y];
  var force = vec4f(0.0);
  var torque = vec4f(0.0);
  #if ${split}
  let carried = carriedAt(params.teams * group.y + group.x, 2u, local);
  if (PAGE_FIRST > 0u) {
    force = control.carried[carried];
    torque = control.carried[carried + 1u];
  }
  #endif
  for (var k = firstContact(group.x * TEAM_SIZE + local, params.teams * TEAM_SIZE); k < endOfContacts(); k += params.teams * TEAM_SIZE) {
    let first = contactPairs[k].x & ID_MASK;
    var body = params.grains + group.y;
    #if ${space.turning}
    if (wall.links.y != NONE) { body = params.bodies + wall.links.y * params.grains + first; }
    #endif
    if (contactPairs[k].y != (body | FIXED)) { continue; }
    let arm = armFromWall(lattice[first], offsets[first], wall) + offsets[first].w * normals[k].xyz;
    let impulse = impulses[STRIDE * k].xyz;
    force += vec4f(impulse, 0.0);
    torque += vec4f(cross(arm, impulse), 0.0);
    #if ${torques}
    torque += vec4f(offsets[first].w * impulses[STRIDE * k + 1u].xyz, 0.0);
    #endif
  }
  #if ${split}
  if (PAGE_END != NONE) {
    control.carried[carried] = force;
    control.carried[carried + 1u] = torque;
    return;
  }
  #endif
  let teamForce = teamReduce(force, local);
  let teamTorque = teamReduce(torque, local);
  if (local == 0u) {
    let entry = partialsOf(group.y) + 2u * group.x;
    partials[entry] = teamForce;
    partials[entry + 1u] = teamTorque;
  }
}

/** This invocation's share of the teams' partial results, of which each team wrote every so many. */
fn sumOfTeams(first: u32, stride: u32, local: u32) -> vec4f {
  var sum = vec4f(0.0);
  for (var team = local; team < params.teams; team += TEAM_SIZE) { sum = combine(sum, partials[first + stride * team]); }
  return sum;
}

/** One workgroup for the figures, one more for each wall. Written also for a halted step: why, and what it needs. */
@compute @workgroup_size(TEAM_SIZE)
fn writeReport(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {
  if (group.x > 0u) {
    let first = partialsOf(group.x - 1u);
    let force = teamReduce(sumOfTeams(first, 2u, local), local);
    let torque = teamReduce(sumOfTeams(first + 1u, 2u, local), local);
    if (local == 0u) {
      for (var axis = 0u; axis < 3u; axis++) {
        report[${REPORT_WORDS}u + 6u * (group.x - 1u) + axis] = bitcast<u32>(force[axis]);
        report[${REPORT_WORDS}u + 6u * (group.x - 1u) + 3u + axis] = bitcast<u32>(torque[axis]);
      }
    }
    return;
  }
  let contacts = teamReduce(sumOfTeams(0u, 4u, local), local);
  let momentum = teamReduce(sumOfTeams(1u, 4u, local), local);
  let energy = teamReduce(sumOfTeams(2u, 4u, local), local);
  var mine = vec2u(0u, NONE);
  for (var team = local; team < params.teams; team += TEAM_SIZE) {
    mine = farther(mine, bitcast<vec4u>(partials[4u * team + 3u]).xy);
  }
  let far = teamFarthest(mine, local);
  for (var colour = local; colour < ${REPORTED_COLOURS}u; colour += TEAM_SIZE) {
    report[32u + colour] = schedule[${pistons + 1}u + colour] - schedule[${pistons}u + colour];
  }
  if (local != 0u) { return; }
  let passage = atomicLoad(&control.passage);
  if (passage != NONE) {
    atomicOr(&control.halt, HALT_PASSAGE);
    let pair = contactPairs[passage & ID_MASK];
    let second = pair.y & ID_MASK;
    report[27] = pair.x & ID_MASK;
    report[28] = select(params.grains + wallOf(second), second, second < params.grains);
  }
  report[0] = atomicLoad(&control.halt);
  report[1] = atomicLoad(&control.reachRequired);
  report[2] = atomicLoad(&control.badGrain);
  report[3] = control.step;
  report[4] = control.candidates;
  report[5] = control.colours;
  report[6] = control.largeColours;
  report[7] = control.uncoloured;
  report[8] = control.iteration;
  report[9] = control.converged;
  report[10] = bitcast<u32>(control.residual);
  report[11] = bitcast<u32>(control.residualMax);
  report[12] = bitcast<u32>(control.meanImpulse);
  report[13] = control.bearing;
  report[14] = bitcast<u32>(contacts.y / max(contacts.x, 1.0));
  report[15] = bitcast<u32>(contacts.w);
  report[16] = bitcast<u32>(energy.x);
  report[17] = bitcast<u32>(momentum.x);
  report[18] = bitcast<u32>(momentum.y);
  report[19] = bitcast<u32>(momentum.z);
  report[${REPORT_FASTEST}] = far.x;
  report[21] = far.y;
  report[22] = control.hubs;
  report[23] = bitcast<u32>(control.balance);
  report[24] = control.hubGrains;
  report[25] = control.hubColours;
  report[26] = control.hubsAtOnce;
}
`;
