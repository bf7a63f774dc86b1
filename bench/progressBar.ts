import { ProgressLine, type ProgressStream } from '../src/cli/bar';

/** A bar on a terminal, elsewhere a line for each part of the work. */
export function progressBar(stream: ProgressStream): (fraction: number, text: string) => void {
  const line = new ProgressLine(stream);
  let last = '';
  return (fraction, text) => {
    const part = text.replace(/: step .*/, '');
    if (line.onTerminal || part !== last) line.show(`${(100 * fraction).toFixed(0)} %  ${text}`, fraction);
    if (fraction === 1) line.end();
    last = part;
  };
}
