import { describe, expect, test } from 'vitest';
import type { Problem, Vector } from '../../src/index';
import { randomNumbers } from '../../src/scene/generators/randomNumbers';
import type { PairLaw } from '../../src/scene/problem';
import { backends, rounding, simulate } from '../support/backends';
import { makeProblem, type TestGrain } from '../support/problems';
import { add, at, dot, scale, subtract } from '../support/vectors';

const RADIUS = 0.5;

describe.each(backends)('pairs that collide head-on on %s', (backend) => {
  const tiny = rounding[backend];
  // Places reach 40 diameters across, and the smallest steps are 5e-4: single precision has the gap right to some 1e-4 of one.
  const ofSpeed = backend === 'cpu' ? tiny : 1e-3;

  describe.each([2, 3] as const)('in %i dimensions', (dimension) => {
    test.each([0, 0.3, 0.7, 1])(
      'leave with %f of the speed, in any direction, of any masses, wherever the gap closes',
      async (restitution) => {
        for (const share of [0.001, 0.01, 0.1]) {
          const speed = share * RADIUS;
          const { problem, directions } = pairs(dimension, speed, { normalRestitution: restitution });
          const simulation = await simulate(problem, backend);
          await simulation.step(4);
          const { velocities } = await simulation.read();
          const [before, after] = [problem.grains.velocities, velocities].map((of) => energiesOfPairs(problem, of));
          directions.forEach((direction, k) => {
            const parting = dot(subtract(at(velocities, 2 * k + 1), at(velocities, 2 * k)), direction);
            expect(Math.abs(parting / speed - restitution), `pair ${k}, ${share}`).toBeLessThan(ofSpeed);
            expect(after[k] / before[k] - 1, `pair ${k}, ${share}`).toBeLessThan(10 * tiny);
            if (restitution === 1) expect(after[k] / before[k]).toBeGreaterThan(0.99);
          });
        }
      },
    );
  });
});

describe.each(backends)('pairs that collide obliquely, and turn, on %s', (backend) => {
  test.each([2, 3] as const)('gain no energy by tangential restitution in %i dimensions', async (dimension) => {
    for (const share of [0.01, 0.1, 0.3]) {
      for (const friction of [0.3, 10]) {
        const law = { normalRestitution: 1, tangentialRestitution: 1 };
        const { problem } = pairs(dimension, share * RADIUS, law, friction, randomNumbers(7));
        const simulation = await simulate(problem, backend);
        await simulation.step(4);
        const { velocities, angularVelocities } = await simulation.read();
        const before = energiesOfPairs(problem, problem.grains.velocities, problem.grains.angularVelocities);
        const after = energiesOfPairs(problem, velocities, angularVelocities);
        const sum = (energies: number[]) => energies.reduce((total, energy) => total + energy);
        before.forEach((energy, k) => {
          expect(after[k] / energy - 1, `pair ${k}, ${share}, ${friction}`).toBeLessThan(10 * rounding[backend]);
        });
        if (friction === 10) expect(sum(after) / sum(before)).toBeGreaterThan(0.98);
      }
    }
  });
});

/**
 * Pairs of spheres or disks far from each other that meet at `speed` along a direction of their own, each elsewhere in a step.
 * @param askew draws by how much they also pass each other and turn
 */
function pairs(
  dimension: 2 | 3,
  speed: number,
  law: Partial<PairLaw>,
  friction = 0,
  askew = () => 0.5,
): { problem: Problem; directions: Vector[] } {
  const random = randomNumbers(5);
  const directions: Vector[] = [];
  const grains = Array.from({ length: 60 }, (_, k): TestGrain[] => {
    const z = dimension === 2 ? 0 : 2 * random() - 1;
    const [across, angle] = [Math.sqrt(1 - z * z), 2 * Math.PI * random()];
    const direction: Vector = [across * Math.cos(angle), across * Math.sin(angle), z];
    directions.push(direction);
    const position: Vector = [5 * (k % 8), 5 * Math.floor(k / 8), 0];
    const radius = [RADIUS, 0.6 * RADIUS][k % 2];
    const place = [0, 1e-4, 0.5, 0.9999][k] ?? random();
    const apart = RADIUS + radius + (1 + place) * speed;
    const draw = (z: number): Vector => [askew() - 0.5, askew() - 0.5, z * (askew() - 0.5)].map((x) => 2 * speed * x) as Vector;
    const aside = draw(dimension - 2);
    const passing = subtract(aside, scale(direction, dot(aside, direction)));
    const turning = () => (dimension === 3 ? draw(1) : ([0, 0, draw(1)[2]] as Vector));
    return [
      {
        ...{ position, radius: RADIUS, mass: [1, 5, 30][k % 3] },
        ...{ velocity: scale(direction, 0.6 * speed), angularVelocity: scale(turning(), 1 / RADIUS) },
      },
      {
        ...{ position: add(position, scale(direction, apart)), radius, mass: 1 },
        ...{ velocity: add(scale(direction, -0.4 * speed), passing), angularVelocity: scale(turning(), 1 / radius) },
      },
    ];
  }).flat();
  // Once all have collided without restitution, what is left of impulses is rounding, which no residual would accept.
  const solver = { convergence: { criterion: 'fixed', iterations: 10 } } as const;
  return { problem: makeProblem({ dimension, grains, friction, law, solver }), directions };
}

/** Kinetic energy of each pair. */
function energiesOfPairs(
  { dimension, grains }: Problem,
  velocities: Float64Array,
  angularVelocities: Float64Array = new Float64Array(velocities.length),
): number[] {
  const square = (of: Float64Array, i: number) => dot(at(of, i), at(of, i));
  const inertia = dimension === 2 ? 1 / 2 : 2 / 5;
  const energy = (i: number) => square(velocities, i) + inertia * grains.radii[i] ** 2 * square(angularVelocities, i);
  return Array.from({ length: grains.count / 2 }, (_, k) =>
    [2 * k, 2 * k + 1].reduce((sum, i) => sum + 0.5 * grains.masses[i] * energy(i), 0),
  );
}
