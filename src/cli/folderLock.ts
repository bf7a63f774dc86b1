import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from './exit';

/** Holds the id of the process that writes into the folder. */
export const LOCK = 'run.lock';

/**
 * Takes a folder for this process, so that two runs do not replace each other's files. What a killed process left counts for nothing.
 * @returns what gives the folder back
 * @throws UsageError where a run is writing into it
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const lock = join(folder, LOCK);
  const holder = Number(await readFile(lock, 'utf8').catch(() => ''));
  if (holder > 0 && isAlive(holder)) throw heldBy(holder, folder);
  await rm(lock, { force: true });
  try {
    await writeFile(lock, String(process.pid), { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw heldBy(undefined, folder);
    throw error;
  }
  return () => rm(lock, { force: true }).catch(() => {});
}

function heldBy(holder: number | undefined, folder: string): UsageError {
  const which = holder === undefined ? '' : ` (process ${holder})`;
  return new UsageError(
    `A run${which} is writing into ${folder}. Choose another folder for --out, or wait for its end; if there is none, remove ${join(folder, LOCK)}.`,
  );
}

function isAlive(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
