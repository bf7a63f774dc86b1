import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { CELL_PARTS } from '../src/cpu/grid';
import { STALL_TESTS } from '../src/settings';
import { COARSE_WORDS, coarseState, MAX_TEAMS } from './coarseState';

export { MAX_TEAMS };

/** Why a step was halted before anything moved: bits of `control.halt`. */
export const HALT = {
  /** More candidates than the buffers hold: `control.candidates` tells how many. */
  candidates: 1,
  /** A grain's reach exceeds what the cells allow for: `control.reachRequired`. */
  reach: 2,
  /** A grain moved farther than its reach: its floor was raised, the step must be done again. */
  outrun: 4,
  /** The sweeps submitted so far did not meet the criterion. */
  sweeps: 8,
  /** A velocity is not finite: `control.badGrain`. */
  notFinite: 16,
  /** More grains in one cell than can be told apart in time; `control.badGrain` is one of them. */
  crowded: 32,
  /** A grain moves too far for its contacts to be told: the fastest that is reported. */
  tooFast: 64,
  /** A grain leaves for where the lattice ends: `control.badGrain`. */
  tooFar: 128,
  /** A grain would pass through what should hold it: `control.passage` is the contact. */
  passage: 256,
} as const;

/** Criteria of convergence, as numbered in `params.criterion`. */
export const CRITERIA = ['fixed', 'local', 'global', 'residual'] as const;

/** Invocations per workgroup of all kernels but the reductions. */
export const WORKGROUP_SIZE = 64;
/** Invocations per workgroup where a workgroup works together: scans, reductions, the tail of a sweep. */
export const TEAM_SIZE = 64;
/** Contacts that a workgroup sorts by colour together. Smaller: more counts to keep, 8 bytes for each block and colour. */
export const SORT_BLOCK = 256;
/** Such a workgroup as rows of equal length: rows and their length. */
export const TEAM_ROWS = 8;

/** Words of the control block, as declared below, and where some of them are. */
export const CONTROL_WORDS = 26 + STALL_TESTS + COARSE_WORDS;
export const CONTROL_BAD_GRAIN = 2;
export const CONTROL_STEP = 4;
export const CONTROL_CANDIDATES = 5;
export const CONTROL_COLD = 16;

/** Position lattice: its unit in mean diameters. A position is an integer times this, plus a remainder of at most half of it. */
export const LATTICE_PER_DIAMETER = CELL_PARTS;

/**
 * What every kernel shares: bindings 0 (constants of the run) and 1 (state of the step), and the flat index of an
 * invocation, which spreads over two dimensions of workgroups where one is not enough.
 */
export const control = wgsl`
${coarseState}
struct Params {
  grains: u32, bodies: u32, walls: u32, cells: u32,
  gravity: vec3f, reachLimit: f32,
  candidateCapacity: u32, blocks: u32, materials: u32, seed: u32,
  criterion: u32, maxIterations: u32, warmStart: u32,
  teams: u32,                   // workgroups of the first pass of a reduction
  momentum: f32, tolerance: f32, epsilon: f32, delta: f32,
  balance: f32,                 // that the criterion asks for
  load: f32,                    // sum of the impulses of gravity, external forces and pistons in a step
  coarseExtent: f32,            // of a packing from which on the coarse level has its turns
  lastTurn: u32,                // sweeps after which it has none
  swelling: f32,                // of grains, for each mean diameter that the packing is long; 0: never
  swellingStep: u32,            // steps done before the one in which they do
  notes: u32,                   // partners of each grain that are noted where they are counted
  slow: f32,                    // speed up to which grains count as at rest, see src/cpu/reach.ts
}

struct Control {
  halt: atomic<u32>,
  reachRequired: atomic<u32>,   // bits of a positive f32
  badGrain: atomic<u32>,
  retry: u32,                   // 1: this attempt keeps the floors of reach of the one before
  step: u32,
  candidates: u32,
  colours: u32,
  largeColours: u32,            // colours that earn dispatches of their own; the rest goes to the tail
  uncoloured: u32,
  iteration: u32,
  stopped: u32,                 // 1: no more sweeps in this step
  converged: u32,
  residual: f32,
  residualMax: f32,
  meanImpulse: f32,
  bearing: u32,                 // contacts with P_n > 0
  cold: u32,                    // 1: the last step was too long for its impulses to tell anything
  hubs: u32,                    // pistons with contacts, and colours of hubs, with one for those that have none
  balance: f32,
  momentum: f32,                // of the heavy ball at the moment, see src/cpu/heavyBall.ts
  watched: u32,                 // tests since it was chosen
  watchedResiduals: array<f32, ${STALL_TESTS}>,
  hubGrains: u32,               // grains whose contacts have no colours
  hubColours: u32,
  hubsAtOnce: u32,              // hubs of the largest of these colours
  passage: atomic<u32>,         // the first contact that lets a grain through, behind those with walls where it has none; or NONE
  aimless: u32,                 // 1: friction turns no slip round for the rest of the step
  coarse: Coarse,
  carried: array<vec4f>,        // what is summed over contacts in two buffers, see pages.ts; at least one row
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> control: Control;

const WORKGROUP_SIZE = ${WORKGROUP_SIZE}u;
const TEAM_SIZE = ${TEAM_SIZE}u;
const HALT_CANDIDATES = ${HALT.candidates}u;
const HALT_REACH = ${HALT.reach}u;
const HALT_OUTRUN = ${HALT.outrun}u;
const HALT_SWEEPS = ${HALT.sweeps}u;
const HALT_NOT_FINITE = ${HALT.notFinite}u;
const HALT_CROWDED = ${HALT.crowded}u;
const HALT_TOO_FAST = ${HALT.tooFast}u;
const HALT_TOO_FAR = ${HALT.tooFar}u;
const HALT_PASSAGE = ${HALT.passage}u;
const NONE = 0xffffffffu;

fn halted() -> bool { return atomicLoad(&control.halt) != 0u; }

var<workgroup> teamFlag: u32;

/** The same for all of a workgroup, so that barriers may follow. Ends with a barrier. */
fn teamHalted(local: u32) -> bool {
  if (local == 0u) { teamFlag = atomicLoad(&control.halt); }
  return workgroupUniformLoad(&teamFlag) != 0u;
}

fn flatIndex(group: vec3u, groups: vec3u, local: u32, size: u32) -> u32 {
  return (group.y * groups.x + group.x) * size + local;
}
`;
