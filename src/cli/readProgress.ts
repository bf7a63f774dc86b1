import { basename } from 'node:path';
import type { OnRead } from '../node/particleFiles';
import { ProgressLine, type ProgressStream } from './bar';

const TERMINAL_INTERVAL = 0.25;
const LINE_INTERVAL = 5;

/** Tells how much of a file has been read: on a terminal a line that changes, elsewhere one every few seconds. */
export class ReadProgress {
  private last = performance.now();
  private readonly line: ProgressLine;

  constructor(
    stream: ProgressStream,
    private readonly quiet: boolean,
  ) {
    this.line = new ProgressLine(stream);
  }

  readonly update: OnRead = (path, bytes, size) => {
    const now = performance.now();
    const interval = this.line.onTerminal ? TERMINAL_INTERVAL : LINE_INTERVAL;
    if (this.quiet || now - this.last < 1000 * interval) return;
    this.last = now;
    const fraction = Math.min(1, bytes / Math.max(1, size));
    const text = `${basename(path)}: ${Math.round(100 * fraction)} % of ${(size / 2 ** 20).toFixed(0)} MiB read`;
    this.line.show(text, fraction);
  };

  end(): void {
    this.line.end();
  }
}

/** Reads with progress on standard error. */
export async function withReadProgress<T>(quiet: boolean, read: (onRead: OnRead) => Promise<T>): Promise<T> {
  const progress = new ReadProgress(process.stderr, quiet);
  try {
    return await read(progress.update);
  } finally {
    progress.end();
  }
}
