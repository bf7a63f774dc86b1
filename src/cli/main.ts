#!/usr/bin/env node
import { CommanderError } from 'commander';
import { describeError, EXIT, exitCode } from './exit';
import { createProgram } from './program';

/** A reader that has seen enough (`| head`) is no error. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
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
// A graphics driver's threads must not keep a finished command alive: leave once the output has left.
process.stdout.write('', () => process.exit(code));
