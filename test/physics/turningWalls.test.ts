import { expect, test } from 'vitest';
import type { Vector, WallMotion, WallShape } from '../../src/index';
import type { PairLaw } from '../../src/scene/problem';
import { backends, rounding, simulate } from '../support/backends';
import { meshWall, quad } from '../support/meshes';
import { makeProblem, plane, plate } from '../support/problems';

/** Grains that press on a wall that turns, with these laws: the GPU against the reference. */
async function compare(wall: WallShape, motion: Partial<WallMotion>, law: Partial<PairLaw>, velocity: Vector) {
  const problem = makeProblem({
    grains: [
      { position: [1.1, 0.3, 0.502], velocity, angularVelocity: [0.3, -0.2, 1] },
      { position: [-1.7, -0.9, 0.402], radius: 0.4, velocity, angularVelocity: [0, 0.5, -1] },
    ],
    walls: [{ ...wall, motion }],
    gravity: [0, 0, -10],
    timeStep: 2e-3,
    friction: 0.5,
    law,
  });
  const [reference, gpu] = [await simulate(problem, 'cpu'), await simulate(problem, 'webgpu')];
  const [reports, gpuReports] = [await reference.step(12), await gpu.step(12)];
  const [expected, state] = [await reference.read(), await gpu.read()];
  for (const key of ['positions', 'velocities', 'angularVelocities'] as const) {
    for (let k = 0; k < 6; k++) expect(Math.abs(state[key][k] - expected[key][k]), `${key} ${k}`).toBeLessThan(2e-4);
  }
  for (let k = 0; k < 6; k++) {
    expect(Math.abs(gpuReports[11].wallLoads[k] - reports[11].wallLoads[k]), `load ${k}`).toBeLessThan(1e-2);
  }
  return { reports, expected };
}

const disk = plate([0, 0, 0], 0, 4);
const sheet = meshWall(quad([-4, -4, 0], [4, -4, 0], [4, 4, 0], [-4, 4, 0]));
const table: Partial<WallMotion> = { angularVelocity: [0, 0, 5] };
const lid: Partial<WallMotion> = { angularVelocity: [0.4, -0.3, 2] };
const torques: Partial<PairLaw> = { rollingFriction: 0.2, torsionFriction: 0.3 };

test.each([
  ['a turntable', disk, table],
  ['a plane that tilts', plane([0, 0, 0], [0, 0, 1]), lid],
  ['a mesh that tilts', sheet, lid],
] as [string, WallShape, Partial<WallMotion>][])('rolling and torsion friction at %s', async (_, wall, motion) => {
  const { expected } = await compare(wall, motion, torques, [0, 0, 0]);
  const { contacts } = expected;
  expect(Math.hypot(...contacts.torques.subarray(0, 3))).toBeGreaterThan(0.1);
});

test.each([
  ['a turntable', disk, table],
  ['a plane that tilts', plane([0, 0, 0], [0, 0, 1]), lid],
  ['a mesh that tilts', sheet, lid],
] as [string, WallShape, Partial<WallMotion>][])('restitution at %s', async (_, wall, motion) => {
  const { expected } = await compare(wall, motion, { normalRestitution: 0.7, tangentialRestitution: 0.4 }, [0, 0, -1]);
  expect(expected.velocities[2]).toBeGreaterThan(0.3);
});

test.each(backends)('a grain that rolls at its bound and twists below its own is in balance, on %s', async (backend) => {
  const problem = makeProblem({
    grains: [{ position: [1.1, 0.3, 0.5], angularVelocity: [0.3, -0.2, 1] }],
    walls: [{ ...plane([0, 0, 0], [0, 0, 1]), motion: lid }],
    gravity: [0, 0, -10],
    timeStep: 2e-3,
    friction: 0.5,
    law: torques,
    solver: { convergence: { criterion: 'residual', tolerance: 1e-5, balance: 5e-2, maxIterations: 200 } },
  });
  const simulation = await simulate(problem, backend);
  const reports = await simulation.step(16);
  const { contacts } = await simulation.read();
  const [x, y, torsion] = contacts.torques.map(Math.abs);
  const bearing = Math.abs(contacts.forces[2]) / 2;
  expect(Math.hypot(x, y) / (0.2 * bearing)).toBeCloseTo(1, 2);
  expect(torsion / (0.3 * bearing)).toBeLessThan(0.5);
  expect(reports.map(({ converged }) => converged)).not.toContain(false);
  expect(reports[15].iterations).toBeLessThan(20);
  expect(reports[15].balance).toBeLessThan(1e-2);
});

test.each(backends)(
  'a cylinder that tilts carries a grain as the plane along its lowest or highest line does, on %s',
  async (backend) => {
    // In single precision to 2e-6 of a diameter.
    const tiny = rounding[backend] / 5;
    for (const side of ['inside', 'outside'] as const) {
      const line = side === 'inside' ? -2 : 2;
      const round: WallShape = { kind: 'cylinder', point: [0, 0, 0], axis: [1, 0, 0], radius: 2, side };
      const ends: Vector[] = [];
      for (const wall of [round, plane([0, 0, line], [0, 0, 1])]) {
        const problem = makeProblem({
          grains: [{ position: [1.2, 0, line + 0.5], angularVelocity: [0, 1, 0] }],
          walls: [{ ...wall, motion: { angularVelocity: [0, -0.5, 0], point: [0, 0, 0] } }],
          gravity: [0, 0, -10],
          timeStep: 0.01,
          friction: 0.5,
        });
        const simulation = await simulate(problem, backend);
        const reports = await simulation.step(40);
        for (const { maxPenetration } of reports) expect(maxPenetration).toBeLessThan(tiny);
        ends.push([...(await simulation.read()).positions] as Vector);
      }
      const [x, y, z] = ends[0];
      expect(y).toBe(0);
      expect(Math.abs(Math.cos(0.2) * z - Math.sin(0.2) * x - line - 0.5)).toBeLessThan(tiny);
      expect(Math.hypot(x - 1.2, z - line - 0.5)).toBeGreaterThan(0.2);
      for (let axis = 0; axis < 3; axis++) expect(Math.abs(ends[0][axis] - ends[1][axis])).toBeLessThan(tiny);
    }
  },
);
