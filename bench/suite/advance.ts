import type { Simulation, StepReport } from '../../src/index';

/** Where a number of steps ends, whichever comes first. */
export interface Limits {
  steps: number;
  /** No further step is begun after so many. */
  seconds: number;
  signal?: AbortSignal;
}

/** Milliseconds of steps that are asked for at once. Longer: a limit of time is exceeded by more. */
const BATCH_MS = 500;

/**
 * Steps up to a limit, or until an event stops the run; at least one where steps are allowed. Quick steps are asked for several
 * at once, so that a GPU need not wait for the host between them.
 */
export async function advance(simulation: Simulation, { steps, seconds, signal }: Limits): Promise<StepReport[]> {
  const reports: StepReport[] = [];
  const end = performance.now() + 1000 * seconds;
  let batch = 1;
  while (reports.length < steps && !simulation.stopped && !signal?.aborted) {
    const start = performance.now();
    reports.push(...(await simulation.step(Math.min(batch, steps - reports.length))));
    const now = performance.now();
    if (now >= end) break;
    const fit = Math.floor((batch * Math.min(BATCH_MS, end - now)) / Math.max(1e-3, now - start));
    batch = Math.max(1, Math.min(fit, 2 * batch));
  }
  return reports;
}
