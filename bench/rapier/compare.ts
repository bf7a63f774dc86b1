import { createNodeSimulation, loadProblem, parseScene } from '../../src/node';
import type { SceneInput } from '../../src/scene/schema';
import { pouringScene } from '../scenes/pouring';
import { cpuMilliseconds } from '../timing';
import { OverlapMeter } from './overlaps';
import { loadRapier, RapierWorld } from './world';

/** Steps between two looks at the overlaps. */
const SAMPLE_INTERVAL = 20;

export interface Comparison {
  name: string;
  /** CPU time, mean over all steps. */
  millisecondsPerStep: number;
  /** Mean diameters, over pairs with a gap below 1e-3, mean over the samples of the last quarter of the run. */
  meanOverlap: number;
  /** Largest of all samples. */
  maxOverlap: number;
}

interface Contender {
  name: string;
  step(): unknown;
  positions(): Float64Array | Promise<Float64Array>;
  free(): void;
}

export type SolverChoice = { sweeps: number } | { tolerance: number };

const solverOf = (choice: SolverChoice): SceneInput['solver'] => ({
  coarse: 'off',
  convergence:
    'sweeps' in choice
      ? { criterion: 'fixed', iterations: choice.sweeps }
      : { criterion: 'residual', tolerance: choice.tolerance, balance: null, maxIterations: 200 },
});

async function ours(grains: number, steps: number, choice: SolverChoice): Promise<Contender> {
  const simulation = await createNodeSimulation(pouringScene(grains, steps, solverOf(choice)), { backend: 'cpu' });
  return {
    name: 'sweeps' in choice ? `${choice.sweeps} sweeps` : `residual ${choice.tolerance}`,
    step: () => simulation.step(1),
    positions: async () => (await simulation.read()).positions,
    free: () => simulation.dispose(),
  };
}

/**
 * The pouring scene in Rapier and here, on one core, step by step in turn, so that whatever else the machine does meets all alike.
 * @param iterations of Rapier's solver, a run each
 * @param choices of this solver, a run each
 */
export async function compareWithRapier(
  grains: number,
  steps: number,
  iterations: readonly number[],
  choices: readonly SolverChoice[],
  onStep: (step: number) => void = () => {},
): Promise<Comparison[]> {
  await loadRapier();
  const scene = parseScene(pouringScene(grains, steps, {}));
  const problem = await loadProblem(scene, () => Promise.reject(new Error('no files')));
  const meter = new OverlapMeter(problem);
  const contenders: Contender[] = iterations.map((count) => {
    const world = new RapierWorld(problem, count);
    return {
      name: `Rapier, ${count} iterations`,
      step: () => world.step(),
      positions: () => world.positions(),
      free: () => world.free(),
    };
  });
  for (const choice of choices) contenders.push(await ours(grains, steps, choice));
  const results = contenders.map(({ name }): Comparison => ({ name, millisecondsPerStep: 0, meanOverlap: 0, maxOverlap: 0 }));
  let samples = 0;
  for (let step = 1; step <= steps; step++) {
    const sampled = step % SAMPLE_INTERVAL === 0;
    const late = sampled && step > 0.75 * steps;
    if (late) samples++;
    for (const [k, contender] of contenders.entries()) {
      const start = cpuMilliseconds();
      await contender.step();
      results[k].millisecondsPerStep += (cpuMilliseconds() - start) / steps;
      if (!sampled) continue;
      const { mean, max } = meter.measure(await contender.positions());
      if (late) results[k].meanOverlap += mean;
      results[k].maxOverlap = Math.max(results[k].maxOverlap, max);
    }
    onStep(step);
  }
  for (const contender of contenders) contender.free();
  for (const result of results) result.meanOverlap /= Math.max(1, samples);
  return results;
}

/** A Markdown table; times also as shares of the first row's. */
export function comparisonTable(results: readonly Comparison[]): string {
  const rows = results.map(
    ({ name, millisecondsPerStep, meanOverlap, maxOverlap }) =>
      `| ${name} | ${millisecondsPerStep.toFixed(1)} | ${(millisecondsPerStep / results[0].millisecondsPerStep).toFixed(2)} | ${meanOverlap.toExponential(1)} | ${maxOverlap.toExponential(1)} |`,
  );
  return `| solver | ms per step | of the first | mean overlap, d | maximum, d |\n| --- | --- | --- | --- | --- |\n${rows.join('\n')}\n`;
}
