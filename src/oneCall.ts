import { checkArgument, FUNCTION } from './arguments';
import type { StepReport } from './report';
import { formatValue } from './scene/faults';

/** One call of a simulation at a time: a state read in the middle of a step would be none. */
export class OneCall {
  private state: 'idle' | 'busy' | 'disposed' = 'idle';

  get disposed(): boolean {
    return this.state === 'disposed';
  }

  /** @throws Error where another call has not ended, or after `dispose` */
  check(): void {
    if (this.state === 'idle') return;
    throw new Error(
      this.state === 'busy' ? 'Await the last step() or read() of this simulation first' : 'The simulation is disposed',
    );
  }

  /** @throws Error as `check` */
  async run<T>(work: () => Promise<T>): Promise<T> {
    this.check();
    this.state = 'busy';
    try {
      return await work();
    } finally {
      if (this.state === 'busy') this.state = 'idle';
    }
  }

  /** No call from now on. @returns false where that was so before */
  dispose(): boolean {
    const first = this.state !== 'disposed';
    this.state = 'disposed';
    return first;
  }
}

/** @throws RangeError for a count that is no whole number from 0 */
export function checkStepCount(count: number): void {
  if (!Number.isSafeInteger(count) || count < 0) {
    throw new RangeError(`step() was asked for ${formatValue(count)} steps; give a whole number from 0`);
  }
}

/** Tells the reports of steps to a listener, which may answer by promises: the first that rejects ends the steps. */
export class Listener {
  private answered: Promise<unknown> = Promise.resolve();
  private failure: { error: unknown } | undefined;

  /** @throws TypeError for a listener that is no function */
  constructor(private readonly onReport: ((report: StepReport) => void | Promise<void>) | undefined) {
    if (onReport !== undefined && onReport !== null) checkArgument('step()', 'onReport', onReport, FUNCTION);
  }

  /** @throws what the listener throws, or an earlier promise of it has rejected with */
  tell(report: StepReport): void {
    this.refuse();
    const answer = this.onReport?.(report);
    if (!answer) return;
    const next = Promise.resolve(answer).catch((error) => {
      this.failure ??= { error };
    });
    this.answered = this.answered.then(() => next);
  }

  /** Waits for the promises. @throws what one of them rejects with */
  async end(): Promise<void> {
    await this.answered;
    this.refuse();
  }

  private refuse(): void {
    if (this.failure) throw this.failure.error;
  }
}
