import { MAX_TEAMS, SORT_BLOCK } from '../../shaders/control';
import { CELL_PARTS, cellParts, gridDims } from '../cpu/grid';
import type { System } from '../scene/system';

/** Everything that buffers and dispatches are sized by; grows in the course of a run. */
export interface Sizes {
  grains: number;
  bodies: number;
  walls: number;
  dims: readonly [number, number, number];
  cells: number;
  /** Edge of a cell in lattice units. */
  cellUnits: number;
  /** Reach that the cells allow for, in mean diameters. */
  reachLimit: number;
  candidates: number;
  /** Blocks of contacts that are sorted by colour. */
  blocks: number;
  /** Colours there are, over 32. */
  colourWords: number;
  /** Workgroups of the first pass of a reduction. It goes by the grains alone, so that sums do not depend on capacities. */
  teams: number;
}

/** Grains for each workgroup of a reduction, until there are as many workgroups as there may be. */
const GRAINS_PER_TEAM = 512;

export function largestRadius({ radii }: System): number {
  return radii.reduce((largest, radius) => Math.max(largest, radius), 0);
}

/** Extent of the grains at the start: what the cells are laid out for. */
function extentOf({ positions }: System): number[] {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let k = 0; k < positions.length; k++) {
    low[k % 3] = Math.min(low[k % 3], positions[k]);
    high[k % 3] = Math.max(high[k % 3], positions[k]);
  }
  return high.map((value, axis) => value - low[axis]);
}

export function chooseSizes(system: System, reachLimit: number, candidates: number, colourWords: number): Sizes {
  const cellUnits = cellParts(largestRadius(system), reachLimit);
  const dims = gridDims(extentOf(system), cellUnits / CELL_PARTS, system.grains, system.periods);
  return {
    grains: system.grains,
    bodies: system.bodies,
    walls: system.walls.length,
    dims,
    cells: dims[0] * dims[1] * dims[2],
    cellUnits,
    reachLimit,
    candidates,
    blocks: Math.ceil(candidates / SORT_BLOCK),
    colourWords,
    teams: Math.min(MAX_TEAMS, Math.ceil(system.grains / GRAINS_PER_TEAM)),
  };
}
