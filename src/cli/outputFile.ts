import { lstat, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OutputError, UsageError } from './exit';

/** @throws UsageError where a file is there that nobody said may be replaced */
export async function refuseExisting(path: string, force: boolean): Promise<void> {
  if (!force && (await lstat(path).catch(() => undefined)))
    throw new UsageError(`${path} is there already. Choose another name, or give --force to replace it.`);
}

/** What a file holds, a text also in pieces of which one at a time is held; or what writes it into the path that it gets. */
export type Content = string | Uint8Array | Iterable<string> | ((temporary: string) => Promise<void>);

/**
 * Writes a file under a temporary name, then renames it: it is there whole or not at all, and one that was there stays until then.
 * @throws OutputError naming the file; what is thrown meanwhile and is to be kept, as it is
 */
export async function writeWhole(path: string, content: Content, keep: (error: unknown) => boolean = () => false): Promise<void> {
  const temporary = `${path}.tmp`;
  try {
    await (typeof content === 'function' ? content(temporary) : writeFile(temporary, content));
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error instanceof OutputError || keep(error) ? error : new OutputError(path, error);
  }
}

/**
 * Writes a file by `writeWhole` into a folder that is made where it is not there.
 * @throws OutputError naming the file or the folder
 */
export async function writeInto(folder: string, name: string, content: Content): Promise<void> {
  await mkdir(folder, { recursive: true }).catch((error) => {
    throw new OutputError(folder, error);
  });
  await writeWhole(join(folder, name), content);
}
