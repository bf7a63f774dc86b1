import { describe, expect, test } from 'vitest';
import type { Vector } from '../../src/index';
import type { WallShape } from '../../src/scene/problem';
import { backends, rounding, simulate } from '../support/backends';
import { violations } from '../support/laws';
import { pouringDisks } from '../support/packings';
import { makeProblem, plane, type TestScene } from '../support/problems';

const GRAVITY = 10;
const STEP = 0.01;

/** A disk on the line y = 0. Gravity is tilted instead of the line: downhill is +x. */
const onLine = (angle: number, friction: number, radius: number, velocity: Vector = [0, 0, 0]): TestScene => ({
  grains: [{ position: [0, radius, 0], radius, velocity }],
  walls: [plane([0, 0, 0], [0, 1, 0])],
  gravity: [GRAVITY * Math.sin(angle), -GRAVITY * Math.cos(angle), 0],
  timeStep: STEP,
  friction,
  dimension: 2,
});

describe.each(backends)('disks on %s', (backend) => {
  const tiny = rounding[backend];

  test.each([0.1, 0.5, 1.2])('a disk rolls down an incline of %f rad iff mu >= tan(angle)/3', async (angle) => {
    const critical = Math.tan(angle) / 3;
    const radius = 0.7;
    const time = 40 * STEP;
    for (const mu of [1.001 * critical, 0.999 * critical, 0.3 * critical]) {
      const simulation = await simulate(makeProblem(onLine(angle, mu, radius)), backend);
      const reports = await simulation.step(40);
      const { velocities, angularVelocities } = await simulation.read();
      const rolls = mu > critical;
      const acceleration = rolls ? (2 / 3) * GRAVITY * Math.sin(angle) : GRAVITY * (Math.sin(angle) - mu * Math.cos(angle));
      const turning = rolls ? acceleration / radius : (2 * mu * GRAVITY * Math.cos(angle)) / radius;
      expect(Math.abs(velocities[0] / (acceleration * time) - 1)).toBeLessThan(tiny);
      expect(Math.abs(-angularVelocities[2] / (turning * time) - 1)).toBeLessThan(tiny);
      const mass = Math.PI * radius ** 2;
      const energy = 0.5 * mass * (acceleration * time) ** 2 + 0.25 * mass * (radius * turning * time) ** 2;
      expect(Math.abs(reports[39].kineticEnergy / energy - 1)).toBeLessThan(4 * tiny);
    }
  });

  test('a sliding disk rolls after u0/(3 mu g), with 2/3 of its speed', async () => {
    const [u0, mu, radius] = [2, 0.2, 0.5];
    const simulation = await simulate(makeProblem(onLine(0, mu, radius, [u0, 0, 0])), backend);
    const rollsAfter = u0 / (3 * mu * GRAVITY);
    const steps = Math.ceil(rollsAfter / STEP) + 5;
    await simulation.step(steps - 10);
    expect(Math.abs((await simulation.read()).velocities[0] - (u0 - mu * GRAVITY * STEP * (steps - 10)))).toBeLessThan(10 * tiny);
    await simulation.step(10);
    const { velocities, angularVelocities } = await simulation.read();
    expect(Math.abs(velocities[0] - (2 / 3) * u0)).toBeLessThan(10 * tiny);
    expect(Math.abs(angularVelocities[2] * radius + (2 / 3) * u0)).toBeLessThan(10 * tiny);
  });

  test('a ring is two pieces of a line: a disk falls past them, rests on one, and over the middle of the hole stays in the plane', async () => {
    const ring = (inner: number): WallShape => ({
      kind: 'plane',
      point: [0, 0, 0],
      normal: [0, 1, 0],
      region: { inner, outer: 3, rims: [true, true] },
    });
    const fallen = async (inner: number, x: number, steps: number) => {
      const grains = [{ position: [x, 0.6, 0] as Vector }];
      const scene = { grains, walls: [ring(inner)], gravity: [0, -GRAVITY, 0] as Vector, timeStep: STEP, dimension: 2 as const };
      const simulation = await simulate(makeProblem(scene), backend);
      await simulation.step(steps);
      return simulation.read();
    };
    for (const x of [-2, 2]) expect((await fallen(1, x, 50)).positions[1]).toBeCloseTo(0.5, 4);
    expect((await fallen(1, 0, 50)).positions[1]).toBeLessThan(-0.6);
    const { positions, velocities, contacts } = await fallen(0.3, 0, 21);
    expect(contacts.count).toBe(1);
    expect(Math.abs(contacts.forces[0])).toBeGreaterThan(0);
    expect([positions[2], velocities[2], contacts.forces[2]]).toEqual([0, 0, 0]);
  });

  test('a torque turns a disk by 2 t/(m r^2)', async () => {
    const radius = 0.6;
    const grains = [{ position: [0, 0, 0] as Vector, radius, mass: 3, torque: [0, 0, 0.4] as Vector }];
    const simulation = await simulate(makeProblem({ grains, timeStep: STEP, dimension: 2 }), backend);
    await simulation.step(10);
    const turned = (2 * 0.4 * 10 * STEP) / (3 * radius ** 2);
    expect(Math.abs((await simulation.read()).angularVelocities[2] / turned - 1)).toBeLessThan(tiny);
  });

  test('two disks that meet off centre keep momentum and angular momentum', async () => {
    const scene: TestScene = {
      grains: [
        { position: [0, 0, 0], radius: 0.5, velocity: [1, 0.2, 0], angularVelocity: [0, 0, 3] },
        { position: [0.9, 0.3, 0], radius: Math.hypot(0.9, 0.3) - 0.5, mass: 2, velocity: [-0.5, 0, 0] },
      ],
      timeStep: STEP,
      friction: 0.4,
      dimension: 2,
    };
    const problem = makeProblem(scene);
    const [one, two] = problem.grains.masses;
    const simulation = await simulate(problem, backend);
    // Arms are r n, so moments are taken with the centres where the step begins.
    const moment = (v: Float64Array, w: Float64Array) =>
      two * (0.9 * v[4] - 0.3 * v[3]) + 0.5 * one * 0.25 * w[2] + 0.5 * two * problem.grains.radii[1] ** 2 * w[5];
    const before = await simulation.read();
    await simulation.step();
    const after = await simulation.read();
    expect(after.contacts.count).toBe(1);
    expect(after.velocities[0]).not.toBe(1);
    for (const axis of [0, 1]) {
      const momentum = (v: Float64Array) => one * v[axis] + two * v[3 + axis];
      expect(Math.abs(momentum(after.velocities) - momentum(before.velocities))).toBeLessThan(tiny);
    }
    const change = moment(after.velocities, after.angularVelocities) - moment(before.velocities, before.angularVelocities);
    expect(Math.abs(change)).toBeLessThan(tiny);
  });

  test('a packing obeys the laws and never leaves the plane', async () => {
    const problem = pouringDisks({ count: 60, radii: [0.3, 0.5] });
    problem.solver.convergence = { criterion: 'residual', tolerance: 1e-5, balance: null, maxIterations: 2000 };
    const simulation = await simulate(problem, backend);
    await simulation.step(60);
    const state = await simulation.read();
    const { bearing, sliding, mean, ...worst } = violations(problem, state);
    expect(bearing).toBeGreaterThan(30);
    expect(sliding).toBeGreaterThan(2);
    for (const value of Object.values(worst)) expect(value).toBeLessThan(2e-3 * mean);
    for (let i = 0; i < 60; i++) {
      expect([state.positions[3 * i + 2], state.velocities[3 * i + 2]]).toEqual([0, 0]);
      expect(Math.abs(state.angularVelocities[3 * i]) + Math.abs(state.angularVelocities[3 * i + 1])).toBe(0);
    }
  });
});
