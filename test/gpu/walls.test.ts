import { expect, test } from 'vitest';
import { BODY_STRIDE, packBodies, predict } from '../../src/cpu/bodies';
import { CandidateList } from '../../src/cpu/candidateList';
import { CandidateFinder } from '../../src/cpu/candidates';
import { buildGrid, type GridLevel } from '../../src/cpu/grid';
import { findReach, slowSpeed } from '../../src/cpu/reach';
import { chooseSizeLevels } from '../../src/cpu/sizeLevels';
import { placeAtWalls } from '../../src/cpu/wallBodies';
import { wallPushes, wallSteps } from '../../src/cpu/walls';
import { GpuSolver } from '../../src/gpu/solver';
import type { Vector, WallMotion, WallShape } from '../../src/index';
import type { System } from '../../src/scene/system';
import { toSystem } from '../../src/scene/units';
import { sharedDevice } from '../support/device';
import { pouring } from '../support/packings';
import { makeProblem, plane, plate } from '../support/problems';
import { gpuStep, ID, pairKey } from './support';

const device = sharedDevice();
/** Steps after which the stages are compared: walls have gone some way. */
const STEPS = 7;

type MovingWall = WallShape & { motion?: Partial<WallMotion> };

const round = (
  kind: 'cylinder' | 'sphere',
  point: Vector,
  radius: number,
  side: 'inside' | 'outside',
  motion?: Partial<WallMotion>,
) => ({ kind, point, radius, side, ...(kind === 'cylinder' ? { axis: [0.6, 0, 0.8] } : {}), motion }) as MovingWall;

/** Every kind of wall in every kind of motion, through a loose packing of 6 diameters. */
const walls: MovingWall[] = [
  plane([0, 0, 0.3], [0, 0, 1]),
  {
    ...plane([0.3, 0, 0], [1, 0.2, 0]),
    motion: { velocity: [0.3, 0.1, 0.2], oscillation: { amplitude: [0.1, 0, 0], frequency: 3, phase: 1 } },
  },
  { ...plane([5, 5, 1], [-1, 0, 0.3]), motion: { angularVelocity: [0.2, 0.9, 0], point: [5, 3, -1] } },
  { ...plane([3, 5.5, 1], [0, -1, 0]), motion: { angularVelocity: [0, 2, 0], velocity: [0, 0.4, 0] } },
  { ...plate([2.5, 2.5, 2], 0, 2), motion: { angularVelocity: [0, 0, 3] } },
  { ...plate([2.5, 2.5, 2], 2, 3) },
  { ...plate([2, 3, 3.2], 0.7, 1.5), motion: { angularVelocity: [0.7, 0, 0.2] } },
  { ...plate([3, 3, 4], 0.7, 1.5), motion: { velocity: [0.3, 0, -0.4] } },
  round('cylinder', [2.5, 2.5, 2], 3.4, 'inside', { angularVelocity: [0.6, 0, 0.8] }),
  round('cylinder', [2.5, 2.5, 2], 3.2, 'inside', { angularVelocity: [0, 1, 0.4], velocity: [0.2, 0, 0] }),
  round('cylinder', [2.5, 2.5, 2], 0.5, 'outside', { velocity: [0.5, 0.5, 0] }),
  round('sphere', [2.5, 2.5, 2.5], 3.5, 'inside', { velocity: [-0.3, 0, 0.3], angularVelocity: [1, 2, 0] }),
  round('sphere', [2.5, 2.5, 2.5], 0.8, 'outside', { velocity: [0, 0, 0.6] }),
];

function system(): System {
  const { grains } = pouring({ count: 150, radii: [0.25, 0.5] });
  const problem = makeProblem({ grains: [{ position: [0, 0, 0] }], walls, gravity: [0, 0, -10], timeStep: 0.01, friction: 0.3 });
  return toSystem({ ...problem, grains });
}

/** The stages of the reference up to the contacts at walls. */
function reference(system: System, levels: readonly GridLevel[]) {
  const steps = wallSteps(system, STEPS);
  const start = packBodies(system.velocities, system.spins, system.inverseMasses);
  const free = start.slice();
  predict(start, free, system.accelerations, system.spinAccelerations);
  const grid = buildGrid(system.positions, levels, chooseSizeLevels(system).levelOf);
  const reach = new Float64Array(system.grains);
  const pushes = wallPushes(system, steps, system.positions, free);
  findReach(grid, free, new Float64Array(system.grains), reach, slowSpeed(system), Infinity, 0, pushes);
  const list = new CandidateList(system.grains);
  new CandidateFinder(system).find(grid, reach, list, STEPS + 1, steps);
  const motion = placeAtWalls(system, steps, system.positions, free, list);
  return { reach, list, motion };
}

test('walls of all kinds that move meet grains as on the reference: reach, candidates, normals, gaps, and how their surfaces move', async () => {
  const given = system();
  const step = await gpuStep(device(), given, 16);
  step.pipeline.placeWalls(STEPS);
  step.submit((encoder) => step.pipeline.encodeContacts(encoder, 0, 48, { largeColours: 3, contactsAtOnce: [100] }));
  const { reach, list, motion } = reference(given, step.sizes.levels);

  const reaches = await step.floats('reaches');
  for (let i = 0; i < given.grains; i++) expect(reaches[2 * i]).toBeCloseTo(reach[i], 5);
  const pairs = (await step.words('pairs0')).slice(0, 2 * list.count);
  expect((await step.words('control'))[5]).toBe(list.count);
  const keys = Array.from({ length: list.count }, (_, c) => pairKey(list.first[c], list.second[c]));
  expect(keys.map((_, c) => pairKey(pairs[2 * c], pairs[2 * c + 1]))).toEqual(keys);

  const [sequence, contactPairs] = [await step.words('sequence'), await step.words('contactPairs')];
  const [normals, gpuMotion] = [await step.floats('normals'), await step.floats('motion')];
  const met = new Set<number>();
  for (let k = 0; k < list.count; k++) {
    const c = sequence[k];
    if (list.second[c] < given.grains) continue;
    const wall = list.second[c] - given.grains;
    met.add(wall);
    for (let axis = 0; axis < 3; axis++) {
      expect(Math.abs(normals[4 * k + axis] - list.normals[3 * c + axis]), `normal at wall ${wall}`).toBeLessThan(3e-6);
      const [velocity, expected] = [
        gpuMotion[8 * (contactPairs[2 * k + 1] & ID) + axis],
        motion[BODY_STRIDE * list.partners[c] + axis],
      ];
      expect(Math.abs(velocity - expected), `velocity of wall ${wall}`).toBeLessThan(1e-6);
    }
    expect(Math.abs(normals[4 * k + 3] - list.gaps[c]), `gap at wall ${wall}`).toBeLessThan(2e-6);
  }
  expect(met.size).toBe(walls.length);
});

test('contacts with walls that turn are told as contacts with the walls', async () => {
  const grains = Array.from({ length: 64 }, (_, k) => ({ position: [(k % 8) - 3.5, Math.floor(k / 8) - 3.5, 0.5] as Vector }));
  const turning = [
    { ...plane([0, 0, 0], [0, 0, 1]), motion: { angularVelocity: [0, 0, 3] } },
    round('sphere', [0, 0, 0], 9, 'inside', { angularVelocity: [1, 2, 0] }),
    { ...plane([0, 0, 1], [0, 0, -1]), motion: { angularVelocity: [0, 0, -2] } },
  ] as MovingWall[];
  const given = toSystem(makeProblem({ grains, walls: turning, gravity: [0, 0, -10], timeStep: 0.01, friction: 0.3 }));
  const gpu = await GpuSolver.create(device(), given);
  await gpu.step(2);
  const { contacts, walls: poses } = await gpu.read();
  const atWalls = [...contacts.second.subarray(0, contacts.count)].filter((second) => second >= grains.length);
  expect(atWalls.sort()).toEqual(grains.map(() => grains.length).concat(grains.map(() => grains.length + 2)));
  expect(poses).toHaveLength(7 * turning.length);
  gpu.dispose();
});
