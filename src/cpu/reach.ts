import { NumericalError } from '../errors';
import type { Vector } from '../scene/problem';
import { BASE_REACH } from '../settings';
import { BODY_STRIDE } from './bodies';
import { CellsAround } from './cellRanges';
import { type Grid, type GridLevel, neighbourCells } from './grid';

/** Kept free between the two images of a grain that another could be a candidate with, for rounding; in mean diameters. */
const IMAGE_MARGIN = 1e-5;

/**
 * The largest reach with which no grain can be a candidate with two images of another: twice the largest radius and twice
 * the reach are then less than half of the shortest period. Infinite in open space.
 */
export function longestReach(periods: Readonly<Vector> | undefined, largestRadius: number): number {
  const shortest = (periods ?? []).reduce((least, period) => (period > 0 ? Math.min(least, period) : least), Infinity);
  return shortest / 4 - largestRadius - IMAGE_MARGIN;
}

/**
 * The shortest period, in mean diameters, in which grains still have the reach that they always have.
 * @param range longest range of cohesion, mean diameters
 */
export function leastPeriod(largestRadius: number, range: number): number {
  return 4 * (largestRadius + BASE_REACH + range + IMAGE_MARGIN);
}

/** What ends a run in which a grain moves so far in a step that it could meet two images of another. */
export function tooFarForBox(step: number, grain: number, displacement: number, longest: number): NumericalError {
  const [moved, most] = [displacement, longest].map((length) => length.toPrecision(3));
  return new NumericalError(
    step,
    grain,
    `Step ${step} cannot be completed: grain ${grain} moves ${moved} mean diameters in it, and in so narrow a periodic box it could meet another grain from two sides beyond ${most}. Use a shorter timeStep.`,
  );
}

/**
 * Reach of every grain: how far it may move in this step before a pair that is no candidate could touch. It goes by the
 * fastest grain around, since a fast grain sets others in motion: among those of its level and of finer ones in the 27 cells
 * around it, and among larger ones as near as it could meet them.
 * @param free bodies with their free velocities
 * @param floors N, least reach, from an attempt that a grain outran
 * @param reach N, written, mean diameters
 * @param longest see longestReach
 * @param range how far beyond touch grains may still hold each other
 * @param pushes N, what moving walls add to the speeds of grains that they may meet, see wallPushes
 * @returns the largest reach
 */
export function findReach(
  grid: Grid,
  free: Float64Array,
  floors: Float64Array,
  reach: Float64Array,
  longest = Infinity,
  range = 0,
  pushes?: Float64Array,
): number {
  const speeds = grainSpeeds(reach.length, free, pushes);
  const fastest = cellSpeeds(grid, speeds);
  const around = speedsAround(grid, fastest);
  for (let i = 0; i < reach.length; i++) reach[i] = around[grid.cells[i]];
  if (grid.levels.length > 1) meetOtherLevels(grid, speeds, fastest, reach);
  let largest = 0;
  for (let i = 0; i < reach.length; i++) {
    reach[i] = Math.min(longest, Math.max(floors[i], BASE_REACH + range + reach[i]));
    if (reach[i] > largest) largest = reach[i];
  }
  return largest;
}

/** N, diameters per step. */
function grainSpeeds(grains: number, free: Float64Array, pushes?: Float64Array): Float64Array {
  const speeds = new Float64Array(grains);
  for (let i = 0, body = 0; i < grains; i++, body += BODY_STRIDE) {
    speeds[i] = Math.sqrt(free[body] ** 2 + free[body + 1] ** 2 + free[body + 2] ** 2) + (pushes?.[i] ?? 0);
  }
  return speeds;
}

/** The largest speed in each cell. */
function cellSpeeds({ cells, starts }: Grid, speeds: Float64Array): Float64Array {
  const fastest = new Float64Array(starts.length - 1);
  for (let i = 0; i < cells.length; i++) if (speeds[i] > fastest[cells[i]]) fastest[cells[i]] = speeds[i];
  return fastest;
}

/** The largest speed in the 27 cells around each cell that holds grains. */
function speedsAround({ levels, starts }: Grid, speeds: Float64Array): Float64Array {
  const around = new Float64Array(speeds.length);
  const neighbours = new Uint32Array(27);
  for (const level of levels) {
    const { dims, firstCell } = level;
    for (let z = 0, cell = firstCell; z < dims[2]; z++) {
      for (let y = 0; y < dims[1]; y++) {
        for (let x = 0; x < dims[0]; x++, cell++) {
          if (starts[cell] === starts[cell + 1]) continue;
          neighbourCells(level, x, y, z, neighbours);
          for (let k = 0; k < 27; k++) {
            if (speeds[neighbours[k]] > around[cell]) around[cell] = speeds[neighbours[k]];
          }
        }
      }
    }
  }
  return around;
}

/**
 * Raises what each grain reckons with by the speeds of those of other levels.
 * @param fastest in each cell, of its own level
 * @param reach N, raised
 */
function meetOtherLevels(grid: Grid, speeds: Float64Array, fastest: Float64Array, reach: Float64Array): void {
  const { levels, levelOf, positions, periods, cells } = grid;
  const finer = new Float64Array(fastest.length);
  levels.forEach((coarser, c) => {
    const around = new CellsAround(coarser, periods);
    const { most, least } = speedsOfLevel(grid, c, speeds, reach);
    for (let i = 0; i < reach.length; i++) {
      // Most grains need not look: none of the larger ones is faster than what they reckon with, and vice versa.
      if (levelOf[i] >= c || (most <= reach[i] && speeds[i] <= least)) continue;
      around.place(positions, i, partsBetween(levels[levelOf[i]], coarser));
      finer[around.home] = Math.max(finer[around.home], speeds[i]);
      reach[i] = Math.max(reach[i], around.largest(fastest));
    }
  });
  const below = speedsAround(grid, finer);
  for (let i = 0; i < reach.length; i++) reach[i] = Math.max(reach[i], below[cells[i]]);
}

/** The largest speed of a level's grains, and the least that one of them reckons with. */
function speedsOfLevel(
  { levelOf }: Grid,
  level: number,
  speeds: Float64Array,
  reach: Float64Array,
): { most: number; least: number } {
  let most = 0;
  let least = Infinity;
  for (let i = 0; i < reach.length; i++) {
    if (levelOf[i] !== level) continue;
    most = Math.max(most, speeds[i]);
    least = Math.min(least, reach[i]);
  }
  return { most, least };
}

/** Farther from each other than this, in parts, centres of two grains of these levels cannot be candidates. */
function partsBetween(level: GridLevel, coarser: GridLevel): number {
  return Math.ceil((level.cellParts + coarser.cellParts) / 2);
}
