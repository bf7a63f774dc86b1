import { basename } from 'node:path';
import type { OnRead } from '../node/particleFiles';
import { PacedLine, type ProgressStream } from './bar';

/** Tells how much of a file has been read. */
export class ReadProgress {
  private readonly line: PacedLine;

  constructor(stream: ProgressStream, quiet: boolean) {
    this.line = new PacedLine(stream, quiet);
  }

  readonly update: OnRead = (path, bytes, size) => {
    const fraction = Math.min(1, bytes / Math.max(1, size));
    const text = () => `${basename(path)}: ${Math.round(100 * fraction)} % of ${(size / 2 ** 20).toFixed(0)} MiB read`;
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
