import { expect } from 'vitest';
import { type Fault, SceneError } from '../../src/errors';
import { loadProblem } from '../../src/scene/load';
import type { Problem } from '../../src/scene/problem';
import { parseScene, type SceneInput } from '../../src/scene/schema';

/** A right scene of one grain above a floor, with parts replaced. */
export function sceneWith(parts: Partial<SceneInput> | Record<string, unknown> = {}): SceneInput {
  return {
    format: 'contact-dynamics/1',
    timeStep: 1e-3,
    steps: 10,
    materials: { glass: { density: 2500 }, steel: {} },
    contacts: [
      { between: ['glass', 'glass'], friction: 0.3 },
      { between: ['glass', 'steel'], friction: 0.2 },
    ],
    grains: [{ material: 'glass', list: [{ position: [0, 0, 2], radius: 1 }] }],
    walls: [{ name: 'floor', material: 'steel', plane: { point: [0, 0, 0], normal: [0, 0, 1] } }],
    ...parts,
  } as SceneInput;
}

/** A grain of a list. */
export const at = (x: number, y: number, z: number, parts: object = {}) => ({ position: [x, y, z], radius: 1, ...parts });

/** The group of grains that are listed. */
export const listed = (...list: object[]) => ({ grains: [{ material: 'glass', list }] });

/** Loads a scene whose files are given as texts by name. */
export function load(scene: unknown, files: Record<string, string> = {}): Promise<Problem> {
  const read = async (path: string) => {
    if (!(path in files)) throw new Error('there is no such file');
    return files[path];
  };
  return loadProblem(parseScene(scene), read, { readBytes: async (path) => new TextEncoder().encode(await read(path)) });
}

/** The faults for which `body` refuses its input; fails where it does not. */
export async function faultsOf(body: () => unknown): Promise<readonly Fault[]> {
  try {
    await body();
  } catch (error) {
    if (error instanceof SceneError) return error.faults;
    throw error;
  }
  return expect.fail('was not refused');
}

/** Expects that `body` is refused with a fault at `path` whose message fits. */
export async function expectFault(body: () => unknown, path: string, message: RegExp): Promise<void> {
  const faults = await faultsOf(body);
  const found = faults.filter((fault) => fault.path === path).map((fault) => fault.message);
  expect(found, `faults were ${JSON.stringify(faults)}`).toContainEqual(expect.stringMatching(message));
}
