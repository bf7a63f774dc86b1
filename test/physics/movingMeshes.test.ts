import { describe, expect, test } from 'vitest';
import type { Vector, WallShape } from '../../src/index';
import { type BackendName, backends, rounding, simulate } from '../support/backends';
import { boxSurface, floor, meshWall, quad, tube } from '../support/meshes';
import { makeProblem, plane, type TestScene } from '../support/problems';
import { at } from '../support/vectors';

const GRAVITY = 10;
const STEP = 0.01;
const DOWN: Vector = [0, 0, -GRAVITY];

const settle = { convergence: { criterion: 'residual', tolerance: 1e-10, balance: null, maxIterations: 20_000 } } as const;

async function run(scene: TestScene, backend: BackendName, steps: number) {
  const simulation = await simulate(makeProblem({ timeStep: STEP, solver: settle, ...scene }), backend);
  const reports = await simulation.step(steps);
  return { reports, report: reports[steps - 1], state: await simulation.read() };
}

describe.each(backends)('meshes that move, on %s', (backend) => {
  const tiny = rounding[backend];

  test('a floor of triangles that rises obliquely lifts a grain exactly, also from a gap', async () => {
    const velocity: Vector = [0.1, 0, 0.3];
    const { report, state } = await run(
      {
        grains: [{ position: [0.21, 0.13, 0.51], mass: 2 }],
        walls: [{ ...meshWall(floor(8, 5)), motion: { velocity } }],
        gravity: DOWN,
      },
      backend,
      30,
    );
    expect(Math.abs(state.positions[2] - (0.5 + 30 * STEP * velocity[2]))).toBeLessThan(10 * tiny);
    expect(Math.abs(state.velocities[2] - velocity[2])).toBeLessThan(10 * tiny);
    expect(state.velocities[0]).toBe(0);
    expect([...state.walls]).toEqual([0.03, 0, 0.09, 0, 0, 0, 1].map((x) => expect.closeTo(x, 12)));
    expect([...report.wallMotions]).toEqual([0.03, 0, 0.09, ...velocity].map((x) => expect.closeTo(x, 12)));
    expect(Math.abs(report.wallLoads[2] / (-2 * GRAVITY) - 1)).toBeLessThan(1e3 * tiny);
    expect(report.maxPenetration).toBeLessThan(tiny);
  });

  test('a box of triangles that is carried along carries its grains as if all rested', async () => {
    const velocity: Vector = [0.7, -0.4, 0.5];
    const heap = (carried: boolean): TestScene => ({
      grains: [-0.6, 0.45].flatMap((x) =>
        [-0.55, 0.5].flatMap((y) =>
          [0.5, 1.53].map((z) => ({ position: [x + 0.1 * z, y, z] as Vector, ...(carried ? { velocity } : {}) })),
        ),
      ),
      walls: [{ ...meshWall(boxSurface([-1.3, -1.3, 0], [1.3, 1.3, 4])), ...(carried ? { motion: { velocity } } : {}) }],
      gravity: DOWN,
      friction: 0.3,
    });
    const steps = 40;
    const [resting, carried] = [await run(heap(false), backend, steps), await run(heap(true), backend, steps)];
    expect(resting.report.contacts).toBeGreaterThan(7);
    for (let k = 0; k < 24; k++) {
      const moved = resting.state.positions[k] + steps * STEP * velocity[k % 3];
      expect(Math.abs(carried.state.positions[k] - moved)).toBeLessThan(backend === 'cpu' ? 1e-7 : 2e-3);
    }
    for (let k = 0; k < 3; k++) {
      const share = Math.abs(carried.report.wallLoads[k] - resting.report.wallLoads[k]);
      expect(share).toBeLessThan(backend === 'cpu' ? 1e-4 : 5e-2 * Math.abs(resting.report.wallLoads[2]));
    }
    expect(carried.report.maxPenetration).toBeLessThan(1e-4);
  });

  test('a paddle that turns pushes a grain as the plane in its place does, with the same load and torque', async () => {
    const motion = { angularVelocity: [0, 0, 0.9] as Vector, point: [0.2, -0.3, 0] as Vector };
    const push = (wall: WallShape) =>
      run(
        {
          grains: [{ position: [2, 0.52, 0.1], mass: 2, velocity: [0.1, -0.2, 0.05] }],
          walls: [{ ...wall, motion }],
          friction: 0.4,
        },
        backend,
        30,
      );
    const paddle = meshWall(quad([0.2, 0, -3], [6, 0, -3], [6, 0, 3], [0.2, 0, 3]));
    const [mesh, flat] = [await push(paddle), await push(plane([0, 0, 0], [0, 1, 0]))];
    expect(mesh.report.contacts).toBe(1);
    // The surface's velocity is taken at the grain's arm, of a plane where the wall is: they differ by the square of the step.
    for (const [key, most] of [
      ['positions', 1e-5],
      ['velocities', 1e-4],
      ['angularVelocities', 1e-3],
    ] as const) {
      for (let axis = 0; axis < 3; axis++) {
        expect(Math.abs(mesh.state[key][axis] - flat.state[key][axis]), `${key} ${axis}`).toBeLessThan(most);
      }
    }
    expect(mesh.state.velocities[1]).toBeGreaterThan(1);
    expect([...mesh.state.walls.subarray(3)]).toEqual([...flat.state.walls.subarray(3)]);
    for (let k = 0; k < 3; k++) {
      expect(Math.abs(mesh.report.wallLoads[k] - flat.report.wallLoads[k])).toBeLessThan(2e-2);
    }
    expect(Math.abs(mesh.report.wallLoads[0]) + Math.abs(mesh.report.wallLoads[1])).toBeGreaterThan(1);
  });

  test('a drum of strips drives the sphere at its lowest point to roll in place, and feels the friction as a torque', async () => {
    const [radius, drum, turning, mu, mass] = [0.5, 5, 0.8, 0.1, 3];
    // About the z axis; the strip below the sphere is across -x when the step begins.
    const n = 720;
    const inner = drum * Math.cos(Math.PI / n);
    const { reports, state } = await run(
      {
        grains: [{ position: [-(inner - radius), 0, 0.2], radius, mass }],
        walls: [{ ...meshWall(tube(drum, -2, 2, n)), motion: { angularVelocity: [0, 0, turning] } }],
        gravity: [-GRAVITY, 0, 0],
        timeStep: 1e-3,
        friction: mu,
      },
      backend,
      20,
    );
    // The wall goes to -y there: Omega x (-R, 0, 0).
    // Strips go by below the sphere, so that what it weighs swings a little about its mean.
    expect(Math.abs(state.velocities[1] / (-mu * GRAVITY * 0.02) - 1)).toBeLessThan(6e-2);
    expect(Math.abs(Math.abs(state.angularVelocities[2]) / ((2.5 * mu * GRAVITY * 0.02) / radius) - 1)).toBeLessThan(6e-2);
    const mean = (k: number) => reports.reduce((sum, { wallLoads }) => sum + wallLoads[k], 0) / reports.length;
    expect(Math.abs(mean(0) / (-mass * GRAVITY) - 1)).toBeLessThan(6e-2);
    expect(Math.abs(Math.abs(mean(5)) / (mu * mass * GRAVITY * drum) - 1)).toBeLessThan(6e-2);
    expect(Math.hypot(...at(state.positions, 0).slice(0, 2))).toBeLessThan(drum - radius + 1e-4);
  });
});
