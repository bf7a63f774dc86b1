import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { CONVERGENCE_INTERVAL, FIRST_COARSE_SWEEP } from '../src/settings';
import { control } from './control';

export interface PredictOptions {
  /** Grains bear forces or torques of their own beside gravity. */
  loads: boolean;
}

/** Begins a step: free velocities v + dt (g + f/m), w + dt t/I, in working copies, so that a halted step leaves nothing changed. */
export const predict = ({ loads }: PredictOptions) => wgsl`
${control}
@group(0) @binding(2) var<storage, read> velocities: array<vec4f>;        // w: inverse mass
@group(0) @binding(3) var<storage, read> spins: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> motion: array<vec4f>;      // velocity and spin of each body, in turn
@group(0) @binding(5) var<storage, read_write> reaches: array<vec2f>;
#if ${loads}
@group(0) @binding(6) var<storage, read> loads: array<vec4f>;             // velocity gain and spin gain of each grain, in turn
#endif

@compute @workgroup_size(1)
fn begin() {
  if (halted()) { return; }
  atomicStore(&control.reachRequired, 0u);
  atomicStore(&control.badGrain, NONE);
  atomicStore(&control.passage, NONE);
  control.candidates = 0u;
  control.iteration = 0u;
  control.stopped = 0u;
  control.converged = 0u;
  control.momentum = params.momentum;
  control.watched = 0u;
  control.aimless = 0u;
  for (var axis = 0u; axis < 3u; axis++) {
    atomicStore(&control.coarse.low[axis], 0x7fffffff);
    atomicStore(&control.coarse.high[axis], -0x7fffffff);
  }
  control.coarse.applies = 0u;
  control.coarse.lastChange = 1e30;
  control.coarse.bearable = 1e30;
  control.coarse.far = 0u;
  control.coarse.nextTurn = ${FIRST_COARSE_SWEEP}f;
  control.coarse.swollen = 0u;
  control.coarse.gap = ${CONVERGENCE_INTERVAL}f;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn predict(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let body = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (body >= params.bodies || halted()) { return; }
  var velocity = velocities[body];
  var spin = spins[body];
  if (body < params.grains && velocity.w > 0.0) {
    #if ${loads}
    velocity += vec4f(loads[2u * body].xyz, 0.0);
    spin += vec4f(loads[2u * body + 1u].xyz, 0.0);
    #else
    velocity += vec4f(params.gravity, 0.0);
    #endif
  }
  motion[2u * body] = velocity;
  motion[2u * body + 1u] = spin;
  if (body < params.grains && control.retry == 0u) { reaches[body].y = 0.0; }
}
`;
