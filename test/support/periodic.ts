import { randomNumbers } from '../../src/scene/generators/randomNumbers';
import type { Periodic, Problem, Vector } from '../../src/scene/problem';
import type { System } from '../../src/scene/system';
import { makeProblem, type TestGrain, type TestScene } from './problems';
import { at, length, subtract } from './vectors';

/** Grains of radii 0.3 to 0.5 at random, many overlapping, in a box that is periodic where `lengths` is above 0 (10 long elsewhere). */
export function periodicCrowd(count: number, lengths: Vector, parts: Partial<TestScene> = {}, seed = 1): Problem {
  const random = randomNumbers(seed);
  const periodic: Periodic = { min: [5, -3, 2], lengths };
  const grains = Array.from({ length: count }, (): TestGrain => {
    const position = periodic.min.map((least, axis) => least + (lengths[axis] || 10) * random()) as Vector;
    return {
      position,
      radius: 0.3 + 0.2 * random(),
      velocity: [0.02 * (random() - 0.5), 0.02 * (random() - 0.5), 0.02 * (random() - 0.5)],
      angularVelocity: [0.1 * (random() - 0.5), 0.1 * (random() - 0.5), 0.1 * (random() - 0.5)],
    };
  });
  return makeProblem({ grains, periodic, friction: 0.4, ...parts });
}

/** The same problem with all grains moved, and those that leave the box brought back by whole periods. */
export function moved(problem: Problem, by: Vector): Problem {
  const { min, lengths } = problem.periodic!;
  const positions = problem.grains.positions.map((x, k) => {
    const [least, period] = [min[k % 3], lengths[k % 3]];
    const there = x + by[k % 3];
    return period > 0 ? there - period * Math.floor((there - least) / period) : there;
  });
  return { ...problem, grains: { ...problem.grains, positions } };
}

/** Where a grain finds another, by trying all images of it. */
export function nearestOf(a: Vector, b: Vector, lengths: Vector): Vector {
  let best: Vector = [Infinity, 0, 0];
  for (const x of lengths[0] ? [-1, 0, 1] : [0]) {
    for (const y of lengths[1] ? [-1, 0, 1] : [0]) {
      for (const z of lengths[2] ? [-1, 0, 1] : [0]) {
        const e = subtract([b[0] + x * lengths[0], b[1] + y * lengths[1], b[2] + z * lengths[2]], a);
        if (length(e) < length(best)) best = e;
      }
    }
  }
  return best;
}

/** All pairs of grains with gap at most `reach` by brute force over all images: (first, second, gap), sorted. */
export function imagePairs({ grains, positions, radii, periods }: System, reach: number): [number, number, number][] {
  const pairs: [number, number, number][] = [];
  for (let i = 0; i < grains; i++) {
    for (let j = i + 1; j < grains; j++) {
      const gap = length(nearestOf(at(positions, i), at(positions, j), periods!)) - radii[i] - radii[j];
      if (gap <= reach) pairs.push(radii[i] <= radii[j] ? [i, j, gap] : [j, i, gap]);
    }
  }
  return pairs.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
}
