import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { GRAIN_ROW, HISTOGRAMS } from '../src/viewer/rows';
import { WORKGROUP_SIZE } from './control';
import { ENDS_START, viewShared } from './viewContacts';

/** What is drawn of each grain, see GRAIN_ROW: from lattice points and remainders, and the sums over its contacts. */
export const viewGrains = () => wgsl`
${viewShared}
@group(0) @binding(2) var<storage, read> lattice: array<vec4i>;        // w: material
@group(0) @binding(3) var<storage, read> offsets: array<vec4f>;        // w: radius
@group(0) @binding(4) var<storage, read> velocities: array<vec4f>;
@group(0) @binding(5) var<storage, read> spins: array<vec4f>;
@group(0) @binding(6) var<storage, read> orientations: array<vec4f>;
@group(0) @binding(7) var<storage, read> groupNumbers: array<u32>;
@group(0) @binding(8) var<storage, read_write> rows: array<vec4f>;

fn sum(grain: u32, word: u32) -> u32 { return atomicLoad(&sums[sumOf(grain, word)]); }
fn direction(grain: u32, word: u32) -> f32 { return f32(bitcast<i32>(sum(grain, word))) / DIRECTION_PARTS; }

/** How far grains reach along x, y, z, -x, -y, -z, of this workgroup; in an order of whole numbers. */
var<workgroup> ends: array<atomic<u32>, 6>;

fn ordered(x: f32) -> u32 {
  let bits = bitcast<u32>(x);
  return select(bits | 0x80000000u, ~bits, (bits >> 31u) != 0u);
}

@compute @workgroup_size(${WORKGROUP_SIZE})
fn draw(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let k = flatIndex(group, groups, local);
  if (k < view.count) { drawGrain(k); }
  workgroupBarrier();
  if (local < 6u) { atomicMax(&sums[${ENDS_START}u + local], atomicLoad(&ends[local])); }
}

fn drawGrain(k: u32) {
  let grain = view.first + k;
  let radius = offsets[grain].w;
  let contacts = sum(grain, 0u);
  let figures = vec4f(
    length(velocities[grain].xyz),
    length(spins[grain].xyz) / radius,
    f32(sum(grain, 1u)) / IMPULSE_PARTS * bitcast<f32>(atomicLoad(&sums[0])),
    f32(contacts),
  );
  let row = ${GRAIN_ROW / 4}u * k;
  let place = vec3f(lattice[grain].xyz) * view.latticeUnit + offsets[grain].xyz;
  for (var axis = 0u; axis < 3u; axis++) {
    atomicMax(&ends[axis], ordered(place[axis] + radius));
    atomicMax(&ends[3u + axis], ordered(radius - place[axis]));
  }
  rows[row] = vec4f(place, radius);
  rows[row + 1u] = orientations[grain];
  rows[row + 2u] = figures;
  rows[row + 3u] = vec4f(direction(grain, 3u), direction(grain, 4u), direction(grain, 5u), direction(grain, 6u));
  let state = select(0.0, select(1.0, 2.0, sum(grain, 2u) > 0u), contacts > 0u);
  rows[row + 4u] = vec4f(f32(u32(lattice[grain].w) & ID_MASK), f32(groupNumbers[grain]), state, 0.0);
  count(figures.x, ${HISTOGRAMS.indexOf('speed')}u);
  count(figures.y, ${HISTOGRAMS.indexOf('rotation')}u);
  count(figures.z, ${HISTOGRAMS.indexOf('force')}u);
}
`;
