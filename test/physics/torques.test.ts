import { describe, expect, test } from 'vitest';
import type { Problem, State, Vector } from '../../src/index';
import type { PairLaw } from '../../src/scene/problem';
import { backends, rounding, simulate } from '../support/backends';
import { makeProblem, plane, type TestScene } from '../support/problems';
import { add, at, cross, dot, length, scale, subtract } from '../support/vectors';

const GRAVITY = 10;
const STEP = 0.01;
const RADIUS = 0.7;
const STICKING = 1;
const SLIDING = 2;

interface Start {
  velocity?: Vector;
  angularVelocity?: Vector;
}

/** A sphere on the plane z = 0. Gravity is tilted instead of the plane: downhill is +x. */
const onPlane = (angle: number, friction: number, law: Partial<PairLaw>, start: Start = {}): TestScene => ({
  grains: [{ position: [0, 0, RADIUS], radius: RADIUS, ...start }],
  walls: [plane([0, 0, 0], [0, 0, 1])],
  gravity: [GRAVITY * Math.sin(angle), 0, -GRAVITY * Math.cos(angle)],
  timeStep: STEP,
  friction,
  law,
});

describe.each(backends)('rolling and torsion friction on %s', (backend) => {
  const tiny = rounding[backend];

  test.each([
    ['that turns without friction', 0, 5 / 2],
    ['that rolls without slip', 0.8, 5 / 7],
  ])('a sphere %s slows down and stays', async (_, friction, share) => {
    const [rolling, turn] = [0.1, 2];
    const speed = friction > 0 ? turn * RADIUS : 0;
    const scene = onPlane(0, friction, { rollingFriction: rolling }, { velocity: [speed, 0, 0], angularVelocity: [0, turn, 0] });
    const simulation = await simulate(makeProblem(scene), backend);
    const slowing = (share * rolling * GRAVITY) / RADIUS;
    const steps = Math.ceil(turn / slowing / STEP) + 10;
    for (let step = 1; step <= steps; step++) {
      await simulation.step();
      const { velocities, angularVelocities } = await simulation.read();
      const expected = Math.max(turn - slowing * step * STEP, 0);
      expect(Math.abs(angularVelocities[1] - expected)).toBeLessThan(100 * tiny);
      expect(Math.abs(velocities[0] - (friction > 0 ? expected * RADIUS : 0))).toBeLessThan(100 * tiny);
    }
  });

  test('a sphere that spins about the normal slows down and stays', async () => {
    const [torsion, turn] = [0.1, 3];
    const simulation = await simulate(
      makeProblem(onPlane(0, 0.5, { torsionFriction: torsion }, { angularVelocity: [0, 0, turn] })),
      backend,
    );
    const slowing = (2.5 * torsion * GRAVITY) / RADIUS;
    for (let step = 1; step * STEP < turn / slowing + 0.1; step++) {
      const [{ wallLoads }] = await simulation.step();
      const { angularVelocities, contacts } = await simulation.read();
      const left = turn - slowing * step * STEP;
      expect(Math.abs(angularVelocities[2] - Math.max(left, 0))).toBeLessThan(100 * tiny);
      if (left < 0) continue;
      // The wall is turned on as the grain is slowed down.
      const torque = torsion * RADIUS * (4 / 3) * Math.PI * RADIUS ** 3 * GRAVITY;
      expect(Math.abs(wallLoads[5] / torque - 1)).toBeLessThan(100 * tiny);
      expect(Math.abs(contacts.torques[2] / torque - 1)).toBeLessThan(100 * tiny);
    }
  });

  test('on an incline a sphere stays iff both coefficients reach its tangent, else it rolls or slides', async () => {
    const angle = 0.3;
    const tangent = Math.tan(angle);
    for (const [mu, rolling] of [
      [1.001, 1.001],
      [1.001, 0.999],
      [0.999, 1.001],
      [2, 0.4],
      [0.5, 2],
    ]) {
      const simulation = await simulate(
        makeProblem(onPlane(angle, mu * tangent, { rollingFriction: rolling * tangent })),
        backend,
      );
      await simulation.step(40);
      const { velocities, angularVelocities } = await simulation.read();
      // Rolls against its torque; or slides, with the torque strong enough to keep it from turning.
      const rolls = (5 / 7) * Math.max(1 - rolling, 0);
      const slides = rolling >= mu ? Math.max(1 - mu, 0) : 0;
      const acceleration = GRAVITY * Math.sin(angle) * (rolls + slides);
      expect(Math.abs(velocities[0] - acceleration * 40 * STEP)).toBeLessThan(1e3 * tiny);
      expect(Math.abs(angularVelocities[1] * RADIUS - (slides > 0 ? 0 : velocities[0]))).toBeLessThan(1e3 * tiny);
    }
  });

  test('a sphere that slips and turns too fast for its torque has both at their bounds', async () => {
    const [mu, rolling, angle] = [0.2, 0.1, 1];
    const simulation = await simulate(makeProblem(onPlane(angle, mu, { rollingFriction: rolling })), backend);
    await simulation.step(40);
    const { velocities, angularVelocities } = await simulation.read();
    const [time, pressing] = [40 * STEP, GRAVITY * Math.cos(angle)];
    expect(Math.abs(velocities[0] - (GRAVITY * Math.sin(angle) - mu * pressing) * time)).toBeLessThan(1e3 * tiny);
    expect(Math.abs(angularVelocities[1] * RADIUS - 2.5 * (mu - rolling) * pressing * time)).toBeLessThan(1e3 * tiny);
  });

  test('touching grains of unequal sizes exchange momentum and angular momentum without loss', async () => {
    const normal: Vector = [2 / 3, -1 / 3, 2 / 3];
    const problem = makeProblem({
      grains: [
        { position: [0, 0, 0], radius: 0.8, velocity: add(scale(normal, 0.2), [0, 0.1, 0]), angularVelocity: [0.3, 0, -0.1] },
        { position: scale(normal, 1.1), radius: 0.3, velocity: [-0.05, 0.02, 0], angularVelocity: [0, 0.5, 0.2] },
      ],
      friction: 0.2,
      law: { rollingFriction: 0.3, torsionFriction: 0.2, normalRestitution: 0.5, cohesionForce: 0.01, cohesionRange: 0.01 },
    });
    const { positions, velocities, angularVelocities } = problem.grains;
    const before = momentaOf(problem, { positions, velocities, angularVelocities });
    const simulation = await simulate(problem, backend);
    await simulation.step();
    const state = await simulation.read();
    const after = momentaOf(problem, state);
    const torque = at(state.contacts.torques, 0);
    const along = at(state.contacts.normals, 0);
    expect(Math.abs(dot(torque, along))).toBeGreaterThan(1e-4);
    expect(length(subtract(torque, scale(along, dot(torque, along))))).toBeGreaterThan(1e-4);
    expect(length(subtract(after.linear, before.linear))).toBeLessThan(tiny);
    expect(length(subtract(after.angular, before.angular))).toBeLessThan(tiny);
  });

  test('torques of a pair of grains are bounded by its reduced radius', async () => {
    const [torsion, spin, force] = [0.1, 5, 3];
    const [small, large] = [0.3, 0.6];
    const problem = makeProblem({
      grains: [
        { position: [0, 0, 0], radius: small, mass: 1, force: [force, 0, 0], angularVelocity: [spin, 0, 0] },
        { position: [small + large, 0, 0], radius: large, mass: 2, force: [-force, 0, 0] },
      ],
      timeStep: 1e-3,
      law: { torsionFriction: torsion },
    });
    const simulation = await simulate(problem, backend);
    await simulation.step(10);
    const { angularVelocities, contacts } = await simulation.read();
    const torque = torsion * ((small * large) / (small + large)) * force;
    expect(Math.abs(Math.abs(contacts.torques[0]) - torque)).toBeLessThan(1e3 * tiny);
    expect(Math.abs(angularVelocities[0] - (spin - (torque * 10e-3) / (0.4 * small ** 2)))).toBeLessThan(1e4 * tiny);
    expect(Math.abs(angularVelocities[3] - (torque * 10e-3) / (0.4 * 2 * large ** 2))).toBeLessThan(1e4 * tiny);
  });
});

describe.each(backends)('static and dynamic friction on %s', (backend) => {
  const tiny = rounding[backend];
  const both = { staticFriction: 0.5, dynamicFriction: 0.3 };

  test('a sphere that may not roll stays up to the static coefficient and slides with the dynamic one', async () => {
    for (const tangent of [0.49, 0.51, 0.9]) {
      const angle = Math.atan(tangent);
      const simulation = await simulate(makeProblem(onPlane(angle, 0, { ...both, rollingFriction: 100 })), backend);
      await simulation.step(40);
      const { velocities, contacts } = await simulation.read();
      const acceleration = tangent > 0.5 ? GRAVITY * (Math.sin(angle) - 0.3 * Math.cos(angle)) : 0;
      expect(Math.abs(velocities[0] - acceleration * 40 * STEP)).toBeLessThan(1e3 * tiny);
      expect(contacts.states[0]).toBe(tangent > 0.5 ? SLIDING : STICKING);
    }
  });

  test('one that slides goes on to where it can be stopped at once, and then stays where it would not have started', async () => {
    const angle = Math.atan(0.4);
    const speed = -1;
    const scene = onPlane(angle, 0, { ...both, rollingFriction: 100 }, { velocity: [speed, 0, 0] });
    const simulation = await simulate(makeProblem(scene), backend);
    const deceleration = GRAVITY * (Math.sin(angle) + 0.3 * Math.cos(angle));
    await simulation.step(10);
    expect(Math.abs((await simulation.read()).velocities[0] - (speed + 10 * STEP * deceleration))).toBeLessThan(1e3 * tiny);
    await simulation.step(30);
    const { velocities, contacts } = await simulation.read();
    expect(Math.abs(velocities[0])).toBeLessThan(100 * tiny);
    expect(contacts.states[0]).toBe(STICKING);
    // More than sliding friction, less than static friction.
    const tangential = -contacts.forces[0] / contacts.forces[2];
    expect(Math.abs(Math.abs(tangential) - 0.4)).toBeLessThan(1e3 * tiny);
  });

  test('a sphere that may roll does so iff the static coefficient reaches (2/7) tan(angle)', async () => {
    for (const share of [0.99, 1.01]) {
      const angle = Math.atan((7 / 2) * 0.5 * share);
      const simulation = await simulate(makeProblem(onPlane(angle, 0, both)), backend);
      await simulation.step(20);
      const { velocities, angularVelocities } = await simulation.read();
      const [along, pressing, time] = [GRAVITY * Math.sin(angle), GRAVITY * Math.cos(angle), 20 * STEP];
      const acceleration = share < 1 ? (5 / 7) * along : along - 0.3 * pressing;
      const spinning = share < 1 ? (5 / 7) * along : 2.5 * 0.3 * pressing;
      expect(Math.abs(velocities[0] - acceleration * time)).toBeLessThan(1e3 * tiny);
      expect(Math.abs(angularVelocities[1] * RADIUS - spinning * time)).toBeLessThan(1e3 * tiny);
    }
  });
});

function momentaOf(
  { grains }: Problem,
  { positions, velocities, angularVelocities }: Pick<State, 'positions' | 'velocities' | 'angularVelocities'>,
): { linear: Vector; angular: Vector } {
  let [linear, angular]: Vector[] = [
    [0, 0, 0],
    [0, 0, 0],
  ];
  for (let i = 0; i < grains.count; i++) {
    const momentum = scale(at(velocities, i), grains.masses[i]);
    const own = scale(at(angularVelocities, i), 0.4 * grains.masses[i] * grains.radii[i] ** 2);
    linear = add(linear, momentum);
    angular = add(angular, add(cross(at(positions, i), momentum), own));
  }
  return { linear, angular };
}
