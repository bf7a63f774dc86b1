import { describe, expect, test } from 'vitest';
import type { Problem, Vector } from '../../src/scene/problem';
import { toSystem } from '../../src/scene/units';
import { nearestOf } from '../support/periodic';
import { expectFault, faultsOf, load, sceneWith } from '../support/scenes';
import { at, length } from '../support/vectors';

const BOX = { min: [1, 2, 3], max: [11, 14, 17] };
const periodic = (axes: string, parts: object = {}) => ({ periodic: { axes, ...BOX, ...parts } });
const glass = (parts: object) => ({ grains: [{ material: 'glass', ...parts }] });
const wall = (shape: object) => ({ walls: [{ name: 'wall', material: 'steel', ...shape }] });
const open = (axes: string, parts: object) => sceneWith({ walls: [], ...periodic(axes), ...parts });

/** Least gap between two grains over all images, in scene units, and how many pairs are nearest across an end of the box. */
function closest({ grains: { count, positions, radii }, periodic }: Problem) {
  let [gap, across] = [Infinity, 0];
  for (let i = 0; i < count; i++) {
    for (let j = i + 1; j < count; j++) {
      const e = nearestOf(at(positions, i), at(positions, j), periodic!.lengths);
      gap = Math.min(gap, length(e) - radii[i] - radii[j]);
      if (
        length(e) < 1.5 * (radii[i] + radii[j]) &&
        e.some((x, k) => Math.abs(positions[3 * j + k] - positions[3 * i + k] - x) > 1)
      )
        across++;
    }
  }
  return { gap, across };
}

describe('periodic', () => {
  test('gives the lengths of the axes it names, and grains outside are brought in', async () => {
    const list = [
      { position: [0, 20, -5], radius: 1 },
      { position: [11, 2.5, 3], radius: 1 },
    ];
    const problem = await load(open('xz', glass({ list })));
    expect(problem.periodic).toEqual({ min: BOX.min, lengths: [10, 0, 14] });
    expect([...problem.grains.positions]).toEqual([10, 20, 9, 1, 2.5, 3]);
    const { positions, periods, units } = toSystem(problem);
    expect(units.origin).toEqual([1, 11.25, 3]);
    expect(periods).toEqual([5, 0, 7]);
    expect([...positions]).toEqual([4.5, 4.375, 3, 0, -4.375, 0]);
  });

  test.each([
    ['an unknown axis', periodic('xw'), 'periodic.axes', /expected "x", "y", .*got "xw"/],
    ['axes in another order', periodic('yx'), 'periodic.axes', /expected/],
    ['no axes', { periodic: BOX }, 'periodic.axes', /missing/],
    ['a number for a corner', periodic('xy', { max: 5 }), 'periodic.max', /expected a list of numbers/],
    ['a box of no length', periodic('xy', { max: [11, 2, 17] }), 'periodic.max', /must exceed "min" along every periodic axis/],
    ['an unknown key', periodic('x', { mim: 0 }), 'periodic.mim', /did you mean "min"/],
    [
      'a box as wide as a grain',
      periodic('y', { max: [0, 4, 0] }),
      'periodic.max',
      /2\.000 long in y: a grain of diameter 2\.000 could touch its own image.*at least 4\.08/,
    ],
    ['a box of two grains without room', periodic('y', { max: [0, 6, 0] }), 'periodic.max', /from two sides/],
    ['a box too far away', periodic('y', { min: [0, 0, 0], max: [0, 1e12, 0] }), 'periodic.max', /more than 10\^9 diameters/],
  ])('is refused with %s', async (_, parts, path, message) => {
    const faults = await faultsOf(() => load(sceneWith({ walls: [], ...parts })));
    expect(faults).toEqual([{ path: expect.stringContaining(path), message: expect.stringMatching(message) }]);
  });

  test('a cohesion needs a box that is wider by its range', async () => {
    const scene = (range: number) =>
      sceneWith({
        walls: [],
        ...periodic('y', { max: [0, 7, 0] }),
        contacts: [{ between: ['glass', 'glass'], cohesion: { force: 1, range } }],
      });
    expect((await load(scene(0.2))).warnings).toEqual([]);
    await expectFault(() => load(scene(0.5)), 'periodic.max', /at least 6\.08/);
  });

  test('may be empty until grains come, and must be wide enough for those', async () => {
    const pour = (radius: number) => ({
      grains: [],
      events: [{ when: { step: 0 }, pour: { material: 'glass', count: 3, radius, rate: 1, region: { box: BOX } } }],
    });
    expect((await load(open('xy', pour(1)))).grains.count).toBe(0);
    await expectFault(() => load(open('xy', pour(2.5))), 'periodic.max', /a grain of diameter 5\.000.*at least 10\.2/);
  });

  test('only the axes it names count', async () => {
    const problem = await load(sceneWith({ ...periodic('y', { max: [-5, 14, 3] }) }));
    expect(problem.periodic!.lengths).toEqual([0, 12, 0]);
  });
});

describe('walls in a periodic box', () => {
  const plane = (normal: Vector, more = {}) => wall({ plane: { point: [0, 0, 0], normal, ...more } });
  const cylinder = (axis: Vector) => wall({ cylinder: { point: [6, 6, 6], axis, radius: 3, side: 'inside' } });
  const box = (...faces: string[]) => wall({ box: { min: [0, 0, 0], max: [20, 20, 20], open: faces } });
  const grain = glass({ list: [{ position: [6, 6, 6], radius: 1 }] });

  test.each([
    ['a plane across the axis', 'x', plane([1, 0, 1]), 'walls[0].plane.normal', /at right angles to x/],
    ['a plane across one of two axes', 'xy', plane([0, 1, 0]), 'walls[0].plane.normal', /at right angles to x and y/],
    ['a cylinder across the axis', 'x', cylinder([0, 0, 1]), 'walls[0].cylinder.axis', /must lie along x/],
    ['a cylinder in two periodic axes', 'xz', cylinder([0, 0, 1]), 'walls[0].cylinder.axis', /along its axis alone/],
    ['closed faces of a box', 'x', box('+x'), 'walls[0].box.open', /must list "-x"/],
  ])('%s is refused', (_, axes, parts, path, message) =>
    expectFault(() => load(open(axes, { ...grain, ...parts })), path, message),
  );

  const sheet = (length: number) => `v 1 2 3\nv ${1 + length} 2 3\nv ${1 + length} 4 3\nv 1 4 3\nf 1 2 3 4\n`;
  const meshScene = (axes: string, parts: object = {}) =>
    open(axes, { ...grain, ...wall({ mesh: { file: 'sheet.obj' }, ...parts }) });

  test('a mesh that would run into its own images is refused, also where an event adds it', async () => {
    const files = { 'sheet.obj': sheet(10.5) };
    await expectFault(() => load(meshScene('x'), files), 'walls[0].mesh', /10\.50 long in x.*every 10\.00.*cut it off/);
    const events = [{ when: { step: 1 }, addWalls: meshScene('x').walls }];
    await expectFault(() => load(open('x', { ...grain, events }), files), 'events[0].addWalls[0].mesh', /10\.50 long in x/);
    expect((await load(meshScene('y'), files)).walls).toHaveLength(1);
  });

  test('a mesh goes on through it, and keeps grains and fills away at both ends', async () => {
    const { walls } = await load(meshScene('x'), { 'sheet.obj': sheet(10) });
    expect(walls[0].shape.kind === 'mesh' && new Set(walls[0].shape.mesh.facetOf).size).toBe(1);
    const random = { count: 60, radius: 0.4, box: BOX };
    const part = { ...meshScene('xy'), ...glass({ random }) };
    const { grains, warnings } = await load(part, { 'sheet.obj': sheet(4).replaceAll(' 4 3', ' 2 6') });
    expect(warnings).toEqual([]);
    for (let i = 0; i < grains.count; i++) {
      const [x, y, z] = at(grains.positions, i);
      // The sheet stands at y = 2, the lower end of the box; grains across from it lie just below 14.
      if (x > 1 && x < 5 && z > 3 && z < 6) expect(Math.min(y - 2, 14 - y)).toBeGreaterThanOrEqual(0.4);
    }
    await expectFault(
      () => load(meshScene('x', { motion: { angularVelocity: [0, 0, 1] } }), { 'sheet.obj': sheet(4) }),
      'walls[0].motion.angularVelocity',
      /differ from image to image/,
    );
  });

  test.each([
    ['planes along the axis', 'x', plane([0, 0.3, 1])],
    ['a plane along two axes', 'xy', plane([0, 0, 1])],
    ['a cylinder about the axis', 'x', cylinder([-2, 0, 0])],
    ['a box open along the axis', 'xy', box('-x', '+x', '-y', '+y')],
  ])('%s can be', async (_, axes, parts) => {
    expect((await load(open(axes, { ...grain, ...parts }))).walls.length).toBeGreaterThan(0);
  });
});

describe('generated grains in a periodic box', () => {
  test('a fill through the box lies across its ends without overlap', async () => {
    const random = { count: 300, radius: { uniform: [0.4, 0.8] }, box: BOX };
    const problem = await load(open('xyz', glass({ random })));
    const { gap, across } = closest(problem);
    expect(gap).toBeGreaterThan(-1e-12);
    expect(across).toBeGreaterThan(30);
    for (let k = 0; k < 900; k++) {
      expect(problem.grains.positions[k]).toBeGreaterThanOrEqual(BOX.min[k % 3]);
      expect(problem.grains.positions[k]).toBeLessThan(BOX.max[k % 3]);
    }
    const nearEnd = problem.grains.positions.filter((x, k) => x - BOX.min[k % 3] < 0.2);
    expect(nearEnd.length).toBeGreaterThan(5);
  });

  test('a fill of part of the box keeps within its region', async () => {
    const random = { count: 100, radius: 0.5, box: { min: BOX.min, max: [11, 8, 17] } };
    const { grains } = await load(open('xy', glass({ random })));
    for (let i = 0; i < 100; i++) {
      expect(grains.positions[3 * i + 1]).toBeGreaterThanOrEqual(2.5);
      expect(grains.positions[3 * i + 1]).toBeLessThanOrEqual(7.5);
      expect(grains.positions[3 * i + 2]).toBeGreaterThanOrEqual(3.5);
    }
    expect(closest(await load(open('xy', glass({ random })))).gap).toBeGreaterThan(-1e-12);
  });

  test('a fill of a cylinder about the axis goes through the box', async () => {
    const cylinder = { point: [1, 7, 8], axis: [3, 0, 0], radius: 2, height: 10 };
    const problem = await load(open('x', glass({ random: { count: 40, radius: 0.5, cylinder } })));
    expect(closest(problem).gap).toBeGreaterThan(-1e-12);
    expect(problem.grains.positions.some((x, k) => k % 3 === 0 && (x < 1.5 || x > 10.5))).toBe(true);
  });

  test('a lattice that fits touches itself across the ends, one that does not overlaps', async () => {
    const lattice = { count: [10, 12, 1], spacing: 1, origin: [4, 2, 0], radius: 0.5 };
    const problem = await load(open('xy', glass({ lattice })));
    expect(problem.warnings).toEqual([]);
    expect(closest(problem).gap).toBeCloseTo(0, 12);
    const faults = await faultsOf(() => load(open('xy', glass({ lattice: { ...lattice, count: [11, 1, 1] } }))));
    expect(faults[0].message).toMatch(/lies in one place/);
    const tight = await load(open('x', glass({ lattice: { ...lattice, count: [10, 1, 1], radius: 0.6, spacing: 0.99 } })));
    expect(tight.warnings[0]).toMatch(/^10 overlaps/);
  });

  test('grains across the ends overlap, and are counted once', async () => {
    const list = [
      { position: [1.2, 5, 5], radius: 0.5 },
      { position: [10.5, 5, 5], radius: 0.5 },
    ];
    const { warnings } = await load(open('x', glass({ list })));
    expect(warnings[0]).toMatch(/^1 overlaps between grains.* 0\.300 /);
    expect((await load(sceneWith({ walls: [], ...glass({ list }) }))).warnings).toEqual([]);
  });
});
