import type { BackendChoice, OpenBackend } from './backend';
import { CpuSolver } from './cpu/solver';
import { capacityError } from './outOfMemory';
import type { System } from './scene/system';
import type { Snapshot } from './snapshot';

/** The reference; where the memory gives out its errors say what the grains take. */
class BoundedSolver extends CpuSolver {
  private readonly count: number;

  constructor(system: System, from?: Snapshot) {
    try {
      super(system, from);
    } catch (error) {
      throw capacityError(error, system.grains);
    }
    this.count = system.grains;
  }

  override async step(...args: Parameters<CpuSolver['step']>): ReturnType<CpuSolver['step']> {
    try {
      await super.step(...args);
    } catch (error) {
      throw capacityError(error, this.count);
    }
  }
}

/** Opens the CPU reference, from the start of the system or from where a snapshot goes on. */
export async function openCpu(system: System, _choice: BackendChoice, from?: Snapshot): Promise<OpenBackend> {
  let solver = new BoundedSolver(system, from);
  return {
    get solver() {
      return solver;
    },
    async replace(next, snapshot) {
      solver = new BoundedSolver(next, snapshot);
    },
    name: 'cpu',
    adapter: null,
    softwareAdapter: false,
    stageTimes: async () => null,
    dispose: () => solver.dispose(),
  };
}
