import { createHash, randomUUID } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { UsageError } from './exit';

/** Says which process writes into the folder: its id, its own mark and its host. */
const LOCK = 'run.lock';

/** Unlike its id, no other process ever has this mark: not the one that is started as process 1 after it either. */
const MARK = randomUUID();
const OWN = `${process.pid} ${MARK} ${hostname()}\n`;

/** Only another process that writes and is killed between two of our looks lets us try again. */
const TRIES = 100;

/** Whether a name in the folder of a run is that of its lock, or of one by which a lock is taken over. */
export const isLock = (name: string) => name === LOCK || name.startsWith(`${LOCK}.`);

/** A folder that is taken. */
export interface FolderLock {
  /** False once the folder was removed, or the lock alone: from then on another run may write there. */
  isHeld(): Promise<boolean>;
  /** Gives the folder back to other runs. */
  release(): Promise<void>;
}

/**
 * Takes a folder for this process, so that two runs do not replace each other's files. What a killed process left counts for nothing.
 * @throws UsageError where a run is writing into it
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const lock = join(folder, LOCK);
  await take(lock, folder);
  // A disk that does not answer has lost nothing yet: what is written next will tell.
  const read = () => readFile(lock, 'utf8').catch((error) => (error.code === 'ENOENT' ? '' : undefined));
  return {
    isHeld: async () => ((await read()) ?? OWN) === OWN,
    release: async () => {
      if ((await read()) === OWN) await rm(lock, { force: true }).catch(() => {});
    },
  };
}

/**
 * Makes the file, or puts one of our own in the place of one that a killed process left. Who may do the latter is settled by a lock of
 * its own, named after what was read: without it one process could remove what another has just put there.
 */
async function take(lock: string, folder: string): Promise<void> {
  for (let k = 0; k < TRIES; k++) {
    if (await make(lock)) return;
    const found = await readFile(lock, 'utf8').catch(absent);
    if (found === undefined) continue;
    refuseHeld(found, lock, folder);
    const claim = `${lock}.${createHash('sha256').update(found).digest('hex').slice(0, 8)}`;
    await take(claim, folder);
    if ((await readFile(lock, 'utf8').catch(absent)) === found) return rename(claim, lock);
    await rm(claim, { force: true });
  }
  throw held('A run', lock, folder);
}

/** @returns false where the file is there */
async function make(lock: string): Promise<boolean> {
  const file = await open(lock, 'wx').catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
  if (!file) return false;
  try {
    await file.writeFile(OWN);
  } catch (error) {
    await rm(lock, { force: true }).catch(() => {});
    throw error;
  } finally {
    await file.close();
  }
  return true;
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** @throws UsageError unless the process that wrote this lock has ended */
function refuseHeld(found: string, lock: string, folder: string): void {
  const [, id, mark, host] = /^(\d+) (\S+) (.*)\n$/.exec(found) ?? [];
  // Its maker has not written it yet.
  if (id === undefined) throw held('A run', lock, folder);
  // The ids of another machine, or of another container, say nothing here.
  if (host !== hostname()) throw held(`A run on the host ${host} (process ${id})`, lock, folder);
  if (Number(id) === process.pid ? mark === MARK : isAlive(Number(id))) throw held(`A run (process ${id})`, lock, folder);
}

function held(run: string, lock: string, folder: string): UsageError {
  return new UsageError(
    `${run} is writing into ${folder}. Choose another folder for --out, or wait for its end; if there is none, remove ${lock}.`,
  );
}

function isAlive(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
