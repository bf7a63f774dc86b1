import { NumericalError } from '../errors';
import type { Vector } from '../scene/problem';
import { BASE_REACH } from '../settings';
import { BODY_STRIDE } from './bodies';
import { CellsAround, partUnits, wholeParts } from './cellRanges';
import { cellCount, type Grid, type GridLevel } from './grid';

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
  const around = largestAround(grid, fastest);
  for (let i = 0; i < reach.length; i++) reach[i] = around[grid.cells[i]];
  if (grid.levels.length > 1) meetOtherLevels(grid, speeds, { fastest, around }, reach);
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

/** The largest of the values of the 27 cells around each cell, axis by axis. */
function largestAround({ levels }: Grid, values: Float64Array): Float64Array {
  const around = values.slice();
  for (const { dims, firstCell } of levels) {
    const end = firstCell + cellCount({ dims });
    for (let axis = 0, stride = 1; axis < 3; stride *= dims[axis++]) {
      const length = stride * (dims[axis] - 1);
      for (let begin = firstCell; begin < end; begin += length + stride) {
        for (let row = begin; row < begin + stride; row++) {
          const first = around[row];
          let before = around[row + length];
          for (let cell = row; cell <= row + length; cell += stride) {
            const here = around[cell];
            const next = cell < row + length ? around[cell + stride] : first;
            if (before > here) around[cell] = before;
            if (next > around[cell]) around[cell] = next;
            before = here;
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
 * @param around in the 27 cells around each
 * @param reach N, raised
 */
function meetOtherLevels(
  grid: Grid,
  speeds: Float64Array,
  { fastest, around }: { fastest: Float64Array; around: Float64Array },
  reach: Float64Array,
): void {
  const { levels, levelOf, positions, periods, cells } = grid;
  const finer = new Float64Array(fastest.length);
  const units = partUnits(periods);
  const place = new Float64Array(3);
  const cellsAround = levels.map((level) => new CellsAround(level, periods));
  // Most grains need not look: no larger one around is faster than what they reckon with, and vice versa.
  const least = leastAround(grid, reach);
  for (let i = 0; i < reach.length; i++) {
    const level = levelOf[i];
    if (level + 1 < levels.length) wholeParts(positions, i, units, place);
    for (let coarser = level + 1; coarser < levels.length; coarser++) {
      const home = cellsAround[coarser].cellOf(place);
      if (speeds[i] > least[home] && speeds[i] > finer[home]) finer[home] = speeds[i];
      if (around[home] <= reach[i]) continue;
      cellsAround[coarser].put(place, partsBetween(levels[level], levels[coarser]));
      reach[i] = Math.max(reach[i], cellsAround[coarser].largest(fastest));
    }
  }
  const below = largestAround(grid, finer);
  for (let i = 0; i < reach.length; i++) if (below[cells[i]] > reach[i]) reach[i] = below[cells[i]];
}

/** The least that grains in the 27 cells around each cell reckon with; infinite where there are none. */
function leastAround(grid: Grid, reach: Float64Array): Float64Array {
  const { cells, starts } = grid;
  const negative = new Float64Array(starts.length - 1).fill(-Infinity);
  for (let i = 0; i < reach.length; i++) if (-reach[i] > negative[cells[i]]) negative[cells[i]] = -reach[i];
  const around = largestAround(grid, negative);
  for (let cell = 0; cell < around.length; cell++) around[cell] = -around[cell];
  return around;
}

/** Farther from each other than this, in parts, centres of two grains of these levels cannot be candidates. */
function partsBetween(level: GridLevel, coarser: GridLevel): number {
  return Math.ceil((level.cellParts + coarser.cellParts) / 2);
}
