import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeFault } from '../../src/errors';
import { createSimulation, EventError, NumericalError, SceneError } from '../../src/index';
import { parseJson } from '../../src/scene/jsonText';
import { readScene } from '../../src/scene/laterFaults';
import { loadProblem } from '../../src/scene/load';
import { applyOverrides } from '../../src/scene/override';
import { mutated, mutatedText, mutation, textMutation } from './mutations';
import { rightFiles, rightScenes } from './scenes';
import { settings } from './settings';

/** Bytes that scenes may take: what needs more must be refused before anything is allocated. */
const MEMORY = 2 ** 26;

const names = Object.keys(rightScenes);

/** Loads a scene and runs its first steps; what it throws must say what is wrong with it. */
async function tryScene(
  scene: unknown,
  files: Readonly<Record<string, string>> = rightFiles,
): Promise<'refused' | 'failed' | 'ran'> {
  const read = async (path: string) => {
    if (!Object.hasOwn(files, path)) throw new Error('there is no such file');
    return files[path];
  };
  try {
    const options = { memory: MEMORY, readBytes: async (path: string) => new TextEncoder().encode(await read(path)) };
    const { problem } = await readScene(scene, (parsed) => loadProblem(parsed, read, options));
    const simulation = await createSimulation(problem, { backend: 'cpu' });
    const reports = await simulation.step(Math.min(problem.steps, 22));
    const { positions, velocities, angularVelocities, orientations, contacts } = await simulation.read();
    for (const figures of [positions, velocities, angularVelocities, orientations, contacts.forces, contacts.torques]) {
      expect(figures.every(Number.isFinite)).toBe(true);
    }
    for (const { kineticEnergy, residual, wallLoads } of reports) {
      expect(Number.isFinite(kineticEnergy + residual) && wallLoads.every(Number.isFinite)).toBe(true);
    }
    return 'ran';
  } catch (error) {
    if (error instanceof SceneError) {
      expect(error.faults.length).toBeGreaterThan(0);
      const told = error.faults.map(describeFault);
      expect(told).toEqual([...new Set(told)]);
      for (const { path, message } of error.faults) {
        expect(typeof path).toBe('string');
        expect(message.length).toBeGreaterThan(5);
        expect(message).not.toMatch(/undefined|\[object/);
      }
      return 'refused';
    }
    if (error instanceof NumericalError || error instanceof EventError) return 'failed';
    throw error;
  }
}

test.each(names)('the scene that is to be broken is right: %s', async (name) => {
  expect(await tryScene(rightScenes[name])).toBe('ran');
});

test('a scene with parts that are broken is refused with what is wrong, or runs', async () => {
  const seen = { refused: 0, failed: 0, ran: 0 };
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...names), fc.array(mutation, { minLength: 1, maxLength: 3 }), async (name, mutations) => {
      seen[await tryScene(mutated(rightScenes[name], mutations))]++;
    }),
    settings(1000),
  );
  expect(seen.refused).toBeGreaterThan(seen.ran);
  expect(seen.ran).toBeGreaterThan(50);
});

test('a file of grains or triangles that is broken is refused with what is wrong, or read', async () => {
  const named = Object.keys(rightFiles);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...named),
      fc.array(textMutation, { minLength: 1, maxLength: 3 }),
      async (file, mutations) => {
        const scene = /grains/.test(file) ? rightScenes.grains : rightScenes.walls;
        await tryScene(scene, { ...rightFiles, [file]: mutatedText(rightFiles[file], mutations) });
      },
    ),
    settings(300),
  );
});

test('a text is taken for a scene only where it is JSON, without a key twice', () => {
  const texts = names.map((name) => JSON.stringify(rightScenes[name], null, 1));
  fc.assert(
    fc.property(fc.constantFrom(...texts), fc.array(textMutation, { minLength: 1, maxLength: 2 }), (text, mutations) => {
      const broken = mutatedText(text, mutations);
      let right: unknown;
      try {
        right = JSON.parse(broken);
      } catch {
        right = SceneError;
      }
      try {
        expect(parseJson('scene.json', broken)).toEqual(right);
      } catch (error) {
        if (!(error instanceof SceneError)) throw error;
        if (right !== SceneError) expect(error.message).toMatch(/twice/);
      }
    }),
    settings(300),
  );
});

test('values that are set from outside reach their place or are refused', () => {
  const path = fc.array(
    fc.constantFrom(
      'grains',
      'walls',
      '[0]',
      '[7]',
      '.list',
      '.radius',
      '["a b"]',
      '.',
      '__proto__',
      '=',
      '["',
      'constructor',
      '.0',
    ),
  );
  fc.assert(
    fc.property(path, fc.string(), (parts, value) => {
      try {
        applyOverrides(rightScenes.grains, [`${parts.join('')}=${value}`]);
      } catch (error) {
        if (!(error instanceof SceneError)) throw error;
      }
      expect(Object.keys(Object.prototype)).toEqual([]);
    }),
    settings(300),
  );
});
