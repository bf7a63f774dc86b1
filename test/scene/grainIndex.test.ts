import { expect, test } from 'vitest';
import { randomNumbers } from '../../src/scene/generators/randomNumbers';
import { GrainIndex } from '../../src/scene/grainIndex';

/** Spheres about the origin, so that cells of negative index are there too; sizes 1 to 50. */
function spheres(count: number) {
  const random = randomNumbers(3);
  return {
    positions: Float64Array.from({ length: 3 * count }, () => 40 * (random() - 0.5)),
    radii: Float64Array.from({ length: count }, () => 0.1 * 50 ** random()),
    random,
  };
}

test('finds the spheres that overlap another, each once, as a search over all does', () => {
  const { positions, radii, random } = spheres(700);
  const index = new GrainIndex(positions, radii);
  for (let i = 0; i < radii.length; i++) index.add(i);
  let overlaps = 0;
  for (let probe = 0; probe < 200; probe++) {
    const [x, y, z] = [0, 0, 0].map(() => 44 * (random() - 0.5));
    const radius = 0.1 * 80 ** random();
    const found: number[] = [];
    const stopped = index.overlaps(x, y, z, radius, (j, distance) => {
      found.push(j);
      expect(distance).toBeCloseTo(Math.hypot(x - positions[3 * j], y - positions[3 * j + 1], z - positions[3 * j + 2]), 12);
      return false;
    });
    const expected = [...radii.keys()].filter(
      (j) => Math.hypot(x - positions[3 * j], y - positions[3 * j + 1], z - positions[3 * j + 2]) < radius + radii[j],
    );
    expect(stopped).toBe(false);
    expect(found.sort((a, b) => a - b)).toEqual(expected);
    overlaps += expected.length;
  }
  expect(overlaps).toBeGreaterThan(500);
});

test('stops where it is told to', () => {
  const index = new GrainIndex(new Float64Array(6), Float64Array.of(1, 1));
  index.add(0);
  index.add(1);
  let calls = 0;
  expect(index.overlaps(0, 0, 0, 1, () => ++calls > 0)).toBe(true);
  expect(calls).toBe(1);
});

test('tells apart cells of different sizes that share a bucket', () => {
  for (let small = 0; small < 20; small++) {
    for (let large = small + 1; large < 20; large++) {
      // As many large grains as there are cells about the query, so that cells are searched rather than the list of grains.
      const radii = Float64Array.of(1, 2 ** small, ...Array(27).fill(2 ** large));
      for (let octant = 0; octant < 8; octant++) {
        const sign = (axis: number) => (octant & (1 << axis) ? -0.1 : 0.1);
        const index = new GrainIndex(
          Float64Array.from({ length: 3 * radii.length }, (_, k) => sign(k % 3)),
          radii,
        );
        for (let i = 0; i < radii.length; i++) index.add(i);
        const found: number[] = [];
        index.overlaps(0, 0, 0, 2 ** large, (j) => found.push(j) < 0);
        expect(found.sort((a, b) => a - b)).toEqual([...radii.keys()]);
      }
    }
  }
});
