import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { SLIDING_TOLERANCE } from '../src/settings';
import { BIN_SHIFT, BINS, HISTOGRAMS, SHADE_RANGE } from '../src/viewer/rows';
import { WORKGROUP_SIZE } from './control';

/** Words of `sums`: the largest normal impulse, the ends of the grains' places, the histograms, then SUM_WORDS for each grain. */
export const ENDS_START = 1;
export const HISTOGRAM_START = 16;
export const SUM_START = HISTOGRAM_START + BINS * HISTOGRAMS.length;
export const SUM_WORDS = 8;
/** Bytes of the uniform block `view`. */
export const VIEW_BYTES = 48;

/**
 * What the viewer's kernels share. Sums over the contacts of a grain are of whole numbers, whose order does not matter: contacts,
 * those that slide, normal impulses in parts of the largest, and weighted directions of neighbours.
 */
export const viewShared = wgsl`
struct View {
  latticeUnit: vec3f,           // mean diameters
  grains: u32,                  // all of them
  impulseRows: u32,
  generalLaws: u32,
  first: u32,                   // the first grain or contact whose row is in the buffer at hand, among all
  count: u32,                   // and how many are
  before: u32,                  // contacts that the buffers of normals and impulses have before the first
}
@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read_write> sums: array<atomic<u32>>;

const ID_MASK = 0x7fffffffu;
/** Parts of the largest impulse: 32,768 contacts of one grain have room. */
const IMPULSE_PARTS = 65536.0;
const DIRECTION_PARTS = 4096.0;

fn flatIndex(group: vec3u, groups: vec3u, local: u32) -> u32 {
  return (group.y * groups.x + group.x) * ${WORKGROUP_SIZE}u + local;
}

fn sumOf(grain: u32, word: u32) -> u32 { return ${SUM_START}u + ${SUM_WORDS}u * grain + word; }

fn count(figure: f32, histogram: u32) {
  if (figure > 0.0) { atomicAdd(&sums[${HISTOGRAM_START}u + ${BINS}u * histogram + (bitcast<u32>(figure) >> ${BIN_SHIFT}u)], 1u); }
}
`;

/** Sums over contacts, and what is drawn of them. */
export const viewContacts = () => wgsl`
${viewShared}
@group(0) @binding(2) var<storage, read> contactPairs: array<vec2u>;
@group(0) @binding(3) var<storage, read> normals: array<vec4f>;      // w: gap
@group(0) @binding(4) var<storage, read> impulses: array<vec4f>;
@group(0) @binding(5) var<storage, read> lattice: array<vec4i>;
@group(0) @binding(6) var<storage, read> offsets: array<vec4f>;      // w: radius
@group(0) @binding(7) var<storage, read_write> chains: array<vec4f>; // two for each contact, see CHAIN_ROW

fn pairOf(k: u32) -> vec2u { return contactPairs[view.first + k] & vec2u(ID_MASK); }
fn normalOf(k: u32) -> vec4f { return normals[view.before + k]; }
fn impulseOf(k: u32) -> vec4f { return impulses[view.impulseRows * (view.before + k)]; }

@compute @workgroup_size(${WORKGROUP_SIZE})
fn largest(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let k = flatIndex(group, groups, local);
  if (k >= view.count) { return; }
  atomicMax(&sums[0], bitcast<u32>(abs(dot(impulseOf(k).xyz, normalOf(k).xyz))));
}

fn slides(impulse: vec4f, normal: vec3f, pressing: f32) -> bool {
  if (view.generalLaws != 0u) { return fract(impulse.w) > 0.25; }
  return length(impulse.xyz - pressing * normal) >= ${1 - SLIDING_TOLERANCE}f * impulse.w * pressing;
}

fn add(grain: u32, impulse: u32, sliding: bool, weight: f32, towards: vec3f) {
  if (impulse > 0u) {
    atomicAdd(&sums[sumOf(grain, 0u)], 1u);
    atomicAdd(&sums[sumOf(grain, 1u)], impulse);
    if (sliding) { atomicAdd(&sums[sumOf(grain, 2u)], 1u); }
  }
  if (weight > 0.0) {
    let direction = vec3i(round(DIRECTION_PARTS * weight * towards));
    atomicAdd(&sums[sumOf(grain, 3u)], bitcast<u32>(direction.x));
    atomicAdd(&sums[sumOf(grain, 4u)], bitcast<u32>(direction.y));
    atomicAdd(&sums[sumOf(grain, 5u)], bitcast<u32>(direction.z));
    atomicAdd(&sums[sumOf(grain, 6u)], u32(round(DIRECTION_PARTS * weight)));
  }
}

@compute @workgroup_size(${WORKGROUP_SIZE})
fn addUp(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let k = flatIndex(group, groups, local);
  if (k >= view.count) { return; }
  let pair = pairOf(k);
  let normal = normalOf(k).xyz;
  let impulse = impulseOf(k);
  let pressing = dot(impulse.xyz, normal);
  let most = bitcast<f32>(atomicLoad(&sums[0]));
  // A contact that bears counts, however little.
  let parts = select(0u, max(1u, u32(round(abs(pressing) / max(most, 1e-37) * IMPULSE_PARTS))), pressing != 0.0);
  let sliding = pressing > 0.0 && slides(impulse, normal, pressing);
  let ofGrains = pair.y < view.grains;
  let weight = select(0.0, saturate(1.0 - normalOf(k).w / ${SHADE_RANGE}f), ofGrains);
  add(pair.x, parts, sliding, weight, normal);
  if (ofGrains) { add(pair.y, parts, sliding, weight, -normal); }
}

/** By normals and gaps, so that a contact across the ends of a periodic box stays short. */
@compute @workgroup_size(${WORKGROUP_SIZE})
fn draw(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let k = flatIndex(group, groups, local);
  if (k >= view.count) { return; }
  let pair = pairOf(k);
  let normal = normalOf(k);
  let force = max(0.0, dot(impulseOf(k).xyz, normal.xyz));
  let radius = offsets[pair.x].w;
  var other = 0.0;
  if (pair.y < view.grains) { other = offsets[pair.y].w; }
  let start = vec3f(lattice[pair.x].xyz) * view.latticeUnit + offsets[pair.x].xyz;
  chains[2u * k] = vec4f(start, force);
  chains[2u * k + 1u] = vec4f(start + (radius + other + normal.w) * normal.xyz, select(radius, min(radius, other), other > 0.0));
  count(force, ${HISTOGRAMS.indexOf('chains')}u);
}
`;
