import { describe, expect, test } from 'vitest';
import type { Vector } from '../../src/index';
import { backends, rounding, simulate } from '../support/backends';
import { cylinder, makeProblem, plane } from '../support/problems';
import { at, dot } from '../support/vectors';

const GRAVITY = 10;
const STEP = 0.01;

describe.each(backends)('rest on %s', (backend) => {
  const tiny = rounding[backend];

  test('a column of N spheres carries k m g at the k-th contact from the top', async () => {
    const count = 12;
    const grains = Array.from({ length: count }, (_, k) => ({ position: [0, 0, 0.5 + k] as Vector, mass: 2 }));
    const problem = makeProblem({
      grains,
      walls: [plane([0, 0, 0], [0, 0, 1])],
      gravity: [0, 0, -GRAVITY],
      timeStep: STEP,
      friction: 0.3,
    });
    const simulation = await simulate(problem, backend);
    const [report] = await simulation.step();
    const { contacts, velocities } = await simulation.read();
    expect(contacts.count).toBe(count);
    for (let c = 0; c < count; c++) {
      const above = Math.max(contacts.first[c], contacts.second[c] === count ? 0 : contacts.second[c]);
      const fromTop = contacts.second[c] === count ? count : count - above;
      const force = dot(at(contacts.forces, c), at(contacts.normals, c));
      expect(Math.abs(force / (fromTop * 2 * GRAVITY) - 1)).toBeLessThan(1e3 * tiny);
    }
    expect(Math.abs(report.wallLoads[2] / (-count * 2 * GRAVITY) - 1)).toBeLessThan(1e3 * tiny);
    expect(Math.max(...velocities.map(Math.abs))).toBeLessThan(1e3 * tiny);
    expect(report.meanForce / ((2 * GRAVITY * (count + 1)) / 2)).toBeCloseTo(1, 3);
  });

  test("the load on a wall has a torque about the wall's point", async () => {
    const problem = makeProblem({
      grains: [{ position: [3, 2, 0.5], mass: 2 }],
      walls: [plane([1, 1, 0], [0, 0, 1])],
      gravity: [0, 0, -GRAVITY],
      timeStep: STEP,
    });
    const [report] = await (await simulate(problem, backend)).step();
    const expected = [0, 0, -20, -20, 40, 0];
    for (let k = 0; k < 6; k++) expect(Math.abs(report.wallLoads[k] - expected[k])).toBeLessThan(100 * tiny);
  });

  test('a sphere wedged by its weight in a cylinder from inside rests where the floor of it is', async () => {
    const problem = makeProblem({
      grains: [{ position: [0, -1.5, 0], mass: 3 }],
      walls: [cylinder(2, 'inside')],
      gravity: [0, -GRAVITY, 0],
      timeStep: STEP,
      friction: 0.5,
    });
    const simulation = await simulate(problem, backend);
    const reports = await simulation.step(5);
    expect(reports[4].wallLoads[1]).toBeCloseTo(-30, 3);
    expect(Math.abs((await simulation.read()).positions[1] + 1.5)).toBeLessThan(tiny);
  });

  test('a sphere rests on two fixed ones, each bearing half of its weight over the cosine', async () => {
    const half = 0.4;
    const height = Math.sqrt(1 - half * half);
    const problem = makeProblem({
      grains: [
        { position: [-half, 0, 0], fixed: true },
        { position: [half, 0, 0], fixed: true },
        { position: [0, 0, height], mass: 4 },
      ],
      gravity: [0, 0, -GRAVITY],
      timeStep: STEP,
    });
    const simulation = await simulate(problem, backend);
    const [report] = await simulation.step();
    expect(report.candidates).toBe(2);
    const { contacts, positions } = await simulation.read();
    for (let c = 0; c < 2; c++) {
      const force = dot(at(contacts.forces, c), at(contacts.normals, c));
      expect(Math.abs(force / ((0.5 * 4 * GRAVITY) / height) - 1)).toBeLessThan(100 * tiny);
    }
    expect([...positions.slice(0, 6)]).toEqual([-half, 0, 0, half, 0, 0].map((x) => expect.closeTo(x, 6)));
  });

  test('external forces and torques act as given', async () => {
    const problem = makeProblem({
      grains: [{ position: [0, 0, 0], radius: 2, mass: 5, force: [10, 0, -5], torque: [0, 16, 0] }],
      timeStep: STEP,
    });
    const simulation = await simulate(problem, backend);
    const [report] = await simulation.step();
    const { velocities, angularVelocities } = await simulation.read();
    expect([...velocities]).toEqual([0.02, 0, -0.01].map((v) => expect.closeTo(v, 6)));
    // I = (2/5) m r^2 = 8
    expect(angularVelocities[1]).toBeCloseTo(2 * STEP, 6);
    expect(report.kineticEnergy).toBeCloseTo(0.5 * 5 * (0.02 ** 2 + 0.01 ** 2) + 0.5 * 8 * 0.02 ** 2, 7);
  });

  test('a settled packing needs few sweeps: impulses of the last step start the next', async () => {
    const count = 30;
    const grains = Array.from({ length: count }, (_, k) => ({ position: [0, 0, 0.5 + k] as Vector }));
    const sweeps = async (warmStart: boolean) => {
      const problem = makeProblem({
        grains,
        walls: [plane([0, 0, 0], [0, 0, 1])],
        gravity: [0, 0, -GRAVITY],
        timeStep: STEP,
        solver: { warmStart, convergence: { criterion: 'residual', tolerance: 1e-4, balance: 1, maxIterations: 20_000 } },
      });
      return (await (await simulate(problem, backend)).step(4)).map(({ iterations }) => iterations);
    };
    const warm = await sweeps(true);
    const cold = await sweeps(false);
    expect(warm[0]).toBe(cold[0]);
    expect(warm[0]).toBeGreaterThan(100);
    expect(warm[3]).toBeLessThanOrEqual(10);
    expect(cold[3]).toBe(cold[0]);
  });
});
