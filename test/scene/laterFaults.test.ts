import { expect, test } from 'vitest';
import { createSimulation } from '../../src/index';
import { faultsOf, sceneWith } from '../support/scenes';

const FILES: Record<string, string> = {
  'bad.csv': 'x,y,z,radius\n0,0,5,1\n0,0,9,-1\n',
  'good.csv': 'x,y,z,radius\n0,0,9,1\n',
  'empty.stl': 'solid\nendsolid\n',
};

/** The paths of all faults, in alphabetic order. */
async function paths(parts: object): Promise<string[]> {
  const readText = async (file: string) => FILES[file] ?? Promise.reject(new Error('there is no such file'));
  const readBytes = async (file: string) => new TextEncoder().encode(await readText(file));
  const faults = await faultsOf(() => createSimulation(sceneWith(parts), { backend: 'cpu', readText, readBytes }));
  return faults.map(({ path }) => path).sort();
}

const glass = (source: object) => ({ material: 'glass', ...source });
const full = glass({ random: { count: 100, radius: 1, box: { min: [5, 5, 5], max: [6, 6, 6] } } });
const sheet = (file: string) => ({ name: file, material: 'steel', mesh: { file } });

test('faults of files and fills are listed with those of values, by the places that they have in the scene', async () => {
  const grains = [
    { material: 'glas', list: [{ position: [0, 0, 2], radius: 1 }] },
    glass({ file: 'bad.csv' }),
    glass({ file: 'none.csv', velocity: [1e12, 0, 0] }),
    full,
    glass({ file: 'good.csv' }),
  ];
  const walls = [
    { name: 7, material: 'steel', sphere: { centre: [0, 0, 0], radius: 1e20, side: 'outside' } },
    sheet('empty.stl'),
  ];
  const events = [
    { when: { step: 1 }, insert: [glass({ file: 'later.csv' })], setGravity: [0, 0, 1] },
    { when: { step: 2 }, addWalls: [sheet('later.stl')] },
    { when: {}, insert: [glass({ file: 'unsound.csv' })] },
  ];
  expect(await paths({ timeStep: -1, gravty: 3, solver: { order: 'x' }, grains, walls, events })).toEqual([
    'bad.csv line 3',
    'events[0].insert[0].file',
    'events[1].addWalls[0].mesh.file',
    'events[2].when',
    'grains[0].material',
    'grains[2].file',
    'grains[3].random',
    'gravty',
    'solver.order',
    'timeStep',
    'walls[0].name',
    'walls[1].mesh.file',
  ]);
});

test('faults of files are listed with those of fills and of places beside them', async () => {
  expect(await paths({ grains: [glass({ file: 'none.csv' }), full] })).toEqual(['grains[0].file', 'grains[1].random']);
  const beneath = glass({ list: [{ position: [0, 0, -2], radius: 1 }] });
  expect(await paths({ grains: [glass({ file: 'none.csv' }), beneath] })).toEqual(['grains[0].file', 'grains[1].list[0]']);
});

test('what stands in for a fault makes none of its own', async () => {
  const moves = glass({ list: [{ position: [0, 0, 2], radius: 1, velocity: [1e200, 0, 0] }] });
  expect(await paths({ timeStep: 0, grains: [moves] })).toEqual(['timeStep']);
  expect(await paths({ materials: { glass: { density: -1 }, steel: {} }, grains: [glass({ file: 'good.csv' })] })).toEqual([
    'materials.glass.density',
  ]);
  expect(await paths({ grains: [{ material: 'glas', list: [] }] })).toContain('grains[0].material');
  expect(await paths({ periodic: 3, grains: [full] })).toEqual(['periodic']);
});
