import { readFile, realpath } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { checkArgument, checkOptions, FUNCTION, type Kind, SWITCH, TEXT } from '../arguments';
import { SceneError } from '../errors';
import { joined } from '../io/bytes';
import { CHECKPOINT_NAME } from '../io/fileNames';
import { lastFrame } from '../io/particleFile';
import { eventGrains } from '../scene/grainSets';
import { parseJson } from '../scene/jsonText';
import { readScene } from '../scene/laterFaults';
import { memoryWarnings } from '../scene/limits';
import { type LoadOptions, loadProblem } from '../scene/load';
import { applyOverrides, type Overrides } from '../scene/override';
import type { Problem } from '../scene/problem';
import type { Scene } from '../scene/schema';
import { checkpointTable, openFile, statFile } from './particleFiles';

/** No mesh that fits the limits of a scene is as large: an endless file is not read on and on. */
const MOST_MESH_BYTES = 2 ** 31;

export interface SceneFileOptions {
  /** Values that replace those of the file before it is validated: `solver.order=random`, or `{ 'solver.order': 'random' }`. */
  set?: Overrides;
  /** Whether the scene may name files that are not in its own folder. Default false: a scene from elsewhere reads nothing but what came with it. */
  allowOutside?: boolean;
  /** Hears how far the reading of each file of grains and meshes is: its path, the bytes read so far, and those of the whole file. */
  onRead?(path: string, bytes: number, size: number): void;
}

const OVERRIDES: Kind = [
  "texts such as ['solver.order=random'], or an object such as { 'solver.order': 'random' }",
  (set) => (Array.isArray(set) ? set.every((text) => typeof text === 'string') : typeof set === 'object'),
];
const OPTIONS = { set: OVERRIDES, allowOutside: SWITCH, onRead: FUNCTION };

/**
 * Reads a scene file and the files of grains and meshes that it names, relative to itself.
 * @throws SceneError with every fault found
 * @throws TypeError naming an argument that is not what it must be
 */
export async function loadSceneFile(path: string, options: SceneFileOptions = {}): Promise<{ scene: Scene; problem: Problem }> {
  checkArgument('loadSceneFile', 'path', path, TEXT);
  checkOptions('loadSceneFile', options, OPTIONS);
  const { set = [], allowOutside = false, onRead } = options;
  const text = await readTextFile(path).catch((error: Error) => {
    throw new SceneError([{ path, message: `cannot read the scene: ${error.message}` }]);
  });
  const json = applyOverrides(parseJson(path, text), set);
  const folder = dirname(path);
  const place = (file: string) => (allowOutside ? resolve(folder, file) : placeWithin(folder, file));
  const reading: LoadOptions = {
    memory: availableMemory(),
    readTable: async (file) =>
      CHECKPOINT_NAME.test(file)
        ? checkpointTable(await place(file))
        : lastFrame(file, async (name) => explained(await place(name), (path) => openFile(path, onRead))),
    readBytes: async (file) =>
      explained(await place(file), async (path) => joined(await openFile(path, onRead), MOST_MESH_BYTES)),
  };
  const read = await readScene(json, (scene) => loadProblem(scene, async (file) => readTextFile(await place(file)), reading));
  const { grains, events, warnings } = read.problem;
  const count = [grains, ...eventGrains(events)].reduce((sum, set) => sum + set.count, 0);
  warnings.push(...memoryWarnings(count, process.availableMemory()));
  return read;
}

/** Where a file of a folder is, links followed. @throws Error for one that is not in the folder */
async function placeWithin(folder: string, file: string): Promise<string> {
  const path = resolve(folder, file);
  const real = await realpath(path).catch(() => undefined);
  // What is not there has no real path: reading it tells so.
  if (real === undefined ? isWithin(path, resolve(folder)) : isWithin(real, await realpath(folder))) return path;
  throw new Error('it is not in the folder of the scene; put it there, or allow it by --allow-outside (allowOutside: true)');
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Memory of the machine, or of the share of it that this process is allowed. */
function availableMemory(): number {
  const allowed = process.constrainedMemory?.() ?? 0;
  return allowed > 0 ? Math.min(allowed, totalmem()) : totalmem();
}

const REASONS: Record<string, string> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'it may not be read',
  ERR_STRING_TOO_LONG: 'it is too large for one text; split it in several files, one for each group of grains',
  ERR_FS_FILE_TOO_LARGE: 'it is too large for one text; split it in several files, one for each group of grains',
};

const readTextFile = (path: string) =>
  explained(path, async (name) => {
    await statFile(name);
    return readFile(name, 'utf8');
  });

/** What a file holds, or an error that says in plain words why it cannot be read. */
async function explained<T>(path: string, read: (path: string) => Promise<T>): Promise<T> {
  try {
    return await read(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = (code && REASONS[code]) ?? message;
    throw new Error(`${reason} (${resolve(path)})`);
  }
}
