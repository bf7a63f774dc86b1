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
