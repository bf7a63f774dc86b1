import { describe, expect, test } from 'vitest';
import { packBodies } from '../../src/cpu/bodies';
import { CellsAround, partUnits, wholeParts } from '../../src/cpu/cellRanges';
import { buildGrid, cellCount, type Grid, layOutGrid } from '../../src/cpu/grid';
import { findReach, slowSpeed } from '../../src/cpu/reach';
import { sortIntoLevels } from '../../src/cpu/sizeLevels';
import type { Vector } from '../../src/scene/problem';
import type { System } from '../../src/scene/system';
import { toSystem } from '../../src/scene/units';
import { BASE_REACH, SLOW } from '../../src/settings';
import { imagePairs } from '../support/periodic';
import { makeProblem, type TestGrain } from '../support/problems';
import { type MixOptions, mixOfSizes } from '../support/sizes';
import { gridOf } from '../support/systems';

/** Reach that the cells allow for, mean diameters. */
const LIMIT = 0.5;

function reaches(system: System, slow: number, grid: Grid = gridOf(system, LIMIT)): Float64Array {
  const motion = packBodies(system.velocities, system.spins, system.inverseMasses);
  const reach = new Float64Array(system.grains);
  findReach(grid, motion, new Float64Array(system.grains), reach, slow);
  return reach;
}

/** On the level of the second grain, and on that of the first, which is larger: 9 x 9 x 3 cells on each. */
function inTwoLevels({ radii, positions }: System): Grid {
  const { levelOf, ...sizes } = sortIntoLevels(radii, [Math.fround(radii[1]), Math.fround(radii[0])]);
  const levels = layOutGrid(sizes, [0, 0, 0], 1).map((level, l) => ({ ...level, dims: [9, 9, 3] as const, firstCell: 243 * l }));
  return buildGrid(positions, levels, levelOf);
}

const speedsOf = ({ grains, velocities: v }: System) =>
  Array.from({ length: grains }, (_, i) => Math.sqrt(v[3 * i] ** 2 + v[3 * i + 1] ** 2 + v[3 * i + 2] ** 2));

/** What grains reckon with, each by a look at all others: what findReach finds with few looks. */
function reckoned(
  { grains, positions, periods }: System,
  speeds: readonly number[],
  slow: number,
  { levels, levelOf }: Grid,
): number[] {
  const units = partUnits(periods);
  const homes = levels.map((level) => {
    const around = new CellsAround(level, periods);
    return Array.from({ length: grains }, (_, i) => {
      const place = new Float64Array(3);
      wholeParts(positions, i, units, place);
      return around.homeOf(place) - level.firstCell;
    });
  });
  const beside = (level: number, i: number, j: number) => {
    let [a, b] = [homes[level][i], homes[level][j]];
    return levels[level].dims.every((count) => {
      const way = Math.abs((a % count) - (b % count));
      [a, b] = [Math.floor(a / count), Math.floor(b / count)];
      return way <= 1 || way === count - 1;
    });
  };
  const fastest = (which: (j: number) => boolean) =>
    speeds.reduce((most, speed, j) => (speed > most && which(j) ? speed : most), slow);
  const larger = (speed: number, other: number) => (other > speed + SLOW ? other : speed);
  return speeds.map((_, i) => {
    const own = levelOf[i];
    let speed = fastest((j) => levelOf[j] === own && beside(own, i, j));
    for (let level = own + 1; level < levels.length; level++) {
      const around = new CellsAround(levels[level], periods);
      const place = new Float64Array(3);
      wholeParts(positions, i, units, place);
      around.put(place, Math.ceil((levels[own].cellParts + levels[level].cellParts) / 2));
      const met = new Float64Array(levels[level].firstCell + cellCount(levels[level])).fill(slow);
      for (let j = 0; j < grains; j++) {
        const cell = levels[level].firstCell + homes[level][j];
        if (levelOf[j] === level) met[cell] = Math.max(met[cell], speeds[j]);
      }
      speed = larger(speed, around.largest(met));
    }
    return larger(
      speed,
      fastest((j) => levelOf[j] < own && beside(own, i, j)),
    );
  });
}

describe('grains that are slow', () => {
  const mixes: [string, MixOptions][] = [
    ['equal spheres', { count: 300, ratio: 1.001 }],
    ['spheres 1:50', { count: 500, ratio: 50 }],
    ['disks 1:20', { count: 400, ratio: 20, dimension: 2 }],
    ['spheres 1:5 in a periodic box', { count: 300, ratio: 5, lengths: [23, 25, 24] }],
  ];
  test.each(mixes)(
    'count as fast as what is slow at most, and grains reckon with the fast ones that they may meet: %s',
    (_, options) => {
      const system = mixOfSizes(options);
      const { velocities, grains } = system;
      const grid = gridOf(system, LIMIT);
      const pairs = imagePairs({ ...system, periods: system.periods ?? [0, 0, 0] }, 2 * LIMIT);
      expect(pairs.length).toBeGreaterThan(500);
      const speeds = speedsOf(system);
      const sorted = speeds.toSorted((a, b) => a - b);
      for (const share of [0, 0.1, 0.5, 0.9, 0.99]) {
        const slow = sorted[Math.floor(share * grains)];
        const reach = reaches(system, slow);
        const stopped = velocities.map((v, k) => (speeds[Math.floor(k / 3)] <= slow ? 0 : v));
        expect(reaches({ ...system, velocities: stopped }, slow, grid)).toEqual(reach);
        const falls = speeds.filter((speed, i) => reach[i] < BASE_REACH + Math.max(slow, speed));
        const misses = pairs.filter(([i, j]) => {
          const tolerance = grid.levelOf[i] === grid.levelOf[j] ? 1e-15 : SLOW;
          return Math.min(reach[i], reach[j]) < BASE_REACH + Math.max(speeds[i], speeds[j]) - tolerance;
        });
        expect([falls, misses]).toEqual([[], []]);
        const known = new Set([slow, ...speeds].map((speed) => BASE_REACH + speed));
        expect([...reach].filter((r) => !known.has(r))).toEqual([]);
      }
    },
  );

  test.each(mixes)('reckon with what a look at all others tells, to the bit: %s', (_, options) => {
    const system = mixOfSizes({ ...options, count: 150 });
    const grid = gridOf(system, LIMIT);
    // Slow on one side, faster towards the other; and most at rest, a few fast.
    for (const pace of [
      (i: number) => 0.1 * (system.positions[3 * i] + 10),
      (i: number) => 0.5 * ((7 * i) % 10 === 0 ? 1 : 0.01),
    ]) {
      const moving = { ...system, velocities: system.velocities.map((v, k) => v * pace(Math.floor(k / 3))) };
      for (const slow of [0, 0.002]) {
        const expected = reckoned(moving, speedsOf(moving), slow, grid).map((speed) => BASE_REACH + speed);
        expect([...reaches(moving, slow, grid)]).toEqual(expected);
      }
    }
  });

  test('reckon with fast ones of all sizes around them', () => {
    // Small grains at a large one, far from another that is fast; and a fast small one at a large one.
    const grains: TestGrain[] = [
      { position: [0, 0, 0], radius: 10 },
      { position: [10.5, 0, 0], radius: 0.5, velocity: [0, 0, 3] },
      { position: [100, 0, 0], radius: 10, velocity: [0, 0, 2] },
      { position: [110.5, 0, 0], radius: 0.5 },
      { position: [0, 100, 0], radius: 0.5 },
    ];
    const system = toSystem(makeProblem({ grains }));
    const speeds = Array.from(reaches(system, 0, inTwoLevels(system)), (r) => (r - BASE_REACH) * system.units.length);
    expect(speeds).toEqual([3, 3, 2, 2, 0].map((speed) => expect.closeTo(speed, 9)));
  });

  test('of other sizes count where they are faster by more than a little, whatever is fast far away', () => {
    // A small one at a large one, and both once more, fast, in cells of which none is beside those of the first.
    const grains = [0, 10.5, 100, 110.5].map((x, i) => ({ position: [x, 0, 0] as Vector, radius: i % 2 === 0 ? 10 : 0.5 }));
    const system = toSystem(makeProblem({ grains }));
    const grid = inTwoLevels(system);
    for (const [small, large, reckoned] of [
      [0.05 + 0.9 * SLOW, 0.05, [0.05, 0.05 + 0.9 * SLOW]],
      [0.05 + 1.1 * SLOW, 0.05, [0.05 + 1.1 * SLOW, 0.05 + 1.1 * SLOW]],
      [0.05, 0.05 + 0.9 * SLOW, [0.05 + 0.9 * SLOW, 0.05]],
      [0.05, 0.05 + 1.1 * SLOW, [0.05 + 1.1 * SLOW, 0.05 + 1.1 * SLOW]],
    ] as const) {
      for (const far of [0, 0.5]) {
        const velocities = Float64Array.of(large, 0, 0, 0, small, 0, 0, far, 0, 0, 0, far);
        const reach = reaches({ ...system, velocities }, 0, grid);
        expect([...reach]).toEqual([...reckoned, far, far].map((speed) => BASE_REACH + speed));
      }
    }
  });

  test.each(mixes)('reckon with the fastest of all, without a look into cells, where there are no others: %s', (_, options) => {
    const system = mixOfSizes(options);
    const most = Math.max(...speedsOf(system));
    const { levels, levelOf, positions } = gridOf(system, LIMIT);
    const withoutCells = { levels, levelOf, positions } as Grid;
    const reach = reaches(system, most, withoutCells);
    expect([...reach]).toEqual(Array.from(reach, () => BASE_REACH + most));
    expect(() => reaches(system, 0.999 * most, withoutCells)).toThrow();
  });

  test('are those hardly faster than loads make most grains that can move', () => {
    const loads = [4, 0, 4, 0, 4, 0.1, 0];
    const grains = loads.map((z, i) => ({ position: [2 * i, 0, 0] as [number, number, number], fixed: z === 0 }));
    const system = toSystem(makeProblem({ grains }));
    const accelerations = Float64Array.from(loads.flatMap((z) => [0, 0, -z]));
    expect(slowSpeed({ ...system, accelerations })).toBe(4 + SLOW);
    expect(slowSpeed(toSystem(makeProblem({ grains: [] })))).toBe(SLOW);
  });
});
