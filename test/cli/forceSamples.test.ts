import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { analyseCommand } from '../../src/cli/commands/analyse';
import { newFolder } from '../support/folder';
import { command, FALL, printed, sceneFile } from './support';

test('samples the forces of a run whose grains come from a file beside its scene, which lies outside of the run', async () => {
  const folder = newFolder();
  const out = join(folder, 'out');
  writeFileSync(join(folder, 'two.csv'), 'x,y,z,radius\n0,0,0.5,0.5\n0,0,1.5,0.5\n');
  const scene = { ...FALL, steps: 4, grains: [{ material: 'glass', file: 'two.csv' }], output: { every: 2, contacts: true } };
  expect((await command(['run', sceneFile(folder, scene), '--out', out, '--backend', 'cpu', '--quiet'])).code).toBe(0);
  for (const path of [out, join(out, 'frames', 'grains-000002.vtp')]) {
    const options = { json: true, quiet: true, indeterminacy: '3' };
    await expect(analyseCommand(path, options)).rejects.toThrow(
      /grains\[0\]\.file: cannot read "\.\.\/two\.csv": it is not in the folder of the scene; .*--allow-outside/,
    );
    const { indeterminacy } = JSON.parse(await printed(path, { ...options, allowOutside: true }));
    expect(indeterminacy).toMatchObject({ samples: 3, contacts: 2 });
  }
});

test('tells tries without a state of the forces, and that fewer states than asked for were found', async () => {
  const folder = newFolder();
  const out = join(folder, 'out');
  const scene = {
    ...{ format: 'contact-dynamics/1', dimension: 2, gravity: [0, -10, 0], timeStep: 0.02, steps: 250 },
    materials: { glass: { density: 1 } },
    contacts: [{ between: ['glass', 'glass'], friction: 0.5 }],
    grains: [
      {
        material: 'glass',
        random: { count: 20, radius: { uniform: [0.4, 0.6] }, box: { min: [0, 0, 0], max: [4, 20, 0] }, seed: 4 },
      },
    ],
    walls: [{ name: 'bin', material: 'glass', box: { min: [0, 0, 0], max: [4, 30, 0], open: ['+y'] } }],
    // Solved so loosely that grains come to lie where the forces of the moment alone hold them.
    solver: { convergence: { tolerance: 0.1 } },
    output: { contacts: true },
  };
  expect((await command(['run', sceneFile(folder, scene), '--out', out, '--backend', 'cpu', '--quiet'])).code).toBe(0);
  let seconds = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => 1000 * seconds++);
  const told = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const { hints, indeterminacy } = JSON.parse(await printed(out, { json: true, indeterminacy: '5' }));
  clock.mockRestore();
  expect(told.mock.calls.flat().join('')).toMatch(
    /^state \d of 5 of the forces, \d tries in vain; after 6 such tries the search ends$/m,
  );
  told.mockRestore();
  expect(indeterminacy).toMatchObject({ rejected: 6 });
  expect(indeterminacy.samples).toBeLessThan(5);
  expect(hints).toEqual([
    expect.stringMatching(
      /^eta is of \d states of the forces, .*--set 'solver\.convergence=\{.*"tolerance":1e-8,"balance":0\.000001,/,
    ),
  ]);
});
