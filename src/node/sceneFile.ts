import { readFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { dirname, resolve } from 'node:path';
import { SceneError } from '../errors';
import { CHECKPOINT_NAME, lastFrame } from '../io/particleFile';
import { parseJson } from '../scene/jsonText';
import { loadProblem } from '../scene/load';
import { applyOverrides, type Overrides } from '../scene/override';
import type { Problem } from '../scene/problem';
import { parseScene, type Scene } from '../scene/schema';
import { checkpointTable, openFile } from './particleFiles';

export interface SceneFileOptions {
  /** Values that replace those of the file before it is validated: `solver.order=random`, or `{ 'solver.order': 'random' }`. */
  set?: Overrides;
}

/**
 * Reads a scene file and the files of grains and meshes that it names, relative to itself.
 * @throws SceneError with every fault found
 */
export async function loadSceneFile(
  path: string,
  { set = [] }: SceneFileOptions = {},
): Promise<{ scene: Scene; problem: Problem }> {
  const text = await readTextFile(path).catch((error: Error) => {
    throw new SceneError([{ path, message: `cannot read the scene: ${error.message}` }]);
  });
  const scene = parseScene(applyOverrides(parseJson(path, text), set));
  const folder = dirname(path);
  const problem = await loadProblem(scene, (file) => readTextFile(resolve(folder, file)), {
    memory: availableMemory(),
    readTable: (file) =>
      CHECKPOINT_NAME.test(file)
        ? checkpointTable(resolve(folder, file))
        : lastFrame(file, (name) => explained(resolve(folder, name), openFile)),
    readBytes: (file) => explained(resolve(folder, file), (path) => readFile(path)),
  });
  return { scene, problem };
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

const readTextFile = (path: string) => explained(path, (name) => readFile(name, 'utf8'));

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
