import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { LONG_STEP_DISPLACEMENT } from '../src/settings';
import { bodies, type SpaceOptions } from './bodies';
import { control } from './control';
import { REPORT_FASTEST } from './measure';

/**
 * Moves every grain by its velocity at the end of the step (implicit Euler; Brendel, Unger, Wolf, eq. (1.2)) and turns it
 * about its angular velocity. A remainder of the position beyond half a lattice unit goes into the lattice point, which
 * stays in the periodic box.
 */
export const integrate = (space: SpaceOptions) => wgsl`
${control}
${bodies(space)}
@group(0) @binding(2) var<storage, read_write> lattice: array<vec4i>;
@group(0) @binding(3) var<storage, read_write> offsets: array<vec4f>;
@group(0) @binding(4) var<storage, read> motion: array<vec4f>;            // velocity and spin of each body, in turn
@group(0) @binding(5) var<storage, read_write> velocities: array<vec4f>;
@group(0) @binding(6) var<storage, read_write> spins: array<vec4f>;
@group(0) @binding(7) var<storage, read_write> orientations: array<vec4f>;
@group(0) @binding(8) var<storage, read> report: array<u32>;

/** Sine of half an angle over the angle, and cosine of the half: series below a radian, where the device's own are too coarse. */
fn halfAngle(angle: f32) -> vec2f {
  if (angle > 1.0) { return vec2f(sin(0.5 * angle) / angle, cos(0.5 * angle)); }
  let x = angle * angle;
  return vec2f(0.5 - x / 48.0 * (1.0 - x / 80.0 * (1.0 - x / 168.0)), 1.0 - x / 8.0 * (1.0 - x / 48.0 * (1.0 - x / 120.0)));
}

fn turned(orientation: vec4f, angularVelocity: vec3f) -> vec4f {
  let half = halfAngle(length(angularVelocity));
  let axis = half.x * angularVelocity;
  return normalize(vec4f(
    half.y * orientation.xyz + orientation.w * axis + cross(axis, orientation.xyz),
    half.y * orientation.w - dot(axis, orientation.xyz),
  ));
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn integrate(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let grain = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (grain >= params.grains || halted()) { return; }
  let velocity = motion[2u * grain];
  let spin = motion[2u * grain + 1u];
  velocities[grain] = velocity;
  spins[grain] = spin;
  if (velocity.w == 0.0) { return; }
  let remainder = offsets[grain].xyz + velocity.xyz;
  let carried = round(remainder / LATTICE_UNIT);
  #if ${space.periods !== undefined}
  lattice[grain] = vec4i(wrapPoint(lattice[grain].xyz + vec3i(carried)), lattice[grain].w);
  #else
  lattice[grain] += vec4i(vec3i(carried), 0);
  #endif
  offsets[grain] = vec4f(remainder - carried * LATTICE_UNIT, offsets[grain].w);
  orientations[grain] = turned(orientations[grain], spin.xyz / offsets[grain].w);
}

/** Ends a step. */
@compute @workgroup_size(1)
fn advance() {
  if (halted()) { return; }
  control.step++;
  control.retry = 0u;
  control.cold = select(0u, 1u, bitcast<f32>(report[${REPORT_FASTEST}]) > ${LONG_STEP_DISPLACEMENT}f);
}
`;
