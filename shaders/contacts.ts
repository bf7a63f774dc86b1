import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { bodies, type SpaceOptions } from './bodies';
import { impulseRows } from './contactLaw';
import { control } from './control';
import { LAW_TABLE_ROWS, lawTable, MAX_LAWS } from './lawTable';
import type { LawOptions } from './shockLaw';

export type ContactsOptions = SpaceOptions & Pick<LawOptions, 'general' | 'torques'>;

/** Contacts in the order of their colours: geometry, and the impulse that they bore in the last step. */
export const contacts = ({ general, torques, ...space }: ContactsOptions) => wgsl`
${control}
${bodies(space)}
${lawTable}
@group(0) @binding(2) var<storage, read> sequence: array<u32>;
@group(0) @binding(3) var<storage, read> pairs: array<vec2u>;
@group(0) @binding(4) var<storage, read> lattice: array<vec4i>;
@group(0) @binding(5) var<storage, read> offsets: array<vec4f>;
@group(0) @binding(6) var<storage, read> walls: array<Wall>;
@group(0) @binding(7) var<storage, read_write> contactPairs: array<vec2u>;
@group(0) @binding(8) var<storage, read_write> normals: array<vec4f>;         // w: gap
@group(0) @binding(9) var<storage, read> lastIndices: array<u32>;
@group(0) @binding(10) var<storage, read_write> lastImpulses: array<vec4f>;   // in the order of the candidates
@group(0) @binding(11) var<storage, read_write> impulses: array<vec4f>;       // P, w: friction, or the law's index; then tau
@group(0) @binding(12) var<storage, read> motion: array<vec4f>;              // free velocity and spin of each body, in turn, before the impulses of the last step
@group(0) @binding(13) var<uniform> lawOf: array<vec4u, ${LAW_TABLE_ROWS}>;             // M x M, four to an entry
@group(0) @binding(14) var<uniform> laws: array<Law, ${MAX_LAWS}>;

const STRIDE = ${impulseRows({ torques })}u;

@compute @workgroup_size(WORKGROUP_SIZE)
fn place(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let k = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (halted() || k >= control.candidates) { return; }
  let pair = pairs[sequence[k]];
  let first = pair.x & ID_MASK;
  let second = pair.y & ID_MASK;
  contactPairs[k] = pair;
  if (second >= params.grains) { return; }
  let geometry = pairGeometry(lattice[first], offsets[first], lattice[second], offsets[second]);
  normals[k] = vec4f(geometry.normal, geometry.gap);
}

/**
 * Inside a cylinder the normal is that of where the free motion leads: on the tangent plane of where it starts, a grain that
 * slides along the wall would sink into it a little in every step.
 */
fn leanWithMotion(geometry: Geometry, radius: f32, motion: vec3f, wall: Wall) -> Geometry {
  if (wall.low.w <= 0.0) { return geometry; }
  let axis = wall.high.xyz + wall.low.xyz;
  let rho = wall.high.w + wall.fraction.w - radius - geometry.gap;
  let ahead = rho * geometry.normal + (motion - dot(motion, axis) * axis);
  let distance = length(ahead);
  if (distance == 0.0) { return geometry; }
  let lean = ahead / distance - geometry.normal;
  return Geometry(geometry.normal + lean, geometry.gap + 0.5 * rho * dot(lean, lean));
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn placeAtWalls(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let k = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (halted() || k >= control.candidates) { return; }
  let pair = contactPairs[k];
  let first = pair.x & ID_MASK;
  let second = pair.y & ID_MASK;
  if (second < params.grains) { return; }
  let wall = walls[second - params.grains];
  if (wall.low.w == MESH) { return; }
  let start = wallGeometry(lattice[first], offsets[first], wall);
  let geometry = leanWithMotion(start, offsets[first].w, motion[2u * first].xyz, wall);
  normals[k] = vec4f(geometry.normal, geometry.gap);
}

fn material(body: u32) -> u32 {
  if (body < params.grains) { return u32(lattice[body].w) & ID_MASK; }
  return u32(walls[body - params.grains].anchor.w);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn recall(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let k = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (halted() || k >= control.candidates) { return; }
  let entry = material(contactPairs[k].x & ID_MASK) * params.materials + material(contactPairs[k].y & ID_MASK);
  let last = lastIndices[sequence[k]];
  let warm = params.warmStart != 0u && control.cold == 0u && last != NONE;
  let law = lawOf[entry / 4u][entry % 4u];
  var impulse = vec3f(0.0);
  if (warm) { impulse = lastImpulses[STRIDE * last].xyz; }
  #if ${general}
  impulses[STRIDE * k] = vec4f(impulse, f32(law));
  #else
  impulses[STRIDE * k] = vec4f(impulse, laws[law].dynamicFriction);
  #endif
  #if ${torques}
  var torque = vec4f(0.0);
  if (warm) { torque = lastImpulses[STRIDE * last + 1u]; }
  impulses[STRIDE * k + 1u] = torque;
  #endif
}

/** After the step: impulses back in the order of the candidates, for the next step to find them. */
@compute @workgroup_size(WORKGROUP_SIZE)
fn keep(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let k = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (halted() || k >= control.candidates) { return; }
  for (var row = 0u; row < STRIDE; row++) { lastImpulses[STRIDE * sequence[k] + row] = impulses[STRIDE * k + row]; }
}
`;
