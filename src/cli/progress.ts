import type { StepReport } from '../report';
import { ProgressLine, type ProgressStream } from './bar';
import { figure, printable, secondsFigure } from './format';

const BAR_INTERVAL = 0.1;
const LINE_INTERVAL = 10;

/** Seconds over which the rate that tells the time left fades. Shorter: it follows changes sooner and wavers more. */
const RATE_MEMORY = 20;

/** Tells how far a run is: a bar on a terminal, elsewhere a line every ten seconds. */
export class Progress {
  private readonly start = performance.now();
  private last: number;
  private readonly shown: ProgressLine;
  /** Steps and seconds of late, older ones counting less and less; their quotient is the time of a step. */
  private readonly recent = { steps: 0, seconds: 0, step: 0, time: this.start };

  constructor(
    private readonly stream: ProgressStream,
    private readonly steps: number,
    private readonly quiet: boolean,
  ) {
    this.last = this.start;
    this.shown = new ProgressLine(stream);
  }

  update(report: StepReport): void {
    const now = performance.now();
    this.remember(report.step, now);
    const interval = this.shown.onTerminal ? BAR_INTERVAL : LINE_INTERVAL;
    if (this.quiet || (now - this.last < 1000 * interval && report.step < this.steps)) return;
    this.last = now;
    this.shown.show(this.line(report, (now - this.start) / 1000), report.step / this.steps);
  }

  /** A line of its own, which the next bar comes under. */
  say(text: string): void {
    if (this.quiet) return;
    this.end();
    this.stream.write(`${printable(text)}\n`);
  }

  /** Leaves the bar where it is. */
  end(): void {
    this.shown.end();
  }

  private remember(step: number, now: number): void {
    const { recent } = this;
    const seconds = (now - recent.time) / 1000;
    const fading = Math.exp(-seconds / RATE_MEMORY);
    recent.steps = recent.steps * fading + step - recent.step;
    recent.seconds = recent.seconds * fading + seconds;
    Object.assign(recent, { step, time: now });
  }

  private line({ step, contacts, iterations, residual }: StepReport, seconds: number): string {
    const left = (this.recent.seconds / this.recent.steps) * (this.steps - step);
    const parts = [
      `step ${step} of ${this.steps}`,
      ...(step < this.steps ? [`${secondsFigure(left)} left`] : [`${secondsFigure(seconds)}`]),
      `${contacts} contacts`,
      `${iterations} sweeps`,
      `residual ${figure(residual, 2)}`,
    ];
    return parts.join(', ');
  }
}
