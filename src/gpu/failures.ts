import { HALT } from '../../shaders/control';
import { longestReach, tooFarForBox } from '../cpu/longestReach';
import { passesThrough, tooFarAway, tooFast } from '../cpu/runaway';
import { largestRadius } from '../cpu/sizeLevels';
import { NumericalError } from '../errors';
import type { System } from '../scene/system';
import { FARTHEST_ON_GPU, MAX_ATTEMPTS, MOST_GRAINS_IN_CELL } from '../settings';
import type { GpuReport } from './stepReport';

/**
 * Why a run ends at a step that no mend of the host completes; undefined where one may.
 * @param step that halted
 * @param system whose walls have names
 * @param grainAt the number by which a user knows the grain at a place
 */
export function failureOf(
  { halt, badGrain, passage: [first, second], step: report }: GpuReport,
  step: number,
  system: System,
  grainAt: (place: number) => number,
) {
  const bad = grainAt(badGrain);
  if (halt & HALT.notFinite)
    return new NumericalError(step, bad, `Step ${step}: the velocity of grain ${bad} is not a finite number`);
  if (halt & HALT.crowded) {
    return new NumericalError(
      step,
      bad,
      `Step ${step}: more than ${MOST_GRAINS_IN_CELL} grains lie in one place, grain ${bad} among them. Place the grains side by side, or use the CPU backend.`,
    );
  }
  // Whoever outran the candidates may have missed what would have held it.
  if (halt & HALT.outrun) return undefined;
  if (halt & HALT.tooFast) return tooFast(step, grainAt(report.fastestGrain), report.fastestDisplacement);
  if (halt & HALT.tooFar) return tooFarAway(step, bad, FARTHEST_ON_GPU);
  if (halt & HALT.passage) return passesThrough(step, grainAt(first), second < system.grains ? grainAt(second) : second, system);
  return undefined;
}

/**
 * What ends a run where attempt after attempt fails.
 * @param grain the number by which a user knows the fastest
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
