import { describe, expect, test } from 'vitest';
import { loadProblem } from '../../src/scene/load';
import { parseScene } from '../../src/scene/schema';
import { at, expectFault, faultsOf, listed, load, sceneWith } from '../support/scenes';

const CSV = 'x,y,z,radius,vx,vy,vz\n0,0,5,1,1,2,3\n0,0,9,1,4,5,6\n';

describe('grains', () => {
  test('masses are those of solid spheres of the density', async () => {
    const { grains } = await load(sceneWith(listed(at(0, 0, 2), at(0, 0, 5, { radius: 2 }))));
    expect(grains.masses[0]).toBeCloseTo((2500 * 4 * Math.PI) / 3, 8);
    expect(grains.masses[1] / grains.masses[0]).toBeCloseTo(8, 12);
  });

  test("an entry's own velocity and force take the place of the group's", async () => {
    const own = { velocity: [0, 0, 1], force: [2, 0, 0], angularVelocity: [0, 3, 0], torque: [4, 0, 0], fixed: true };
    const group = { material: 'glass', velocity: [7, 0, 0], force: [0, 8, 0], list: [at(0, 0, 2), at(0, 0, 6, own)] };
    const { grains } = await load(sceneWith({ grains: [group] }));
    expect([...grains.velocities]).toEqual([7, 0, 0, 0, 0, 1]);
    expect([...grains.forces]).toEqual([0, 8, 0, 2, 0, 0]);
    expect([...grains.angularVelocities]).toEqual([0, 0, 0, 0, 3, 0]);
    expect([...grains.torques]).toEqual([0, 0, 0, 4, 0, 0]);
    expect([...grains.fixed]).toEqual([0, 1]);
  });

  test('types in a file are no materials, and a warning says so', async () => {
    const scene = sceneWith({ grains: [{ material: 'glass', file: 'a.csv' }] });
    const csv = (type: number) => `x,y,z,radius,type\n0,0,2,1,1\n0,0,5,1,${type}\n`;
    expect((await load(scene, { 'a.csv': csv(1) })).warnings).toEqual([]);
    expect((await load(scene, { 'a.csv': csv(3) })).warnings).toEqual([
      expect.stringMatching(/^a\.csv has grains of 2 types \(1, 3\), and all are of "glass"/),
    ]);
  });

  test('a file of periodic space comes with a warning where the scene is open', async () => {
    const dump = `ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS pp ff pp\n0 8\n0 8\n0 8\nITEM: ATOMS x y z radius\n4 4 4 1\n`;
    const scene = (space: object) => sceneWith({ grains: [{ material: 'glass', file: 'a.dump' }], walls: [], ...space });
    const { warnings } = await load(scene({}), { 'a.dump': dump });
    const warning = (axis: string, space: string) =>
      `a.dump has a box that is periodic along ${axis}, 8 long; the scene is ${space} there: see "periodic"`;
    expect(warnings).toEqual([warning('x', 'open'), warning('z', 'open')]);
    const periodic = { axes: 'xz', min: [0, 0, 0], max: [8, 0, 8] };
    expect((await load(scene({ periodic }), { 'a.dump': dump })).warnings).toEqual([]);
    // Such as one in other units.
    const other = { periodic: { ...periodic, max: [8, 0, 8000] } };
    expect((await load(scene(other), { 'a.dump': dump })).warnings).toEqual([warning('z', '8000 long')]);
  });

  test('the z of disks in a periodic dump is of no account', async () => {
    const dump = `ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS ff ff pp\n0 8\n0 8\n-1 1\nITEM: ATOMS x y z radius\n4 4 0 1\n`;
    const flat = { dimension: 2, gravity: [0, -1, 0], grains: [{ material: 'glass', file: 'a.dump' }], walls: [] };
    expect((await load(sceneWith(flat), { 'a.dump': dump })).warnings).toEqual([]);
  });

  test('a fixed one that is given a motion comes with a warning', async () => {
    const turning = { angularVelocity: [0, 3, 0], fixed: true };
    const { warnings } = await load(sceneWith(listed(at(0, 0, 2), at(0, 0, 5, { fixed: true }), at(0, 0, 8, turning))));
    expect(warnings).toEqual([expect.stringMatching(/^grains\[0\]\.list\[2\] is fixed: its velocity/)]);
  });

  test('a step in which gravity goes beyond a diameter comes with a warning that tells a better one', async () => {
    const scene = (timeStep: number) => sceneWith({ ...listed(at(0, 0, 2)), gravity: [0, 0, -8], timeStep });
    expect((await load(scene(0.4))).warnings).toEqual([]);
    expect((await load(scene(5))).warnings).toEqual([
      expect.stringMatching(/^timeStep: 5 is 10.0 sqrt\(d\/g\), .* take 0.050 or less/),
    ]);
  });

  test('groups follow one another, each with its material, velocity and force', async () => {
    const lattice = { count: [2, 1, 1], spacing: 2, radius: 1, origin: [0, 0, 3] };
    const { grains, materials } = await load(
      sceneWith({
        materials: { steel: {}, glass: { density: 1 }, sand: { density: 2 } },
        grains: [
          { material: 'sand', lattice, velocity: [1, 0, 0] },
          { material: 'glass', file: 'a.csv', force: [0, 0, 1] },
        ],
      }),
      { 'a.csv': CSV.replaceAll('0,0,', '9,9,') },
    );
    expect(materials.map(({ name }) => name)).toEqual(['steel', 'glass', 'sand']);
    expect([...grains.materials]).toEqual([2, 2, 1, 1]);
    expect([...grains.groups]).toEqual([0, 0, 1, 1]);
    expect([...grains.velocities]).toEqual([1, 0, 0, 1, 0, 0, 1, 2, 3, 4, 5, 6]);
    expect([...grains.forces]).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1]);
  });

  test('a velocity of the group takes the place of those in the file', async () => {
    const { grains } = await load(sceneWith({ grains: [{ material: 'glass', file: 'a.csv', velocity: [0, 0, 0] }] }), {
      'a.csv': CSV,
    });
    expect([...grains.velocities]).toEqual([0, 0, 0, 0, 0, 0]);
  });

  test('a file that is not there, and one with a fault, are both named', async () => {
    const scene = sceneWith({ grains: ['b.csv', 'a.csv'].map((file) => ({ material: 'glass', file })) });
    const faults = await faultsOf(() => load(scene, { 'a.csv': 'x,y,z,radius\n0,0,1,-1\n' }));
    expect(faults).toEqual([
      { path: 'grains[0].file', message: 'cannot read "b.csv": there is no such file' },
      { path: 'a.csv line 2', message: 'radius is -1; it must be above 0' },
    ]);
  });

  test("a file's masses that are not those of the density get a warning", async () => {
    const mass = (2500 * 4 * Math.PI) / 3;
    const scene = sceneWith({ grains: [{ material: 'glass', file: 'a.csv' }] });
    const csv = (factor: number) => `x,y,z,radius,mass\n0,0,5,1,${factor * mass}\n`;
    expect((await load(scene, { 'a.csv': csv(1.005) })).warnings).toEqual([]);
    const { warnings, grains } = await load(scene, { 'a.csv': csv(1.02) });
    expect(warnings).toEqual([expect.stringMatching(/a\.csv gives its grains .* the density is taken/)]);
    expect(grains.masses[0]).toBeCloseTo(mass, 8);
  });
});

test('grains that move, of masses more than a million times apart, are warned of', async () => {
  const grains = (radius: number, parts: object = {}) => listed(at(0, 0, 2), at(9, 0, 2, { radius, ...parts }));
  const light = /^the heaviest grain has 1\.4e\+6 times the mass of the lightest: .* the heavy ones sink in meanwhile/;
  expect((await load(sceneWith(grains(0.009)))).warnings).toEqual([expect.stringMatching(light)]);
  expect((await load(sceneWith(grains(0.011)))).warnings).toEqual([]);
  expect((await load(sceneWith(grains(0.009, { fixed: true })))).warnings).toEqual([]);
  const insert = [{ material: 'glass', list: [at(9, 0, 2, { radius: 0.009 })] }];
  const { warnings } = await load(sceneWith({ ...listed(at(0, 0, 2)), events: [{ when: { step: 1 }, insert }] }));
  expect(warnings).toEqual([expect.stringMatching(light)]);
});

describe('walls and materials', () => {
  test('a box becomes planes that face inwards, without those left open', async () => {
    const { walls } = await load(
      sceneWith({ walls: [{ name: 'b', material: 'steel', box: { min: [-3, -3, 0], max: [3, 4, 5], open: ['+z', '-x'] } }] }),
    );
    expect(walls.map(({ name, box }) => [name, box])).toEqual([
      ['b.+x', 'b'],
      ['b.-y', 'b'],
      ['b.+y', 'b'],
      ['b.-z', 'b'],
    ]);
    expect(walls[0]).toMatchObject({ material: 1, shape: { kind: 'plane', point: [3, 4, 5], normal: [-1, 0, 0] } });
    expect(walls[3].shape).toEqual({ kind: 'plane', point: [-3, -3, 0], normal: [0, 0, 1] });
  });

  test('normals and axes become unit vectors, however long', async () => {
    const normals = [
      [0, 3, 4],
      [0, 3e-200, 4e-200],
      [0, 3e200, 4e200],
    ];
    const { walls } = await load(
      sceneWith({
        walls: normals.map((normal, k) => ({ name: `${k}`, material: 'steel', plane: { point: [0, -9, 0], normal } })),
      }),
    );
    for (const { shape } of walls) {
      const { normal } = shape as Extract<typeof shape, { kind: 'plane' }>;
      expect(normal[1]).toBeCloseTo(0.6, 14);
      expect(normal[2]).toBeCloseTo(0.8, 14);
    }
  });

  test('friction is that of the unordered pair', async () => {
    const { laws, lawOf, materials } = await load(sceneWith());
    const friction = Array.from(lawOf, (law) => laws[law].dynamicFriction);
    const [glass, steel] = ['glass', 'steel'].map((name) => materials.findIndex((material) => material.name === name));
    expect([friction[2 * glass + glass], friction[2 * glass + steel], friction[2 * steel + glass]]).toEqual([0.3, 0.2, 0.2]);
    expect(friction[2 * steel + steel]).toBe(0);
  });

  test('pairs that can meet without a law get a warning each, others none', async () => {
    const materials = { a: { density: 1 }, b: { density: 1 }, wall: {}, other: {} };
    const grains = [
      { material: 'a', list: [at(0, 0, 2), at(0, 0, 5)] },
      { material: 'b', list: [at(5, 0, 2)] },
    ];
    const walls = ['wall', 'other'].map((material, k) => ({
      name: material,
      material,
      plane: { point: [0, 0, -k], normal: [0, 0, 1] },
    }));
    const contacts = [{ between: ['wall', 'a'], friction: 0.5 }];
    const { warnings } = await load(sceneWith({ materials, grains, walls, contacts }));
    expect(warnings.map((warning) => warning.split(' can meet')[0])).toEqual([
      '"a" and "a"',
      '"a" and "b"',
      '"a" and "other"',
      '"b" and "wall"',
      '"b" and "other"',
    ]);
  });

  test('fixed grains and a grain that is alone meet fewer', async () => {
    const { warnings } = await load(
      sceneWith({ contacts: [], ...listed(at(0, 0, 2, { fixed: true }), at(0, 0, 5, { fixed: true })) }),
    );
    expect(warnings).toEqual([]);
    expect((await load(sceneWith({ contacts: [] }))).warnings).toEqual([
      '"glass" and "steel" can meet but have no entry in "contacts": they are frictionless',
    ]);
  });
});

describe('sizes', () => {
  const huge = (count: number[]) =>
    sceneWith({ grains: [{ material: 'glass', lattice: { count, spacing: 2, radius: 1, origin: [0, 0, 1] } }] });

  test('more grains than a scene holds are refused before they are made', () =>
    expectFault(() => load(huge([2 ** 24, 2 ** 24, 2 ** 24])), 'grains', /at most 16777216/));

  test('more grains than the memory holds are refused, and what fits is said', () =>
    expectFault(
      () => loadProblem(parseScene(huge([100, 100, 1])), async () => '', { memory: 2.5e6 }),
      'grains',
      /; 1000 would fit/,
    ));

  test('more walls than every grain can be tested against are refused', () => {
    const walls = Array.from({ length: 4097 }, (_, k) => ({
      name: `${k}`,
      material: 'steel',
      plane: { point: [0, 0, -k], normal: [0, 0, 1] },
    }));
    return expectFault(() => load(sceneWith({ walls })), 'walls', /at most 4096/);
  });
});

test('carries over what the scene says of the run', async () => {
  const run = { title: 'T', gravity: [0, 0, -9.81], timeStep: 0.5, steps: 7, output: { every: 3, contacts: true } };
  const problem = await load(
    sceneWith({ ...run, solver: { sweep: 'random', convergence: { criterion: 'fixed', iterations: 9 }, seed: 4 } }),
  );
  expect(problem).toMatchObject({ ...run, output: { every: 3, frames: 'vtp', contacts: true } });
  expect(problem.solver).toEqual({
    sweep: 'random',
    order: 'fixed',
    momentum: 0.9,
    coarse: 'auto',
    convergence: { criterion: 'fixed', iterations: 9 },
    warmStart: true,
    seed: 4,
  });
});
