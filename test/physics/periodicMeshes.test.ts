import { describe, expect, test } from 'vitest';
import type { Vector } from '../../src/index';
import type { Periodic } from '../../src/scene/problem';
import { backends, simulate } from '../support/backends';
import { boxSurface, floor, periodicMeshes, quad, type Triangle } from '../support/meshes';
import { cylinder, makeProblem, plane, type TestScene } from '../support/problems';

const precision = { cpu: 1e-9, webgpu: 2e-6 };

describe.each(backends)('meshes in periodic space on %s', (backend) => {
  test('a sphere slides over a floor of triangles through the seams as over a plane', async () => {
    const periodic: Periodic = { min: [1, -2, 0], lengths: [4.1, 3.3, 0] };
    const level = floor(1, 3, () => 0, 0.3).map((corners) => corners.map(([x, y]) => [4.1 * x, 3.3 * y, 0]) as Triangle);
    const [mesh] = periodicMeshes(periodic, level);
    const velocity: Vector = [2.1, -1.3, 0];
    const scene: TestScene = {
      grains: [{ position: [4.5, -1.9, 0.5], velocity }],
      walls: [mesh],
      periodic,
      gravity: [0, 0, -10],
      timeStep: 0.02,
    };
    const simulation = await simulate(makeProblem(scene), backend);
    for (let k = 0; k < 15; k++) {
      const [{ maxPenetration }] = (await simulation.step(8)).slice(-1);
      expect(maxPenetration).toBeLessThan(precision[backend]);
      const { positions, velocities, contacts } = await simulation.read();
      expect(Math.abs(positions[2] - 0.5)).toBeLessThan(precision[backend]);
      expect(contacts.count).toBe(1);
      for (let axis = 0; axis < 3; axis++)
        expect(Math.abs(velocities[axis] - velocity[axis])).toBeLessThan(10 * precision[backend]);
    }
  });

  test('a grain that hangs by cohesion under a plate across the seam stays bonded as it crosses', async () => {
    const periodic: Periodic = { min: [0, 0, 0], lengths: [6, 0, 0] };
    const [plate] = periodicMeshes(periodic, quad([4, -2, 0], [8, -2, 0], [8, 2, 0], [4, 2, 0]));
    const problem = makeProblem({
      grains: [{ position: [5.2, 0, -0.5], velocity: [1, 0, 0], mass: 1 }],
      walls: [plate],
      periodic,
      gravity: [0, 0, -10],
      timeStep: 0.01,
      law: { cohesionForce: 20, cohesionRange: 0.02 },
    });
    const simulation = await simulate(problem, backend);
    // From 5.2 over the seam at 6 to the plate's end, at 2 on the other side.
    const reports = await simulation.step(260);
    expect(Math.max(...reports.map(({ maxPenetration }) => maxPenetration))).toBeLessThan(10 * precision[backend]);
    const { positions } = await simulation.read();
    expect(positions[0]).toBeCloseTo(1.8, 4);
    expect(Math.abs(positions[2] + 0.5)).toBeLessThan(10 * precision[backend]);
    // Beyond that it hangs on the edge there, and swings as high as its speed takes it.
    let highest = -0.5;
    for (let k = 0; k < 10; k++) {
      await simulation.step(10);
      const [x, , z] = (await simulation.read()).positions;
      if (x > 2) expect(Math.hypot(x - 2, z) - 0.5).toBeLessThan(0.02);
      highest = Math.max(highest, z);
    }
    expect(highest).toBeCloseTo(-0.45, 2);
  });

  test('a screw of triangles that turns about the periodic axis and goes along it carries grains alike wherever the box begins', async () => {
    const length = 5;
    const paddles = [0, 1, 2].flatMap((k) => {
      const [c, s] = [Math.cos(2 * k), Math.sin(2 * k)];
      return quad([k - 1.4, 0, 0], [k + 0.7, 0, 0], [k + 0.7, 3 * c, 3 * s], [k - 1.4, 3 * c, 3 * s]);
    });
    const place = (k: number): Vector => {
      const angle = [1, 3, 5.1][k % 3];
      return [0.4 + 1.25 * Math.floor(k / 3), 2.2 * Math.cos(angle), 2.2 * Math.sin(angle)];
    };
    const drum = { ...cylinder(4.2, 'inside'), axis: [1, 0, 0] as Vector };
    const run = async (shift: number) => {
      const periodic: Periodic = { min: [shift, 0, 0], lengths: [length, 0, 0] };
      const [screw] = periodicMeshes(periodic, paddles);
      const motion = { velocity: [3, 0, 0] as Vector, angularVelocity: [1.5, 0, 0] as Vector, point: [0, 0, 0] as Vector };
      const problem = makeProblem({
        grains: Array.from({ length: 12 }, (_, k) => ({ position: place(k), radius: 0.45 })),
        walls: [{ ...screw, motion }, drum],
        periodic,
        gravity: [0, 0, -2],
        friction: 0.3,
        timeStep: 0.02,
        solver: { convergence: { criterion: 'fixed', iterations: 50 } },
      });
      const simulation = await simulate(problem, backend);
      const reports = await simulation.step(backend === 'cpu' ? 60 : 25);
      return { reports, state: await simulation.read() };
    };
    const [here, there] = [await run(0), await run(2.6)];
    expect(Math.max(...here.reports.map(({ contacts }) => contacts))).toBeGreaterThan(1);
    for (const { maxPenetration } of here.reports) expect(maxPenetration).toBeLessThan(0.02);
    const tolerance = backend === 'cpu' ? 1e-6 : 2e-2;
    for (let k = 0; k < 36; k++) {
      const apart = there.state.positions[k] - here.state.positions[k];
      const error = k % 3 === 0 ? apart - length * Math.round(apart / length) : apart;
      expect(Math.abs(error)).toBeLessThan(tolerance);
    }
  });
});

test('a block that goes through the box sweeps the grains before it', async () => {
  const periodic: Periodic = { min: [-3, -3, 0], lengths: [6, 6, 0] };
  const [block] = periodicMeshes(periodic, boxSurface([-1, -1, 0], [1, 1, 2]));
  const problem = makeProblem({
    grains: [{ position: [2.2, 0.3, 0.5] }, { position: [2.2, -2.2, 0.5] }, { position: [-2.5, -0.75, 0.5] }],
    walls: [{ ...block, motion: { velocity: [2, 0, 0] } }, plane([0, 0, 0], [0, 0, 1])],
    periodic,
    gravity: [0, 0, -1],
    timeStep: 0.05,
  });
  const simulation = await simulate(problem, 'cpu');
  await simulation.step(60);
  const { positions, velocities } = await simulation.read();
  // Its front face has gone by a period, and is where it was.
  for (const [grain, y] of [
    [0, 0.3],
    [2, -0.75],
  ]) {
    expect(velocities[3 * grain]).toBeCloseTo(2, 4);
    expect(positions[3 * grain]).toBeCloseTo(1.5, 4);
    expect(positions[3 * grain + 1]).toBeCloseTo(y, 4);
  }
  expect(positions[3]).toBeCloseTo(2.2, 5);
});
