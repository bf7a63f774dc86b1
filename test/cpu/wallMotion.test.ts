import { describe, expect, test } from 'vitest';
import { createSimulation, type Vector, type WallMotion, type WallShape } from '../../src/index';
import { type WallContact, wallContact } from '../../src/scene/wallContact';
import { shapeAt, surfaceWay, wallStep } from '../../src/scene/wallMotion';
import { makeProblem, plane, plate } from '../support/problems';
import { at, length, subtract } from '../support/vectors';

const still: WallMotion = { velocity: [0, 0, 0], angularVelocity: [0, 0, 0], point: [0, 0, 0], start: 0 };

describe('motion', () => {
  test('velocity, turn and oscillation add up, the turn about a point that moves', () => {
    const motion: WallMotion = {
      velocity: [1, 0, 0],
      angularVelocity: [0, 0, Math.PI / 2],
      point: [0, 1, 0],
      start: 0,
      oscillation: { amplitude: [0, 0, 2], frequency: 0.25, phase: Math.PI / 6 },
    };
    const shape: WallShape = { kind: 'plane', point: [1, 1, 0], normal: [1, 0, 0] };
    const after = shapeAt(shape, motion, 1);
    // A quarter turn about (0, 1), which is at (1, 1); sin(120 degrees) - sin(30 degrees) up.
    expect(after.point).toEqual([1, 2, 2 * (Math.sqrt(0.75) - 0.5)].map((x) => expect.closeTo(x, 12)));
    expect(after.kind === 'plane' && after.normal).toEqual([0, 1, 0].map((x) => expect.closeTo(x, 12)));
  });

  test('a wall that turns about its own axis keeps it to the last bit, and tilts by nothing', () => {
    const axis: Vector = [0.48, 0.6, 0.64];
    const shape: WallShape = { kind: 'cylinder', point: [3, 2, 1], axis, radius: 2, side: 'inside' };
    const motion = { ...still, point: [3, 2, 1] as Vector, angularVelocity: axis.map((x) => 7 * x) as Vector };
    const step = wallStep(shape, motion, 1000, 1001);
    expect(step.end).toEqual(shape);
    expect(step.tilt).toBe(0);
    expect(step.way).toEqual([0, 0, 0]);
  });

  test('points of the surface go where the wall takes them, on their circle', () => {
    const motion = {
      ...still,
      velocity: [0, 0, 0.3] as Vector,
      angularVelocity: [0, 0, 0.2] as Vector,
      point: [1, 0, 0] as Vector,
    };
    const step = wallStep(plate([1, 0, 0], 0, 5), motion, 4, 5);
    const way = surfaceWay(step, 4, 0, step.start.point[2]);
    expect(way).toEqual([3 * (Math.cos(0.2) - 1), 3 * Math.sin(0.2), 0.3].map((x) => expect.closeTo(x, 12)));
  });
});

describe('plates', () => {
  const touch = (shape: WallShape, [x, y, z]: Vector, above?: boolean) => {
    const out: WallContact = { gap: Number.NaN, normal: [0, 0, 0] };
    wallContact(shape, x, y, z, 0.5, out, above);
    return out;
  };

  test.each<[string, Vector, number, Vector]>([
    ['its face from above', [2, 0, 0.7], 0.2, [0, 0, -1]],
    ['its face from below', [0, -2, -0.7], 0.2, [0, 0, 1]],
    ['its outer rim', [3.3, 0, 0.4], 0, [-0.6, 0, -0.8]],
    ['its inner rim', [0, 0.6, -0.3], 0, [0, 0.8, 0.6]],
    ['its outer rim from the side', [0, 4, 0], 0.5, [0, -1, 0]],
  ])('are touched on %s', (_, place, gap, normal) => {
    const found = touch(plate([0, 0, 0], 1, 3), place);
    expect(found.gap).toBeCloseTo(gap, 12);
    expect(length(subtract(found.normal, normal))).toBeLessThan(1e-12);
  });

  test('a grain over the middle of a hole touches the rim somewhere', () => {
    const { gap, normal } = touch(plate([0, 0, 0], 0.3, 3), [0, 0, 0.4]);
    expect(gap).toBeCloseTo(0, 12);
    expect(length(normal)).toBeCloseTo(1, 12);
    expect(normal[2]).toBeCloseTo(-0.8, 12);
  });

  test('the side can be given, for a plate that has moved past the centre', () => {
    expect(touch(plate([0, 0, 0], 0, 3), [1, 0, -0.1], true).gap).toBeCloseTo(-0.6, 12);
  });

  test('beyond a rim that does not bear there is nothing', () => {
    const joined: WallShape = {
      kind: 'plane',
      point: [0, 0, 0],
      normal: [0, 0, 1],
      region: { inner: 0, outer: 3, rims: [false, false] },
    };
    expect(touch(joined, [3.1, 0, 0.4]).gap).toBe(Infinity);
  });
});

test.each<[string, WallShape, Vector]>([
  ['a plane', plane([0, 0, 0], [0, 0, 1]), [0, 0, 0.5]],
  ['a post', { kind: 'cylinder', point: [0, 0, 0], axis: [0, 0, 1], radius: 1, side: 'outside' }, [1.5, 0, 0]],
])('a grain that rolls on %s is carried round with it where rolling friction holds it', async (_, shape, position) => {
  const turning = 0.01;
  const onPlane = shape.kind === 'plane';
  const problem = makeProblem({
    grains: [
      {
        position: onPlane ? [2, 0, 0.5] : position,
        velocity: onPlane ? [0, 2 * turning, 0] : [0, 1.5 * turning, 0],
        angularVelocity: [0, 0, turning],
        force: onPlane ? [0, 0, -1] : [-1, 0, 0],
      },
    ],
    walls: [{ ...shape, motion: { angularVelocity: [0, 0, turning] } }],
    friction: 2,
    law: { rollingFriction: 1, torsionFriction: 1 },
  });
  const simulation = await createSimulation(problem, { backend: 'cpu' });
  const steps = onPlane ? 150 : 10;
  await simulation.step(steps);
  const { positions, angularVelocities } = await simulation.read();
  const distance = onPlane ? 2 : 1.5;
  const angle = Math.atan2(positions[1], positions[0]);
  expect(angle).toBeCloseTo(turning * steps, onPlane ? 9 : 2);
  expect(Math.hypot(positions[0], positions[1]) / distance).toBeCloseTo(1, onPlane ? 9 : 2);
  expect(at(angularVelocities, 0)).toEqual([0, 0, turning].map((x) => expect.closeTo(x, onPlane ? 9 : 3)));
});

test('a grain that bounces off a wall that comes towards it leaves at the speed of the wall and e times the approach', async () => {
  const [wall, speed, restitution] = [0.03, 0.02, 0.5];
  const problem = makeProblem({
    grains: [{ position: [0, 0, 0.6], velocity: [0, 0, -speed] }],
    walls: [{ ...plane([0, 0, 0], [0, 0, 1]), motion: { velocity: [0, 0, wall] } }],
    law: { normalRestitution: restitution },
  });
  const simulation = await createSimulation(problem, { backend: 'cpu' });
  await simulation.step(10);
  expect((await simulation.read()).velocities[2]).toBeCloseTo(wall + restitution * (wall + speed), 9);
});
