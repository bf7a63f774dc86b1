import { describe, expect, test } from 'vitest';
import { expectFault, load, sceneWith } from '../support/scenes';

const floor = { name: 'floor', material: 'steel', plane: { point: [0, 0, 0], normal: [0, 0, 1] } };
const disk = { name: 'disk', material: 'steel', plane: { point: [0, 0, 0], normal: [0, 0, 2], disk: 4 } };
const walls = (...list: object[]) => sceneWith({ walls: list });

describe('motions of walls', () => {
  test.each<[string, object, string, RegExp]>([
    [
      'turns by more than a radian in a step',
      { ...floor, motion: { angularVelocity: [0, 2000, 0] } },
      'angularVelocity',
      /2\.00 rad in a step/,
    ],
    [
      'swings faster than steps can tell',
      { ...floor, motion: { oscillation: { amplitude: [0, 0, 1], frequency: 300 } } },
      'oscillation',
      /0\.300 of an oscillation/,
    ],
    ['goes beyond all numbers', { ...floor, motion: { velocity: [0, 0, 1e13] } }, 'velocity', /more than 10\^9 diameters/],
    ['is thin and could jump over grains', { ...disk, motion: { velocity: [1100, 0, 0] } }, 'velocity', /could jump over grains/],
    [
      'is a post that could jump over grains',
      {
        name: 'post',
        material: 'steel',
        cylinder: { point: [9, 0, 0], axis: [0, 0, 1], radius: 0.5, side: 'outside' },
        motion: { velocity: [1600, 0, 0] },
      },
      'velocity',
      /could jump over grains/,
    ],
    [
      'is a plate whose rim could',
      { ...disk, motion: { angularVelocity: [300, 0, 0] } },
      'angularVelocity',
      /could jump over grains/,
    ],
  ])('are refused where the wall %s', (_, wall, key, message) =>
    expectFault(() => load(walls(wall)), `walls[0].motion.${key}`, message),
  );

  test('that nothing escapes are taken', async () => {
    await expect(load(walls({ ...floor, motion: { velocity: [0, 0, 5000] } }))).resolves.toBeDefined();
    await expect(load(walls({ ...disk, motion: { angularVelocity: [0, 0, 900] } }))).resolves.toBeDefined();
  });

  test('turn about the wall’s own point, or the middle of a box, and all faces of a box have it', async () => {
    const motion = { angularVelocity: [0, 0, 1] };
    const box = { name: 'tray', material: 'steel', box: { min: [-4, -4, 0], max: [4, 6, 9], open: ['+z'] }, motion };
    const problem = await load(walls({ ...disk, plane: { ...disk.plane, point: [1, 0, 0] }, motion }, box));
    expect(problem.walls[0].motion?.point).toEqual([1, 0, 0]);
    expect(problem.walls.slice(1).map((face) => face.motion?.point)).toEqual(Array(5).fill([0, 1, 4.5]));
  });
});

describe('plates', () => {
  const ring = { name: 'ring', material: 'steel', plane: { point: [0, 0, 0], normal: [0, 0, 1], ring: [4, 6] } };
  const rims = async (...list: object[]) =>
    (await load(walls(...list))).walls.map(({ shape }) => shape.kind === 'plane' && shape.region?.rims);

  test('that adjoin have no rims there, also where one turns', async () => {
    expect(await rims(disk, { ...ring, motion: { angularVelocity: [0, 0, 3] } })).toEqual([
      [false, false],
      [false, true],
    ]);
  });

  test.each<[string, object]>([
    ['does not reach so far', { ...ring, plane: { ...ring.plane, ring: [4.1, 6] } }],
    ['lies lower', { ...ring, plane: { ...ring.plane, point: [0, 0, -0.1] } }],
    ['moves away', { ...ring, motion: { velocity: [0, 0, -1] } }],
    ['tilts', { ...ring, motion: { angularVelocity: [1, 0, 0] } }],
  ])('keep them where the other one %s', async (_, other) => {
    expect(await rims(disk, other)).toEqual([
      [false, true],
      [true, true],
    ]);
  });

  test('do not start through grains, and neither does a drum', async () => {
    const at = (z: number) => ({ grains: [{ material: 'glass', list: [{ position: [0, 0, z], radius: 1 }] }] });
    await expectFault(() => load({ ...walls(disk), ...at(0.2) }), 'grains[0].list[0]', /"disk" goes through it/);
    await expect(load({ ...walls(disk), ...at(-1) })).resolves.toBeDefined();
    const drum = {
      name: 'drum',
      material: 'steel',
      cylinder: { point: [0, 0, 5], axis: [0, 1, 0], radius: 4, side: 'inside' },
      motion: { angularVelocity: [0, 1, 0] },
    };
    await expectFault(() => load({ ...walls(drum), ...at(0.5) }), 'grains[0].list[0]', /0\.500 beyond wall "drum"/);
    await expectFault(() => load({ ...walls(drum), ...at(1.4) }), 'grains[0].list[0]', /wall "drum" goes through it; move one/);
    const told = /1 with walls at the start; the largest is 0\.300 .* wall "drum".*: a settled packing has/;
    expect((await load({ ...walls(drum), ...at(1.7) })).warnings[0]).toMatch(told);
    expect((await load({ ...walls({ ...drum, motion: undefined }), ...at(1.4) })).warnings[0]).toMatch(/0\.600.*"drum"/);
  });
});
