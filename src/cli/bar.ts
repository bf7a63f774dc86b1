import { printable } from './format';

const BAR_WIDTH = 24;

/** Seconds from one line to the next of work that is not told step by step. */
const TERMINAL_INTERVAL = 0.25;
const LINE_INTERVAL = 5;

/** What progress is written to. */
export interface ProgressStream {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

/** A line that takes the place of the one before on a terminal; elsewhere one below the other. */
export class ProgressLine {
  private shown = false;

  constructor(private readonly stream: ProgressStream) {}

  get onTerminal(): boolean {
    return this.stream.isTTY ?? false;
  }

  /** @param fraction of the work that is done, for a bar before the text; absent: no bar */
  show(content: string, fraction?: number): void {
    const text = printable(content);
    if (!this.onTerminal) {
      this.stream.write(`${text}\n`);
      return;
    }
    const filled = Math.round(BAR_WIDTH * (fraction ?? 0));
    const bar = fraction === undefined ? '' : `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] `;
    this.stream.write(`\r\x1b[K${`${bar}${text}`.slice(0, (this.stream.columns ?? 80) - 1)}`);
    this.shown = true;
  }

  /** Leaves the line where it is. */
  end(): void {
    if (this.shown) this.stream.write('\n');
    this.shown = false;
  }
}

/** Tells now and then how far some work is: on a terminal a line that changes, elsewhere one every few seconds. */
export class PacedLine {
  private last = performance.now();
  private readonly line: ProgressLine;

  constructor(
    stream: ProgressStream,
    private readonly quiet: boolean,
  ) {
    this.line = new ProgressLine(stream);
  }

  show(text: () => string, fraction: number): void {
    const now = performance.now();
    const interval = this.line.onTerminal ? TERMINAL_INTERVAL : LINE_INTERVAL;
    if (this.quiet || now - this.last < 1000 * interval) return;
    this.last = now;
    this.line.show(text(), fraction);
  }

  end(): void {
    this.line.end();
  }
}
