import { type FileHandle, mkdir, open, readdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OutputError, UsageError } from './exit';

const RUN_FILES = /^(summary\.json|scene\.json|series\.csv|grains\.pvd|contacts\.pvd)(\.tmp)?$/;
const FRAME_FILES = /^(grains|contacts)-\d{6,}\.vtp(\.tmp)?$/;

/** Where the frames are, in the folder of a run. */
export const FRAMES = 'frames';

/** The folder in which a run leaves its files. A file appears under its name when it is complete. */
export class OutputFolder {
  constructor(readonly path: string) {}

  /**
   * Looks whether a run may write here; changes nothing.
   * @param scenePath the scene file, which a run must not replace by its own scene.json
   * @throws UsageError, or OutputError where the folder cannot be looked into
   */
  async check(force: boolean, scenePath: string): Promise<void> {
    const entries = await this.entries('');
    if (entries.length > 0 && !force) {
      throw new UsageError(`${this.path} is not empty. Choose another folder, or give --force to replace the results in it.`);
    }
    if (entries.includes('scene.json') && (await sameFile(join(this.path, 'scene.json'), scenePath))) {
      throw new UsageError(`The run would replace its own scene ${scenePath}. Choose another folder for --out.`);
    }
  }

  /** Makes the folder and removes what a former run left, and nothing else. */
  async prepare(): Promise<void> {
    try {
      await makeFolder(this.path);
      const names = (await this.entries('')).filter((name) => RUN_FILES.test(name));
      const frames = (await this.entries(FRAMES)).filter((name) => FRAME_FILES.test(name));
      for (const name of [...names, ...frames.map((frame) => join(FRAMES, frame))]) await rm(join(this.path, name));
    } catch (error) {
      throw error instanceof UsageError || error instanceof OutputError ? error : new OutputError(this.path, error);
    }
  }

  /** Writes under a temporary name, then renames: the file is there whole or not at all. */
  async write(name: string, data: string | Uint8Array): Promise<void> {
    const target = join(this.path, name);
    const temporary = `${target}.tmp`;
    try {
      await makeFolder(dirname(target));
      await writeFile(temporary, data);
      await rename(temporary, target);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {});
      throw new OutputError(target, error);
    }
  }

  /** A file that grows line by line and can be read at any time. */
  async openLines(name: string): Promise<LineFile> {
    const target = join(this.path, name);
    try {
      return new LineFile(target, await open(target, 'w'));
    } catch (error) {
      throw new OutputError(target, error);
    }
  }

  private async entries(folder: string): Promise<string[]> {
    const path = join(this.path, folder);
    try {
      return await readdir(path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return [];
      if (code === 'ENOTDIR')
        throw new UsageError(`${path} is not a folder, or lies in something that is not. Choose another --out.`);
      throw new OutputError(path, error);
    }
  }
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

async function sameFile(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([one, other].map((path) => realpath(path).catch(() => undefined)));
  return first !== undefined && first === second;
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
    const lines = this.pending;
    this.pending = '';
    try {
      if (lines) await this.handle.appendFile(lines);
    } catch (error) {
      throw new OutputError(this.path, error);
    }
  }

  async close(): Promise<void> {
    try {
      await this.flush();
    } finally {
      await this.handle.close();
    }
  }
}
