import { BackendError, DeviceLostError } from './errors';
import { KEEP_SHARE } from './settings';
import type { Simulation, SimulationSnapshot } from './simulation';

/**
 * Makes a simulation anew, from its start or from where a state goes on.
 * @param backend 'cpu' where the GPU is not to be used any more
 */
export type Reopen = (from: SimulationSnapshot | undefined, backend: 'same' | 'cpu') => Promise<Simulation>;

/** Keeps states of a simulation on the GPU, and goes on from the last one where the device is lost. */
export class Recovery {
  private keptAt = performance.now();
  private keepingMs = 0;
  /** Steps that were done when the device was lost last. */
  private lostAt = -1;

  /** @param kept the state that the simulation began from, if any */
  constructor(
    private readonly reopen: Reopen,
    private kept?: SimulationSnapshot,
  ) {}

  /** Steps done in the state that is kept; undefined where none is, so that all begins anew. */
  get keptStep(): number | undefined {
    return this.kept?.solver.step;
  }

  /** Keeps the state between two steps; not so often that it takes a notable share of the time. */
  async keep(source: Simulation): Promise<void> {
    const begin = performance.now();
    if (source.backend === 'cpu' || begin - this.keptAt < this.keepingMs / KEEP_SHARE) return;
    this.kept = await source.capture();
    this.keptAt = performance.now();
    this.keepingMs = this.keptAt - begin;
  }

  /**
   * A simulation that has done as many steps as the one that was lost: on a new device, or on the CPU where none comes or where
   * the one before was lost at the same step.
   */
  goOn(steps: number): Promise<Simulation> {
    const again = steps === this.lostAt;
    this.lostAt = steps;
    return this.open(steps, again ? 'cpu' : 'same');
  }

  private async open(steps: number, backend: 'same' | 'cpu'): Promise<Simulation> {
    let next: Simulation | undefined;
    try {
      next = await this.reopen(this.kept, backend);
      await next.step(steps - next.steps);
      return next;
    } catch (error) {
      next?.dispose();
      if (backend === 'cpu' || !(error instanceof DeviceLostError || error instanceof BackendError)) throw error;
      return this.open(steps, 'cpu');
    }
  }
}
