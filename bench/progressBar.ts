const BAR_WIDTH = 24;

/** A bar on a terminal, elsewhere a line for each part of the work. */
export function progressBar(stream: NodeJS.WriteStream): (fraction: number, text: string) => void {
  let last = '';
  return (fraction, text) => {
    const filled = Math.round(BAR_WIDTH * fraction);
    const line = `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] ${(100 * fraction).toFixed(0)} %  ${text}`;
    const part = text.replace(/: step .*/, '');
    if (stream.isTTY) stream.write(`\r\x1b[K${line.slice(0, (stream.columns ?? 80) - 1)}`);
    else if (part !== last) stream.write(`${line}\n`);
    last = part;
  };
}
