import { describe, expect, test } from 'vitest';
import { longestReach } from '../../src/cpu/longestReach';
import { CpuSolver } from '../../src/cpu/solver';
import { NumericalError } from '../../src/errors';
import { nearestImage, wrapped } from '../../src/scene/periodic';
import type { Vector } from '../../src/scene/problem';
import { toSystem } from '../../src/scene/units';
import { imagePairs, nearestOf, periodicCrowd } from '../support/periodic';
import { makeProblem } from '../support/problems';
import { prepare } from '../support/systems';
import { at } from '../support/vectors';

const REACH = 0.05;

describe('periodic candidates', () => {
  test.each<[string, number, Vector]>([
    ['a box of three cells along each axis, all of them neighbours', 60, [2.9, 2.7, 2.8]],
    ['a box of four cells', 120, [4.6, 4.6, 4.7]],
    ['a box of many cells whose number does not divide it', 700, [9.3, 8.1, 7.77]],
    ['one periodic axis, a few grains wide', 300, [0, 2.7, 0]],
    ['two periodic axes', 500, [9.1, 0, 3.3]],
  ])('are all pairs by their nearest images, each once, in %s', (_, count, lengths) => {
    const system = toSystem(periodicCrowd(count, lengths));
    expect(longestReach(system.periods, Math.max(...system.radii))).toBeGreaterThan(REACH);
    const { list, grid } = prepare(system, REACH);
    const expected = imagePairs(system, 2 * REACH);
    const across = expected.filter(([i, j]) =>
      [0, 1, 2].some((axis) => Math.abs(system.positions[3 * i + axis] - system.positions[3 * j + axis]) > 1.5),
    );
    expect(across.length).toBeGreaterThan(20);
    if (count === 60) expect(grid.levels[0].dims).toEqual([3, 3, 3]);
    const found = Array.from({ length: list.count }, (_, c) => [list.first[c], list.second[c], expect.closeTo(list.gaps[c], 12)]);
    expect(expected).toEqual(found);
  });

  test('have normals that point to the nearest image', () => {
    const system = toSystem(periodicCrowd(120, [4.6, 0, 4.7]));
    const { list } = prepare(system, REACH);
    for (let c = 0; c < list.count; c++) {
      const [i, j] = [list.first[c], list.second[c]];
      const e = nearestOf(at(system.positions, i), at(system.positions, j), system.periods!);
      const distance = list.gaps[c] + system.radii[i] + system.radii[j];
      for (let axis = 0; axis < 3; axis++) expect(list.normals[3 * c + axis] * distance).toBeCloseTo(e[axis], 12);
    }
  });
});

test('a grain that moves so far that it could meet two images of another ends the run', async () => {
  const problem = makeProblem({
    grains: [{ position: [0, 0, 0], velocity: [0, 0, 2] }, { position: [1.3, 0, 0] }],
    periodic: { min: [0, 0, 0], lengths: [0, 0, 2.5] },
  });
  const solver = new CpuSolver(toSystem(problem));
  await expect(solver.step(1)).rejects.toThrow(NumericalError);
  await expect(solver.step(1)).rejects.toThrow(/grain 0 moves 2.00 mean diameters.*narrow a periodic box.*shorter timeStep/);
});

test('coordinates are wrapped from the lower end to just below the upper one', () => {
  expect([2, 4.9, 5, 8.5, -1, -4].map((x) => wrapped(x, 2, 3))).toEqual([2, 4.9, 2, 2.5, 2, 2]);
  expect(wrapped(2 - 1e-17, 2, 3)).toBe(2);
  expect(wrapped(-1e-20, 0, 3)).toBe(0);
  expect(wrapped(1e9, 2, 0)).toBe(1e9);
  expect([0.4, 1.6, -2.9, 3].map((x) => nearestImage(x, 3))).toEqual([0.4, expect.closeTo(-1.4), expect.closeTo(0.1), 0]);
  expect(nearestImage(7, 0)).toBe(7);
});
