import { DeviceLostError } from '../errors';
import type { EventRecord } from '../events/schedule';
import { Recovery, type Reopen } from '../recovery';
import type { State, StepReport } from '../report';
import type { Simulation, SimulationSnapshot } from '../simulation';
import type { RunnableSimulation } from './runScene';

/**
 * A simulation that outlives its GPU device: when that is lost it goes on from the last state that it kept on a new device, and on
 * the CPU where none comes or where the new one is lost before the same step is done. Steps since that state are done again and not
 * reported again.
 */
export class LastingSimulation implements RunnableSimulation {
  private readonly recovery: Recovery;
  /** Steps reported so far. */
  private reported: number;
  private readonly losses: string[] = [];
  private readonly told: string[] = [];
  /** Of simulations before this one, up to the state from which it went on. */
  private earlierEvents: readonly EventRecord[] = [];

  /** @param from the state that the simulation began from, if any */
  constructor(
    private inner: Simulation,
    reopen: Reopen,
    from?: SimulationSnapshot,
  ) {
    this.recovery = new Recovery(reopen, from);
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

  /** Adds a warning to those that are told and that the summary lists. */
  warn(message: string): void {
    this.losses.push(message);
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
    await this.lasting((inner) => this.recovery.keep(inner));
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

  private async recover({ message }: DeviceLostError): Promise<void> {
    const { keptStep = -1 } = this.recovery;
    this.earlierEvents = this.events.filter(({ step }) => step <= keptStep);
    this.inner.dispose();
    this.inner = await this.recovery.goOn(this.reported);
    const where = this.inner.backend === 'cpu' ? 'the CPU' : 'a new device';
    this.losses.push(`${message}. The run goes on from step ${this.recovery.keptStep ?? 0} on ${where}.`);
  }
}
