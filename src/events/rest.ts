import type { StepReport } from '../report';
import type { Grains, Problem, Vector } from '../scene/problem';
import { REST_FALL, REST_STEPS } from '../settings';

/** What the test for rest must know of the steps before. */
export interface RestState {
  /** Steps in a row, the last one included, in which the grains were at rest. */
  steps: number;
  /** Of the grains after the last step that was seen, and its number. */
  momentum: Vector;
  step: number;
}

export const unrested = (): RestState => ({ steps: 0, momentum: [0, 0, 0], step: -1 });

/** The grains that move, as the test weighs them. */
interface Scale {
  count: number;
  mass: number;
  /** Mean over the grains. */
  diameter: number;
  gravity: number;
}

/**
 * Counts steps at rest: the kinetic energy per grain is below `k` times the mean weight times the mean diameter (without
 * gravity `k` times the mean force of the contacts that bear, times that diameter). Grains that are let go are slow at first:
 * they are not at rest while they gain most of the momentum that gravity gives.
 * @param report in the units of the scene
 */
export function countRest(state: RestState, k: number, report: StepReport, problem: Problem): RestState {
  const scale = scaleOf(problem);
  const follows = report.step === state.step + 1;
  const rests = isSlow(k, report, scale) && (!follows || !falls(state.momentum, report.momentum, problem, scale));
  return { steps: rests ? (follows ? state.steps : 0) + 1 : 0, momentum: report.momentum, step: report.step };
}

export const isAtRest = ({ steps }: RestState) => steps >= REST_STEPS;

function isSlow(k: number, { kineticEnergy, meanForce, candidates, contacts }: StepReport, scale: Scale): boolean {
  if (scale.count === 0) return false;
  const weight = (scale.mass / scale.count) * scale.gravity;
  const force = contacts > 0 ? (meanForce * candidates) / contacts : 0;
  return kineticEnergy / scale.count < k * (weight > 0 ? weight : force) * scale.diameter;
}

function falls(before: Vector, after: Vector, { gravity, timeStep }: Problem, scale: Scale): boolean {
  const gained = gravity.reduce((sum, g, axis) => sum + g * (after[axis] - before[axis]), 0);
  return gained > REST_FALL * scale.mass * scale.gravity ** 2 * timeStep;
}

const scales = new WeakMap<Grains, Omit<Scale, 'gravity'>>();

/** Kept for each set of grains, which stays the same from event to event. */
function scaleOf({ grains, gravity }: Problem): Scale {
  let known = scales.get(grains);
  if (!known) {
    known = { count: 0, mass: 0, diameter: 0 };
    for (let i = 0; i < grains.count; i++) {
      if (grains.fixed[i]) continue;
      known.count++;
      known.mass += grains.masses[i];
      known.diameter += 2 * grains.radii[i];
    }
    known.diameter /= Math.max(1, known.count);
    scales.set(grains, known);
  }
  return { ...known, gravity: Math.hypot(...gravity) };
}
