import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { PISTON_ITERATIONS } from '../src/settings';
import { bodies } from './bodies';
import { contactLaw } from './contactLaw';
import { contactUpdate } from './contactUpdate';
import { control } from './control';
import { hubSweeps } from './hubSweeps';
import { type HubOptions, hubPlaces } from './hubs';
import { pages } from './pages';
import type { LawOptions } from './shockLaw';

/** Added to a slot's value: that many whole sweeps, rather than a place in the order of the colours. */
export const WHOLE_SWEEPS = 0x80000000;

export interface SolveOptions extends LawOptions {
  colourWords: number;
  /** Heavy ball on: impulses and velocities are extrapolated before each sweep but the first. */
  momentum: boolean;
  /** Invocations of the one workgroup that does the small colours; the result is the same. */
  tailSize: number;
  /** A new random order of the colours for each sweep. */
  randomOrder: boolean;
  /** The criterion of convergence looks at how impulses changed in the last sweep. */
  changes: boolean;
  /** Grains swell in steps without impulses. */
  swells: boolean;
  /** Bodies whose contacts have no colours. */
  hubs: HubOptions;
  /** Contacts lie in two buffers. */
  split?: boolean;
}

type Fused = Pick<SolveOptions, 'hubs' | 'momentum' | 'memory' | 'split'>;

/**
 * Whether one workgroup can do whole sweeps of small packings: hubs have a workgroup of their own, one buffer comes after the other, and
 * eight storage buffers must do.
 */
export function fusesSweeps({ hubs, momentum, memory, split }: Fused): boolean {
  return hubPlaces(hubs) === 0 && !split && !(momentum && memory);
}

/**
 * Sweeps of the non-linear block Gauss-Seidel. Within a colour no two contacts share a body, so all are updated at once.
 * Heavy ball: y = x + b (x - x of the sweep before), then one sweep from y; what is delivered is x.
 */
export const solve = ({
  colourWords,
  momentum,
  randomOrder,
  changes,
  swells,
  hubs,
  tailSize,
  split,
  ...law
}: SolveOptions) => wgsl`
${control}
${pages}
${bodies()}
const COLOURS = ${32 * colourWords}u;
const ORDER = COLOURS + ${2 + hubPlaces(hubs)}u;    // where the order of the colours lies in the schedule
const PISTONS = ${hubs.pistons}u;             // whose contacts come before those of the colours
const TAIL_SIZE = ${tailSize}u;
const WHOLE_SWEEPS = ${WHOLE_SWEEPS}u;
struct Slot { value: u32 }
@group(0) @binding(2) var<storage, read_write> schedule: array<u32>;
@group(0) @binding(3) var<storage, read> contactPairs: array<vec2u>;
@group(0) @binding(4) var<storage, read> normals: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> impulses: array<vec4f>;
@group(0) @binding(6) var<storage, read_write> previousImpulses: array<vec4f>;
@group(0) @binding(7) var<storage, read_write> motion: array<vec4f>;             // velocity with the inverse mass and spin of each body, in turn
@group(0) @binding(8) var<storage, read_write> previousMotion: array<vec4f>;
${contactLaw(law, { laws: 9, memories: 10 })}
@group(1) @binding(0) var<uniform> slot: Slot;    // place in the order of the colours, or WHOLE_SWEEPS and their number

${contactUpdate({ momentum, changes, swells, ...law })}

fn idle() -> bool { return control.stopped != 0u || halted(); }

fn colourAt(place: u32) -> u32 { return schedule[ORDER + place]; }

/** Contacts of a colour, or COLOURS for those without, that are at hand; who takes them one by one. */
fn turnOf(colour: u32) -> Turn {
  return Turn(max(schedule[PISTONS + colour], PAGE_FIRST), min(schedule[PISTONS + colour + 1u], PAGE_END), 1u);
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn sweepColour(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  if (idle() || slot.value >= control.colours) { return; }
  let colour = colourAt(slot.value);
  let turn = turnOf(colour);
  let stride = groups.x * groups.y * WORKGROUP_SIZE;
  for (var k = turn.next + flatIndex(group, groups, local, WORKGROUP_SIZE); k < turn.end; k += stride) { updateContact(k); }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn warmColour(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  if (idle() || slot.value >= control.colours) { return; }
  let turn = turnOf(slot.value);
  let stride = groups.x * groups.y * WORKGROUP_SIZE;
  for (var k = turn.next + flatIndex(group, groups, local, WORKGROUP_SIZE); k < turn.end; k += stride) { applyWarmImpulse(k); }
}

var<workgroup> teamColours: u32;

/** Colours still to be done, or 0 where the team has nothing to do; the same for all of a workgroup. */
fn teamTail(local: u32) -> u32 {
  if (local == 0u) { teamColours = select(control.colours + 1u, 0u, idle()); }
  return workgroupUniformLoad(&teamColours);
}

/**
 * What one workgroup does at a place in the order: a colour at once; at the end, after the last colour, what has none one by one.
 */
struct Turn { next: u32, end: u32, stride: u32 }

fn turnAt(colour: u32, serial: bool, local: u32) -> Turn {
  var turn = turnOf(select(colour, COLOURS, serial));
  if (!serial) { return Turn(turn.next + local, turn.end, TAIL_SIZE); }
  return Turn(select(turn.end, turn.next, local == 0u), turn.end, 1u);
}

/** The small colours, from the slot's on. Or, where the slot says so, some whole sweeps of a packing of which all colours are small. */
@compute @workgroup_size(TAIL_SIZE)
fn sweepTail(@builtin(local_invocation_index) local: u32) {
  let colours = teamTail(local);
  if (colours == 0u) { return; }
  #if ${fusesSweeps({ momentum, hubs, split, ...law })}
  let whole = (slot.value & WHOLE_SWEEPS) != 0u;
  let sweeps = select(1u, slot.value ^ WHOLE_SWEEPS, whole);
  let firstPlace = select(min(slot.value, colours - 1u), 0u, whole);
  #else
  let whole = false;
  let sweeps = 1u;
  let firstPlace = min(slot.value, colours - 1u);
  #endif
  for (var sweep = 0u; sweep < sweeps; sweep++) {
    if (whole) {
      prepareSweep(local);
      storageBarrier();
    }
    for (var place = firstPlace; place < colours; place++) {
      let serial = place + 1u == colours;
      var turn = turnAt(colourAt(place), serial, local);
      for (; turn.next < turn.end; turn.next += turn.stride) { updateContact(turn.next); }
      storageBarrier();
    }
    #if ${hubPlaces(hubs) === 0}
    if (local == 0u && PAGE_END == NONE) { control.iteration++; }
    #endif
    storageBarrier();
  }
}

#if ${fusesSweeps({ momentum, hubs, split, ...law })}
/** What comes before the colours of a sweep. */
fn prepareSweep(local: u32) {
  #if ${momentum}
  for (var body = local; body < params.grains; body += TAIL_SIZE) { extrapolateBody(body); }
  #endif
  #if ${randomOrder}
  if (local == 0u) { draw(); }
  #endif
}
#else
fn prepareSweep(local: u32) {}
#endif

@compute @workgroup_size(TAIL_SIZE)
fn warmTail(@builtin(local_invocation_index) local: u32) {
  let colours = teamTail(local);
  if (colours == 0u) { return; }
  for (var place = min(slot.value, colours - 1u); place < colours; place++) {
    var turn = turnAt(place, place + 1u == colours, local);
    for (; turn.next < turn.end; turn.next += turn.stride) { applyWarmImpulse(turn.next); }
    storageBarrier();
  }
}

#if ${hubPlaces(hubs) > 0}
${hubPlaces(hubs) > 0 ? hubSweeps({ ...hubs, momentum, split, iterations: PISTON_ITERATIONS, general: law.general }) : ''}
#endif

/** A body before a sweep: y = x + b (x - x of the sweep before). */
fn extrapolateBody(body: u32) {
  for (var k = 2u * body; k <= 2u * body + 1u; k++) {
    let now = motion[k];
    if (control.iteration > 0u) { motion[k] = vec4f(now.xyz + control.momentum * (now.xyz - previousMotion[k].xyz), now.w); }
    previousMotion[k] = now;
  }
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn extrapolate(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) local: u32) {
  let body = flatIndex(group, groups, local, WORKGROUP_SIZE);
  if (body < params.grains && !idle()) { extrapolateBody(body); }
}

fn pcg(x: u32) -> u32 {
  let state = x * 747796405u + 2891336453u;
  let word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
  return (word >> 22u) ^ word;
}

/** A new random order of the colours for a sweep; the same as the reference draws. */
fn draw() {
  for (var k = 0u; k < control.colours; k++) { schedule[ORDER + k] = k; }
  var h = pcg(params.seed ^ pcg(control.step ^ pcg(control.iteration)));
  for (var k = control.colours; k > 1u; k--) {
    h = pcg(h);
    let j = h % k;
    let swapped = schedule[ORDER + k - 1u];
    schedule[ORDER + k - 1u] = schedule[ORDER + j];
    schedule[ORDER + j] = swapped;
  }
}

@compute @workgroup_size(1)
fn drawOrder() {
  if (!idle()) { draw(); }
}
`;
