/** Ctrl-C, what asks a process to end, and a terminal that is closed. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs `work` with a signal that aborts at the first of them. The second one finds no handler, and so ends the process at once.
 * @param what is done then, for the user
 */
export async function withInterrupt<T>(
  quiet: boolean,
  work: (signal: AbortSignal) => Promise<T>,
  what = 'finishing the step, then writing the results',
): Promise<T> {
  const controller = new AbortController();
  const remove = () => {
    for (const name of SIGNALS) process.off(name, interrupt);
  };
  const interrupt = () => {
    remove();
    if (!quiet) process.stderr.write(`\nInterrupted: ${what}. Once more ends at once.\n`);
    controller.abort();
  };
  for (const name of SIGNALS) process.on(name, interrupt);
  try {
    return await work(controller.signal);
  } finally {
    remove();
  }
}
