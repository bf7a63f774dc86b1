import type { BackendChoice, OpenBackend } from './backend';
import { CpuSolver } from './cpu/solver';
import { CapacityError } from './errors';
import { estimateMemory } from './scene/limits';
import type { System } from './scene/system';
import type { Snapshot } from './snapshot';

/** What engines say of an array that cannot be had. */
const NO_MEMORY = /allocation failed|invalid typed array length|invalid array (buffer )?length|out of memory/i;

/**
 * @param grains that are computed
 * @returns the error that tells what they take, where it says that an array cannot be had, else itself
 */
export function capacityError(error: unknown, grains: number): unknown {
  if (!(error instanceof RangeError && NO_MEMORY.test(error.message))) return error;
  const need = `about ${(estimateMemory(grains) / 2 ** 30).toPrecision(2)} GiB, ${estimateMemory(1)} bytes each`;
  return new CapacityError(
    `The main memory that is free does not hold ${grains} grains, which take ${need}: use so few that theirs is free`,
    { cause: error },
  );
}

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
