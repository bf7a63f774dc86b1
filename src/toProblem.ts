import { loadProblem } from './scene/load';
import type { Problem } from './scene/problem';
import { parseScene, type SceneInput } from './scene/schema';
import type { SimulationOptions } from './simulation';

/** The problem itself, or that of a scene, with its files. @throws SceneError listing every fault of the scene */
export async function toProblem(
  scene: SceneInput | Problem,
  { readText = fetchText, readBytes = fetchBytes }: Pick<SimulationOptions, 'readText' | 'readBytes'>,
): Promise<Problem> {
  return isProblem(scene) ? scene : loadProblem(parseScene(scene), readText, { readBytes });
}

function isProblem(scene: SceneInput | Problem): scene is Problem {
  return ArrayBuffer.isView((scene as Partial<Problem> | null)?.lawOf);
}

const fetchText = async (path: string) => (await fetchFile(path, 'readText')).text();
const fetchBytes = async (path: string) => new Uint8Array(await (await fetchFile(path, 'readBytes')).arrayBuffer());

/** @param option what to give instead, outside of a page */
async function fetchFile(path: string, option: string): Promise<Response> {
  if (globalThis.location === undefined) throw new Error(`give createSimulation a ${option} that reads files`);
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  return response;
}
