import { SceneError } from '../errors';
import { parseJson } from '../scene/jsonText';
import type { SceneInput } from '../scene/schema';
import type { SimulationOptions } from '../simulation';

/** A scene as it was found, not validated yet, and how the files that it names are read. */
export interface FoundScene extends Required<Pick<SimulationOptions, 'readText' | 'readBytes'>> {
  scene: SceneInput;
}

/**
 * The scene that an element is to show: at an address, as an object, or within it.
 * @throws SceneError where there is none, or it cannot be read
 */
export async function findScene(element: Element, scene: string | SceneInput | null, signal: AbortSignal): Promise<FoundScene> {
  const { baseURI } = element;
  if (typeof scene === 'string') return fetchScene(scene, baseURI, signal);
  if (scene) return withFiles(scene, baseURI, signal);
  const script = element.querySelector('script[type="application/json"]');
  if (script) return inlineScene(script.textContent ?? '', baseURI, signal);
  const message =
    'there is none: give the attribute "scene" an address, or put a <script type="application/json"> into the element';
  throw new SceneError([{ path: 'scene', message }]);
}

/**
 * Fetches a scene file; the files that it names are relative to it.
 * @throws SceneError where there is none, or it is no JSON
 */
async function fetchScene(address: string, base: string, signal: AbortSignal): Promise<FoundScene> {
  const text = await fetchFile(address, base, signal).then(
    (response) => response.text(),
    (error: Error) => {
      throw new SceneError([{ path: address, message: `cannot read the scene: ${error.message}` }]);
    },
  );
  // In place of what is not there some servers send their first page, as if all were well.
  if (/^\s*</.test(text)) {
    const message = 'the server sent a page in place of the scene: is there such a file?';
    throw new SceneError([{ path: address, message }]);
  }
  return withFiles(parseJson(address, text), new URL(address, base).href, signal);
}

/** A scene that stands in the page itself; the files that it names are relative to the page. @throws SceneError where it is no JSON */
function inlineScene(text: string, base: string, signal: AbortSignal): FoundScene {
  return withFiles(parseJson('scene', text), base, signal);
}

/** A scene whose files are relative to an address, and may not lie outside of its folder. */
function withFiles(scene: unknown, base: string, signal: AbortSignal): FoundScene {
  const read = async (path: string) => {
    if (!new URL(path, base).href.startsWith(new URL('.', base).href)) {
      throw new Error('it lies outside of the folder of the scene; move it there');
    }
    return fetchFile(path, base, signal);
  };
  return {
    scene: scene as SceneInput,
    readText: async (path) => (await read(path)).text(),
    readBytes: async (path) => new Uint8Array(await (await read(path)).arrayBuffer()),
  };
}

async function fetchFile(path: string, base: string, signal: AbortSignal): Promise<Response> {
  const response = await fetch(new URL(path, base), { signal });
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  return response;
}
