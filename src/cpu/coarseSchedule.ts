import type { Convergence, SolverOptions } from '../scene/problem';
import {
  COARSE_EXTENT,
  COARSE_GAP_GROWTH,
  CONVERGENCE_INTERVAL,
  FIRST_COARSE_SWEEP,
  LEAST_COARSE_CHANGE,
  SWEEPS_AFTER_COARSE,
} from '../settings';

/** Whether a criterion asks for a balance beside the residual. */
export const asksForBalance = (criterion: Convergence) => criterion.criterion === 'residual' && criterion.balance !== null;

/**
 * When the coarse level has its turn: after more and more sweeps. It does nothing in a turn at which it asks for more than at the one
 * before: its steps then work against the sweeps, and some packings would take several times the sweeps with them.
 */
export class CoarseSchedule {
  private next = Infinity;
  private gap = CONVERGENCE_INTERVAL;
  private change = Infinity;
  /** Sweeps after which it has no turn. */
  readonly last: number;

  constructor({ coarse, sweep, momentum, convergence }: SolverOptions, extent: number) {
    this.last = convergence.criterion === 'fixed' ? convergence.iterations - SWEEPS_AFTER_COARSE : Infinity;
    // Other criteria say how many sweeps are wanted, or are for plain ones.
    const pays = asksForBalance(convergence) && sweep === 'coloured' && momentum > 0 && extent >= COARSE_EXTENT;
    if (coarse === 'on' || (coarse === 'auto' && pays)) this.next = FIRST_COARSE_SWEEP;
  }

  /** Whether it may have any. */
  get hasTurns(): boolean {
    return this.next < Infinity;
  }

  isDue(sweeps: number): boolean {
    return sweeps >= this.next && sweeps <= this.last;
  }

  /**
   * @param change share of the impulses that would change
   * @returns whether it is worth while
   */
  turn(sweeps: number, change: number): boolean {
    const helps = change > LEAST_COARSE_CHANGE && change < this.change;
    this.change = change;
    this.next = sweeps + this.gap;
    this.gap *= COARSE_GAP_GROWTH;
    return helps;
  }
}
