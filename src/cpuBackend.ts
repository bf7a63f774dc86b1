import type { BackendChoice, OpenBackend } from './backend';
import { CpuSolver } from './cpu/solver';
import type { System } from './scene/system';
import type { Snapshot } from './snapshot';

/** Opens the CPU reference, from the start of the system or from where a snapshot goes on. */
export async function openCpu(system: System, _choice: BackendChoice, from?: Snapshot): Promise<OpenBackend> {
  let solver = new CpuSolver(system, from);
  return {
    get solver() {
      return solver;
    },
    async replace(next, snapshot) {
      solver = new CpuSolver(next, snapshot);
    },
    name: 'cpu',
    adapter: null,
    softwareAdapter: false,
    stageTimes: async () => null,
    dispose: () => solver.dispose(),
  };
}
