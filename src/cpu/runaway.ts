import { NumericalError } from '../errors';
import { MAX_DIAMETERS } from '../scene/grainIndex';
import type { System } from '../scene/system';
import { LEAST_PASSAGE, RUNAWAY_DISPLACEMENT } from '../settings';
import { BODY_STRIDE, INVERSE_MASS } from './bodies';
import type { CandidateList } from './candidateList';

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

/**
 * What ends a run in which a step would leave a grain beyond the surface that should hold it.
 * @param grain the smaller of two
 * @param second the other, or N + index of the wall; both as a user knows them
 */
export function passesThrough(step: number, grain: number, second: number, { grains, wallNames }: System): NumericalError {
  const other = second < grains ? `grain ${second}` : `the wall "${wallNames[second - grains]}"`;
  return new NumericalError(
    step,
    grain,
    `Step ${step}: grain ${grain} passes into ${other} by more than its radius. What drives it is more than the sweeps can resolve. Use a shorter timeStep or more sweeps, or see what drives it: gravity, a force, a wall that moves.`,
  );
}

/**
 * Whether walls and grains hold each grain as they should. What two grains overlap from before does not count, but a wall is only
 * met from its own side.
 * @param motion bodies with the velocities of the step
 * @throws NumericalError for a contact that lets a grain through: the first with a wall, else the first
 */
export function checkPassage(step: number, motion: Float64Array, list: CandidateList, system: System): void {
  const { first, second, partners, normals, gaps } = list;
  const fail = (c: number) => passesThrough(step, first[c], second[c], system);
  let passed = -1;
  for (let c = 0; c < list.count; c++) {
    const a = BODY_STRIDE * first[c];
    const b = BODY_STRIDE * partners[c];
    const x = motion[b] - motion[a];
    const y = motion[b + 1] - motion[a + 1];
    const z = motion[b + 2] - motion[a + 2];
    const way = normals[3 * c] * x + normals[3 * c + 1] * y + normals[3 * c + 2] * z;
    const radius = system.radii[first[c]];
    const most = Math.max(radius, LEAST_PASSAGE);
    const isPair = second[c] < system.grains;
    if (Math.max(gaps[c], isPair ? 0 : gaps[c]) + way >= -most) continue;
    if (!isPair) throw fail(c);
    const reach = radius + system.radii[second[c]];
    if (passed < 0 && nearest(gaps[c] + reach, way, x * x + y * y + z * z) - reach < Math.min(gaps[c], 0) - most) passed = c;
  }
  if (passed >= 0) throw fail(passed);
}

/**
 * How near two centres come to each other in a step.
 * @param distance between them before
 * @param way of the second, seen from the first, in the direction from the first to the second; negative
 * @param square of that way in all
 */
function nearest(distance: number, way: number, square: number): number {
  const share = Math.min((-distance * way) / square, 1);
  return Math.sqrt(Math.max(distance * distance + share * (2 * distance * way + share * square), 0));
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
