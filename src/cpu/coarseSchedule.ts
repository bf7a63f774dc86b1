import type { Convergence, SolverOptions } from '../scene/problem';
import type { System } from '../scene/system';
import {
  BALANCE_OF_CHANGE,
  COARSE_EXTENT,
  COARSE_GAP_GROWTH,
  CONVERGENCE_INTERVAL,
  FAR,
  FIRST_COARSE_SWEEP,
  LEAST_COARSE_CHANGE,
  SWEEPS_AFTER_COARSE,
} from '../settings';
import { largestRadius } from './sizeLevels';

/** Whether a criterion asks for a balance beside the residual. */
export const asksForBalance = (criterion: Convergence) => criterion.criterion === 'residual' && criterion.balance !== null;

/**
 * Longest side of a packing, mean diameters, from which on the coarse level is on by default: also half as many of the largest
 * diameters. Among grains a tenth as large a few giants bear most, and a field that is smooth over a few of them throws them about.
 */
export const coarseExtent = (system: Pick<System, 'radii'>) => COARSE_EXTENT * Math.max(1, largestRadius(system));

/**
 * When the coarse level has its turn: after more and more sweeps. It does nothing in a turn at which it asks for more than at the one
 * before: its steps then work against the sweeps, and some packings would take several times the sweeps with them.
 *
 * A step is *far* from balance where the first turn asks for much, as where gravity meets a packing without impulses. Its turns
 * do not become rarer, and the work of friction counts where contacts slide: sweeps have built up the impulses at the edge of the
 * cones, and the whole packing creeps along slips that satisfy the contact law one by one but would not be there with all of the
 * impulses. Far ends where that leads no farther, as where the packing really yields.
 */
export class CoarseSchedule {
  private next = Infinity;
  private gap = CONVERGENCE_INTERVAL;
  private change = Infinity;
  private begun = false;
  private readonly tall: boolean;
  private isFar = false;
  /** Sweeps after which the step is not far any more. */
  private readonly farthest: number;
  /** Sweeps after which it has no turn. */
  readonly last: number;

  /**
   * @param extent longest side of the packing, mean diameters
   * @param pressed whether there are pistons: of their motion the coarse level knows nothing, which far is too much for
   * @param least see coarseExtent
   */
  constructor(
    { coarse, sweep, momentum, convergence }: SolverOptions,
    extent: number,
    private readonly pressed = false,
    least = COARSE_EXTENT,
  ) {
    this.tall = extent >= least;
    this.farthest = FAR.patience + FAR.sweepsPerDiameter * extent;
    this.last = convergence.criterion === 'fixed' ? convergence.iterations - SWEEPS_AFTER_COARSE : Infinity;
    // Other criteria say how many sweeps are wanted, or are for plain ones.
    const pays = asksForBalance(convergence) && sweep === 'coloured' && momentum > 0 && this.tall;
    if (coarse === 'on' || (coarse === 'auto' && pays)) this.next = FIRST_COARSE_SWEEP;
  }

  /** Whether it may have any. */
  get hasTurns(): boolean {
    return this.next < Infinity;
  }

  /** Whether the step is far from balance. */
  get far(): boolean {
    return this.isFar;
  }

  /** Balance over the share of the impulses that would change. */
  get balanceOfChange(): number {
    return this.isFar ? FAR.balanceOfChange : BALANCE_OF_CHANGE;
  }

  isDue(sweeps: number): boolean {
    return sweeps >= this.next && sweeps <= this.last;
  }

  /**
   * @param change share of the impulses that would change
   * @returns whether it is worth while
   */
  turn(sweeps: number, change: number): boolean {
    if (this.isFar) return this.farTurn(sweeps, change);
    const helps = change > LEAST_COARSE_CHANGE && change < this.change;
    this.isFar = this.tall && !this.pressed && !this.begun && change > FAR.beginning;
    this.begun = true;
    this.change = change;
    this.next = sweeps + this.gap;
    if (!this.isFar) this.gap *= COARSE_GAP_GROWTH;
    return helps;
  }

  private farTurn(sweeps: number, change: number): boolean {
    const grows = change > FAR.growth * this.change || (change < FAR.little && change > FAR.stall * this.change);
    this.isFar = sweeps < FAR.patience || !(grows || sweeps > this.farthest);
    this.change = this.isFar ? change : Infinity;
    this.next = sweeps + this.gap;
    return this.isFar && change > LEAST_COARSE_CHANGE;
  }
}
