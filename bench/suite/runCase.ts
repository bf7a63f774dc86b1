import type { Simulation, StepReport } from '../../src/index';
import { advance, type Limits } from './advance';
import { busyMilliseconds, checkMemory, type Host } from './host';
import type { BackendName } from './names';
import type { PreparedScene } from './prepare';
import type { CaseResult } from './result';

/**
 * Bytes that a contact update moves at least, bodies from cache. CPU: normal, gap, friction, mass, two impulses and two ids in,
 * two impulses out, in double precision. GPU: 56 bytes in single precision, and 32 for the impulse before the last sweep.
 */
export const UPDATE_BYTES: Record<BackendName, number> = { cpu: 152, webgpu: 88 };

interface CaseLimits extends Limits {
  /** Steps that are not counted: compilation, colours of new contacts. */
  warmUp: number;
}

/** @param bandwidth bytes per second, of the same run */
export async function runCase(
  host: Host,
  prepared: PreparedScene,
  backend: BackendName,
  { warmUp, ...limits }: CaseLimits,
  bandwidth: number | null,
): Promise<CaseResult> {
  const { problem, from } = prepared;
  if (backend === 'cpu') checkMemory(host, problem.grains.count);
  const simulation = await host.createSimulation(problem, { backend, from, profile: true, signal: limits.signal });
  try {
    await advance(simulation, { ...limits, steps: warmUp });
    const before = await simulation.stageTimes();
    const start = performance.now();
    const cpuStart = host.cpuMilliseconds();
    const reports = await advance(simulation, limits);
    if (reports.length === 0) throw new Error('stopped before its first step');
    const perStep = (milliseconds: number) => milliseconds / reports.length;
    const milliseconds = perStep(performance.now() - start);
    const cpu = cpuStart === null ? null : perStep(busyMilliseconds(host) - cpuStart);
    const stages = stageTimes(before, await simulation.stageTimes(), reports.length);
    return summarise(simulation, prepared, reports, { milliseconds, cpu, stages }, bandwidth);
  } finally {
    simulation.dispose();
  }
}

/** Milliseconds per step. */
interface Times {
  milliseconds: number;
  cpu: number | null;
  stages: Record<string, number> | null;
}

function summarise(
  simulation: Simulation,
  { scene, settling }: PreparedScene,
  reports: readonly StepReport[],
  { milliseconds, cpu, stages }: Times,
  bandwidth: number | null,
): CaseResult {
  const { backend, adapter, softwareAdapter, gpuMemoryBytes, problem } = simulation;
  const mean = (value: (report: StepReport) => number) =>
    reports.reduce((sum, report) => sum + value(report), 0) / reports.length;
  const sweeps = mean(({ iterations }) => iterations);
  const solving = stages?.solve ?? (backend === 'cpu' && cpu !== null ? cpu : milliseconds);
  const contactUpdatesPerSecond = mean(({ candidates, iterations }) => candidates * iterations) / (solving / 1000);
  const last = reports[reports.length - 1];
  return {
    ...{ scene, backend, adapter, softwareAdapter, grains: problem.grains.count, steps: reports.length },
    start: settling.atRest && settling.measuredFrom === settling.steps ? 'at rest' : `step ${settling.measuredFrom}`,
    contacts: mean((report) => report.contacts),
    candidates: mean((report) => report.candidates),
    colours: mean((report) => report.colours),
    sweeps,
    converged: reports.filter((report) => report.converged).length,
    residual: last.residual,
    balance: last.balance,
    meanOverlap: last.meanPenetration,
    maxOverlap: last.maxPenetration,
    millisecondsPerStep: milliseconds,
    cpuMillisecondsPerStep: cpu,
    millisecondsPerSweep: sweeps > 0 ? solving / sweeps : null,
    stages,
    contactUpdatesPerSecond,
    bytesPerGrain: backend === 'cpu' ? null : gpuMemoryBytes / problem.grains.count,
    bandwidthShare: bandwidth === null ? null : (contactUpdatesPerSecond * UPDATE_BYTES[backend]) / bandwidth,
  };
}

function stageTimes(
  before: Record<string, number> | null,
  after: Record<string, number> | null,
  steps: number,
): Record<string, number> | null {
  if (!after) return null;
  return Object.fromEntries(Object.entries(after).map(([name, total]) => [name, (total - (before?.[name] ?? 0)) / steps]));
}
