import { NumericalError } from '../errors';
import type { System } from '../scene/system';
import { ALLOWED_CANDIDATES, ALLOWED_WALL_CANDIDATES, BASE_REACH, MAX_CANDIDATES_PER_GRAIN } from '../settings';

/** Candidates that a step may have at most. */
export function mostPairs({ grains, walls }: Pick<System, 'grains' | 'walls'>): number {
  const withWalls = Math.min(grains * walls.length, ALLOWED_WALL_CANDIDATES);
  return Math.max(ALLOWED_CANDIDATES, MAX_CANDIDATES_PER_GRAIN * grains) + withWalls;
}

/** What ends a run at a step with more candidates than `most`: what may be the cause, and the mends. */
export function tooManyPairs(step: number, most: number, { radii, laws }: Pick<System, 'radii' | 'laws'>): NumericalError {
  const smallest = 2 * radii.reduce((least, radius) => Math.min(least, radius), Infinity);
  const range = laws.reduce((longest, { cohesionRange }) => Math.max(longest, cohesionRange), 0);
  const least = 2 * (BASE_REACH + range);
  const causes = ['Use a shorter timeStep where grains move far in a step, and move grains apart that overlap deeply.'];
  // Without any motion each grain may then have hundreds in its reach.
  if (smallest < least / 2) {
    const mend = range > BASE_REACH ? 'shorten the range of cohesion' : 'bring the sizes of grains nearer to each other';
    const lengths = `${least.toPrecision(2)} mean diameters apart, and the smallest grain is ${smallest.toPrecision(2)} wide`;
    causes.push(`However short the step, pairs count that are up to ${lengths}: ${mend}.`);
  }
  return new NumericalError(step, undefined, `Step ${step}: more than ${most} pairs could touch in it. ${causes.join(' ')}`);
}
