import { InvalidArgumentError } from 'commander';

/** A command's option that counts something. */
export function countOption(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError('expected a whole number above 0');
  return count;
}
