import { CapacityError } from '../../src/index';
import { createNodeSimulation, type StepReport } from '../../src/node';
import { bedScene } from '../scenes/bed';
import { UPDATE_BYTES } from '../suite/runCase';

export const SWEEPS = 50;
const WARM_UP = 4;
const STEPS = 5;

/** Figures of a settled bed of one size; times are means of the measured steps. */
export interface SizeResult {
  grains: number;
  candidates: number;
  colours: number;
  sweeps: number;
  residual: number;
  millisecondsPerStep: number;
  stages: Record<string, number> | null;
  contactUpdatesPerSecond: number;
  /** Of the bound that the copy bandwidth of this run sets. */
  bandwidthShare: number;
  /** Time of all that is not sweeps over that of the sweeps; null without timestamps. */
  restOverSweeps: number | null;
  bytesPerGrain: number;
  balance: number | null;
}

/** @returns what stopped it where the adapter does not hold so many grains */
export async function measureSize(grains: number, bandwidth: number): Promise<SizeResult | string> {
  const solver = { coarse: 'off', convergence: { criterion: 'fixed', iterations: SWEEPS } } as const;
  const scene = bedScene(grains, WARM_UP + STEPS, solver, { spacing: 1.004, jitter: 0.001 });
  try {
    const simulation = await createNodeSimulation(scene, { backend: 'webgpu', profile: true });
    try {
      await simulation.step(WARM_UP);
      const before = await simulation.stageTimes();
      const start = performance.now();
      const reports = await simulation.step(STEPS);
      const milliseconds = (performance.now() - start) / STEPS;
      const after = await simulation.stageTimes();
      const stages =
        after &&
        Object.fromEntries(Object.entries(after).map(([name, total]) => [name, (total - (before?.[name] ?? 0)) / STEPS]));
      const { gpuMemoryBytes, problem } = simulation;
      return summarise(reports, milliseconds, stages, bandwidth, gpuMemoryBytes / problem.grains.count, problem.grains.count);
    } finally {
      simulation.dispose();
    }
  } catch (error) {
    if (error instanceof CapacityError || error instanceof RangeError) return error.message;
    throw error;
  }
}

function summarise(
  reports: readonly StepReport[],
  milliseconds: number,
  stages: Record<string, number> | null,
  bandwidth: number,
  bytesPerGrain: number,
  grains: number,
): SizeResult {
  const { candidates, colours, residual, balance } = reports[reports.length - 1];
  const updates = reports.reduce((sum, report) => sum + report.candidates * report.iterations, 0) / reports.length;
  const solving = stages?.solve ?? milliseconds;
  const all = Object.values(stages ?? {}).reduce((sum, time) => sum + time, 0);
  const contactUpdatesPerSecond = updates / (solving / 1000);
  return {
    ...{
      grains,
      candidates,
      colours,
      sweeps: SWEEPS,
      residual,
      millisecondsPerStep: milliseconds,
      stages,
      contactUpdatesPerSecond,
    },
    bandwidthShare: (contactUpdatesPerSecond * UPDATE_BYTES.webgpu) / bandwidth,
    restOverSweeps: stages ? (all - solving) / solving : null,
    ...{ bytesPerGrain, balance },
  };
}
