import { NumericalError } from '../errors';
import type { Vector } from '../scene/problem';
import { BASE_REACH } from '../settings';

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
