import { describe, expect, test } from 'vitest';
import type { Problem, State, Vector } from '../../src/index';
import { backends, rounding, simulate } from '../support/backends';
import { cylinder, makeProblem, plane } from '../support/problems';
import { add, at, cross, length, scale, subtract } from '../support/vectors';

describe.each(backends)('collisions on %s', (backend) => {
  const tiny = rounding[backend];

  test.each([
    ['equal', 1],
    ['unequal', 8],
  ])('two %s spheres head-on close the gap in one step and stop in the next', async (_, mass) => {
    const problem = makeProblem({
      grains: [
        { position: [0, 0, 0], mass, velocity: [0.3, 0, 0] },
        { position: [1.1, 0, 0], mass: 1, velocity: [-0.2, 0, 0] },
      ],
    });
    const centre = (0.3 * mass - 0.2) / (mass + 1);
    const simulation = await simulate(problem, backend);
    await simulation.step();
    const closed = await simulation.read();
    expect(closed.positions[3] - closed.positions[0]).toBeCloseTo(1, 5);
    expect(Math.abs(closed.positions[3] - closed.positions[0] - 1)).toBeLessThan(tiny);
    expect(closed.velocities[3] - closed.velocities[0]).toBeCloseTo(-0.1, 5);
    await simulation.step();
    const stopped = await simulation.read();
    expect(Math.abs(stopped.velocities[0] - centre)).toBeLessThan(tiny);
    expect(Math.abs(stopped.velocities[3] - centre)).toBeLessThan(tiny);
    expect(Math.abs(stopped.positions[3] - stopped.positions[0] - 1)).toBeLessThan(tiny);
  });

  test('a gap that does not close in the step is left alone', async () => {
    const problem = makeProblem({
      grains: [
        { position: [0, 0, 0], velocity: [0.04, 0, 0] },
        { position: [1.09, 0, 0], velocity: [-0.04, 0, 0] },
      ],
    });
    const simulation = await simulate(problem, backend);
    const [report] = await simulation.step();
    expect(report).toMatchObject({ candidates: 1, contacts: 0, meanForce: 0 });
    expect((await simulation.read()).velocities[0]).toBeCloseTo(0.04, 6);
  });

  test('a collision of grains without walls conserves momentum', async () => {
    const problem = makeProblem({ grains: gas(60), friction: 0.4 });
    const before = momentumOf(problem, problem.grains.velocities);
    const simulation = await simulate(problem, backend);
    const reports = await simulation.step(5);
    expect(reports.some(({ contacts }) => contacts > 20)).toBe(true);
    const after = momentumOf(problem, (await simulation.read()).velocities);
    const scaleOfMomentum = problem.grains.masses.reduce((sum, mass) => sum + mass, 0);
    expect(length(subtract(after, before))).toBeLessThan(1e-2 * tiny * scaleOfMomentum);
    expect(length(subtract(reports[4].momentum, before))).toBeLessThan(1e-2 * tiny * scaleOfMomentum);
  });

  test('touching grains of unequal sizes exchange angular momentum without loss', async () => {
    const normal: Vector = [2 / 3, -1 / 3, 2 / 3];
    const problem = makeProblem({
      grains: [
        { position: [0, 0, 0], radius: 0.8, velocity: add(scale(normal, 0.2), [0, 0.1, 0]), angularVelocity: [0.3, 0, -0.1] },
        { position: scale(normal, 1.1), radius: 0.3, velocity: [-0.05, 0.02, 0], angularVelocity: [0, 0.5, 0.2] },
      ],
      friction: 0.2,
    });
    const { positions, velocities, angularVelocities } = problem.grains;
    const before = angularMomentumOf(problem, { positions, velocities, angularVelocities });
    const simulation = await simulate(problem, backend);
    const [{ contacts }] = await simulation.step();
    expect(contacts).toBe(1);
    const state = await simulation.read();
    expect(length(at(state.contacts.forces, 0))).toBeGreaterThan(0.01);
    expect(length(subtract(angularMomentumOf(problem, state), before))).toBeLessThan(tiny);
  });

  test('a fast sphere stops at the sphere that it would pass through', async () => {
    const problem = makeProblem({
      grains: [
        { position: [0, 0, 0], velocity: [7, 0, 0] },
        { position: [4, 0, 0], fixed: true },
      ],
    });
    const simulation = await simulate(problem, backend);
    await simulation.step(2);
    const { positions, velocities } = await simulation.read();
    expect(Math.abs(positions[0] - 3)).toBeLessThan(10 * tiny);
    expect(Math.abs(velocities[0])).toBeLessThan(10 * tiny);
    expect(simulation.warnings.filter((warning) => /Step 1 .*grain 0 /.test(warning))).toHaveLength(1);
  });

  test.each([
    ['a plane', plane([3, 0, 0], [-1, 0, 0]), 2.5],
    ['a cylinder from inside', cylinder(3, 'inside'), 2.5],
    ['a cylinder from outside', { ...cylinder(2, 'outside'), point: [5, 0, 0] as Vector }, 2.5],
  ])('a fast sphere stops at %s', async (_, wall, x) => {
    const problem = makeProblem({ grains: [{ position: [0, 0, 0.2], velocity: [9, 0, 0] }], walls: [wall] });
    const simulation = await simulate(problem, backend);
    await simulation.step(2);
    const { positions } = await simulation.read();
    expect(Math.abs(positions[0] - x)).toBeLessThan(10 * tiny);
    expect(Math.abs(positions[2] - 0.2)).toBeLessThan(10 * tiny);
  });

  test('a grain that is squeezed out faster than anything moved before still meets what is in its way', async () => {
    // Two heavy grains close like a wedge on a light one, which leaves at ten times their speed.
    const y = 0.1;
    const x = Math.sqrt(1 - y * y);
    const problem = makeProblem({
      grains: [
        { position: [-x, -y, 0], mass: 1000, velocity: [0.01, 0, 0] },
        { position: [x, -y, 0], mass: 1000, velocity: [-0.01, 0, 0] },
        { position: [0, 0, 0], mass: 1 },
        { position: [0, 1.05, 0], mass: 1 },
      ],
    });
    const simulation = await simulate(problem, backend);
    const [report] = await simulation.step();
    expect(report.redone).toBeGreaterThan(0);
    const { positions } = await simulation.read();
    expect(positions[7]).toBeGreaterThan(0.09);
    expect(positions[10] - positions[7]).toBeGreaterThan(1 - 100 * tiny);
    expect(positions[10]).toBeGreaterThan(1.09);
  });
});

/** Unequal spheres in random places of a small box that fly towards its centre. */
function gas(count: number) {
  let seed = 12345;
  const random = () => {
    seed = (seed * 48271) % 2147483647;
    return seed / 2147483647;
  };
  const side = Math.ceil(Math.cbrt(count));
  return Array.from({ length: count }, (_, k) => {
    const cell: Vector = [k % side, Math.floor(k / side) % side, Math.floor(k / side ** 2)];
    const position = cell.map((c) => 1.05 * c + 0.02 * random()) as Vector;
    const velocity = position.map((x) => 0.1 * ((side - 1) / 2 - x) + 0.02 * random()) as Vector;
    return { position, velocity, radius: 0.3 + 0.2 * random(), angularVelocity: [random(), random(), random()] as Vector };
  });
}

function momentumOf({ grains }: Problem, velocities: Float64Array): Vector {
  let sum: Vector = [0, 0, 0];
  for (let i = 0; i < grains.count; i++) sum = add(sum, scale(at(velocities, i), grains.masses[i]));
  return sum;
}

function angularMomentumOf(
  { grains }: Problem,
  { positions, velocities, angularVelocities }: Pick<State, 'positions' | 'velocities' | 'angularVelocities'>,
): Vector {
  let sum: Vector = [0, 0, 0];
  for (let i = 0; i < grains.count; i++) {
    const orbital = scale(cross(at(positions, i), at(velocities, i)), grains.masses[i]);
    const own = scale(at(angularVelocities, i), 0.4 * grains.masses[i] * grains.radii[i] ** 2);
    sum = add(sum, add(orbital, own));
  }
  return sum;
}
