import type { Convergence, SolverOptions, Vector } from '../scene/problem';
import type { System } from '../scene/system';
import { isMoving } from '../scene/wallMotion';
import {
  BALANCE_OF_CHANGE,
  COARSE_EXTENT,
  COARSE_GAP_GROWTH,
  COARSE_PAUSE,
  COARSE_REGULARISATION,
  CONVERGENCE_INTERVAL,
  FAR,
  FIRST_COARSE_SWEEP,
  LEAST_COARSE_CHANGE,
  SMALL_COARSE_CHANGE,
  SWEEPS_AFTER_COARSE,
  SWELLING,
  WORSE_AFTER_COARSE,
} from '../settings';
import type { Snapshot } from '../snapshot';
import { externalLoad } from './balance';
import { largestRadius } from './sizeLevels';
import { shareHeld } from './support';

/** Whether a criterion asks for a balance beside the residual. */
export const asksForBalance = (criterion: Convergence) => criterion.criterion === 'residual' && criterion.balance !== null;

/**
 * Longest side of a packing, mean diameters, from which on the coarse level is on by default: also half as many of the largest
 * diameters. Among grains a tenth as large a few giants bear most, and a field that is smooth over a few of them throws them about.
 */
export const coarseExtent = (system: Pick<System, 'radii'>) => COARSE_EXTENT * Math.max(1, largestRadius(system));

/** What a step would be that needs fewer sweeps than these is not begun with swollen grains. */
const LEAST_SWEEPS = 10 * SWELLING.sweeps;

/** No step. */
const NEVER = 0xffffffff;

/**
 * The step that may begin with swollen grains: the next, where no grain and no wall moves, no contact has an impulse to start from and something
 * holds up nearly all grains. (Among grains that move, over a floor that slides and where a part falls, such a step takes up to twenty times the sweeps.)
 */
export function swellingStep(system: System, from: Snapshot): number {
  const { step, velocities, spins, contacts, cold } = from;
  const isZero = (x: number) => x === 0;
  const warm = system.solver.warmStart && !cold && !contacts.impulses.every(isZero);
  const moves = warm || !velocities.every(isZero) || !spins.every(isZero) || system.motions.some(isMoving);
  const swelling = moves ? 0 : swellingPerDiameter(system);
  const swells = swelling > 0 && heightAlongLoad(system, from) >= SWELLING.height * coarseExtent(system);
  return swells && shareHeld(system, from, swelling / SWELLING.share) >= SWELLING.held ? step : NEVER;
}

/** Sum of the loads of free grains. */
function loadOf({ grains, accelerations, inverseMasses }: System): Vector {
  const load: Vector = [0, 0, 0];
  for (let i = 0; i < 3 * grains; i++) {
    const w = inverseMasses[Math.trunc(i / 3)];
    if (w > 0) load[i % 3] += accelerations[i] / w;
  }
  return load;
}

/** The axis nearest to the sum of the loads; undefined where there is none. */
export function loadAxis(system: System): number | undefined {
  const sizes = loadOf(system).map(Math.abs);
  const most = Math.max(...sizes);
  return most > 0 ? sizes.indexOf(most) : undefined;
}

/** From the lowest to the highest centre of free grains along the sum of the loads: in beds that are long, but not high, impulses have no far way. */
function heightAlongLoad(system: System, { positions }: Snapshot): number {
  const { grains, inverseMasses } = system;
  const load = loadOf(system);
  const size = Math.hypot(...load) || 1;
  let [low, high] = [Infinity, -Infinity];
  for (let i = 0; i < grains; i++) {
    if (inverseMasses[i] === 0) continue;
    const height = load.reduce((sum, x, axis) => sum + (x / size) * positions[3 * i + axis], 0);
    [low, high] = [Math.min(low, height), Math.max(high, height)];
  }
  return high - low;
}

/** By how much grains swell in it, for each mean diameter that the packing is long; 0 where they never do. */
export function swellingPerDiameter(system: System): number {
  const { coarse, sweep, momentum, convergence } = system.solver;
  const wanted = coarse !== 'off' && sweep === 'coloured' && momentum > 0 && system.pistons.length === 0;
  const lasts = convergence.criterion === 'residual' && convergence.maxIterations >= LEAST_SWEEPS;
  // Where friction is larger at rest, contacts that the swelling has made slide do so on: up to seven times the sweeps. Bonds take half as many again.
  const sticks = system.laws.some((law) => law.staticFriction > law.dynamicFriction || law.cohesionForce > 0);
  if (!wanted || !lasts || sticks || !asksForBalance(convergence)) return 0;
  const mass = system.inverseMasses.subarray(0, system.grains).reduce((sum, w) => (w > 0 ? sum + 1 / w : sum), 0);
  return mass > 0 ? (SWELLING.share * externalLoad(system)) / mass : 0;
}

/**
 * When the coarse level has its turn: after more and more sweeps. It does nothing in a turn at which it asks for much, and more than at the one
 * before: its steps then work against the sweeps, and some packings would take several times the sweeps with them. Where a turn after the first makes
 * the residual much larger, it pauses: the first may where a load has come on a packing that was at rest.
 *
 * A step of a packing that is high along its load is *far* from balance where the first turn asks for much, as where gravity meets a packing without impulses. Its turns
 * do not become rarer, and the work of friction counts where contacts slide: sweeps have built up the impulses at the edge of the
 * cones, and the whole packing creeps along slips that satisfy the contact law one by one but would not be there with all of the
 * impulses. Not where grains fall or are stopped, which asks for as much: there it throws the impulses about. Far ends where that leads
 * no farther, as where the packing really yields.
 */
export class CoarseSchedule {
  private next = Infinity;
  private gap = CONVERGENCE_INTERVAL;
  private change = Infinity;
  private begun = false;
  /** Whether the packing is long. */
  readonly long: boolean;
  /** Whether it is long enough along its load to be far from balance. */
  private readonly tall: boolean;
  private isFar = false;
  /** Sweeps with swollen grains. */
  private swollen = 0;
  /** Sweeps after which the step is not far any more. */
  private readonly farthest: number;
  /** Share of the impulses that a turn must change. */
  private readonly least: number;
  private readonly tolerance: number;
  /** Residual of the next test above which it pauses. */
  private bearable = Infinity;
  /** Sweeps after which it has no turn. */
  readonly last: number;

  /**
   * @param extent longest side of the packing, mean diameters
   * @param near whether the step is never far: with pistons, of whose motion the coarse level knows nothing, and where grains move (see Balance)
   * @param least see coarseExtent
   * @param height of the packing along the axis nearest to its load, mean diameters
   */
  constructor(
    { coarse, sweep, momentum, convergence }: SolverOptions,
    extent: number,
    private readonly near = false,
    least = COARSE_EXTENT,
    height = extent,
  ) {
    this.long = extent >= least;
    this.tall = this.long && height >= FAR.height * least;
    const { tolerance = 0, balance = null } = convergence.criterion === 'residual' ? convergence : {};
    this.tolerance = tolerance;
    this.least = Math.min(LEAST_COARSE_CHANGE, (balance ?? Infinity) / BALANCE_OF_CHANGE);
    this.farthest = FAR.patience + FAR.sweepsPerDiameter * extent;
    this.last = convergence.criterion === 'fixed' ? convergence.iterations - SWEEPS_AFTER_COARSE : Infinity;
    // Other criteria say how many sweeps are wanted, or are for plain ones.
    const pays = asksForBalance(convergence) && sweep === 'coloured' && momentum > 0 && this.long;
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

  /** Share of the coarse matrix's diagonal that is added to it. */
  get regularisation(): number {
    return this.isFar && this.swollen > 0 ? SWELLING.regularisation : COARSE_REGULARISATION;
  }

  /** The step begins with swollen grains, and far from balance. */
  swell(): void {
    this.swollen = SWELLING.sweeps;
    this.next = this.swollen;
    this.isFar = true;
    this.begun = true;
  }

  isDue(sweeps: number): boolean {
    return sweeps >= this.next && sweeps <= this.last;
  }

  /**
   * @param change share of the impulses that would change
   * @param residual where the criterion asks for it
   * @returns whether it is worth while
   */
  turn(sweeps: number, change: number, residual = Infinity): boolean {
    if (this.isFar) return this.farTurn(sweeps, change);
    const helps = change > this.least && (change < this.change || change < SMALL_COARSE_CHANGE);
    const first = !this.begun;
    this.isFar = this.tall && !this.near && first && change > FAR.beginning;
    this.begun = true;
    this.change = change;
    this.next = sweeps + this.gap;
    if (!this.isFar) {
      this.gap *= COARSE_GAP_GROWTH;
      if (helps && !first) this.bearable = WORSE_AFTER_COARSE * Math.max(residual, this.tolerance);
    }
    return helps;
  }

  /** @param residual of a test */
  observe(residual: number): void {
    if (residual > this.bearable) this.next += COARSE_PAUSE;
    this.bearable = Infinity;
  }

  private farTurn(sweeps: number, change: number): boolean {
    const grows = change > FAR.growth * this.change || (change < FAR.little && change > FAR.stall * this.change);
    const since = sweeps - this.swollen;
    this.isFar = since < FAR.patience || !(grows || since > this.farthest);
    this.change = this.isFar ? change : Infinity;
    this.next = sweeps + this.gap;
    return this.isFar && change > this.least;
  }
}
