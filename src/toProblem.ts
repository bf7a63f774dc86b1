import { checkArgument, type Kind } from './arguments';
import type { Chunks } from './io/bytes';
import { CHECKPOINT_NAME } from './io/fileNames';
import type { ParticleTable } from './io/table';
import { readScene } from './scene/laterFaults';
import { loadProblem } from './scene/load';
import type { Problem } from './scene/problem';
import type { Scene, SceneInput } from './scene/schema';
import type { SimulationOptions } from './simulation';

/**
 * The problem itself, or that of a scene, with its files.
 * @throws SceneError listing every fault of the scene
 * @throws TypeError for a problem that lacks parts
 */
export async function toProblem(
  scene: SceneInput | Problem,
  { readText, readBytes }: Pick<SimulationOptions, 'readText' | 'readBytes'>,
): Promise<Problem> {
  if (looksLikeOne(scene)) checkArgument('createSimulation', 'a problem that was changed', scene, PROBLEM);
  if (isProblem(scene)) return scene;
  // Where nothing was given that reads, files of grains come piece by piece.
  const readTable = readText || readBytes ? undefined : fetchTable;
  const load = (parsed: Scene) => loadProblem(parsed, readText ?? fetchText, { readBytes: readBytes ?? fetchBytes, readTable });
  return (await readScene(scene, load)).problem;
}

/** What stands in a problem alone tells one from a scene. */
const looksLikeOne = (scene: unknown) => ArrayBuffer.isView((scene as Partial<Problem> | null | undefined)?.lawOf);

function isProblem(scene: unknown): scene is Problem {
  const { grains, laws, walls, gravity, solver, timeStep, warnings, events = [] } = (scene ?? {}) as Partial<Problem>;
  return (
    looksLikeOne(scene) &&
    [grains?.positions, grains?.radii, grains?.masses].every(ArrayBuffer.isView) &&
    [laws, walls, gravity, warnings, events].every(Array.isArray) &&
    laws!.length > 0 &&
    walls!.every((wall) => wall?.shape) &&
    timeStep! > 0 &&
    typeof solver?.convergence?.criterion === 'string'
  );
}

export const PROBLEM: Kind = ['a problem, whole as loadProblem and loadSceneFile give it', isProblem];

const fetchText = async (path: string) => (await fetchFile(path, 'readText')).text();
const fetchBytes = async (path: string) => new Uint8Array(await (await fetchFile(path, 'readBytes')).arrayBuffer());

async function fetchTable(file: string): Promise<ParticleTable> {
  if (CHECKPOINT_NAME.test(file)) throw new Error('checkpoints can be read in Node alone, by loadSceneFile or the command line');
  const { lastFrame } = await import('./io/particleFile');
  return lastFrame(file, async (path) => piecesOf(await fetchFile(path, 'readText')), true);
}

async function* piecesOf({ body }: Response): Chunks {
  if (!body) return;
  const reader = body.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    // Whoever takes no more leaves the rest unread.
    await reader.cancel().catch(() => undefined);
  }
}

/** @param option what to give instead, outside of a page */
async function fetchFile(path: string, option: string): Promise<Response> {
  if (globalThis.location === undefined) throw new Error(`give createSimulation a ${option} that reads files`);
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  return response;
}
