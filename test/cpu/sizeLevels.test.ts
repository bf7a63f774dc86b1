import { describe, expect, test } from 'vitest';
import { cellCount } from '../../src/cpu/grid';
import { chooseSizeLevels, sortIntoLevels } from '../../src/cpu/sizeLevels';
import { MAX_CELLS_PER_GRAIN } from '../../src/settings';
import { imagePairs } from '../support/periodic';
import { type MixOptions, mixOfSizes } from '../support/sizes';
import { gridOf, prepare } from '../support/systems';

const REACH = 0.05;

/** So many levels for each doubling of the radius, whether it pays or not. */
function levelsPerDoubling(radii: Float64Array, perDoubling: number) {
  const ends = new Map<number, number>();
  for (const radius of Float32Array.from(radii)) {
    const key = Math.floor(perDoubling * Math.log2(radius));
    ends.set(key, Math.max(ends.get(key) ?? 0, radius));
  }
  return sortIntoLevels(
    radii,
    [...ends.values()].sort((a, b) => a - b),
  );
}

describe('levels of linked cells', () => {
  const mixes: [string, MixOptions][] = [
    ['spheres 1:50', { count: 500, ratio: 50 }],
    ['spheres 1:1000', { count: 400, ratio: 1000 }],
    ['disks 1:20', { count: 400, ratio: 20, dimension: 2 }],
    ['spheres 1:5 in a box of three of the largest cells', { count: 300, ratio: 5, lengths: [23, 25, 24] }],
    ['spheres 1:5 along one periodic axis', { count: 300, ratio: 5, lengths: [0, 23, 0] }],
  ];
  test.each(mixes)('find the pairs that brute force finds, whatever the levels: %s', (_, options) => {
    const system = mixOfSizes(options);
    const pairs = imagePairs({ ...system, periods: system.periods ?? [0, 0, 0] }, 2 * REACH);
    const expected = pairs.filter(([i, j]) => system.inverseMasses[i] + system.inverseMasses[j] > 0).map(([i, j]) => `${i}-${j}`);
    expect(expected.length).toBeGreaterThan(200);
    expect(chooseSizeLevels(system).counts.length).toBeGreaterThan(1);
    const choices = [
      chooseSizeLevels(system),
      sortIntoLevels(system.radii, [Math.fround(Math.max(...system.radii))]),
      levelsPerDoubling(system.radii, 1),
      levelsPerDoubling(system.radii, 3),
    ];
    for (const levels of choices) {
      const { list } = prepare(system, REACH, levels);
      expect(Array.from({ length: list.count }, (_, c) => `${list.first[c]}-${list.second[c]}`)).toEqual(expected);
    }
  });

  test('are one for grains of one size, and each grain is in the first that it fits in', () => {
    const equal = Float64Array.from({ length: 100 }, (_, i) => 0.5 + 0.001 * (i % 10));
    expect(chooseSizeLevels({ radii: equal, inertiaFactor: 2.5 }).counts).toEqual([100]);
    const { radii, inertiaFactor } = mixOfSizes({ count: 3000, ratio: 50 });
    const { largestRadii, counts, levelOf } = chooseSizeLevels({ radii, inertiaFactor });
    expect(counts.reduce((sum, count) => sum + count)).toBe(3000);
    expect(largestRadii.at(-1)).toBe(Math.fround(Math.max(...radii)));
    radii.forEach((radius, i) => {
      expect(Math.fround(radius)).toBeLessThanOrEqual(largestRadii[levelOf[i]]);
      if (levelOf[i] > 0) expect(Math.fround(radius)).toBeGreaterThan(largestRadii[levelOf[i] - 1]);
    });
  });

  test.each([1, 10, 50, 1000])(
    'have no more cells than go by the number of grains, at 1:%i and however far these are apart',
    (ratio) => {
      const system = mixOfSizes({ count: 2000, ratio });
      for (const apart of [1, 1e4]) {
        const spread = { ...system, positions: system.positions.map((x) => apart * x) };
        const { levels, starts } = gridOf(spread, REACH);
        expect(starts.length - 1).toBe(levels.reduce((sum, level) => sum + cellCount(level), 0));
        expect(starts.length - 1).toBeLessThanOrEqual(MAX_CELLS_PER_GRAIN * 2000 + 27 * levels.length);
      }
    },
  );
});
