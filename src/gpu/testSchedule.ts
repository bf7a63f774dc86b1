import { BALANCE_WINDOW } from '../../shaders/balance';
import { CoarseSchedule } from '../cpu/coarseSchedule';
import type { SolverOptions } from '../scene/problem';
import { CONVERGENCE_INTERVAL, FIRST_COARSE_SWEEP } from '../settings';

/** What comes after a sweep. */
export interface Stop {
  /** Sweeps done. */
  sweeps: number;
  /** The momenta that the balance compares are summed. */
  records: boolean;
  /** Convergence is tested. */
  tests: boolean;
  /** The coarse level has its turn, if it is due and the packing is large enough. */
  turn: boolean;
}

/**
 * After which sweeps of a step there is more to do than the next sweep. It follows from the options alone, as on the CPU: a step is
 * encoded before anything is known of it.
 */
export class TestSchedule {
  /** Sweeps of a step at most. */
  readonly most: number;
  private readonly fixed: boolean;
  /** After which of a fixed number of sweeps the balance at their end looks at the momenta. */
  private readonly recorded: readonly number[];
  private readonly coarse: CoarseSchedule;

  constructor(solver: SolverOptions) {
    const { convergence } = solver;
    this.fixed = convergence.criterion === 'fixed';
    this.most = convergence.criterion === 'fixed' ? convergence.iterations : convergence.maxIterations;
    this.coarse = new CoarseSchedule(solver, Infinity);
    const last = Math.floor(this.most / CONVERGENCE_INTERVAL);
    const window = Math.min(BALANCE_WINDOW, Math.max(1, Math.floor(last / 2)));
    this.recorded = [2 * window, window, 0].map((back) => CONVERGENCE_INTERVAL * (last - back));
  }

  /** The first stop after so many sweeps. */
  after(done: number): Stop {
    const next = CONVERGENCE_INTERVAL * (Math.floor(done / CONVERGENCE_INTERVAL) + 1);
    const sweeps = Math.min(this.most, this.fixed ? this.afterFixed(done, next) : next);
    const turn = this.isTurn(sweeps);
    const records = this.fixed ? this.recorded.includes(sweeps) : sweeps % CONVERGENCE_INTERVAL === 0;
    return { sweeps, records, tests: !this.fixed || turn || sweeps === this.most, turn };
  }

  /** The momenta that are looked at, or a turn before. */
  private afterFixed(done: number, next: number): number {
    const record = this.recorded.find((sweeps) => sweeps > done) ?? this.most;
    if (!this.coarse.hasTurns) return record;
    let sweeps = next;
    while (sweeps < record && !this.isTurn(sweeps)) sweeps += CONVERGENCE_INTERVAL;
    return Math.min(sweeps, record);
  }

  /** Which of these turns come only the GPU knows: they follow from how far from balance the step is. */
  private isTurn(sweeps: number): boolean {
    const { hasTurns, last } = this.coarse;
    return hasTurns && sweeps % CONVERGENCE_INTERVAL === 0 && sweeps >= FIRST_COARSE_SWEEP && sweeps <= last;
  }
}
