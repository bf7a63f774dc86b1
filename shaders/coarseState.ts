import { wgsl } from 'wgsl-preprocessor/wgsl-preprocessor.js';
import { MAX_COARSE_NODES } from '../src/settings';

/** Workgroups of the first pass of a reduction, at most: as many invocations as keep the memory of a large GPU busy, which has some 10^5 at a time. */
export const MAX_TEAMS = 1024;

/** Words of the struct below. */
export const COARSE_WORDS = 35 + MAX_COARSE_NODES + 2 * MAX_TEAMS;

/** The coarse grid of a step and what its level and the balance are up to, a part of the control block. */
export const coarseState = wgsl`
struct Coarse {
  low: array<atomic<i32>, 3>,      // box of the grains' lattice points
  high: array<atomic<i32>, 3>,
  origin: array<f32, 3>,
  spacing: array<f32, 3>,          // edges of a cell
  dims: array<u32, 3>,             // cells along each axis
  nodeDims: array<u32, 3>,
  cells: u32,
  nodes: u32,
  extent: f32,                     // longest side of what the grid is laid over
  scale: f32,                      // works times this are whole numbers
  wanted: u32,                     // 1: this test asks for a proposal
  corrects: u32,                   // 1: the coarse level has its turn
  settled: u32,                    // 1: the criterion holds, the balance aside
  applies: u32,                    // 1: impulses are to be changed as proposed
  remainder: f32,                  // R of the balance
  lastChange: f32,                 // S at the turn before
  nextTurn: f32,                   // of the coarse level: after so many sweeps
  gap: f32,                        // from then to the one after
  far: u32,                        // 1: the step is far from balance
  tall: u32,                       // 1: the packing is long enough along its load to be that
  swollen: u32,                    // sweeps that are done with swollen grains
  swelling: f32,                   // what gaps then count less
  bearable: f32,                   // residual of the next test above which the level pauses
  field: array<f32, ${MAX_COARSE_NODES}>,          // s at the nodes
  shares: array<f32, ${2 * MAX_TEAMS}>,         // sum |s||P| and sum |P| of each workgroup
}
`;
