import { BackendError, DeviceLostError } from './errors';
import type { EventRecord } from './events/schedule';
import type { State, StepReport } from './report';
import type { Simulation, SimulationSnapshot } from './simulation';

/** Share of the time that goes to keeping states, at most. Smaller: more steps are done again after a loss. */
const KEEP_SHARE = 0.05;

/**
 * Makes the simulation anew, from its start or from where a state goes on.
 * @param backend 'cpu' where the GPU is not to be used any more
 */
export type Reopen = (from: SimulationSnapshot | undefined, backend: 'same' | 'cpu') => Promise<Simulation>;

/**
 * A simulation that outlives its GPU device: when that is lost it goes on from the last state that it kept on a new device, and on
 * the CPU where none comes or where the new one is lost before the same step is done. Steps since that state are done again and not
 * reported again.
 */
export class LastingSimulation implements Pick<Simulation, Kept> {
  private kept: SimulationSnapshot | undefined;
  private keptAt = performance.now();
  private keepingMs = 0;
  /** Steps reported so far. */
  private reported: number;
  /** Steps reported when the device was lost last. */
  private lostAt = -1;
  private readonly losses: string[] = [];
  private readonly told: string[] = [];
  /** Of simulations before this one, up to the state from which it went on. */
  private earlierEvents: readonly EventRecord[] = [];

  /** @param from the state that the simulation began from, if any */
  constructor(
    private inner: Simulation,
    private readonly reopen: Reopen,
    from?: SimulationSnapshot,
  ) {
    this.kept = from;
    this.reported = inner.steps;
  }

  get problem() {
    return this.inner.problem;
  }
  get backend() {
    return this.inner.backend;
  }
  get adapter() {
    return this.inner.adapter;
  }
  get softwareAdapter() {
    return this.inner.softwareAdapter;
  }
  get gpuMemoryBytes() {
    return this.inner.gpuMemoryBytes;
  }
  get steps() {
    return this.inner.steps;
  }
  get stopped() {
    return this.inner.stopped;
  }
  get unfinished() {
    return this.inner.unfinished;
  }

  /** Grows at its end alone; each once, whichever simulation said it. */
  get warnings(): readonly string[] {
    for (const warning of [...this.inner.warnings, ...this.losses]) {
      if (!this.told.includes(warning)) this.told.push(warning);
    }
    return this.told;
  }

  get events(): readonly EventRecord[] {
    return [...this.earlierEvents, ...this.inner.events];
  }

  async step(count = 1, onReport?: (report: StepReport) => void): Promise<void> {
    const end = this.inner.steps + count;
    await this.lasting(async (inner) => {
      await inner.step(Math.max(0, end - inner.steps), (report) => {
        if (report.step <= this.reported) return;
        this.reported = report.step;
        onReport?.(report);
      });
    });
    await this.keep();
  }

  read(): Promise<State> {
    return this.lasting((inner) => inner.read());
  }

  capture(): Promise<SimulationSnapshot> {
    return this.lasting((inner) => inner.capture());
  }

  dispose(): void {
    this.inner.dispose();
  }

  /** Keeps the state, where a device could be lost. */
  private async keep(): Promise<void> {
    const begin = performance.now();
    if (this.inner.backend === 'cpu' || begin - this.keptAt < this.keepingMs / KEEP_SHARE) return;
    this.kept = await this.capture();
    this.keptAt = performance.now();
    this.keepingMs = this.keptAt - begin;
  }

  /** Does something with the simulation, with the next one where the device is lost meanwhile. */
  private async lasting<T>(work: (inner: Simulation) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work(this.inner);
      } catch (error) {
        if (!(error instanceof DeviceLostError)) throw error;
        await this.recover(error);
      }
    }
  }

  /** A simulation that has done the steps that were reported. */
  private async recover({ message }: DeviceLostError): Promise<void> {
    const again = this.reported === this.lostAt;
    this.lostAt = this.reported;
    const keptStep = this.kept?.solver.step ?? -1;
    this.earlierEvents = this.events.filter(({ step }) => step <= keptStep);
    this.inner.dispose();
    const reached = await this.goOn(again ? 'cpu' : 'same');
    this.losses.push(`${message}. The run goes on from step ${this.kept?.solver.step ?? 0} on ${reached}.`);
  }

  private async goOn(backend: 'same' | 'cpu'): Promise<string> {
    try {
      this.inner = await this.reopen(this.kept, backend);
      await this.inner.step(this.reported - this.inner.steps);
      return backend === 'cpu' ? 'the CPU' : 'a new device';
    } catch (error) {
      const hopeless = backend === 'cpu' || !(error instanceof DeviceLostError || error instanceof BackendError);
      if (hopeless) throw error;
      this.inner.dispose();
      return this.goOn('cpu');
    }
  }
}

type Kept =
  | 'problem'
  | 'backend'
  | 'adapter'
  | 'softwareAdapter'
  | 'gpuMemoryBytes'
  | 'steps'
  | 'stopped'
  | 'unfinished'
  | 'warnings'
  | 'events'
  | 'read'
  | 'capture'
  | 'dispose';
