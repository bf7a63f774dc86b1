import { checkArgument, OBJECT } from '../arguments';
import type { State } from '../report';
import { nearestImage } from '../scene/periodic';
import type { Problem, SolverOptions } from '../scene/problem';
import { PROBLEM } from '../toProblem';
import { checkContacts, checkPositions, LENGTH } from './arguments';
import { normalForces } from './forces';

/** Half-sweeps of a sweep that pass a change on, over 2: what forces diffuse by in one dimension (docs/solving.md). */
function diffusionFactor({ sweep, order }: Pick<SolverOptions, 'sweep' | 'order'>): number {
  if (sweep === 'random') return (4 * Math.sqrt(Math.E) - 5) / 2;
  return order === 'random' ? 3 / 4 : 1;
}

/** Whether the theory of diffusing forces holds for these sweeps: those one by one have no momentum, and auto takes no coarse level for plain ones. */
export function hasPlainSweeps({ sweep, momentum, coarse }: SolverOptions): boolean {
  return coarse !== 'on' && (sweep === 'random' || momentum === 0);
}

/**
 * How far a change of force reaches in one step, l = 2 d sqrt(q N_I) (after Unger and Kertesz, eqs (53) and (54)), in scene lengths.
 * Grains farther apart act on each other as if they were soft.
 * @param iterations N_I, sweeps of the step
 * @throws TypeError naming an argument that is not what it must be
 */
export function diffusionLength(problem: Problem, iterations: number): number {
  checkArgument('diffusionLength', 'problem', problem, PROBLEM);
  checkArgument('diffusionLength', 'iterations', iterations, LENGTH);
  const { solver } = problem;
  const { radii, count } = problem.grains;
  const diameter = (2 * radii.reduce((sum, radius) => sum + radius, 0)) / count;
  return 2 * diameter * Math.sqrt(diffusionFactor(solver) * iterations);
}

/**
 * Stiffness of a contact as seen on scales beyond the diffusion length, kappa = q m N_I/dt^2 (after Unger and Kertesz, section 6),
 * in scene units of force over length.
 * @param iterations N_I, sweeps of the step
 * @throws TypeError naming an argument that is not what it must be
 */
export function effectiveStiffness(problem: Problem, iterations: number): number {
  checkArgument('effectiveStiffness', 'problem', problem, PROBLEM);
  checkArgument('effectiveStiffness', 'iterations', iterations, LENGTH);
  const { solver, timeStep } = problem;
  const { masses, count } = problem.grains;
  const mass = masses.reduce((sum, m) => sum + m, 0) / count;
  return (diffusionFactor(solver) * mass * iterations) / timeStep ** 2;
}

/**
 * Size of the largest cluster of grains that bearing contacts join, in scene lengths: the longest side of the box around it, along
 * the axes. Walls do not join clusters. A cluster that closes upon itself across a periodic axis is as long as it was followed.
 * @returns the diameter of the largest grain where no pair bears
 * @throws TypeError naming an argument that is not what it must be
 */
export function systemLength(problem: Problem, state: State): number {
  checkArgument('systemLength', 'problem', problem, PROBLEM);
  checkArgument('systemLength', 'state', state, OBJECT);
  const { positions, contacts } = state;
  const { radii, count } = problem.grains;
  const { periodic } = problem;
  checkPositions('systemLength', positions, count);
  checkContacts('systemLength', contacts, count);
  const neighbours = bearingNeighbours(contacts, count);
  const lengths = periodic?.lengths ?? [0, 0, 0];
  /** Coordinates along each axis as the cluster is followed, without jumps at periodic sides. */
  const followed = positions.slice();
  const seen = new Uint8Array(count);
  let largest = 0;
  for (let root = 0; root < count; root++) {
    if (seen[root]) continue;
    seen[root] = 1;
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (const waiting = [root]; waiting.length > 0; ) {
      const i = waiting.pop()!;
      for (let axis = 0; axis < 3; axis++) {
        low[axis] = Math.min(low[axis], followed[3 * i + axis] - radii[i]);
        high[axis] = Math.max(high[axis], followed[3 * i + axis] + radii[i]);
      }
      for (let k = neighbours.starts[i]; k < neighbours.starts[i + 1]; k++) {
        const j = neighbours.of[k];
        if (seen[j]) continue;
        seen[j] = 1;
        for (let axis = 0; axis < 3; axis++) {
          const step = nearestImage(positions[3 * j + axis] - positions[3 * i + axis], lengths[axis]);
          followed[3 * j + axis] = followed[3 * i + axis] + step;
        }
        waiting.push(j);
      }
    }
    for (let axis = 0; axis < 3; axis++) largest = Math.max(largest, high[axis] - low[axis]);
  }
  return largest;
}

/** Grains that bear on each grain: `of` from starts[i] to starts[i + 1]. */
function bearingNeighbours(contacts: State['contacts'], grains: number): { starts: Uint32Array; of: Uint32Array } {
  const forces = normalForces(contacts);
  const starts = new Uint32Array(grains + 1);
  const joins = (c: number) => forces[c] > 0 && contacts.second[c] < grains;
  for (let c = 0; c < contacts.count; c++) {
    if (!joins(c)) continue;
    starts[contacts.first[c] + 1]++;
    starts[contacts.second[c] + 1]++;
  }
  for (let i = 0; i < grains; i++) starts[i + 1] += starts[i];
  const cursors = starts.slice();
  const of = new Uint32Array(starts[grains]);
  for (let c = 0; c < contacts.count; c++) {
    if (!joins(c)) continue;
    of[cursors[contacts.first[c]]++] = contacts.second[c];
    of[cursors[contacts.second[c]]++] = contacts.first[c];
  }
  return { starts, of };
}

/** What the user should know where forces do not reach through the system in a step. */
export function softnessWarning(reach: number, system: number): string {
  return (
    `In a step forces spread over ${reach.toPrecision(3)}, and grains that bear on each other over ${system.toPrecision(3)}: ` +
    'on longer scales they act as if they were soft, and sound is an artefact. Use more sweeps per step, or solver.momentum.'
  );
}
