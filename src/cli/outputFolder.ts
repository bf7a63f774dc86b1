import { type FileHandle, lstat, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, normalize, resolve } from 'node:path';
import { cutBack, type EarlierPart, refuseLater, SERIES } from './earlierPart';
import { OutputError, UsageError } from './exit';
import { type FolderLock, isLock, lockFolder } from './folderLock';
import { type Content, replacedInput, TEMPORARY, writeWhole } from './outputFile';

/** Names of results, also while they are written. */
const named = (pattern: string) => new RegExp(`^(?:${pattern})(?:${TEMPORARY})?$`);
const RUN_FILES = named('(?:summary|scene)(?:-\\d{6,})?\\.json|series\\.csv|grains\\.pvd|contacts\\.pvd|checkpoint-\\d{6,}\\.h5');
const FRAME_FILES = named('(?:grains|contacts)-\\d{6,}\\.vtp|grains-\\d{6,}\\.(?:xyz|dump)');
/** A frame of the longest name, while it is written. */
const LONGEST_FRAME = 'contacts-0000000000.vtp.00000000.tmp';

/** Where the frames are, in the folder of a run. */
export const FRAMES = 'frames';

/** The folder in which a run leaves its files. A file appears under its name when it is complete. */
export class OutputFolder {
  private lock: FolderLock | undefined;
  /** Names of the results that are to be there, as `results` has them. */
  private readonly written = new Set<string>();

  constructor(readonly path: string) {}

  /**
   * Looks whether a run may write here; changes nothing.
   * @param inputs files that the run reads: the scene and those that it names, none of which may be replaced or removed
   * @param earlier what the folder has of this run, where it goes on there
   * @throws UsageError, or OutputError where the folder cannot be looked into
   */
  async check(force: boolean, inputs: readonly string[], earlier?: EarlierPart): Promise<void> {
    await checkPlace(this.path);
    const entries = (await this.entries('')).filter((name) => !isLock(name));
    if (earlier && !force) refuseLater(this.path, earlier);
    if (!earlier && entries.length > 0 && !force) {
      throw new UsageError(`${this.path} is not empty. Choose another folder, or give --force to replace the results in it.`);
    }
    const doomed = (earlier?.later ?? (await this.results())).map((name) => join(this.path, name));
    const found = await replacedInput(inputs, doomed);
    if (!found) return;
    const { input, output } = found;
    throw new UsageError(
      `The run reads ${input} and would replace or remove it as ${output}, a result of a former run. Choose another folder for --out.`,
    );
  }

  /**
   * Makes the folder, takes it for this run until `release`, and removes what a former run left, and nothing else.
   * @param earlier what of that stays
   * @throws UsageError where another run is writing into it
   */
  async prepare(earlier?: EarlierPart): Promise<void> {
    try {
      await makeFolder(this.path);
      this.lock = await lockFolder(this.path);
      const former = await this.results();
      // Before any of it goes: what cannot be replaced stays whole. The lock has shown that the folder itself can be written into.
      await tryOpen(join(this.path, FRAMES, LONGEST_FRAME), 'w');
      await rm(join(this.path, FRAMES, LONGEST_FRAME), { force: true });
      if (earlier) await tryOpen(join(this.path, SERIES), 'r+');
      if (earlier) await cutBack(this.path, former, earlier);
      else for (const name of former) await rm(join(this.path, name));
    } catch (error) {
      throw error instanceof UsageError || error instanceof OutputError ? error : new OutputError(this.path, error);
    }
  }

  /** Gives the folder back to other runs. */
  async release(): Promise<void> {
    await this.lock?.release();
  }

  /** @throws OutputError where the folder was removed since it was taken, or is another run's by now */
  async checkHeld(): Promise<void> {
    if (this.lock && !(await this.lock.isHeld()))
      throw new OutputError(this.path, 'it, or its run.lock, was removed while the run wrote into it');
  }

  /** @throws OutputError where results of this run are gone, or the whole folder */
  async checkWhole(): Promise<void> {
    await this.checkHeld();
    const there = new Set(await this.results());
    const gone = [...this.written].filter((name) => !there.has(name));
    if (gone.length === 0) return;
    const which = gone.length === 1 ? `${gone[0]} was` : `${gone.length} files were, ${gone[0]} among them,`;
    throw new OutputError(this.path, `${which} removed while the run wrote into it`);
  }

  /**
   * Writes a file by `writeWhole`, in a folder that is made where it is not there.
   * @throws OutputError
   */
  async write(name: string, content: Content): Promise<void> {
    const target = join(this.path, name);
    await this.checkHeld();
    await makeFolder(dirname(target)).catch((error) => {
      throw new OutputError(target, error);
    });
    await writeWhole(target, content);
    this.written.add(normalize(name));
  }

  /** Removes a file of this run; one that is gone is no trouble. */
  async remove(name: string): Promise<void> {
    const target = join(this.path, name);
    this.written.delete(normalize(name));
    await rm(target, { force: true }).catch((error) => {
      throw new OutputError(target, error);
    });
  }

  /** A file that grows line by line and can be read at any time. @param goesOn behind the lines that are there */
  async openLines(name: string, goesOn = false): Promise<LineFile> {
    const target = join(this.path, name);
    try {
      const lines = new LineFile(target, await open(target, goesOn ? 'a' : 'w'));
      this.written.add(normalize(name));
      return lines;
    } catch (error) {
      throw new OutputError(target, error);
    }
  }

  /** Files in the folder that have names of results: a new run removes or replaces them. */
  async results(): Promise<string[]> {
    const names = (await this.entries('')).filter((name) => RUN_FILES.test(name));
    const frames = (await this.entries(FRAMES)).filter((name) => FRAME_FILES.test(name));
    return [...names, ...frames.map((frame) => join(FRAMES, frame))];
  }

  private async entries(folder: string): Promise<string[]> {
    const path = join(this.path, folder);
    try {
      return await readdir(path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return [];
      if (code === 'ENOTDIR') throw new UsageError(`${path} ${BAD_PATH.ENOTDIR}. Choose another --out.`);
      throw new OutputError(path, error);
    }
  }
}

/** @throws OutputError for a file that may not be written, or not be made in a folder that is there */
async function tryOpen(path: string, flags: 'w' | 'r+'): Promise<void> {
  const file = await open(path, flags).catch((error) => {
    if (error.code !== 'ENOENT') throw new OutputError(flags === 'w' ? dirname(path) : path, error);
  });
  await file?.close();
}

/** Makes a folder and those above it. Unlike Node's recursive mkdir, it ends where the system denies a folder as missing. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await mkdir(path);
  }
}

/** Errors of a path that cannot become a folder, whatever the state of the disk. */
const BAD_PATH: Record<string, string> = {
  ENAMETOOLONG: 'is a longer name than this system allows',
  ENOTDIR: 'is not a folder, or lies in something that is not',
  ELOOP: 'is a link that leads back to itself',
};

/**
 * Whether there is, or can be, a folder under this path. Looks at what is missing name by name, since the system names the
 * first trouble alone.
 * @throws UsageError where not
 */
async function checkPlace(path: string): Promise<void> {
  if (path.trim() === '') throw new UsageError('--out is empty. Give the name of a folder.');
  const missing: string[] = [];
  try {
    let folder = resolve(path);
    for (; !(await isThere(folder)) && dirname(folder) !== folder; folder = dirname(folder)) missing.push(basename(folder));
    for (const name of missing) await isThere(join(folder, name));
    await isThere(join(resolve(path), FRAMES, LONGEST_FRAME));
  } catch (error) {
    const reason = BAD_PATH[(error as NodeJS.ErrnoException).code ?? ''];
    if (reason) throw new UsageError(`${path} ${reason}. Choose another --out.`);
    if (error instanceof UsageError) throw error;
    throw new OutputError(path, error);
  }
}

/** @throws UsageError for a link that leads nowhere, and what the system says of the path but that nothing is there */
async function isThere(path: string): Promise<boolean> {
  const unlessAbsent = (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  };
  if (await stat(path).catch(unlessAbsent)) return true;
  if (await lstat(path).catch(unlessAbsent)) throw new UsageError(`${path} is a link that leads nowhere. Choose another --out.`);
  return false;
}

/** Lines are kept until `flush`, so that whoever adds them need not wait for the disk. */
export class LineFile {
  private pending = '';

  constructor(
    private readonly path: string,
    private readonly handle: FileHandle,
  ) {}

  add(line: string): void {
    this.pending += line;
  }

  async flush(): Promise<void> {
    const lines = Buffer.from(this.pending);
    this.pending = '';
    if (lines.length === 0) return;
    let start: number | undefined;
    try {
      start = (await this.handle.stat()).size;
      await this.handle.appendFile(lines);
    } catch (error) {
      if (start !== undefined) await this.cut(start, lines).catch(() => {});
      throw new OutputError(this.path, error);
    }
  }

  /** Takes away what is there of a line that could not be written to its end: a number that is cut short is another one. */
  private async cut(start: number, lines: Buffer): Promise<void> {
    const written = (await this.handle.stat()).size - start;
    await this.handle.truncate(start + lines.subarray(0, Math.max(0, written)).lastIndexOf('\n') + 1);
  }

  async close(): Promise<void> {
    try {
      await this.flush();
    } finally {
      await this.handle.close();
    }
  }
}
