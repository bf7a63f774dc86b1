import { expect, test } from 'vitest';
import { drawRadii } from '../../src/scene/generators/radii';
import { randomNumbers } from '../../src/scene/generators/randomNumbers';
import type { Problem } from '../../src/scene/problem';
import { wallDistance } from '../../src/scene/walls';
import { expectFault, load, sceneWith } from '../support/scenes';

const box = { min: [-5, -5, 0], max: [5, 5, 10] };
const fill = (random: object, parts: object = {}) =>
  sceneWith({ grains: [{ material: 'glass', random: { count: 500, radius: 0.4, box, ...random } }], ...parts });
const lattice = (settings: object) =>
  sceneWith({
    grains: [{ material: 'glass', lattice: { count: [3, 4, 5], spacing: 1, radius: 0.5, origin: [0, 0, 1], ...settings } }],
  });

/** Smallest gap between two grains, by a search over all pairs. */
function smallestGap({ grains: { count, positions, radii } }: Problem): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < i; j++) {
      const distance = Math.hypot(...[0, 1, 2].map((axis) => positions[3 * i + axis] - positions[3 * j + axis]));
      least = Math.min(least, distance - radii[i] - radii[j]);
    }
  }
  return least;
}

test('a lattice goes x first, from its origin', async () => {
  const { grains } = await load(lattice({ spacing: [1, 2, 3] }));
  expect(grains.count).toBe(60);
  expect([...grains.positions.subarray(0, 12)]).toEqual([0, 0, 1, 1, 0, 1, 2, 0, 1, 0, 2, 1]);
  expect([...grains.positions.subarray(177)]).toEqual([2, 6, 13]);
});

test('jitter moves grains by at most so much, and by the seed', async () => {
  const [plain, moved, again, other] = await Promise.all(
    [{}, { jitter: 0.2, seed: 5 }, { jitter: 0.2, seed: 5 }, { jitter: 0.2, seed: 6 }].map((settings) => load(lattice(settings))),
  );
  const moves = moved.grains.positions.map((x, k) => Math.abs(x - plain.grains.positions[k]));
  expect(Math.max(...moves)).toBeLessThanOrEqual(0.2);
  expect(Math.max(...moves)).toBeGreaterThan(0.15);
  expect(again.grains.positions).toEqual(moved.grains.positions);
  expect(other.grains.positions).not.toEqual(moved.grains.positions);
});

test('a fill overlaps neither itself, nor grains that are there, nor walls', async () => {
  const scene = fill({ count: 400, radius: { uniform: [0.1, 0.5] } });
  scene.grains.unshift({ material: 'glass', list: [{ position: [0, 0, 5], radius: 3 }] });
  scene.grains.push({ material: 'glass', random: { count: 300, radius: 0.2, box: { min: [-5, -5, 0], max: [5, 5, 10] } } });
  scene.walls!.push({
    name: 'pipe',
    material: 'steel',
    cylinder: { point: [0, 0, 0], axis: [0, 0, 2], radius: 4.5, side: 'inside' },
  });
  const problem = await load(scene);
  expect(problem.grains.count).toBe(701);
  expect(problem.warnings).toEqual([]);
  expect(smallestGap(problem)).toBeGreaterThanOrEqual(0);
  const { positions, radii } = problem.grains;
  for (let i = 0; i < 701; i++) {
    const place = positions.subarray(3 * i, 3 * i + 3);
    for (const wall of problem.walls) expect(wallDistance(wall, place[0], place[1], place[2])).toBeGreaterThanOrEqual(radii[i]);
    for (let axis = 0; axis < 3 && i > 0; axis++) {
      expect(place[axis] - radii[i]).toBeGreaterThanOrEqual(box.min[axis]);
      expect(place[axis] + radii[i]).toBeLessThanOrEqual(box.max[axis]);
    }
  }
});

test('a fill of a slanting cylinder stays in it and uses all of it', async () => {
  const cylinder = { point: [1, 2, 3], axis: [1, 1, 0], radius: 3, height: 12 };
  const { grains } = await load(fill({ count: 600, radius: 0.3, box: undefined, cylinder }, { walls: [] }));
  let [rhoMost, levelLeast, levelMost] = [0, 12, 0];
  for (let i = 0; i < grains.count; i++) {
    const [dx, dy, dz] = [0, 1, 2].map((axis) => grains.positions[3 * i + axis] - cylinder.point[axis]);
    const level = (dx + dy) / Math.SQRT2;
    rhoMost = Math.max(rhoMost, Math.hypot((dx - dy) / Math.SQRT2, dz));
    levelLeast = Math.min(levelLeast, level);
    levelMost = Math.max(levelMost, level);
  }
  expect(rhoMost).toBeGreaterThan(2.6);
  expect(rhoMost).toBeLessThanOrEqual(2.7 + 1e-12);
  expect(levelLeast).toBeGreaterThanOrEqual(0.3 - 1e-12);
  expect(levelLeast).toBeLessThan(0.6);
  expect(levelMost).toBeLessThanOrEqual(11.7 + 1e-12);
  expect(levelMost).toBeGreaterThan(11.4);
});

test('the same seed gives the same fill, another seed another', async () => {
  const [first, again, other] = await Promise.all([7, 7, 8].map((seed) => load(fill({ seed, radius: { uniform: [0.2, 0.4] } }))));
  expect(again.grains).toEqual(first.grains);
  expect(other.grains.positions).not.toEqual(first.grains.positions);
});

test('equal spheres fill 30 % of a box 12 diameters wide', async () => {
  const problem = await load(fill({ count: 1120 }, { walls: [] }));
  expect(problem.grains.count).toBe(1120);
  expect(smallestGap(problem)).toBeGreaterThanOrEqual(0);
});

test.each([
  ['too many for the volume', { count: 5000 }, /1.34 times the volume of the region/],
  ['too many for random places', { count: 1600 }, /only 1[1-4]\d\d of 1600 grains found room \(they fill 42.9 %/],
  [
    'larger than the region',
    { count: 1, radius: { list: [[5.01, 1]] }, box: { min: [0, 0, 0], max: [99, 99, 10] } },
    /only 0 of 1/,
  ],
  ['below the floor', { count: 1, box: { min: [0, 0, -10], max: [1, 1, -5] } }, /only 0 of 1 grains found room/],
])('gives up a fill with grains %s, and says how many fitted', (_, random, message) =>
  expectFault(() => load(fill(random)), 'grains[0].random', message),
);

test.each([1, 1e-320, 1e305, 1.7e308])('shares count by what they are to each other: %s', (scale) => {
  const radii = drawRadii(
    {
      list: [
        [0.5, 0.3 * scale],
        [0.4, 0.9 * scale],
        [0.3, 0.6 * scale],
      ],
    },
    600,
    randomNumbers(1),
  );
  expect([0.5, 0.4, 0.3].map((radius) => radii.filter((r) => r === radius).length)).toEqual([100, 300, 200]);
});

test('shares of a list are met to the nearest grain, in mixed order', async () => {
  const { grains } = await load(
    fill({
      radius: {
        list: [
          [0.1, 2],
          [0.2, 5],
          [0.3, 3],
        ],
      },
    }),
  );
  const counted = [0.1, 0.2, 0.3].map((radius) => grains.radii.filter((r) => r === radius).length);
  expect(counted).toEqual([100, 250, 150]);
  expect(new Set(grains.radii.subarray(0, 30)).size).toBe(3);
});

test('uniform radii fill their range evenly', async () => {
  const { grains } = await load(fill({ count: 2000, radius: { uniform: [0.1, 0.3] } }));
  expect(Math.min(...grains.radii)).toBeGreaterThanOrEqual(0.1);
  expect(Math.max(...grains.radii)).toBeLessThan(0.3);
  const below = grains.radii.filter((radius) => radius < 0.15).length / 2000;
  expect(Math.abs(below - 0.25)).toBeLessThan(0.04);
});

test('normal radii have their mean and deviation, and stay in their bounds', async () => {
  const settings = { mean: 0.2, deviation: 0.02, min: 0.1, max: 0.3 };
  const { grains } = await load(fill({ count: 2000, radius: { normal: settings } }));
  const mean = grains.radii.reduce((sum, r) => sum + r, 0) / 2000;
  const deviation = Math.sqrt(grains.radii.reduce((sum, r) => sum + (r - mean) ** 2, 0) / 2000);
  expect(Math.abs(mean - 0.2)).toBeLessThan(0.002);
  expect(Math.abs(deviation - 0.02)).toBeLessThan(0.0015);
  const cut = await load(fill({ count: 2000, radius: { normal: { ...settings, min: 0.195, deviation: 1e3 } } }));
  expect(Math.min(...cut.grains.radii)).toBeGreaterThanOrEqual(0.195);
  expect(Math.max(...cut.grains.radii)).toBeLessThanOrEqual(0.3);
});
