import { InvalidArgumentError } from 'commander';
import { readCount } from './suite/names';

/** A command's option that is read by `read`, whose RangeError the command shows. */
export function option<T>(read: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return read(text);
    } catch (error) {
      if (error instanceof RangeError) throw new InvalidArgumentError(error.message);
      throw error;
    }
  };
}

/** One that counts something. */
export const countOption = option(readCount);

/** What the command was called with, as it would be after `npm run <command>`. */
export function quotedArguments(): string {
  const quoted = process.argv.slice(2).map((argument) => (/\s/.test(argument) ? JSON.stringify(argument) : argument));
  return quoted.length > 0 ? ` -- ${quoted.join(' ')}` : '';
}
