import { NumericalError } from '../errors';
import type { System } from '../scene/system';
import { ALLOWED_CANDIDATES, ALLOWED_WALL_CANDIDATES, MAX_CANDIDATES_PER_GRAIN } from '../settings';

/** Candidates that a step may have at most. */
export function mostPairs({ grains, walls }: Pick<System, 'grains' | 'walls'>): number {
  const withWalls = Math.min(grains * walls.length, ALLOWED_WALL_CANDIDATES);
  return Math.max(ALLOWED_CANDIDATES, MAX_CANDIDATES_PER_GRAIN * grains) + withWalls;
}

export function tooManyPairs(step: number, most: number): NumericalError {
  return new NumericalError(
    step,
    undefined,
    `Step ${step}: grains move so far in one step that more than ${most} pairs could touch. Use a shorter timeStep.`,
  );
}
