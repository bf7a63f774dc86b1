import type { Convergence, SolverOptions } from '../scene/problem';
import { AIMLESS_SWEEPS, CONVERGENCE_INTERVAL, FAR_FROM_SETTLED, SLIDERS_STAY_AFTER, SWELLING } from '../settings';
import type { Balance } from './balance';
import type { CoarseLevel } from './coarse';
import { asksForBalance, CoarseSchedule } from './coarseSchedule';
import { colourOrder, shuffle } from './colourOrder';
import { CONTACT_STRIDE, type ContactBlock, EXTRA_STRIDE, IMPULSE, PREVIOUS_IMPULSE, SLIP_TARGET, TORQUE } from './contacts';
import { grown } from './growable';
import { HeavyBall } from './heavyBall';
import { sweepHubGrain } from './hubs';
import { lawOf } from './law';
import { meanImpulse } from './measure';
import type { Pistons } from './pistons';
import { type Residual, residual } from './residual';
import { extrapolateBodies, sweepInOrder } from './sweep';

export interface Solution {
  /** Sweeps done. */
  iterations: number;
  converged: boolean;
  /** Global balance, see Balance; null where it is not measured. */
  balance: number | null;
  /** Residual of the impulses that it ends with, see residual. */
  residual: number;
  residualMax: number;
}

/** What sees the packing as a whole, both begun for each step. */
export interface Whole {
  level: CoarseLevel;
  balance: Balance;
  /** Whether there are pistons. */
  pressed: boolean;
  /** See coarseExtent. */
  leastExtent: number;
  /** See loadAxis. */
  loadAxis: number | undefined;
  /** See swellingPerDiameter and swellingStep. */
  swelling: number;
  swellingStep: number;
}

/** Non-linear block Gauss-Seidel over the contacts of one step. Keeps its buffers from step to step. */
export class ContactSolver {
  private previous = new Float64Array(0);
  private shuffled = new Uint32Array(0);
  /** Sweeps of the step that are done with swollen grains. */
  private swollen = 0;
  private readonly heavyBall: HeavyBall;

  constructor(
    private readonly options: SolverOptions,
    private readonly grains: number,
    private readonly pistons?: Pistons,
    private readonly whole?: Whole,
  ) {
    this.heavyBall = new HeavyBall(options.momentum);
  }

  /**
   * Sweeps until the criterion holds, or as often as it allows.
   * @param block contacts with the impulses to start from, already in the bodies' velocities; overwritten
   * @param motion bodies as in packBodies, overwritten
   * @param step steps done before this one: what random orders depend on, beside the seed
   * @param rest awaited now and then: a step of very many sweeps must not stop everything else
   */
  async solve(block: ContactBlock, motion: Float64Array, step: number, rest = async () => {}): Promise<Solution> {
    const { whole } = this;
    if (block.count === 0) return { iterations: 0, converged: true, balance: whole ? 0 : null, residual: 0, residualMax: 0 };
    const { convergence } = this.options;
    const most = convergence.criterion === 'fixed' ? convergence.iterations : convergence.maxIterations;
    this.previous = grown(this.previous, motion.length);
    this.previous.set(motion);
    const { extent = 0, sides } = whole?.level.grid ?? {};
    const height = sides?.[whole?.loadAxis ?? -1];
    const near = whole && (whole.pressed || whole.balance.moves);
    const schedule = new CoarseSchedule(this.options, extent, near, whole?.leastExtent, height);
    whole?.balance.record(motion);
    this.heavyBall.begin();
    const isPacking = block.count >= SWELLING.candidates * this.grains;
    const swells = whole && step === whole.swellingStep && schedule.long && isPacking;
    const swelling = swells ? whole.swelling * whole.level.grid.extent : 0;
    this.swollen = swelling > 0 ? SWELLING.sweeps : 0;
    if (swelling > 0) {
      block.swell(swelling);
      schedule.swell();
      this.heavyBall.goFar(true);
    }
    for (let iterations = 1; ; iterations++) {
      this.sweep(block, motion, step, iterations - 1);
      if (iterations === this.swollen) block.swell(-swelling);
      const last = iterations >= most;
      if (!last && iterations % CONVERGENCE_INTERVAL !== 0) continue;
      await rest();
      if (iterations % CONVERGENCE_INTERVAL === 0) whole?.balance.record(motion);
      if (iterations < this.swollen) continue;
      const tested = convergence.criterion === 'residual' ? residual(block, motion) : undefined;
      if (tested) schedule.observe(tested.rms);
      const settled = this.isConverged(iterations, block, tested);
      const ends = convergence.criterion !== 'fixed' && iterations + AIMLESS_SWEEPS >= most;
      if (ends && !last && !settled && block.general && (tested ?? residual(block, motion)).rms > FAR_FROM_SETTLED)
        forgetAims(block);
      const corrects = schedule.isDue(iterations);
      if (!last && !settled && !corrects) continue;
      const remainder = whole?.balance.remainder(block) ?? 0;
      if (!last && !corrects && !isBalanced(convergence, remainder)) continue;
      const asked = corrects || asksForBalance(convergence);
      const change = whole && asked ? whole.level.propose(block, motion, schedule.far, schedule.regularisation) : 0;
      const balance = Math.max(schedule.balanceOfChange * change, remainder);
      const converged = settled && isBalanced(convergence, balance);
      if (last || converged) {
        const { rms, max } = tested ?? residual(block, motion);
        return { iterations, converged, balance: whole ? balance : null, residual: rms, residualMax: max };
      }
      if (!corrects) continue;
      const { far } = schedule;
      if (schedule.turn(iterations, change, tested?.rms)) whole?.level.apply(block, motion, this.previous);
      if (schedule.far !== far && convergence.criterion === 'residual') this.heavyBall.goFar(schedule.far);
    }
  }

  /** Whether the criterion holds after so many sweeps, the balance aside. @param tested given where the criterion asks for it */
  private isConverged(sweeps: number, block: ContactBlock, tested?: Residual): boolean {
    const { convergence } = this.options;
    switch (convergence.criterion) {
      case 'fixed':
        return sweeps >= convergence.iterations;
      case 'local':
        return isLocallyConverged(block, convergence.epsilon, convergence.delta);
      case 'global':
        return isGloballyConverged(block, convergence.epsilon);
      case 'residual': {
        const rms = tested?.rms ?? Infinity;
        const settled = rms <= convergence.tolerance;
        if (!settled) this.heavyBall.observe(rms);
        return settled;
      }
    }
  }

  /** @param sweep counts from 0 */
  private sweep(block: ContactBlock, motion: Float64Array, step: number, sweep: number): void {
    const { seed, order } = this.options;
    const { colourStarts, coloured } = block;
    block.slidersStay = sweep >= this.swollen + SLIDERS_STAY_AFTER;
    if (this.options.sweep === 'random') {
      if (this.shuffled.length !== coloured) this.shuffled = new Uint32Array(coloured);
      shuffle(seed, step, sweep, this.shuffled);
      sweepInOrder(block, this.shuffled, motion);
      this.sweepHubs(block, motion, 0);
      return;
    }
    const factor = sweep === 0 ? 0 : this.heavyBall.momentum;
    extrapolateBodies(motion, this.previous, this.grains, factor);
    const applyLaw = lawOf(block);
    if (order === 'fixed') {
      applyLaw(block, 0, coloured, motion, factor);
    } else {
      for (const colour of colourOrder(seed, step, sweep, colourStarts.length - 1)) {
        applyLaw(block, colourStarts[colour], colourStarts[colour + 1], motion, factor);
      }
    }
    this.sweepHubs(block, motion, factor);
  }

  private sweepHubs(block: ContactBlock, motion: Float64Array, momentum: number): void {
    for (const hub of block.hubs) {
      if (hub.body < this.grains) sweepHubGrain(block, hub, motion, momentum);
      else this.pistons?.sweep(block, hub, motion, momentum);
    }
  }
}

/** In a step that will hardly converge any more friction turns no slip round: what it does is not known to have been taken. */
function forgetAims({ count, extra }: ContactBlock): void {
  for (let slot = 0; slot < count; slot++) {
    const aim = EXTRA_STRIDE * slot + SLIP_TARGET;
    extra.fill(0, aim, aim + 3);
  }
}

/** Whether the criterion asks for no better balance. */
function isBalanced(criterion: Convergence, balance: number): boolean {
  return criterion.criterion !== 'residual' || criterion.balance === null || balance <= criterion.balance;
}

/** Every impulse, with its torque, changed by at most epsilon |P| + delta <|P|> in the last sweep (Unger and Kertesz, eq. (35)). */
function isLocallyConverged(block: ContactBlock, epsilon: number, delta: number): boolean {
  const { count, data, general, extra } = block;
  const slack = delta * meanImpulse(block, IMPULSE);
  for (let slot = 0; slot < count; slot++) {
    const p = CONTACT_STRIDE * slot + IMPULSE;
    let change = Math.hypot(data[p] - data[p + 3], data[p + 1] - data[p + 4], data[p + 2] - data[p + 5]);
    let size = Math.hypot(data[p], data[p + 1], data[p + 2]);
    if (general) {
      const t = EXTRA_STRIDE * slot + TORQUE;
      change = Math.hypot(change, extra[t] - extra[t + 3], extra[t + 1] - extra[t + 4], extra[t + 2] - extra[t + 5]);
      size = Math.hypot(size, extra[t], extra[t + 1], extra[t + 2]);
    }
    if (!(change <= epsilon * size + slack)) return false;
  }
  return true;
}

/** The mean impulse changed by at most its share epsilon in the last sweep (Unger and Kertesz, eq. (36)). */
function isGloballyConverged(block: ContactBlock, epsilon: number): boolean {
  const mean = meanImpulse(block, IMPULSE);
  return Math.abs(mean - meanImpulse(block, PREVIOUS_IMPULSE)) <= epsilon * mean;
}
