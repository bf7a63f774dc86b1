import { loadProblem, parseScene } from '../../src/index';
import { createNodeSimulation, type Problem, type Simulation, type SimulationSnapshot, type StepReport } from '../../src/node';
import { cpuMilliseconds } from '../timing';
import { SCENES, type SceneName } from './scenes';

export type BackendName = 'cpu' | 'webgpu';

/** Figures of one scene at one size on one backend; of steps, their mean. */
export interface CaseResult {
  scene: SceneName;
  backend: BackendName;
  adapter: string | null;
  softwareAdapter: boolean;
  grains: number;
  steps: number;
  contacts: number;
  candidates: number;
  colours: number;
  sweeps: number;
  /** Steps that ended by the criterion, not by the most sweeps. */
  converged: number;
  /** Of the last step. */
  residual: number;
  /** Of the last step; null where it is not measured. */
  balance: number | null;
  meanOverlap: number;
  maxOverlap: number;
  /** By the clock, and of CPU time: where others share the machine, or the adapter computes on the CPU, the second counts. */
  millisecondsPerStep: number;
  cpuMillisecondsPerStep: number;
  /** Milliseconds per step on the GPU; null where there are no timestamps. */
  stages: Record<string, number> | null;
  /** Candidates times sweeps over the time of the sweeps where stages are timed, of whole steps elsewhere. */
  contactUpdatesPerSecond: number;
  /** Of GPU memory; null on the CPU. */
  bytesPerGrain: number | null;
  /** Share of the copy bandwidth that these updates take, see UPDATE_BYTES. */
  bandwidthShare: number | null;
}

/**
 * Bytes that a contact update moves at least, bodies from cache. CPU: normal, gap, friction, mass, two impulses and two ids in,
 * two impulses out, in double precision. GPU: 56 bytes in single precision, and 32 for the impulse before the last sweep.
 */
export const UPDATE_BYTES: Record<BackendName, number> = { cpu: 152, webgpu: 88 };

export type Coarse = 'auto' | 'on' | 'off';

/** Up to 50 sweeps to a residual of 1e-3 and, unless the coarse level is off, a balance of 5 %. */
export const measuredSolver = (coarse: Coarse) => ({
  coarse,
  convergence: {
    criterion: 'residual' as const,
    tolerance: 1e-3,
    balance: coarse === 'off' ? null : 5e-2,
    maxIterations: 50,
  },
});
const PREPARING_SOLVER = { coarse: 'off', convergence: { criterion: 'fixed', iterations: 10 } } as const;

export interface PreparedScene {
  scene: SceneName;
  problem: Problem;
  from: SimulationSnapshot;
}

const noFiles = () => Promise.reject(new Error('the scenes of the benchmark name no files'));

/** Lets a scene settle on the CPU, so that every backend is measured from the same state. */
export async function prepare(
  scene: SceneName,
  grains: number,
  coarse: Coarse = 'off',
  preparation = SCENES[scene].preparation,
): Promise<PreparedScene> {
  const { make } = SCENES[scene];
  const settling = await createNodeSimulation(make(grains, PREPARING_SOLVER), { backend: 'cpu' });
  try {
    await settling.step(preparation);
    const from = await settling.capture();
    return { scene, problem: await loadProblem(parseScene(make(grains, measuredSolver(coarse))), noFiles), from };
  } finally {
    settling.dispose();
  }
}

/** What a run is asked for, and where it ends. */
export interface Limits {
  /** Steps that are not counted: compilation, colours of new contacts. */
  warmUp: number;
  steps: number;
  /** No further step is begun after so many seconds. */
  seconds: number;
}

/** @param bandwidth bytes per second, of the same run */
export async function runCase(
  { scene, problem, from }: PreparedScene,
  backend: BackendName,
  { warmUp, steps, seconds }: Limits,
  bandwidth: number | null,
): Promise<CaseResult> {
  const simulation = await createNodeSimulation(problem, { backend, from, profile: true });
  try {
    await simulation.step(warmUp);
    const before = await simulation.stageTimes();
    const reports: StepReport[] = [];
    const start = performance.now();
    const cpuStart = cpuMilliseconds();
    while (reports.length < steps && (reports.length === 0 || performance.now() - start < 1000 * seconds)) {
      reports.push(...(await simulation.step(1)));
    }
    const milliseconds = (performance.now() - start) / reports.length;
    const cpu = (cpuMilliseconds() - cpuStart) / reports.length;
    const stages = perStep(before, await simulation.stageTimes(), reports.length);
    return summarise(simulation, scene, reports, { milliseconds, cpu, stages }, bandwidth);
  } finally {
    simulation.dispose();
  }
}

interface Times {
  milliseconds: number;
  cpu: number;
  stages: Record<string, number> | null;
}

function summarise(
  simulation: Simulation,
  scene: SceneName,
  reports: readonly StepReport[],
  { milliseconds, cpu, stages }: Times,
  bandwidth: number | null,
): CaseResult {
  const { backend, adapter, softwareAdapter, gpuMemoryBytes, problem } = simulation;
  const mean = (value: (report: StepReport) => number) =>
    reports.reduce((sum, report) => sum + value(report), 0) / reports.length;
  const updates = mean(({ candidates, iterations }) => candidates * iterations);
  const solving = stages?.solve ?? (backend === 'cpu' ? cpu : milliseconds);
  const contactUpdatesPerSecond = updates / (solving / 1000);
  const last = reports[reports.length - 1];
  return {
    ...{ scene, backend, adapter, softwareAdapter, grains: problem.grains.count, steps: reports.length },
    contacts: mean((report) => report.contacts),
    candidates: mean((report) => report.candidates),
    colours: mean((report) => report.colours),
    sweeps: mean((report) => report.iterations),
    converged: reports.filter((report) => report.converged).length,
    residual: last.residual,
    balance: last.balance,
    meanOverlap: last.meanPenetration,
    maxOverlap: last.maxPenetration,
    millisecondsPerStep: milliseconds,
    cpuMillisecondsPerStep: cpu,
    stages,
    contactUpdatesPerSecond,
    bytesPerGrain: backend === 'cpu' ? null : gpuMemoryBytes / problem.grains.count,
    bandwidthShare: bandwidth === null ? null : (contactUpdatesPerSecond * UPDATE_BYTES[backend]) / bandwidth,
  };
}

function perStep(
  before: Record<string, number> | null,
  after: Record<string, number> | null,
  steps: number,
): Record<string, number> | null {
  if (!after) return null;
  return Object.fromEntries(Object.entries(after).map(([name, total]) => [name, (total - (before?.[name] ?? 0)) / steps]));
}
