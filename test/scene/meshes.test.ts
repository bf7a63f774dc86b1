import { expect, test } from 'vitest';
import { createSimulation } from '../../src/index';
import { loadProblem } from '../../src/scene/load';
import { parseScene } from '../../src/scene/schema';
import { expectFault, load, sceneWith } from '../support/scenes';

const SHEET = 'v -4 -4 0\nv 4 -4 0\nv 4 4 0\nv -4 4 0\nf 1 2 3 4\n';

const meshScene = (mesh: object, z = 2) =>
  sceneWith({
    grains: [{ material: 'glass', list: [{ position: [0, 0, z], radius: 1 }] }],
    walls: [{ name: 'sheet', material: 'steel', mesh: { file: 'sheet.obj', ...mesh } }],
  });

test('a mesh is read with its scale, about the origin of the file', async () => {
  const { walls, warnings } = await load(meshScene({ scale: 0.5 }), { 'sheet.obj': SHEET });
  const { shape } = walls[0];
  if (shape.kind !== 'mesh') throw new Error('no mesh');
  expect([...shape.mesh.vertices]).toEqual([-2, -2, 0, 2, -2, 0, 2, 2, 0, -2, 2, 0]);
  expect(shape.point).toEqual([0, 0, 0]);
  expect(warnings).toEqual([]);
});

test('a mesh that is smaller than any grain comes with a warning', async () => {
  const { warnings } = await load(meshScene({ scale: 0.2 }), { 'sheet.obj': SHEET });
  expect(warnings).toEqual([
    expect.stringMatching(/^wall "sheet": the mesh is 1.60 long, .* \(diameter 2.00\): is its "scale" right/),
  ]);
});

const movingMesh = (motion: object) => {
  const scene = meshScene({});
  return { ...scene, walls: [{ name: 'sheet', material: 'steel', mesh: { file: 'sheet.obj' }, motion }] };
};

test('a mesh turns about the origin of its file unless the motion gives a point', async () => {
  const turning = { angularVelocity: [0, 0, 1] };
  const { walls } = await load(movingMesh(turning), { 'sheet.obj': SHEET });
  expect(walls[0].motion?.point).toEqual([0, 0, 0]);
  const { walls: about } = await load(movingMesh({ ...turning, point: [1, 2, 3] }), { 'sheet.obj': SHEET });
  expect(about[0].motion?.point).toEqual([1, 2, 3]);
});

test.each([
  ['velocity', [0, 0, 1100]],
  ['angularVelocity', [0, 0, 300]],
])('a mesh that could jump over grains by its %s is refused', (key, value) =>
  expectFault(
    () => load(movingMesh({ [key]: value }), { 'sheet.obj': SHEET }),
    `walls[0].motion.${key}`,
    /could jump over grains/,
  ),
);

test('a mesh that goes through a grain at the start is refused, also where an event brings it before the first step', async () => {
  for (const z of [0.4, -0.4]) {
    const scene = meshScene({}, z);
    const late = { ...scene, walls: [], events: [{ when: { step: 0 }, addWalls: scene.walls }] };
    for (const each of [scene, late])
      await expectFault(() => load(each, { 'sheet.obj': SHEET }), 'grains[0].list[0]', /"sheet" goes through it; move one/);
  }
});

test('a grain that overlaps a mesh at the start is a warning, on either side', async () => {
  for (const z of [0.9, -0.9]) {
    const { warnings } = await load(meshScene({}, z), { 'sheet.obj': SHEET });
    expect(warnings).toEqual([expect.stringMatching(/1 with walls at the start; the largest is 0.1.*wall "sheet"/)]);
  }
});

test('triangles without an area, or that come twice, are left out with a warning', async () => {
  const { warnings } = await load(meshScene({}), { 'sheet.obj': `${SHEET}f 1 2 1\nf 3 1 2\n` });
  expect(warnings).toEqual([expect.stringMatching(/sheet.obj: 2 of 4 triangles have no area or come twice/)]);
});

test('a random fill keeps clear of a mesh', async () => {
  const scene = {
    ...meshScene({}),
    grains: [{ material: 'glass', random: { count: 60, radius: 0.4, box: { min: [-3, -3, -3], max: [3, 3, 3] }, seed: 4 } }],
  };
  const { grains, warnings } = await load(scene, { 'sheet.obj': SHEET });
  expect(warnings).toEqual([]);
  for (let i = 0; i < 60; i++) expect(Math.abs(grains.positions[3 * i + 2])).toBeGreaterThanOrEqual(0.4);
});

test.each([
  ['a file that is not there', {}, 'walls[0].mesh.file', /cannot read "sheet.obj": there is no such file/],
  ['no triangles', { 'sheet.obj': 'v 0 0 0\n' }, 'walls[0].mesh.file', /^sheet\.obj: has no triangles; export the surface/],
  ['a line that is wrong', { 'sheet.obj': `${SHEET}f 1 2 9\n` }, 'walls[0].mesh.file', /^sheet\.obj line 6: /],
  [
    'no triangle with an area',
    { 'sheet.obj': 'v 0 0 0\nv 1 1 1\nv 2 2 2\nf 1 2 3\n' },
    'walls[0].mesh.file',
    /^sheet\.obj: has no triangle with an area; export/,
  ],
  ['coordinates out of range', { 'sheet.obj': SHEET.replace('v 4 4', 'v 1e308 4') }, 'walls[0].mesh.scale', /out of the range/],
] as [string, Record<string, string>, string, RegExp][])('a mesh with %s is refused', (_, files, path, message) =>
  expectFault(() => load(meshScene({ scale: 100 }), files), path, message),
);

test('a mesh too far away for the digits of its coordinates is refused', () =>
  expectFault(() => load(meshScene({ scale: 1e12 }), { 'sheet.obj': SHEET }), 'walls[0].mesh.file', /10\^9 diameters/));

test('mesh files are read through readBytes, which must give bytes', async () => {
  const readBytes = async () => new TextEncoder().encode(SHEET);
  const simulation = await createSimulation(meshScene({}), { backend: 'cpu', readBytes });
  expect(simulation.problem.walls[0].shape.kind).toBe('mesh');
  await expectFault(
    () => createSimulation(meshScene({}), { backend: 'cpu', readBytes: async () => SHEET as unknown as Uint8Array }),
    'walls[0].mesh.file',
    /it must give the bytes of the file/,
  );
  await expectFault(() => loadProblem(parseScene(meshScene({})), async () => ''), 'walls[0].mesh.file', /give a readBytes/);
});
