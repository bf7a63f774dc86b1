import { describe, expect, test } from 'vitest';
import type { Vector } from '../../src/index';
import { backends, rounding, simulate } from '../support/backends';
import { pairEnergies } from '../support/energies';
import { makeProblem, plane, type TestGrain } from '../support/problems';
import { scale } from '../support/vectors';

const floor = plane([0, 0, 0], [0, 0, 1]);
const RADIUS = 0.5;

describe.each(backends)('collisions of more than two bodies on %s', (backend) => {
  const tiny = rounding[backend];

  test('a heavy grain on a light one that is pressed against a wall bounces, and gains nothing', async () => {
    const problem = makeProblem({
      grains: [
        { position: [0, 0, RADIUS], mass: 1 },
        { position: [0, 0, 3 * RADIUS + 0.003], mass: 100, velocity: [0, 0, -0.01] },
      ],
      walls: [floor],
      law: { normalRestitution: 1 },
    });
    const simulation = await simulate(problem, backend);
    const reports = await simulation.step(5);
    const { velocities } = await simulation.read();
    expect(Math.abs(velocities[5] - 0.01)).toBeLessThan(1e3 * tiny * 0.01);
    for (const { kineticEnergy } of reports) expect(kineticEnergy).toBeLessThan(0.5 * 100 * 1e-4 * (1 + 1e3 * tiny));
  });

  test('a light grain that rebounds between a wall and a heavy one does not speed it up', async () => {
    // In the step in which the light one would leave the wall, the heavy one closes on it.
    const problem = makeProblem({
      grains: [
        { position: [0, 0, RADIUS + 0.05], mass: 1, velocity: [0, 0, -0.1] },
        { position: [0, 0, 3 * RADIUS + 0.021], mass: 100, velocity: [0, 0, -0.01] },
      ],
      walls: [floor],
      law: { normalRestitution: 1 },
    });
    const before = 0.5 * 0.01 + 0.5 * 100 * 1e-4;
    const simulation = await simulate(problem, backend);
    for (const { kineticEnergy } of await simulation.step(20)) {
      expect(kineticEnergy).toBeLessThan(before * (1 + 1e3 * tiny));
    }
  });

  test.each([
    // A disk that passes on the blow between two others, one that a third strikes while it rebounds, and a pair whose slip turns round
    // while two more touch them.
    [
      0,
      [
        [0, 0, 1, 0.007, 0.023],
        [-0.631, 1.223, 0.364, 0.011, -0.05],
        [0.179, 1.352, 0.306, -0.056, -0.036],
        [-0.835, 2.009, 0.392, 0.048, -0.044],
      ],
    ],
    [
      0,
      [
        [0, 0, 1, 0.032, -0.027],
        [0.178, 1.353, 0.326, -0.053, -0.041],
        [0.709, -1.139, 0.315, -0.023, -0.036],
        [1.232, -1.444, 0.27, -0.021, 0.044],
      ],
    ],
    [
      1,
      [
        [0, 0, 1, 0.02, -0.012],
        [-1.214, -0.563, 0.335, 0.043, 0.064],
        [-1.872, -1.382, 0.696, 0.053, -0.006],
        [-1.628, 0.507, 0.68, 0.058, -0.022],
      ],
    ],
  ])('unequal disks that meet at once never have more than they brought, friction and e_t %f', async (friction, disks) => {
    const problem = makeProblem({
      dimension: 2,
      grains: disks.map(([x, y, radius, vx, vy]) => ({ position: [x, y, 0], radius, velocity: [vx, vy, 0] })),
      friction,
      law: { normalRestitution: 1, tangentialRestitution: friction },
    });
    const { masses, velocities } = problem.grains;
    const before = velocities.reduce((sum, v, k) => sum + 0.5 * masses[Math.floor(k / 3)] * v * v, 0);
    const simulation = await simulate(problem, backend);
    const reports = await simulation.step(15);
    expect(Math.min(...reports.map(({ kineticEnergy }) => kineticEnergy))).toBeLessThan(0.97 * before);
    for (const { kineticEnergy } of reports) expect(kineticEnergy).toBeLessThan(before * (1 + 1e3 * tiny));
  });

  test.each([
    // A disk that a collision pushes back to the wall that it had left, and disks that are held while they turn their slip round.
    [
      0,
      0.986,
      [
        [0.333, 0.489, 0.308, 0.006, 0.011, 0],
        [0.776, 0.76, 0.208, -0.011, -0.014, 0],
        [0.779, 0.201, 0.2, 0.002, -0.005, 0],
      ],
    ],
    [
      10,
      1.367,
      [
        [0.967, 0.402, 0.37, 0, 0.012, -0.018],
        [0.376, 0.884, 0.343, -0.019, 0.012, -0.039],
        [1.109, 1.035, 0.248, 0.003, 0.01, 0.056],
        [0.218, 0.323, 0.202, -0.01, -0.005, -0.045],
      ],
    ],
  ])('disks in a box never have more than they brought, friction %f', async (friction, side, disks) => {
    const problem = makeProblem({
      dimension: 2,
      grains: disks.map(([x, y, radius, vx, vy, turn]) => ({
        ...{ position: [x, y, 0], radius },
        ...{ velocity: [vx, vy, 0], angularVelocity: [0, 0, turn] },
      })),
      walls: [
        ...[plane([0, 0, 0], [1, 0, 0]), plane([side, 0, 0], [-1, 0, 0])],
        ...[plane([0, 0, 0], [0, 1, 0]), plane([0, side, 0], [0, -1, 0])],
      ],
      friction,
      law: { normalRestitution: 1, tangentialRestitution: 1 },
    });
    const before = pairEnergies(problem, problem.grains).reduce((sum, energy) => sum + energy);
    const simulation = await simulate(problem, backend);
    const reports = await simulation.step(8);
    expect(Math.min(...reports.map(({ kineticEnergy }) => kineticEnergy))).toBeLessThan(0.5 * before);
    for (const { kineticEnergy } of reports) expect(kineticEnergy).toBeLessThan(before * (1 + 100 * tiny));
  });

  test('disks in a box that are wedged where they turn their slip round gain nothing, whether the step converges or not', async () => {
    const side = 2.089;
    const problem = makeProblem({
      dimension: 2,
      grains: [
        [1.071, 1.411, 0.568, -0.014, -0.013, -0.028],
        [0.52, 0.494, 0.49, 0.016, 0.008, -0.014],
        [1.651, 0.505, 0.437, -0.001, -0.009, -0.013],
        [0.282, 1.736, 0.282, 0.001, 0.015, 0.002],
      ].map(([x, y, radius, vx, vy, turn]) => ({
        ...{ position: [x, y, 0], radius },
        ...{ velocity: [vx, vy, 0], angularVelocity: [0, 0, turn] },
      })),
      walls: [
        ...[plane([0, 0, 0], [1, 0, 0]), plane([side, 0, 0], [-1, 0, 0])],
        ...[plane([0, 0, 0], [0, 1, 0]), plane([0, side, 0], [0, -1, 0])],
      ],
      friction: 10,
      law: { normalRestitution: 1, tangentialRestitution: 1 },
      solver: { convergence: { criterion: 'residual', tolerance: 1e-5, balance: null, maxIterations: 100 } },
    });
    const before = pairEnergies(problem, problem.grains).reduce((sum, energy) => sum + energy);
    const simulation = await simulate(problem, backend);
    const reports = await simulation.step(5);
    for (const { kineticEnergy } of reports) expect(kineticEnergy).toBeLessThan(before * (1 + 100 * tiny));
    expect(reports[1].kineticEnergy).toBeGreaterThan(0.3 * before);
  });

  test('a row of balls: neighbours that touch move on together, those with room pass the blow on', async () => {
    const row = (gap: number) => {
      const struck = Array.from({ length: 4 }, (_, k): TestGrain => ({ position: [1 + (1 + gap) * k, 0, 0], mass: 1 }));
      return makeProblem({
        grains: [{ position: [-0.005, 0, 0], mass: 1, velocity: [0.01, 0, 0] }, ...struck],
        law: { normalRestitution: 1 },
      });
    };
    const speeds = async (gap: number) => {
      const simulation = await simulate(row(gap), backend);
      await simulation.step(40);
      const { velocities } = await simulation.read();
      return [0, 1, 2, 3, 4].map((i) => velocities[3 * i] / 0.01);
    };
    const touching = await speeds(0);
    for (const [i, expected] of [-0.6, 0.4, 0.4, 0.4, 0.4].entries()) {
      expect(Math.abs(touching[i] - expected)).toBeLessThan(1e3 * tiny);
    }
    const apart = await speeds(0.05);
    for (const [i, expected] of [0, 0, 0, 0, 1].entries()) expect(Math.abs(apart[i] - expected)).toBeLessThan(1e3 * tiny);
  });

  test('a gas of elastic spheres in a box never gains energy', async () => {
    const problem = makeProblem({
      grains: gas(3),
      walls: [0, 1, 2].flatMap((axis) =>
        [-1, 1].map((side) => {
          const normal: Vector = [0, 0, 0];
          normal[axis] = -side;
          return plane(scale(normal, -1.8), normal);
        }),
      ),
      law: { normalRestitution: 1 },
    });
    const before = pairEnergies(problem, problem.grains).reduce((sum, energy) => sum + energy);
    const simulation = await simulate(problem, backend);
    const reports = await simulation.step(backend === 'cpu' ? 500 : 60);
    let energy = before;
    for (const report of reports) {
      expect(report.kineticEnergy).toBeLessThan(before * (1 + 1e3 * tiny));
      energy = report.kineticEnergy;
    }
    // Where collisions overlap in time some is lost, the less the shorter the step.
    expect(energy).toBeGreaterThan(0.5 * before);
  });
});

/** side^3 spheres of unequal sizes about the origin with random velocities. */
function gas(side: number): TestGrain[] {
  let seed = 12345;
  const random = () => {
    seed = (seed * 48271) % 2147483647;
    return seed / 2147483647;
  };
  return Array.from({ length: side ** 3 }, (_, k): TestGrain => {
    const cell = [k % side, Math.floor(k / side) % side, Math.floor(k / side ** 2)];
    return {
      position: cell.map((c) => 1.2 * (c - (side - 1) / 2)) as Vector,
      velocity: cell.map(() => 0.02 * (random() - 0.5)) as Vector,
      radius: 0.3 + 0.2 * random(),
    };
  });
}
