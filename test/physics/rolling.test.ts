import { describe, expect, test } from 'vitest';
import type { Vector } from '../../src/index';
import { backends, rounding, simulate } from '../support/backends';
import { makeProblem, plane, type TestScene } from '../support/problems';

const GRAVITY = 10;
const STEP = 0.01;
const STICKING = 1;
const SLIDING = 2;

/** A sphere on the plane z = 0. Gravity is tilted instead of the plane: downhill is +x. */
const onPlane = (angle: number, friction: number, radius: number, velocity: Vector = [0, 0, 0]): TestScene => ({
  grains: [{ position: [0, 0, radius], radius, velocity }],
  walls: [plane([0, 0, 0], [0, 0, 1])],
  gravity: [GRAVITY * Math.sin(angle), 0, -GRAVITY * Math.cos(angle)],
  timeStep: STEP,
  friction,
});

describe.each(backends)('rolling on %s', (backend) => {
  const tiny = rounding[backend];

  test.each([0.1, 0.5, 1.2])('a sphere rolls down an incline of %f rad iff mu >= (2/7) tan(angle)', async (angle) => {
    const critical = (2 / 7) * Math.tan(angle);
    const radius = 0.7;
    const time = 40 * STEP;
    for (const mu of [1.001 * critical, 0.999 * critical, 0.3 * critical]) {
      const simulation = await simulate(makeProblem(onPlane(angle, mu, radius)), backend);
      await simulation.step(40);
      const { velocities, angularVelocities, contacts } = await simulation.read();
      const rolls = mu > critical;
      const acceleration = rolls ? (5 / 7) * GRAVITY * Math.sin(angle) : GRAVITY * (Math.sin(angle) - mu * Math.cos(angle));
      const spinning = rolls ? acceleration / radius : (2.5 * mu * GRAVITY * Math.cos(angle)) / radius;
      expect(Math.abs(velocities[0] / (acceleration * time) - 1)).toBeLessThan(tiny);
      expect(Math.abs(angularVelocities[1] / (spinning * time) - 1)).toBeLessThan(tiny);
      expect(contacts.states[0]).toBe(rolls ? STICKING : SLIDING);
    }
  });

  test('a sliding sphere rolls after 2 u0/(7 mu g), with 5/7 of its speed', async () => {
    const [u0, mu, radius] = [2, 0.2, 0.5];
    const simulation = await simulate(makeProblem(onPlane(0, mu, radius, [u0, 0, 0])), backend);
    const rollsAfter = (2 * u0) / (7 * mu * GRAVITY);
    for (let step = 1; step * STEP < rollsAfter + 5 * STEP; step++) {
      await simulation.step();
      const { velocities, angularVelocities, contacts } = await simulation.read();
      const slides = step * STEP < rollsAfter;
      expect(contacts.states[0]).toBe(slides ? SLIDING : STICKING);
      const speed = slides ? u0 - mu * GRAVITY * step * STEP : (5 / 7) * u0;
      expect(Math.abs(velocities[0] - speed)).toBeLessThan(10 * tiny);
      if (!slides) expect(Math.abs(angularVelocities[1] * radius - speed)).toBeLessThan(10 * tiny);
    }
  });

  test('without friction a sphere slides and does not turn', async () => {
    const simulation = await simulate(makeProblem(onPlane(0.3, 0, 0.5)), backend);
    await simulation.step(10);
    const { velocities, angularVelocities } = await simulation.read();
    expect(velocities[0]).toBeCloseTo(GRAVITY * Math.sin(0.3) * 10 * STEP, 5);
    expect(Math.abs(angularVelocities[1])).toBeLessThan(tiny);
  });

  test('friction is that of the pair of materials', async () => {
    const scene = onPlane(0, 0, 0.5, [1, 0, 0]);
    scene.friction = [
      [0.9, 0.1],
      [0.1, 0.5],
    ];
    scene.walls = [{ ...plane([0, 0, 0], [0, 0, 1]), material: 1 }];
    const simulation = await simulate(makeProblem(scene), backend);
    await simulation.step(5);
    expect((await simulation.read()).velocities[0]).toBeCloseTo(1 - 0.1 * GRAVITY * 5 * STEP, 5);
  });

  test('a sphere rolls round the inside and the outside of a cylinder without slip or gap', async () => {
    for (const side of ['inside', 'outside'] as const) {
      const [radius, wallRadius] = [0.5, 4];
      const distance = side === 'inside' ? wallRadius - radius : wallRadius + radius;
      const inwards = side === 'inside' ? 1 : -1;
      const problem = makeProblem({
        // Gravity presses the sphere against the wall, at the lowest point inside and the highest outside.
        grains: [{ position: [0, -inwards * distance, 0], velocity: [0.01, 0, 0.02] }],
        walls: [{ kind: 'cylinder', point: [0, 0, 0], axis: [0, 0, 1], radius: wallRadius, side }],
        gravity: [0, -1e-3, 0],
        friction: 5,
      });
      const simulation = await simulate(problem, backend);
      await simulation.step(3);
      const { positions, velocities, angularVelocities, contacts } = await simulation.read();
      expect(Math.abs(Math.hypot(positions[0], positions[1]) - distance)).toBeLessThan(1e-3);
      // Rolling: v = w x (arm to the wall), the arm being -y inside and outside alike.
      expect(angularVelocities[2]).toBeCloseTo(-velocities[0] / radius, 3);
      expect(angularVelocities[0]).toBeCloseTo(velocities[2] / radius, 3);
      expect(velocities[0]).toBeCloseTo((5 / 7) * 0.01, 3);
      expect(velocities[2]).toBeCloseTo((5 / 7) * 0.02, 3);
      expect(contacts.normals[1]).toBeCloseTo(-1, 3);
    }
  });

  test('a bead slides round the inside of an oblique cylinder without sinking in', async () => {
    const [radius, wallRadius, speed, axis] = [0.5, 6, 0.1, [0.6, 0, 0.8] as Vector];
    const problem = makeProblem({
      grains: [{ position: [0, wallRadius - radius, 0], velocity: [0.8 * speed, 0, -0.6 * speed] }],
      walls: [{ kind: 'cylinder', point: [0, 0, 0], axis, radius: wallRadius, side: 'inside' }],
    });
    const simulation = await simulate(problem, backend);
    const reports = await simulation.step(150);
    // On tangent planes it would be 150 u^2/(2 (R - r)) = 0.14.
    expect(reports[149].maxPenetration).toBeLessThan(3e-3);
    const { positions, velocities } = await simulation.read();
    const along = positions.reduce((sum, x, k) => sum + x * axis[k], 0);
    expect(Math.abs(Math.sqrt(Math.hypot(...positions) ** 2 - along ** 2) - (wallRadius - radius))).toBeLessThan(3e-3);
    // Each step turns the velocity by u/(R - r) and keeps its part along the new direction: speed is lost, never gained.
    const share = Math.hypot(...velocities) / speed;
    expect(share).toBeLessThanOrEqual(1);
    expect(share).toBeGreaterThan((Math.cos(speed / (wallRadius - radius)) ** 150) ** 2);
  });
});
