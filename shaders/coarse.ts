import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { OVERHANG } from '../src/cpu/coarseGrid';
import { LARGEST_COARSE_GAIN, LARGEST_COARSE_LOSS, MAX_COARSE_NODES } from '../src/settings';
import { MOMENTA_FLOATS } from './balance';
import { bodies, type SpaceOptions } from './bodies';
import { coarseApply } from './coarseApply';
import { coarseField, NEIGHBOURS, PAIRS, VECTORS } from './coarseField';
import { coarseGiants } from './coarseGiants';
import { coarseGrid, coarseListPlaces } from './coarseGrid';
import { coarseJudge } from './coarseJudge';
import { coarseMembers } from './coarseMembers';
import { coarseWork } from './coarseWork';
import { contactLaw } from './contactLaw';
import { control } from './control';
import { pages } from './pages';
import type { LawOptions } from './shockLaw';
import { teamIdle, teamSum } from './team';

/** Floats of `level` where there are proposals: momenta, vectors. */
export const LEVEL_FLOATS = MOMENTA_FLOATS + VECTORS * MAX_COARSE_NODES;
/** Of what is needed within a proposal alone. */
export const COUPLINGS_FLOATS = PAIRS * MAX_COARSE_NODES;
export const MATRIX_FLOATS = NEIGHBOURS * MAX_COARSE_NODES;

export interface CoarseOptions extends SpaceOptions, LawOptions {
  /** Heavy ball on. */
  momentum: boolean;
  /** There are pistons: a step is never taken to be far from balance. */
  pressed: boolean;
  /** Proposals may be applied, not only looked at. */
  applies: boolean;
  /** Invocations of the workgroup that solves for the field; sums differ in their last bits. */
  solverSize: number;
  /** Contacts lie in two buffers. */
  split?: boolean;
  /** There may be grains with very many contacts. */
  giants?: boolean;
}

/** A step of the coarse level, as src/cpu/coarse.ts has it: work of the contacts, response of the grains, the field, its share of the impulses. */
export const coarse = ({
  momentum,
  pressed,
  applies,
  solverSize,
  periods,
  split = false,
  giants = false,
  ...law
}: CoarseOptions) => wgsl`
${control}
${pages}
${bodies({ periods })}
${teamSum}
${teamIdle}
${coarseGrid({ periods })}
${coarseListPlaces({ sides: true, split })}
@group(0) @binding(2) var<storage, read> contactPairs: array<vec2u>;
@group(0) @binding(3) var<storage, read> normals: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> impulses: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> motion: array<vec4f>;             // velocity with the inverse mass and spin with the radius of each body, in turn
@group(0) @binding(6) var<storage, read> lattice: array<vec4i>;
@group(0) @binding(7) var<storage, read> coarseLists: array<u32>;
@group(0) @binding(8) var<storage, read_write> level: array<f32>;
@group(0) @binding(9) var<storage, read_write> targets: array<atomic<i32>>;      // g of each node, times control.coarse.scale; 0 between proposals
@group(0) @binding(12) var<storage, read_write> previousImpulses: array<vec4f>;  // w: by which share of itself an impulse is to change
@group(0) @binding(13) var<storage, read_write> previousMotion: array<vec4f>;
@group(0) @binding(21) var<storage, read_write> cellCouplings: array<f32>;     // of the corners of each cell
@group(0) @binding(22) var<storage, read_write> cellMatrix: array<f32>;        // of the nodes, by diagonals
#if ${split}
@group(0) @binding(18) var<storage, read> coarseSides: array<u32>;
@group(0) @binding(19) var<storage, read_write> coarseMembers: array<vec4u>;    // two rows for each grain, by cell or, for sums, by number; then where each cell begins
#endif
${contactLaw(law, { laws: 10, memories: 11 })}
${coarseWork(law)}

const NODES = ${MAX_COARSE_NODES}u;

var<workgroup> teamAsked: vec2u;

/** Whether there is nothing to propose, the same for all of a workgroup; ends with a barrier. */
fn nothingAsked(local: u32) -> bool {
  if (local == 0u) { teamAsked = vec2u(control.stopped | atomicLoad(&control.halt), control.coarse.wanted); }
  let asked = workgroupUniformLoad(&teamAsked);
  return asked.x != 0u || asked.y == 0u;
}

/** A cell and a place in it, from 0 to 1 and a little beyond. */
struct Spot { cell: vec3u, inside: vec3f }

/** Where a contact counts: in the cell of its first grain, or of the second where the first is fixed. */
fn spotOf(k: u32, pair: vec2u) -> Spot {
  let isFixed = (pair.x & FIXED) != 0u;
  let grain = select(pair.x, pair.y, isFixed) & ID_MASK;
  let place = gridPlace(lattice[grain]);
  let arm = select(1.0, -1.0, isFixed) * motion[2u * grain + 1u].w * normals[k].xyz / triple(control.coarse.spacing);
  return Spot(cellAt(place), clamp(fract(place) + arm, vec3f(${-OVERHANG}), vec3f(${1 + OVERHANG})));
}

fn workAt(k: u32, pair: vec2u) -> f32 {
  let first = 2u * (pair.x & ID_MASK);
  let second = 2u * (pair.y & ID_MASK);
  #if ${law.general}
  var torque = vec3f(0.0);
  #if ${law.torques}
  torque = impulses[STRIDE * k + 1u].xyz;
  #endif
  let share = shareOfFirst(motion[first + 1u].w, motion[second + 1u].w, pair.y);
  return work(normals[k], impulses[STRIDE * k], torque, motion[first], motion[first + 1u], motion[second], motion[second + 1u], share, aimOf(k));
  #else
  let velocity = relativeVelocity(motion[first].xyz, motion[first + 1u].xyz, motion[second].xyz, motion[second + 1u].xyz, normals[k].xyz);
  return work(normals[k], impulses[k], velocity);
  #endif
}

var<workgroup> teamTargets: array<atomic<i32>, NODES>;

/** g_j = -sum of w_j r. Whole numbers, so that their sum does not depend on the order. */
@compute @workgroup_size(TEAM_SIZE)
fn sumWork(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {
  if (nothingAsked(local)) { return; }
  let nodes = control.coarse.nodes;
  for (var node = local; node < nodes; node += TEAM_SIZE) { atomicStore(&teamTargets[node], 0); }
  workgroupBarrier();
  for (var k = firstContact(group.x * TEAM_SIZE + local, params.teams * TEAM_SIZE); k < endOfContacts(); k += params.teams * TEAM_SIZE) {
    let pair = contactPairs[k];
    let r = control.coarse.scale * workAt(k, pair);
    if (r == 0.0) { continue; }
    let spot = spotOf(k, pair);
    for (var m = 0u; m < CORNERS; m++) { atomicAdd(&teamTargets[nodeAt(spot.cell, m)], i32(round(-hat(spot.inside, m) * r))); }
  }
  workgroupBarrier();
  for (var node = local; node < nodes; node += TEAM_SIZE) { atomicAdd(&targets[node], atomicLoad(&teamTargets[node])); }
}

const PAIRS = ${PAIRS}u;

${coarseMembers({ split })}
${giants ? coarseGiants : ''}

/**
 * A_ml += (F_m F_l + kappa T_m T_l)/m of a grain over the nodes of its own cell: F_m = sum of w_m P and T_m = sum of w_m (n x P and
 * the contact's torque) over the impulses on it, w_m of its own cell, which go on linearly to contacts beyond it.
 */
fn addResponse(grain: Member, couplings: ptr<function, array<f32, ${PAIRS}>>) {
  if (grain.inverseMass == 0.0) { return; }
  var forces = array<vec3f, 8>();
  var turns = array<vec3f, 8>();
  addSides(grain, 0u, 1u, &forces, &turns);
  addPairs(grain, &forces, &turns, couplings);
}

/** F and T of every so many of a grain's contacts, from one on. */
fn addSides(
  grain: Member, first: u32, stride: u32, forces: ptr<function, array<vec3f, 8>>, turns: ptr<function, array<vec3f, 8>>,
) {
  let inside = fract(grain.place);
  let reach = grain.radius / triple(control.coarse.spacing);
  for (var e = grain.begin + first; e < grain.end; e += stride) {
    let side = sideAt(e);
    let k = side >> 1u;
    let sign = select(-1.0, 1.0, (side & 1u) == 1u);
    let impulse = impulseRow(k, 0u).xyz;
    if (all(impulse == vec3f(0.0))) { continue; }
    let normal = normalAt(k);
    var turn = cross(normal, impulse);
    #if ${law.torques}
    let torque = impulseRow(k, 1u);
    turn -= sign * shareOf(torque, sign) * torque.xyz;
    #endif
    let arm = inside - sign * reach * normal;
    for (var m = 0u; m < CORNERS; m++) {
      let weight = hat(arm, m);
      (*forces)[m] += weight * sign * impulse;
      (*turns)[m] += weight * turn;
    }
  }
}

fn addPairs(
  grain: Member, forces: ptr<function, array<vec3f, 8>>, turns: ptr<function, array<vec3f, 8>>,
  couplings: ptr<function, array<f32, ${PAIRS}>>,
) {
  var pair = 0u;
  for (var m = 0u; m < CORNERS; m++) {
    for (var l = m; l < CORNERS; l++) {
      let turned = INERTIA_FACTOR * dot((*turns)[m], (*turns)[l]);
      (*couplings)[pair] += grain.inverseMass * (dot((*forces)[m], (*forces)[l]) + turned);
      pair++;
    }
  }
}

#if ${law.torques}
/** r* over the radius of the first or, with sign 1, the second body. */
fn shareOf(torque: vec4f, sign: f32) -> f32 { return select(torque.w, 1.0 - torque.w, sign > 0.0); }
#endif

var<workgroup> teamCells: u32;

/** Couplings of the corners of each cell, a workgroup for a cell. */
@compute @workgroup_size(TEAM_SIZE)
fn respond(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  if (nothingAsked(local)) { return; }
  if (local == 0u) { teamCells = control.coarse.cells; }
  let cells = workgroupUniformLoad(&teamCells);
  for (var cell = group.x; cell < cells; cell += groups.x) {
    // Set to 0 by name: a driver was met on which variables in a loop kept what they held.
    var couplings = array<f32, ${PAIRS}>();
    #if ${giants}
    addMembers(cell, local, &couplings);
    #else
    for (var at = startOfMembers(cell) + local; at < startOfMembers(cell + 1u); at += TEAM_SIZE) {
      addResponse(memberAt(at), &couplings);
    }
    #endif
    // Three at a time: much shared memory takes some drivers long to compile.
    for (var pair = 0u; pair < PAIRS; pair += 3u) {
      let sums = teamReduce(vec4f(couplings[pair], couplings[pair + 1u], couplings[pair + 2u], 0.0), local);
      if (local < 3u) { cellCouplings[PAIRS * cell + pair + local] = sums[local]; }
    }
  }
}

${coarseField(solverSize, MOMENTA_FLOATS)}
/** By which share of itself a contact's impulse is to change; 0 where it does not press. */
fn factorAt(k: u32) -> f32 {
  let normal = normals[k].xyz;
  let impulse = impulses[STRIDE * k];
  if (dot(impulse.xyz, normal) <= 0.0) { return 0.0; }
  let spot = spotOf(k, contactPairs[k]);
  var s = 0.0;
  for (var m = 0u; m < CORNERS; m++) { s += hat(spot.inside, m) * control.coarse.field[nodeAt(spot.cell, m)]; }
  s = clamp(s, -${LARGEST_COARSE_LOSS}f, ${LARGEST_COARSE_GAIN}f);
  #if ${law.memory}
  var torque = vec3f(0.0);
  #if ${law.torques}
  torque = impulses[STRIDE * k + 1u].xyz;
  #endif
  if (s > 0.0 && !mayGrow(normal, impulse, torque, aimOf(k))) { return 0.0; }
  #endif
  return s;
}

/** sum |s||P| and sum |P| of each workgroup's contacts. */
@compute @workgroup_size(TEAM_SIZE)
fn share(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) local: u32) {
  if (nothingAsked(local)) { return; }
  var mine = vec4f(0.0);
  #if ${split}
  let carried = carriedAt(group.x, 1u, local);
  if (PAGE_FIRST > 0u) { mine = control.carried[carried]; }
  #endif
  for (var k = firstContact(group.x * TEAM_SIZE + local, params.teams * TEAM_SIZE); k < endOfContacts(); k += params.teams * TEAM_SIZE) {
    let size = length(impulses[STRIDE * k].xyz);
    let factor = factorAt(k);
    mine += vec4f(abs(factor) * size, size, 0.0, 0.0);
    #if ${applies}
    previousImpulses[STRIDE * k].w = factor;
    #endif
  }
  #if ${split}
  if (PAGE_END != NONE) {
    control.carried[carried] = mine;
    return;
  }
  #endif
  let sums = teamReduce(mine, local);
  if (local < 2u) { control.coarse.shares[2u * group.x + local] = sums[local]; }
}

${coarseJudge({ momentum, pressed })}
#if ${applies}
${coarseApply({ momentum, split, giants, torques: law.torques })}
#endif
`;
