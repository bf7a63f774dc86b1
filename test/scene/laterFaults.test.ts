import { expect, test } from 'vitest';
import { createSimulation, SceneError } from '../../src/index';
import { laterFaults } from '../../src/scene/laterFaults';
import { faultsOf, sceneWith } from '../support/scenes';

const FILES: Record<string, string> = {
  'bad.csv': 'x,y,z,radius\n0,0,5,1\n0,0,9,-1\n',
  'good.csv': 'x,y,z,radius\n0,0,9,1\n',
  'empty.stl': 'solid\nendsolid\n',
  'grains[0].csv': 'x,y,z,radius\n0,0,5,x\n',
  'walls[0].stl': 'solid\nendsolid\n',
};

async function faults(parts: object) {
  const readText = async (file: string) => FILES[file] ?? Promise.reject(new Error('there is no such file'));
  const readBytes = async (file: string) => new TextEncoder().encode(await readText(file));
  return faultsOf(() => createSimulation(sceneWith(parts), { backend: 'cpu', readText, readBytes }));
}

/** The paths of all faults, in alphabetic order. */
const paths = async (parts: object) => (await faults(parts)).map(({ path }) => path).sort();

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
  const proto = JSON.parse('{"glass": { "density": 1 }, "steel": {}, "__proto__": { "density": 1 }}');
  expect(await paths({ materials: proto, grains: [glass({ file: 'good.csv' })] })).toEqual(['materials.__proto__']);
  expect(await paths({ grains: [{ material: 'glas', list: [] }] })).toContain('grains[0].material');
  expect(await paths({ periodic: 3, grains: [full] })).toEqual(['periodic']);
});

test('grains that come where a wall has gone or moved by then are no fault beside another', async () => {
  const plane = (z: number) => ({ material: 'steel', plane: { point: [0, 0, z], normal: [0, 0, 1] } });
  const insert = [glass({ list: [{ position: [0, 0, -5], radius: 1 }] })];
  const box = { min: [-9, -9, 0], max: [9, 9, 9] };
  const fill = glass({ random: { count: 3, radius: 1, box: { min: [20, 0, 0], max: [30, 9, 9] } } });
  const down = { velocity: [0, 0, -1e3] };
  const floor = { name: 'floor', ...plane(0) };
  const scenes = [
    {
      events: [
        { when: { step: 1 }, removeWalls: ['floor'] },
        { when: { step: 2 }, insert },
      ],
    },
    {
      events: [
        { when: { step: 1 }, removeWalls: ['floor'], setGravty: 3 },
        { when: { step: 2 }, insert },
      ],
    },
    { walls: [{ ...floor, motion: down }], events: [{ when: { step: 2 }, insert }] },
    { walls: [{ ...floor, piston: { mass: 1, force: 0 } }], events: [{ when: { step: 2 }, insert }] },
    { walls: [], events: [{ when: { step: 1 }, addWalls: [{ ...floor, motion: down }], insert }] },
    { walls: [], events: [{ when: { step: 1 }, addWalls: [floor], setMotion: { floor: down }, insert }] },
    {
      walls: [],
      events: [
        { when: { step: 1 }, addWalls: [floor] },
        { when: { step: 2 }, setMotion: { floor: down } },
        { when: { step: 3 }, insert },
      ],
    },
    {
      walls: [{ name: 'bin', material: 'steel', box }],
      events: [
        { when: { step: 1 }, removeWalls: ['bin.+x'] },
        { when: { step: 2 }, insert: [fill] },
      ],
    },
  ];
  for (const scene of scenes)
    expect((await paths({ timeStep: -1, ...scene })).filter((path) => !path.endsWith('setGravty'))).toEqual(['timeStep']);
});

test('files are called as they are beside groups and walls that are left out', async () => {
  const grains = [glass({ list: [] }), glass({ file: 'grains[0].csv' }), glass({ file: 'grains[0]/none.csv' })];
  const walls = [{ ...sheet('none.stl'), name: 7 }, sheet('walls[0].stl'), sheet('walls[0].obj')];
  const found = (await faults({ grains, walls })).map(({ path, message }) => `${path}: ${message}`).sort();
  expect(found).toEqual([
    expect.stringMatching(/^grains\[0\]\.csv line 2: /),
    expect.stringMatching(/^grains\[0\]\.list: /),
    expect.stringMatching(/^grains\[2\]\.file: cannot read "grains\[0\]\/none\.csv": /),
    expect.stringMatching(/^walls\[0\]\.name: /),
    expect.stringMatching(/^walls\[1\]\.mesh\.file: walls\[0\]\.stl: /),
    expect.stringMatching(/^walls\[2\]\.mesh\.file: cannot read "walls\[0\]\.obj": /),
  ]);
});

test('files of walls are read where no group is sound', async () => {
  const walls = [sheet('none.stl')];
  expect(await paths({ grains: [glass({ list: [] })], walls })).toEqual(['grains[0].list', 'walls[0].mesh.file']);
});

test('the faults found before are gone through once, not for each group', async () => {
  let reads = 0;
  const count = 200;
  const found = new Proxy(
    Array.from({ length: count }, (_, k) => `grains[${k}].material`),
    {
      get(list, key) {
        if (/^\d+$/.test(String(key))) reads++;
        return Reflect.get(list, key);
      },
    },
  );
  const grains = Array.from({ length: count }, () => glass({ list: [{ position: [0, 0, 2], radius: 1 }] }));
  await laterFaults(sceneWith({ grains }), found, () => Promise.reject(new SceneError([])));
  expect(reads).toBeLessThan(4 * count);
});

test('of faults that are alike but for numbers the first ten are named and the others counted', async () => {
  const small = Array.from({ length: 23 }, (_, k) => ({ position: [0, 0, 4 * k], radius: -1 - k / 2 }));
  const other = { position: [0, 0, 200], radius: 'r' };
  const misnamed = Array.from({ length: 12 }, () => ({ material: 'glas', file: 'none.csv' }));
  const missing = Array.from({ length: 14 }, (_, k) => glass({ file: `none${k}.csv` }));
  const found = await faults({ timeStep: -1, grains: [glass({ list: [...small, other] }), ...misnamed, ...missing] });
  const numbered = (count: number, path: (k: number) => string) => Array.from({ length: count }, (_, k) => path(k));
  const more = (count: number, path: string) => `and ${count} more: like ${path}`;
  expect(found.map(({ path, message }) => path || message)).toEqual([
    'timeStep',
    ...numbered(10, (k) => `grains[0].list[${k}].radius`),
    more(13, 'grains[0].list[0].radius'),
    'grains[0].list[23].radius',
    ...numbered(10, (k) => `grains[${k + 1}].material`),
    more(2, 'grains[1].material'),
    ...numbered(10, (k) => `grains[${k + 13}].file`),
    more(4, 'grains[13].file'),
  ]);
});
