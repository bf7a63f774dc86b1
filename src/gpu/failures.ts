import { longestReach, tooFarForBox } from '../cpu/reach';
import { largestRadius } from '../cpu/sizeLevels';
import { NumericalError } from '../errors';
import type { System } from '../scene/system';
import { MAX_ATTEMPTS, MOST_GRAINS_IN_CELL } from '../settings';
import type { GpuReport } from './stepReport';

/**
 * Why a run ends at a step that no mend of the host completes.
 * @param step the step
 * @param grain the number by which a user knows the grain at fault
 */
export function notFinite(step: number, grain: number): NumericalError {
  return new NumericalError(step, grain, `Step ${step}: the velocity of grain ${grain} is not a finite number`);
}

/** As `notFinite`. */
export function tooCrowded(step: number, grain: number): NumericalError {
  return new NumericalError(
    step,
    grain,
    `Step ${step}: more than ${MOST_GRAINS_IN_CELL} grains lie in one place, grain ${grain} among them. Place the grains side by side, or use the CPU backend.`,
  );
}

/**
 * As `notFinite`.
 * @param report of the last attempt
 */
export function tooManyAttempts(step: number, grain: number, system: System, { step: report }: GpuReport): NumericalError {
  const displacement = report.fastestDisplacement * 2 * system.radii[report.fastestGrain];
  const longest = longestReach(system.periods, largestRadius(system));
  if (displacement > longest) return tooFarForBox(step, grain, displacement, longest);
  return new NumericalError(
    step,
    grain,
    `Step ${step} cannot be completed: after ${MAX_ATTEMPTS} attempts grain ${grain} still moves farther than its contacts were looked for. Use a shorter timeStep.`,
  );
}
