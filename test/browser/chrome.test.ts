import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contactDifference, measure } from '../../bench/measure';
import { pouredScene } from '../../bench/scenes/poured';
import { createNodeSimulation, type SceneInput } from '../../src/node';
import { runBenchPage } from '../support/benchPage';
import { withChrome } from '../support/chrome';

/** What site/run.js gives back. */
interface Outcome {
  backend: string;
  gpuMemoryBytes: number;
  errors: string[];
  contacts: number[];
  heights: number[];
  echo: number;
}

const GRAINS = 400;
const STEPS = 20;
let built: string;

beforeAll(async () => {
  built = await mkdtemp(join(tmpdir(), 'contact-dynamics-build-'));
  process.env.BUILD_DIR = built;
  await build({ logLevel: 'error' });
  await build({ logLevel: 'error', mode: 'bench' });
  await cp(join(import.meta.dirname, 'site'), join(built, 'site'), { recursive: true });
});

afterAll(() => rm(built, { recursive: true, force: true }));

test('a poured packing has the contacts in Chrome that it has in Node', async () => {
  const simulation = await createNodeSimulation(pouredScene(GRAINS, STEPS), { backend: 'webgpu' });
  const node = await measure(simulation, STEPS, () => undefined);
  simulation.dispose();
  await withChrome(join(built, 'bench'), async (page, address, complaints) => {
    const chrome = await runBenchPage(page, address, GRAINS, STEPS);
    expect(chrome.backend).toBe('webgpu');
    expect(chrome.contacts).toHaveLength(STEPS);
    expect(chrome.contacts[STEPS - 1]).toBeGreaterThan(chrome.grains / 2);
    expect(contactDifference(chrome, node)).toBeLessThan(0.01);
    expect(complaints).toEqual([]);
  });
});

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
