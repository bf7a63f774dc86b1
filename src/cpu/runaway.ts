import { NumericalError } from '../errors';
import { MAX_DIAMETERS } from '../scene/grainIndex';
import type { System } from '../scene/system';
import { RUNAWAY_DISPLACEMENT } from '../settings';
import { BODY_STRIDE, INVERSE_MASS } from './bodies';

/** What ends a run in which a grain moves so far in a step that no contact could be told. @param displacement in its own diameters */
export function tooFast(step: number, grain: number, displacement: number): NumericalError {
  return new NumericalError(
    step,
    grain,
    `Step ${step}: grain ${grain} runs away. It would move ${displacement.toPrecision(3)} of its diameters in it, and beyond ${RUNAWAY_DISPLACEMENT} no contact can be resolved. Use a shorter timeStep, or see what drives it: gravity, a force, a wall that moves.`,
  );
}

/** What ends a run in which a grain leaves for where its place cannot be told. @param farthest in mean diameters */
export function tooFarAway(step: number, grain: number, farthest: number): NumericalError {
  const mend = farthest < MAX_DIAMETERS ? ', or use the CPU backend' : '';
  return new NumericalError(
    step,
    grain,
    `Step ${step}: grain ${grain} runs away. It would be more than ${farthest} mean diameters from the middle of the scene, where its place cannot be told. Hold grains back by walls, or end the run before${mend}.`,
  );
}

/** @param motion bodies with the velocities of the step, finite @throws NumericalError for a grain that runs away in it: the fastest, else the first */
export function checkRunaway(
  step: number,
  motion: Float64Array,
  { positions, radii }: Pick<System, 'positions' | 'radii'>,
): void {
  let [fastest, fast, far] = [0, 0, -1];
  for (let i = 0, body = 0; i < radii.length; i++, body += BODY_STRIDE) {
    if (motion[body + INVERSE_MASS] === 0) continue;
    const displacement = Math.sqrt(motion[body] ** 2 + motion[body + 1] ** 2 + motion[body + 2] ** 2) / (2 * radii[i]);
    if (displacement > fastest) [fastest, fast] = [displacement, i];
    for (let axis = 0; axis < 3 && far < 0; axis++) {
      if (Math.abs(positions[3 * i + axis] + motion[body + axis]) > MAX_DIAMETERS) far = i;
    }
  }
  if (fastest > RUNAWAY_DISPLACEMENT) throw tooFast(step, fast, fastest);
  if (far >= 0) throw tooFarAway(step, far, MAX_DIAMETERS);
}
