import type { Simulation, StepReport } from '../src/index';

/** Figures of a benchmark run, the same in a page and in Node; lists have one entry per step. */
export interface BenchResult {
  title: string;
  grains: number;
  backend: 'webgpu' | 'cpu';
  adapter: string | null;
  softwareAdapter: boolean;
  gpuMemoryBytes: number;
  contacts: number[];
  candidates: number[];
  colours: number[];
  iterations: number[];
  residual: number[];
  /** From report to report. */
  milliseconds: number[];
  /** Milliseconds on the GPU, per step; null where the stages are not timed. */
  stages: Record<string, number> | null;
}

/** Runs `steps` steps. `onStep` is told each report as it comes. */
export async function measure(simulation: Simulation, steps: number, onStep: (report: StepReport) => void): Promise<BenchResult> {
  const milliseconds: number[] = [];
  let last = performance.now();
  const reports = await simulation.step(steps, (report) => {
    const now = performance.now();
    milliseconds.push(now - last);
    last = now;
    onStep(report);
  });
  const { problem, backend, adapter, softwareAdapter, gpuMemoryBytes } = simulation;
  const list = (key: 'contacts' | 'candidates' | 'colours' | 'iterations' | 'residual') => reports.map((report) => report[key]);
  const stages = await simulation.stageTimes();
  return {
    ...{ title: problem.title, grains: problem.grains.count, backend, adapter, softwareAdapter, gpuMemoryBytes, milliseconds },
    contacts: list('contacts'),
    candidates: list('candidates'),
    colours: list('colours'),
    iterations: list('iterations'),
    residual: list('residual'),
    stages: stages && Object.fromEntries(Object.entries(stages).map(([name, total]) => [name, total / reports.length])),
  };
}

/** Largest relative difference of the contact numbers of two runs of one scene, step by step. */
export function contactDifference(a: BenchResult, b: BenchResult): number {
  if (a.contacts.length !== b.contacts.length) return Number.POSITIVE_INFINITY;
  return Math.max(...a.contacts.map((count, k) => Math.abs(count - b.contacts[k]) / Math.max(1, count, b.contacts[k])));
}
