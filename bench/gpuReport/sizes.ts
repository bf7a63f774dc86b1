import { createSimulation, type Simulation, type StepReport } from '../../src/index';
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
  /** Of the time of a step in which no stage ran: the GPU waited for the host. Null without timestamps. */
  idleShare: number | null;
  stages: Record<string, number> | null;
  contactUpdatesPerSecond: number;
  /** Of the bound that the copy bandwidth of this run sets. */
  bandwidthShare: number;
  /** Time of all that is not sweeps over that of the sweeps; null without timestamps. */
  restOverSweeps: number | null;
  bytesPerGrain: number;
  balance: number | null;
}

/** @throws CapacityError where the device does not hold so many grains */
export async function measureSize(device: GPUDevice, grains: number, bandwidth: number): Promise<SizeResult> {
  const solver = { coarse: 'off', convergence: { criterion: 'fixed', iterations: SWEEPS } } as const;
  const scene = bedScene(grains, WARM_UP + STEPS, solver, { spacing: 1.004, jitter: 0.001 });
  const simulation = await createSimulation(scene, { device, profile: true });
  try {
    await simulation.step(WARM_UP);
    const before = await simulation.stageTimes();
    const start = performance.now();
    const reports = await simulation.step(STEPS);
    const milliseconds = (performance.now() - start) / STEPS;
    const after = await simulation.stageTimes();
    const stages =
      after && Object.fromEntries(Object.entries(after).map(([name, total]) => [name, (total - (before?.[name] ?? 0)) / STEPS]));
    return summarise(simulation, reports, { milliseconds, stages, bandwidth });
  } finally {
    simulation.dispose();
  }
}

function summarise(
  { gpuMemoryBytes, problem }: Simulation,
  reports: readonly StepReport[],
  measured: { milliseconds: number; stages: Record<string, number> | null; bandwidth: number },
): SizeResult {
  const { milliseconds, stages, bandwidth } = measured;
  const grains = problem.grains.count;
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
    idleShare: stages ? Math.max(0, 1 - all / milliseconds) : null,
    restOverSweeps: stages ? (all - solving) / solving : null,
    ...{ bytesPerGrain: gpuMemoryBytes / grains, balance },
  };
}
