#!/usr/bin/env node
import { CommanderError } from 'commander';
import { describeError, EXIT, exitCode, OutputError } from './exit';
import { createProgram } from './program';

/** Progress and warnings that nobody can read do not end a run. */
process.stderr.on('error', () => {});

/** A reader that has seen enough (`| head`) is no error; results that cannot be printed are. */
let printFailure: Error | undefined;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') printFailure ??= error;
});

let code: number = EXIT.done;
try {
  await createProgram((result) => {
    code = result;
  }).parseAsync();
} catch (error) {
  code = exitCode(error);
  if (!(error instanceof CommanderError)) process.stderr.write(describeError(error));
}
// A graphics driver's threads must not keep a finished command alive: leave once the output has left, or has failed to.
await handedOver(process.stdout);
if (printFailure) {
  process.stderr.write(describeError(new OutputError('standard output', printFailure)));
  if (code === EXIT.done) code = EXIT.failed;
}
await handedOver(process.stderr);
process.exit(code);

/** Waits until a stream has given all that was written to the system, or cannot: a pipe takes it as fast as its reader does. */
function handedOver(stream: NodeJS.WriteStream): Promise<void> {
  // The error of a write is told after its callback.
  return new Promise((done) => stream.write('', () => setImmediate(done)));
}
