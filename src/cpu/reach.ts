import { NumericalError } from '../errors';
import type { Vector } from '../scene/problem';
import { BASE_REACH } from '../settings';
import { BODY_STRIDE } from './bodies';
import { type Grid, neighbourCells } from './grid';

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
 * fastest grain in the 27 cells around, since a fast grain sets others in motion.
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
  const around = speedsAround(grid, cellSpeeds(grid, free, pushes));
  let largest = 0;
  for (let i = 0; i < reach.length; i++) {
    reach[i] = Math.min(longest, Math.max(floors[i], BASE_REACH + range + around[grid.cells[i]]));
    if (reach[i] > largest) largest = reach[i];
  }
  return largest;
}

/** The largest speed in each cell, diameters per step. */
function cellSpeeds({ cells, starts }: Grid, free: Float64Array, pushes?: Float64Array): Float64Array {
  const speeds = new Float64Array(starts.length - 1);
  for (let i = 0, body = 0; i < cells.length; i++, body += BODY_STRIDE) {
    const speed = Math.sqrt(free[body] ** 2 + free[body + 1] ** 2 + free[body + 2] ** 2) + (pushes?.[i] ?? 0);
    if (speed > speeds[cells[i]]) speeds[cells[i]] = speed;
  }
  return speeds;
}

/** The largest speed in the 27 cells around each cell that holds grains. */
function speedsAround({ dims, starts }: Grid, speeds: Float64Array): Float64Array {
  const around = new Float64Array(speeds.length);
  const neighbours = new Uint32Array(27);
  for (let z = 0, cell = 0; z < dims[2]; z++) {
    for (let y = 0; y < dims[1]; y++) {
      for (let x = 0; x < dims[0]; x++, cell++) {
        if (starts[cell] === starts[cell + 1]) continue;
        neighbourCells(dims, x, y, z, neighbours);
        for (let k = 0; k < 27; k++) {
          if (speeds[neighbours[k]] > around[cell]) around[cell] = speeds[neighbours[k]];
        }
      }
    }
  }
  return around;
}
