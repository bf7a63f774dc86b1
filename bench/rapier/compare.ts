import type { SceneInput } from '../../src/index';
import { busyMilliseconds, type Host } from '../suite/host';
import type { BackendName } from '../suite/names';
import { loadBenchScene } from '../suite/prepare';
import type { Comparison, RapierRun } from '../suite/result';
import { SCENES, type SceneName } from '../suite/scenes';
import { OverlapMeter } from './overlaps';
import { loadRapier, RapierWorld } from './world';

/** Steps between two looks at the overlaps. */
const SAMPLE_INTERVAL = 20;

interface Contender extends Pick<Comparison, 'name' | 'solver'> {
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

/** Who takes part, and for how long. */
export interface ComparisonSettings {
  scene: SceneName;
  grains: number;
  steps: number;
  /** No further step is begun after so many. */
  seconds: number;
  /** Of Rapier's solver, a run each. */
  iterations: readonly number[];
  /** Of this solver, a run each on each backend. */
  choices: readonly SolverChoice[];
  backends: readonly BackendName[];
}

/** The scenes that Rapier can do: spheres in boxes. */
export const RAPIER_SCENES = ['bed', 'pouring', 'mixed'] as const satisfies SceneName[];
export type RapierScene = (typeof RAPIER_SCENES)[number];

async function ours(host: Host, settings: ComparisonSettings, backend: BackendName, choice: SolverChoice): Promise<Contender> {
  const scene = SCENES[settings.scene].make(settings.grains, solverOf(choice));
  const simulation = await host.createSimulation(scene, { backend });
  return {
    name: `${backend}, ${'sweeps' in choice ? `${choice.sweeps} sweeps` : `residual ${choice.tolerance}`}`,
    solver: backend,
    step: () => simulation.step(1),
    positions: async () => (await simulation.read()).positions,
    free: () => simulation.dispose(),
  };
}

/** Figures of one contender while it runs. */
class Tally {
  milliseconds = 0;
  readonly overlaps: { step: number; mean: number; max: number }[] = [];

  constructor(private readonly contender: Contender) {}

  summary(steps: number): Comparison {
    const { name, solver } = this.contender;
    const late = this.overlaps.filter(({ step }) => step > 0.75 * steps);
    return {
      ...{ name, solver, millisecondsPerStep: this.milliseconds / steps },
      meanOverlap: late.reduce((sum, { mean }) => sum + mean, 0) / Math.max(1, late.length),
      maxOverlap: Math.max(0, ...this.overlaps.map(({ max }) => max)),
    };
  }
}

/**
 * One scene in Rapier and here from its first step on, step by step in turn, so that whatever else the machine does meets all alike.
 * @throws Error where it is stopped before the overlaps were looked at once
 */
export async function compareWithRapier(
  host: Host,
  settings: ComparisonSettings,
  { signal, onStep = () => {} }: { signal?: AbortSignal; onStep?: (step: number) => void } = {},
): Promise<RapierRun> {
  await loadRapier();
  const { scene, iterations, choices, backends } = settings;
  const problem = await loadBenchScene(SCENES[scene].make(settings.grains, {}));
  const meter = new OverlapMeter(problem);
  const contenders: Contender[] = [];
  try {
    for (const count of iterations) contenders.push(rapier(new RapierWorld(problem, count), count));
    for (const backend of backends) for (const choice of choices) contenders.push(await ours(host, settings, backend, choice));
    const tallies = contenders.map((contender) => new Tally(contender));
    const end = performance.now() + 1000 * settings.seconds;
    let step = 0;
    while (step < settings.steps && !signal?.aborted && (step < SAMPLE_INTERVAL || performance.now() < end)) {
      step++;
      for (const [k, contender] of contenders.entries()) {
        const clock = () => (contender.solver === 'webgpu' ? performance.now() : busyMilliseconds(host));
        const start = clock();
        await contender.step();
        tallies[k].milliseconds += clock() - start;
        if (step % SAMPLE_INTERVAL === 0) tallies[k].overlaps.push({ step, ...meter.measure(await contender.positions()) });
      }
      onStep(step);
    }
    if (step < SAMPLE_INTERVAL) throw new Error(`stopped after ${step} steps, before the overlaps were looked at`);
    const results = tallies.map((tally) => tally.summary(step));
    return { scene, grains: problem.grains.count, steps: step, results };
  } finally {
    for (const contender of contenders) contender.free();
  }
}

function rapier(world: RapierWorld, iterations: number): Contender {
  return {
    ...{ name: `Rapier, ${iterations} iterations`, solver: 'rapier' },
    step: () => world.step(),
    positions: () => world.positions(),
    free: () => world.free(),
  };
}
