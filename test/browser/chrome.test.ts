import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { SceneInput } from '../../src/index';
import { buildLibrary } from '../support/builtLibrary';
import { withChrome } from '../support/chrome';
import { newFolder } from '../support/folder';

/** What site/run.js gives back. */
interface Outcome {
  backend: string;
  gpuMemoryBytes: number;
  errors: string[];
  contacts: number[];
  heights: number[];
  echo: number;
}

const built = newFolder();

beforeAll(() => buildLibrary(built, join(import.meta.dirname, 'site')));

/** A sphere on the floor and one that falls on it, at rest after a few steps. */
const pair: SceneInput = {
  format: 'contact-dynamics/1',
  gravity: [0, 0, -9.81],
  timeStep: 1e-3,
  steps: 20,
  materials: { glass: { density: 2500 } },
  contacts: [{ between: ['glass', 'glass'], friction: 0.3 }],
  grains: [
    {
      material: 'glass',
      list: [
        { position: [0, 0, 0.01], radius: 0.01 },
        { position: [0, 0, 0.0301], radius: 0.01 },
      ],
    },
  ],
  walls: [{ name: 'floor', material: 'glass', plane: { point: [0, 0, 0], normal: [0, 0, 1] } }],
};

for (const place of ['runInPage', 'runInWorker'] as const) {
  test(`${place}: runs on a device of the caller's and leaves it usable`, async () => {
    await withChrome(built, async (page, address, complaints) => {
      await page.goto(`${address}site/index.html`);
      const run = (scene: SceneInput, steps: number, name: string) =>
        (window as unknown as Record<string, (scene: SceneInput, steps: number) => Promise<Outcome>>)[name](scene, steps);
      const outcome = await page.evaluate(run, pair, 20, place);
      expect(outcome.backend).toBe('webgpu');
      expect(outcome.gpuMemoryBytes).toBeGreaterThan(0);
      expect(outcome.contacts.at(-1)).toBe(2);
      expect(outcome.heights[0]).toBeCloseTo(0.01, 6);
      expect(outcome.heights[1]).toBeCloseTo(0.03, 6);
      expect(outcome.echo).toBe(42);
      expect(outcome.errors).toEqual([]);
      expect(complaints).toEqual([]);
    });
  });
}
