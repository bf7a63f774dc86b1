import { CommanderError } from 'commander';
import { BackendError, CapacityError, CheckpointError, describeFault, SceneError } from '../errors';
import { isOutOfMemory } from '../outOfMemory';
import { printable } from './format';

/** Exit codes of the command line. */
export const EXIT = { done: 0, failed: 1, usage: 2, backend: 3, interrupted: 130 } as const;

/** The command was used wrongly; the message says how to use it. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** A result cannot be written. */
export class OutputError extends Error {
  constructor(path: string, cause: unknown) {
    super(`Cannot write ${path}: ${describeCause(cause)}`, { cause });
    this.name = 'OutputError';
  }
}

const CAUSES: Record<string, string> = {
  ENOSPC: 'no space left on the device',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be larger than this system allows',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOENT: 'the folder does not exist',
  ENOTDIR: 'a part of the path is not a folder',
};

function describeCause(cause: unknown): string {
  const code = (cause as NodeJS.ErrnoException).code ?? '';
  return CAUSES[code] ? `${CAUSES[code]} (${code})` : cause instanceof Error ? cause.message : String(cause);
}

const USAGE_ERRORS = [SceneError, UsageError, CapacityError, CheckpointError];

/** The exit code for an error that ended a command before any step was done. */
export function exitCode(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (USAGE_ERRORS.some((kind) => error instanceof kind)) return EXIT.usage;
  if (error instanceof BackendError) return EXIT.backend;
  return EXIT.failed;
}

const NAMED = new Set([
  'OutputError',
  'UsageError',
  'BackendError',
  'CapacityError',
  'CheckpointError',
  'DeviceLostError',
  'EventError',
  'NumericalError',
]);

/** What to tell the user: every fault of a scene, the message of an error of ours, the whole of an unforeseen one. */
export function describeError(error: unknown): string {
  if (error instanceof SceneError) {
    const faults = error.faults.map((fault) => `  ${printable(describeFault(fault))}\n`);
    const counted = error.faults.some(({ path, message }) => !path && /^and \d+ more: /.test(message));
    const count = faults.length === 1 ? 'one fault' : `${counted ? 'many' : faults.length} faults`;
    return `The input cannot be used, ${count}:\n${faults.join('')}`;
  }
  if (isOutOfMemory(error))
    return `The main memory that is free does not suffice (${(error as Error).message}). Use fewer grains, or free memory.\n`;
  if (error instanceof Error)
    return `${NAMED.has(error.name) ? error.message.split('\n').map(printable).join('\n') : error.stack}\n`;
  return `${error}\n`;
}
