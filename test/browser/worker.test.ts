import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { SceneInput } from '../../src/index';
import { buildLibrary } from '../support/builtLibrary';
import { withChrome } from '../support/chrome';
import { newFolder } from '../support/folder';

const built = newFolder();

beforeAll(() => buildLibrary(built, join(import.meta.dirname, 'pages')));

/** Grains that come in, a state that is kept, and an end, by events. */
const scene: SceneInput = {
  format: 'contact-dynamics/1',
  gravity: [0, 0, -1],
  timeStep: 0.05,
  steps: 60,
  materials: { glass: { density: 1 } },
  contacts: [{ between: ['glass', 'glass'], friction: 0.3 }],
  grains: [{ material: 'glass', list: [{ position: [0, 0, 0.5], radius: 0.5 }] }],
  walls: [{ name: 'floor', material: 'glass', plane: { point: [0, 0, 0], normal: [0, 0, 1] } }],
  events: [
    { when: { step: 5 }, insert: [{ material: 'glass', list: [{ position: [0.2, 0, 1.6], radius: 0.5 }] }] },
    { when: { step: 20 }, checkpoint: true },
    { when: { step: 40 }, stop: true },
  ],
};

const call = (name: string) =>
  new Function('scene', `return window.${name}(scene)`) as (scene: SceneInput) => Promise<Record<string, unknown>>;

test('a simulation in a worker gives what one on the page gives, its events and kept states too', async () => {
  await withChrome(built, async (page, address, complaints) => {
    await page.goto(`${address}site/worker.html`);
    const { here, there } = await page.evaluate(call('compare'), scene);
    const { reports, kept, steps, stopped, grains } = JSON.parse(String(here));
    expect({ reports: reports.length, kept, steps, stopped, grains }).toEqual({
      reports: 40,
      kept: [20],
      steps: 40,
      stopped: true,
      grains: 2,
    });
    expect(there).toBe(here);
    expect(complaints).toEqual([]);
  });
});

test('errors of a simulation in a worker keep their class and their facts', async () => {
  await withChrome(built, async (page, address, complaints) => {
    await page.goto(`${address}site/worker.html`);
    expect(await page.evaluate(call('faults'), scene)).toEqual({
      invalid: [true, 'timeStep'],
      lost: [true, 1, 0],
      unkept: 'no room to keep it',
      crowded: 'Await the last step() or read() of this simulation first',
      disposed: 'The simulation was disposed in mid-step',
    });
    await expect.poll(() => page.workers().length).toBe(0);
    expect(complaints).toEqual([]);
  });
});
