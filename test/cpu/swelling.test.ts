import { describe, expect, test } from 'vitest';
import { swellingPerDiameter, swellingStep } from '../../src/cpu/coarseSchedule';
import { CpuSolver } from '../../src/cpu/solver';
import type { Convergence, Problem, SolverOptions, StepReport } from '../../src/index';
import type { PairLaw, Vector, WallMotion } from '../../src/scene/problem';
import type { System } from '../../src/scene/system';
import { toSystem } from '../../src/scene/units';
import { startOf } from '../../src/snapshot';
import { atPresent } from '../gpu/support';
import { floor, meshWall } from '../support/meshes';
import { type ShaftOptions, shaft } from '../support/packings';
import { makeProblem, plane } from '../support/problems';
import { stack } from '../support/systems';

const convergence = { criterion: 'residual', tolerance: 1e-3, balance: 5e-2, maxIterations: 1000 } as const satisfies Convergence;
const solver = { momentum: 0.9, coarse: 'auto', convergence } as const satisfies Partial<SolverOptions>;
/** Steps of fewer than 100 sweeps begin as they are. */
const SHORT = 99;

const withMost = (system: System, maxIterations: number): System => ({
  ...system,
  solver: { ...system.solver, convergence: { ...convergence, maxIterations } },
});

async function stepsOf(system: System, count: number): Promise<StepReport[]> {
  const reports: StepReport[] = [];
  await new CpuSolver(system).step(count, (report) => reports.push(report));
  return reports;
}

/** At rest, without impulses. */
async function packing(options: ShaftOptions, law: Partial<PairLaw> = {}, more: Partial<SolverOptions> = {}): Promise<System> {
  const system = await atPresent(shaft(options), 120, { solver: { ...solver, ...more }, law });
  system.velocities.fill(0);
  system.spins.fill(0);
  return system;
}

describe('a packing that starts without impulses', () => {
  const packings: [string, ShaftOptions, Partial<PairLaw>, number][] = [
    ['spheres', { height: 80 }, {}, 0.75],
    ['spheres between periodic sides', { height: 40, periodic: true }, {}, 0.75],
    ['disks', { height: 80, flat: true }, {}, 0.75],
    ['bouncing spheres', { height: 40 }, { normalRestitution: 0.5, tangentialRestitution: 0.2 }, 0.85],
    ['spheres that roll', { height: 40 }, { rollingFriction: 0.2, torsionFriction: 0.1 }, 1.15],
  ];

  test.each(packings)('bears its load after fewer sweeps, and gains no energy: %s', async (_, options, law, most) => {
    const system = await packing(options, law);
    const [[plain], reports] = [await stepsOf(withMost(system, SHORT), 1), await stepsOf(system, 10)];
    expect(reports.every(({ converged }) => converged)).toBe(true);
    expect(reports[0].iterations).toBeLessThanOrEqual(most * plain.iterations);
    const [unswollen] = await stepsOf({ ...withMost(system, 1000), solver: { ...system.solver, coarse: 'off' } }, 1);
    expect(reports[0].maxPenetration).toBeLessThan(1.1 * unswollen.maxPenetration);
    // Gravity does g dt of work on a mass that sinks at g dt; beyond that there is none to be had.
    for (const { kineticEnergy } of reports) expect(kineticEnergy).toBeLessThan(1.5 * freeFall(system));
  });

  test('bears it in the same way whichever way is down', async () => {
    const loads = await Promise.all(
      [0, 2].map(async (axis) => {
        const [{ iterations, wallLoads }] = await stepsOf(await packing({ height: 40, axis }), 1);
        return [iterations, -wallLoads[axis]];
      }),
    );
    for (const [iterations, load] of loads) {
      expect(iterations).toBe(loads[0][0]);
      expect(load / loads[0][1]).toBeCloseTo(1, 6);
    }
  });

  test('swells by a share of what gravity does in a step', () => {
    const system = toSystem(shaft({ height: 25, solver }));
    expect(swellingPerDiameter(system)).toBeCloseTo(-1e-3 * system.accelerations[2], 12);
  });
});

describe('nothing swells', () => {
  const never: [string, Problem][] = [
    ['without gravity', { ...shaft({ height: 25, solver }), gravity: [0, 0, 0] }],
    ['with the residual alone', shaft({ height: 25, solver: { ...solver, convergence: { ...convergence, balance: null } } })],
    ['with few sweeps', shaft({ height: 25, solver: { ...solver, convergence: { ...convergence, maxIterations: SHORT } } })],
    [
      'with a fixed number of sweeps',
      shaft({ height: 25, solver: { ...solver, convergence: { criterion: 'fixed', iterations: 200 } } }),
    ],
    ['without the coarse level', shaft({ height: 25, solver: { ...solver, coarse: 'off' } })],
    ['without momentum', shaft({ height: 25, solver: { ...solver, momentum: 0 } })],
    ['where friction is larger at rest', withLaw({ staticFriction: 0.4 })],
    ['with bonds', withLaw({ cohesionForce: 5, cohesionRange: 0.02 })],
    ['in random order', shaft({ height: 25, solver: { ...solver, sweep: 'random' } })],
    ['under a piston', underPiston()],
  ];

  test.each(never)('%s', (_, problem) => {
    expect(swellingPerDiameter(toSystem(problem))).toBe(0);
  });

  const dynamic: [string, () => Promise<System>][] = [
    ['in a short packing', () => packing({ height: 20 }, {}, { coarse: 'on' })],
    ['where the load is along a short side', async () => sideways(await packing({ height: 40 }))],
    ['where a grain moves', async () => withMotion(await packing({ height: 40 }))],
    ['where all fall freely', async () => upwards(await packing({ height: 40 }))],
    ['where all fall away from a fixed grain', async () => upwards(withLowestFixed(await packing({ height: 40 })))],
    ['where the upper half falls', async () => withLifted(await packing({ height: 60 }), 0.5)],
    ['where the floor slides', async () => withFloor(await packing({ height: 40 }), { velocity: [0.002, 0, 0] })],
    ['where the floor swings', async () => withFloor(await packing({ height: 40 }), swing)],
    ['where the floor turns', async () => withFloor(await packing({ height: 40 }), { angularVelocity: [0, 0, 0.001] })],
    ['without walls', async () => ({ ...(await packing({ height: 40 })), walls: [], motions: [], turned: [] })],
    ['where few grains touch', async () => stack(60, solver)],
  ];

  test.each(dynamic)('%s', async (_, make) => {
    const system = await make();
    expect(swellingPerDiameter(system)).toBeGreaterThan(0);
    const [swelling, plain] = [await stepsOf(system, 1), await stepsOf(withMost(system, SHORT), 1)];
    expect(plain[0].converged).toBe(true);
    expect(swelling).toEqual(plain);
  });

  test('where contacts have impulses from the step before', async () => {
    const system = await packing({ height: 40 });
    const first = new CpuSolver(system);
    await first.step(1);
    const [from, other] = [await first.capture(), withMost(system, SHORT)];
    const next = async (which: System) => {
      const reports: StepReport[] = [];
      await new CpuSolver(which, from).step(1, (report) => reports.push(report));
      return reports;
    };
    expect(await next(system)).toEqual(await next(other));
  });
});

test('a packing swells although a few grains fall', async () => {
  const system = withLifted(await packing({ height: 40 }), 0.9);
  expect(swellingStep(system, startOf(system))).toBe(0);
});

test.each<[number, boolean]>([
  [17, false],
  [19, true],
])('a long bed of %i layers swells: %s', (layers, swells) => {
  const grains = pillar(0, 25).flatMap(([, , x]) => pillar(x, layers));
  const system = toSystem(
    makeProblem({
      grains: grains.map(([x, y, z]) => ({ position: [x, y, z + 0.5] as Vector, radius: 0.5 })),
      walls: [plane([0, 0, 0], [0, 0, 1])],
      gravity: [0, 0, -10],
      timeStep: 0.01,
      solver,
    }),
  );
  expect(swellingStep(system, startOf(system)) === 0).toBe(swells);
});

describe('a packing swells only where it is held up', () => {
  const column = [pillar(), pillar(1)];

  test.each<[string, number]>([
    ['by a mesh', 0.5],
    ['not by a mesh below it', 0.7],
  ])('%s', (_, height) => {
    const grains = column.flat().map(([x, y, z]) => ({ position: [x, y, z + height] as Vector, radius: 0.5 }));
    const walls = [meshWall(floor(9, 2))];
    const system = toSystem(makeProblem({ grains, walls, gravity: [0, 0, -10], timeStep: 0.01, solver }));
    expect(swellingStep(system, startOf(system)) === 0).toBe(height === 0.5);
  });

  test('by a fixed grain', async () => {
    const system = withLowestFixed(await packing({ height: 40 }));
    expect(swellingStep({ ...system, walls: [], motions: [], turned: [] }, startOf(system))).toBe(0);
  });
});

/** Places of grains one above the other. */
function pillar(x = 0, height = 30): Vector[] {
  return Array.from({ length: height }, (_, k) => [x, 0, k]);
}

test.each([30, 46])('a floor that hits a packing %i high gives it no more energy than its own speed is worth', async (height) => {
  const hit = await atPresent(shaft({ height }), 60, { solver });
  hit.velocities.fill(0);
  hit.spins.fill(0);
  const speed = 0.02;
  hit.motions[0] = { velocity: [0, 0, speed], angularVelocity: [0, 0, 0], point: [0, 0, 0], start: 0 };
  for (const { kineticEnergy } of await stepsOf(hit, 6)) expect(kineticEnergy).toBeLessThan(hit.grains * speed ** 2);
});

/** Gravity pulls the packing out of the shaft, so that no wall holds it. */
function upwards(system: System): System {
  return { ...system, accelerations: system.accelerations.map((x) => -x) };
}

function sideways(system: System): System {
  return { ...system, accelerations: system.accelerations.map((_, k) => (k % 3 === 0 ? system.accelerations[2] : 0)) };
}

function withLowestFixed(system: System): System {
  const heights = system.positions.filter((_, k) => k % 3 === 2);
  const lowest = heights.indexOf(Math.min(...heights));
  system.inverseMasses[lowest] = 0;
  system.accelerations.fill(0, 3 * lowest, 3 * lowest + 3);
  return system;
}

const swing = { oscillation: { amplitude: [0.01, 0, 0] as Vector, frequency: 0.02, phase: 0 } };

/** The grains above a share of the heights lie a diameter higher. */
function withLifted(system: System, share: number): System {
  const heights = system.positions.filter((_, k) => k % 3 === 2);
  const [low, high] = [Math.min(...heights), Math.max(...heights)];
  heights.forEach((z, i) => {
    if (z > low + share * (high - low)) system.positions[3 * i + 2]++;
  });
  return system;
}

function withFloor(system: System, motion: Partial<WallMotion>): System {
  const rest: WallMotion = { velocity: [0, 0, 0], angularVelocity: [0, 0, 0], point: [0, 0, 0], start: 0 };
  const floor = system.walls.findIndex((wall) => wall.kind === 'plane' && wall.normal[2] === 1);
  return { ...system, motions: system.motions.map((old, w) => (w === floor ? { ...rest, ...motion } : old)) };
}

function withLaw(law: Partial<PairLaw>): Problem {
  const problem = shaft({ height: 25, solver });
  return { ...problem, laws: problem.laws.map((plain) => ({ ...plain, ...law })) };
}

function withMotion(system: System): System {
  system.velocities[0] = 1e-6;
  return system;
}

/** Kinetic energy that the grains get in a step in which nothing holds them. */
function freeFall({ grains, inverseMasses, accelerations, velocities, units }: System): number {
  let sum = 0;
  for (let i = 0; i < grains; i++) {
    for (let axis = 0; axis < 3; axis++) {
      const k = 3 * i + axis;
      sum += (accelerations[k] + velocities[k]) ** 2 / (2 * inverseMasses[i]);
    }
  }
  return (sum * units.mass * units.length ** 2) / units.time ** 2;
}

function underPiston(): Problem {
  const top = { ...plane([0, 0, 30], [0, 0, -1]), piston: { mass: 1, force: 10 } };
  const grains = Array.from({ length: 30 }, (_, k) => ({ position: [0, 0, 0.5 + k] as [number, number, number], radius: 0.5 }));
  return makeProblem({ grains, walls: [plane([0, 0, 0], [0, 0, 1]), top], gravity: [0, 0, -10], solver });
}
