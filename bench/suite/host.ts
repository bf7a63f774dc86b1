import type { Problem, SceneInput, Simulation, SimulationOptions } from '../../src/index';
import { estimateMemory } from '../../src/scene/limits';

/** What the benchmark needs of the place where it runs: Node, or a worker of a page. */
export interface Host {
  createSimulation(
    scene: SceneInput | Problem,
    options: Pick<SimulationOptions, 'backend' | 'from' | 'profile' | 'signal'>,
  ): Promise<Simulation>;
  /** Milliseconds of CPU time that the process has taken so far; null where a program is not told, as in a page. */
  cpuMilliseconds(): number | null;
  /** Main memory; in a page what the browser says of it. */
  memoryBytes: number;
}

/** Milliseconds on the clock that work on the CPU is measured by: what other work on the machine disturbs least. */
export const busyMilliseconds = (host: Host): number => host.cpuMilliseconds() ?? performance.now();

const gibibytes = (bytes: number) => (bytes / 2 ** 30).toFixed(1);

/** @throws RangeError where the CPU backend would not have memory enough, which can end the process */
export function checkMemory({ memoryBytes }: Host, grains: number): void {
  const needed = estimateMemory(grains);
  if (needed <= memoryBytes) return;
  const fit = Math.floor(memoryBytes / estimateMemory(1));
  throw new RangeError(
    `${grains} grains take about ${gibibytes(needed)} GiB of main memory on the CPU and there are ${gibibytes(memoryBytes)} GiB: ${fit} would fit`,
  );
}
