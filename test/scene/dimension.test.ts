import { expect, test } from 'vitest';
import { parseScene } from '../../src/scene/schema';
import { expectFault, faultsOf, load, sceneWith } from '../support/scenes';

const disk = { position: [0, 2, 0], radius: 1 };
const line = { name: 'floor', material: 'steel', plane: { point: [0, 0, 0], normal: [0, 1, 0] } };
const flat = (parts: object = {}) =>
  sceneWith({ dimension: 2, grains: [{ material: 'glass', list: [disk] }], walls: [line], ...parts });
const grain = (parts: object) => flat({ grains: [{ material: 'glass', list: [{ ...disk, ...parts }] }] });
const wall = (parts: object) => flat({ walls: [{ name: 'wall', material: 'steel', ...parts }] });
const random = (parts: object) =>
  flat({ walls: [], grains: [{ material: 'glass', random: { count: 100, radius: { uniform: [0.2, 0.4] }, ...parts } }] });

test('disks have the mass of their area', async () => {
  const problem = await load(grain({ radius: 1.5 }));
  expect(problem.dimension).toBe(2);
  expect(problem.grains.masses[0]).toBeCloseTo(2500 * Math.PI * 1.5 ** 2, 8);
});

test('a box has no faces along z', async () => {
  const { walls } = await load(wall({ box: { min: [-5, 0, 0], max: [5, 9, 0], open: ['+y', '+y', '+y', '+y'] } }));
  expect(walls.map(({ name }) => name)).toEqual(['wall.-x', 'wall.+x', 'wall.-y']);
});

test.each([
  ['a box', { box: { min: [0, 0, 0], max: [10, 8, 0] } }],
  ['a circle', { cylinder: { point: [5, 4, 0], axis: [0, 0, 1], radius: 5, height: 0.1 } }],
])('%s is filled by area', async (_, region) => {
  const { grains } = await load(random(region));
  for (let i = 0; i < grains.count; i++) {
    const [x, y, z] = grains.positions.subarray(3 * i);
    const r = grains.radii[i];
    expect(z).toBe(0);
    const inside = 'box' in region ? Math.min(x, y, 10 - x, 8 - y) : 5 - Math.hypot(x - 5, y - 4);
    expect(inside).toBeGreaterThanOrEqual(r);
    for (let j = 0; j < i; j++) {
      expect(Math.hypot(x - grains.positions[3 * j], y - grains.positions[3 * j + 1])).toBeGreaterThanOrEqual(
        r + grains.radii[j],
      );
    }
  }
});

test('a pour comes from a circle, whatever its height', async () => {
  const region = { cylinder: { point: [5, 4, 0], axis: [0, 0, 1], radius: 2, height: 1 } };
  const pour = { material: 'glass', count: 3, radius: 0.1, rate: 10, region };
  const { events } = await load(flat({ events: [{ when: { step: 0 }, pour }] }));
  expect(events![0].pour!.grains.count).toBe(3);
});

test('what does not fit by area is refused', () =>
  expectFault(() => load(random({ radius: 2, box: { min: [0, 0, 0], max: [10, 8, 0] } })), 'grains[0].random', /times the area/));

test('a lattice lies in the plane, its jitter too', async () => {
  const lattice = { count: [4, 3, 1], spacing: 1, radius: 0.4, origin: [0, 1, 0], jitter: 0.1 };
  const { grains } = await load(flat({ grains: [{ material: 'glass', lattice }] }));
  expect(grains.count).toBe(12);
  expect(grains.positions.filter((_, k) => k % 3 === 2).every((z) => z === 0)).toBe(true);
  expect(grains.positions[1]).not.toBe(1);
});

const lattice = { count: [2, 2, 2], spacing: 1, radius: 0.4 };
const refused: [string, object, string, RegExp][] = [
  ['another dimension', flat({ dimension: 4 }), 'dimension', /expected 2 or 3, got 4/],
  ['gravity along z', flat({ gravity: [0, 0, -9.81] }), 'gravity[2]', /must be 0, got -9.81/],
  ['a grain beside the plane', grain({ position: [0, 2, 0.5] }), 'grains[0].list[0].position[2]', /must be 0, got 0.5/],
  ['a velocity along z', grain({ velocity: [0, 0, 1] }), 'grains[0].list[0].velocity[2]', /leaves the x-y plane/],
  ['a force along z', grain({ force: [0, 0, 1] }), 'grains[0].list[0].force[2]', /leaves the x-y plane/],
  ['a turn about x', grain({ angularVelocity: [1, 0, 0] }), 'grains[0].list[0].angularVelocity', /must be along z/],
  ['a torque about y', grain({ torque: [0, 1, 2] }), 'grains[0].list[0].torque', /must be along z/],
  [
    'a velocity of a group',
    flat({ grains: [{ material: 'glass', velocity: [0, 0, 1], list: [disk] }] }),
    'grains[0].velocity[2]',
    /0/,
  ],
  ['layers', flat({ grains: [{ material: 'glass', lattice }] }), 'grains[0].lattice.count[2]', /must be 1, got 2/],
  ['a plane across', wall({ plane: { point: [0, 0, 0], normal: [0, 1, 1] } }), 'walls[0].plane.normal[2]', /must be 0, got 1/],
  [
    'an oblique cylinder',
    wall({ cylinder: { point: [0, 0, 0], axis: [1, 0, 1], radius: 9, side: 'inside' } }),
    'walls[0].cylinder.axis',
    /must be along z/,
  ],
  ['a box with height', wall({ box: { min: [0, 0, 0], max: [9, 9, 9] } }), 'walls[0].box.max[2]', /must be 0, got 9/],
  [
    'faces of a box across z',
    wall({ box: { min: [0, 0, 0], max: [9, 9, 0], open: ['+y', '+z'] } }),
    'walls[0].box.open[1]',
    /must not be "\+z".* leave it out/,
  ],
  [
    'a box without sides',
    wall({ box: { min: [0, 0, 0], max: [9, 9, 0], open: ['+y', '-y', '+x', '-x'] } }),
    'walls[0].box.open',
    /must leave one of the four sides/,
  ],
  [
    'torsion',
    flat({ contacts: [{ between: ['glass', 'steel'], rollingFriction: 0.1, torsionFriction: 0.2 }] }),
    'contacts[0].torsionFriction',
    /must be 0, got 0.2.* leave it out/,
  ],
  ['a periodic z', flat({ periodic: { axes: 'xz', min: [0, 0, 0], max: [9, 9, 0] } }), 'periodic.axes', /must not name z/],
  ['a mesh', wall({ mesh: { file: 'a.stl' } }), 'walls[0].mesh', /use planes and cylinders/],
  [
    'a deposit',
    flat({
      grains: [
        {
          material: 'glass',
          ballistic: { count: 1, radius: 1, captureRadius: 2, box: { min: [0, 0, 0], max: [9, 9, 0] } },
        },
      ],
    }),
    'grains[0].ballistic',
    /take random or lattice/,
  ],
  [
    'an oblique circle of a fill',
    random({ cylinder: { point: [0, 0, 0], axis: [0, 1, 0], radius: 9, height: 1 } }),
    'grains[0].random.cylinder.axis',
    /must be along z/,
  ],
  [
    'a motion about x',
    wall({ ...line, motion: { angularVelocity: [1, 0, 0] } }),
    'walls[0].motion.angularVelocity',
    /must be along z/,
  ],
  [
    'an oscillation along z',
    flat({
      events: [{ when: { step: 1 }, setMotion: { floor: { oscillation: { amplitude: [0, 0, 1], frequency: 1 } } } }],
    }),
    'events[0].setMotion.floor.oscillation.amplitude[2]',
    /must be 0/,
  ],
  [
    'gravity along z later',
    flat({ events: [{ when: { step: 1 }, setGravity: [0, 0, 1] }] }),
    'events[0].setGravity[2]',
    /must be 0/,
  ],
  [
    'a fill with height',
    random({ box: { min: [0, 0, -1], max: [9, 9, 0] } }),
    'grains[0].random.box.min[2]',
    /must be 0, got -1/,
  ],
];

test.each(refused)('refuses %s', (_, scene, path, message) => expectFault(() => parseScene(scene), path, message));

test('names of materials and walls may be those of fields', async () => {
  const mesh = { ...line, name: 'mesh', material: 'ballistic' };
  const scene = flat({
    materials: { glass: { density: 1 }, ballistic: {}, mesh: {} },
    contacts: [],
    walls: [mesh, { ...line, name: 'box', material: 'ballistic' }],
    events: [{ when: { step: 1 }, setMotion: { mesh: { velocity: [1, 0, 0] }, box: null } }],
  });
  expect((await load(scene)).walls.map(({ name }) => name)).toEqual(['mesh', 'box']);
});

test('lists all that leaves the plane, with the other faults', async () => {
  const faults = await faultsOf(() =>
    parseScene(flat({ gravity: [0, 0, 1], steps: 0.5, walls: [{ ...line, plane: undefined }] })),
  );
  expect(faults.map(({ path }) => path).sort()).toEqual(['gravity[2]', 'steps', 'walls[0]']);
});

test('refuses files with grains that lie or move out of the plane', async () => {
  const scene = flat({ grains: [{ material: 'glass', file: 'a.csv' }] });
  const faults = await faultsOf(() =>
    load(scene, {
      'a.csv':
        'x,y,z,radius,vx,vy,vz,wx,wy,wz\n0,2,0,1,0,0,0,0,0,1\n0,5,1,1,0,0,0,0,0,0\n0,8,0,1,0,0,2,0,0,0\n0,11,0,1,0,0,0,3,0,0\n',
    }),
  );
  expect(faults.map(({ path }) => path)).toEqual(['a.csv line 3', 'a.csv line 4', 'a.csv line 5']);
  expect(faults.map(({ message }) => message)).toEqual([
    expect.stringMatching(/has z = 1/),
    expect.stringMatching(/a velocity of 2 along z/),
    expect.stringMatching(/an angular velocity/),
  ]);
});

test('boxes in three dimensions need a height', async () => {
  const box = { min: [0, 0, 0], max: [9, 9, 0] };
  await expectFault(
    () => parseScene(sceneWith({ walls: [{ name: 'b', material: 'steel', box }] })),
    'walls[0].box.max[2]',
    /must exceed/,
  );
  const fill = { material: 'glass', random: { count: 1, radius: 1, box } };
  await expectFault(() => parseScene(sceneWith({ grains: [fill] })), 'grains[0].random.box.max[2]', /must exceed/);
});
