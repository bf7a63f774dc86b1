import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { BASE_REACH, REACH_GROWTH } from '../src/settings';
import { bodies, type SpaceOptions } from './bodies';
import { control } from './control';
import { REPORT_WORDS } from './measure';

/** Words of a piston in the report, behind the loads on all walls: lattice point and remainder of its anchor, its velocity. */
export const PISTON_WORDS = 9;

/** A piston as kernels see it, in internal units; of its wall's body the fourth number of the spin is v at the start of the step. */
export const pistonStruct = wgsl`
struct Piston {
  normal: vec3f,
  body: u32,
  mass: f32,
  force: f32,           // impulse in a step
  unused: vec2u,
}
`;

export interface PistonsOptions extends SpaceOptions {
  /** How many there are, at least one. */
  pistons: number;
}

/**
 * Pistons: planes with one degree of freedom, along their normal N. To the grains they are walls of velocity v N; the sweeps find
 * v. Free velocities and reach before the sweeps, the check of the reach after them, and the move.
 */
export const pistons = ({ pistons, ...space }: PistonsOptions) => wgsl`
${control}
${bodies(space)}
${pistonStruct}
@group(0) @binding(2) var<uniform> pistons: array<Piston, ${pistons}>;
@group(0) @binding(3) var<storage, read_write> motion: array<vec4f>;          // velocity and spin of each body, in turn
@group(0) @binding(4) var<storage, read_write> reaches: array<vec2f>;         // of each body: reach, and the least that it may be
@group(0) @binding(5) var<storage, read_write> nearest: array<atomic<u32>>;   // bits of the smallest gap at each piston, not below 0
@group(0) @binding(6) var<storage, read> lattice: array<vec4i>;
@group(0) @binding(7) var<storage, read> offsets: array<vec4f>;
@group(0) @binding(8) var<storage, read_write> walls: array<Wall>;
@group(0) @binding(9) var<storage, read_write> velocities: array<vec4f>;
@group(0) @binding(10) var<storage, read_write> report: array<u32>;

const PISTONS = ${pistons}u;
const FAR = 0x7f7fffffu;     // the largest finite number

fn along(body: u32, normal: vec3f) -> f32 { return dot(motion[2u * body].xyz, normal); }

@compute @workgroup_size(1)
fn free() {
  if (halted()) { return; }
  for (var p = 0u; p < PISTONS; p++) {
    let piston = pistons[p];
    let before = along(piston.body, piston.normal);
    motion[2u * piston.body] = vec4f((before + piston.force / piston.mass) * piston.normal, 0.0);
    motion[2u * piston.body + 1u].w = before;
    if (control.retry == 0u) { reaches[piston.body].y = 0.0; }
    atomicStore(&nearest[p], FAR);
  }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn findNearest(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let grain = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (grain >= params.grains || halted() || (u32(lattice[grain].w) & FIXED) != 0u) { return; }
  for (var p = 0u; p < PISTONS; p++) {
    let gap = wallGeometry(lattice[grain], offsets[grain], walls[pistons[p].body - params.grains], 0.0).gap;
    atomicMin(&nearest[p], bitcast<u32>(max(gap, 0.0)));
  }
}

/**
 * On at the speed that it has or to the nearest grain, whichever is farther, but no farther than the free velocity takes it: that
 * one says nothing by itself, a piston almost without mass would fly through the packing.
 */
@compute @workgroup_size(1)
fn findReach() {
  if (halted()) { return; }
  for (var p = 0u; p < PISTONS; p++) {
    let body = pistons[p].body;
    let before = motion[2u * body + 1u].w;
    let free = along(body, pistons[p].normal);
    let ahead = select(free, min(free, max(before, bitcast<f32>(atomicLoad(&nearest[p])))), free > before);
    reaches[body].x = max(reaches[body].y, ${BASE_REACH}f + max(ahead, 0.0));
  }
}

@compute @workgroup_size(1)
fn check() {
  if (halted()) { return; }
  for (var p = 0u; p < PISTONS; p++) {
    let body = pistons[p].body;
    let velocity = along(body, pistons[p].normal);
    if (velocity <= reaches[body].x) { continue; }
    reaches[body].y = ${REACH_GROWTH}f * velocity;
    atomicOr(&control.halt, HALT_OUTRUN);
  }
}

/** The way of the anchor beyond half a lattice unit goes into the lattice point, as with grains. */
@compute @workgroup_size(1)
fn advance() {
  if (halted()) { return; }
  for (var p = 0u; p < PISTONS; p++) {
    let body = pistons[p].body;
    let wall = body - params.grains;
    let velocity = motion[2u * body];
    velocities[body] = velocity;
    let remainder = walls[wall].fraction.xyz + velocity.xyz;
    let carried = round(remainder / LATTICE_UNIT);
    let anchor = walls[wall].anchor.xyz + vec3i(carried);
    let fraction = remainder - carried * LATTICE_UNIT;
    walls[wall].anchor = vec4i(anchor, walls[wall].anchor.w);
    walls[wall].fraction = vec4f(fraction, walls[wall].fraction.w);
    let word = ${REPORT_WORDS}u + 6u * params.walls + ${PISTON_WORDS}u * p;
    for (var axis = 0u; axis < 3u; axis++) {
      report[word + axis] = bitcast<u32>(anchor[axis]);
      report[word + 3u + axis] = bitcast<u32>(fraction[axis]);
      report[word + 6u + axis] = bitcast<u32>(velocity[axis]);
    }
  }
}
`;
