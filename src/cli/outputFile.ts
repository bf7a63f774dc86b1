import { randomBytes } from 'node:crypto';
import { lstat, mkdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { OutputError, UsageError } from './exit';

/** @throws UsageError where a file is there that nobody said may be replaced */
export async function refuseExisting(path: string, force: boolean): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found && !force) throw new UsageError(`${path} is there already. Choose another name, or give --force to replace it.`);
  if (found?.isDirectory()) throw new UsageError(`${path} is a folder. Choose another name.`);
}

/** Of the files that a command reads one that it would replace or remove, by its name or through a link, and as which file. */
export async function replacedInput(
  inputs: readonly string[],
  outputs: readonly string[],
): Promise<{ input: string; output: string } | undefined> {
  const doomed = new Map<string, string>();
  for (const output of outputs) for (const place of await placesOf(output)) doomed.set(place, output);
  for (const input of inputs) {
    const output = (await placesOf(input)).map((place) => doomed.get(place)).find((path) => path !== undefined);
    if (output !== undefined) return { input, output };
  }
  return undefined;
}

/** @throws UsageError where a command would replace a file that it reads */
export async function refuseReplacing(inputs: readonly string[], outputs: readonly string[]): Promise<void> {
  const found = await replacedInput(inputs, outputs);
  if (found) throw new UsageError(`${found.input} is read and would be replaced as ${found.output}. Choose another name.`);
}

/** Where a file is: under its name in the real folder, and where the name leads if it is a link. */
async function placesOf(path: string): Promise<string[]> {
  const folder = await realpath(dirname(path)).catch(() => resolve(dirname(path)));
  const named = join(folder, basename(path));
  return [named, await realpath(path).catch(() => named)];
}

/** What a file holds, a text also in pieces of which one at a time is held; or what writes it into the path that it gets. */
export type Content = string | Uint8Array | Iterable<string> | ((temporary: string) => Promise<void>);

/**
 * Adds a file to those that are put in place together, and fills it.
 * @throws OutputError naming the file; what is thrown meanwhile and is to be kept, as it is
 */
export type Add = (path: string, content: Content, keep?: (error: unknown) => boolean) => Promise<void>;

/** What is added to the name of a file until it is whole: never the name of a file of the user. */
export const TEMPORARY = '\\.[0-9a-f]{8}\\.tmp';

/**
 * Writes files under temporary names, beside their places, and renames all of them at the end: until then those that were there
 * stay, and they stay where anything fails.
 * @throws OutputError naming a file that cannot be put in its place, and what `work` throws
 */
export async function writeTogether<T>(work: (add: Add) => Promise<T>): Promise<T> {
  const added: { path: string; temporary: string }[] = [];
  const add: Add = async (path, content, keep = () => false) => {
    const temporary = `${path}.${randomBytes(4).toString('hex')}.tmp`;
    added.push({ path, temporary });
    try {
      await (typeof content === 'function' ? content(temporary) : writeFile(temporary, content));
    } catch (error) {
      throw error instanceof OutputError || keep(error) ? error : new OutputError(path, error);
    }
  };
  try {
    const result = await work(add);
    for (const { path, temporary } of added) {
      await rename(temporary, path).catch((error) => {
        throw new OutputError(path, error);
      });
    }
    return result;
  } catch (error) {
    for (const { temporary } of added) await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
}

/**
 * Writes a file under a temporary name, then renames it: it is there whole or not at all, and one that was there stays until then.
 * @throws OutputError naming the file
 */
export const writeWhole = (path: string, content: Content): Promise<void> => writeTogether((add) => add(path, content));

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
