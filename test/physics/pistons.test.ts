import { describe, expect, test } from 'vitest';
import { CpuSolver } from '../../src/cpu/solver';
import type { Problem, StepReport, Vector } from '../../src/index';
import { randomNumbers } from '../../src/scene/generators/randomNumbers';
import { toSystem } from '../../src/scene/units';
import { backends, rounding, simulate } from '../support/backends';
import { makeProblem, plane, type TestGrain } from '../support/problems';
import { at, dot } from '../support/vectors';

const STEP = 0.01;

const piston = (point: Vector, normal: Vector, mass: number, force: number) => ({
  ...plane(point, normal),
  piston: { mass, force },
});

/** A jittered lattice of spheres of two sizes between four walls, on a floor, under a piston that starts above it. */
function packing(side: number, layers: number, mass: number, force: number): Problem {
  const random = randomNumbers(3);
  const grains = Array.from({ length: side * side * layers }, (_, k): TestGrain => {
    const cell = [k % side, Math.floor(k / side) % side, Math.floor(k / side ** 2)];
    const position = cell.map((c) => 0.55 + 1.1 * c + 0.08 * random()) as Vector;
    return { position, radius: 0.4 + 0.1 * random() };
  });
  const [width, height] = [1.1 * side + 0.1, 1.1 * layers + 0.2];
  return makeProblem({
    grains,
    walls: [
      plane([0, 0, 0], [0, 0, 1]),
      piston([0, 0, height], [0, 0, -1], mass, force),
      plane([0, 0, 0], [1, 0, 0]),
      plane([0, 0, 0], [0, 1, 0]),
      plane([width, 0, 0], [-1, 0, 0]),
      plane([0, width, 0], [0, -1, 0]),
    ],
    timeStep: 0.05,
    friction: 0.3,
    solver: { momentum: 0.9, convergence: { criterion: 'residual', tolerance: 1e-4, balance: 1, maxIterations: 500 } },
  });
}

describe.each(backends)('pistons on %s', (backend) => {
  const tiny = rounding[backend];

  test('a piston that touches nothing moves with F/M along its normal; gravity does not act on it', async () => {
    const normal: Vector = [0.6, 0, -0.8];
    const problem = makeProblem({
      grains: [{ position: [0, 0, 0] }],
      walls: [piston([0, 0, 200], normal, 4, 10), plane([0, 0, -0.5], [0, 0, 1])],
      gravity: [0, 0, -10],
      timeStep: STEP,
    });
    const simulation = await simulate(problem, backend);
    const steps = 50;
    const last = (await simulation.step(steps))[steps - 1];
    const travelled = 2.5 * STEP ** 2 * ((steps * (steps + 1)) / 2);
    for (let axis = 0; axis < 3; axis++) {
      const start = axis === 2 ? 200 : 0;
      expect(Math.abs(last.wallMotions[axis] - start - travelled * normal[axis])).toBeLessThan(10 * tiny);
      expect(Math.abs(last.wallMotions[3 + axis] - 2.5 * STEP * steps * normal[axis])).toBeLessThan(10 * tiny);
    }
  });

  test.each([1e-6, 1, 100])('a piston of mass %d on a column: every contact bears its force', async (mass) => {
    const count = 8;
    const grains = Array.from({ length: count }, (_, k): TestGrain => ({ position: [0, 0, 0.5 + k], mass: 2 }));
    const problem = makeProblem({
      grains,
      walls: [plane([0, 0, 0], [0, 0, 1]), piston([0, 0, count], [0, 0, -1], mass, 7)],
      timeStep: STEP,
      friction: 0.3,
      solver: { momentum: 0.9 },
    });
    const simulation = await simulate(problem, backend);
    const [report] = await simulation.step();
    const { contacts } = await simulation.read();
    expect(contacts.count).toBe(count + 1);
    for (let c = 0; c <= count; c++) {
      expect(Math.abs(dot(at(contacts.forces, c), at(contacts.normals, c)) / 7 - 1)).toBeLessThan(1e3 * tiny);
    }
    expect(Math.abs(report.wallLoads[6 + 2] / 7 - 1)).toBeLessThan(1e3 * tiny);
    expect(Math.abs(report.wallMotions[6 + 2] - count)).toBeLessThan(tiny);
  });

  test.each([1e-6, 50])('a piston of mass %d with a row of grains accelerates with F/(M + sum m)', async (mass) => {
    const [count, force] = [6, 3];
    const grains = Array.from({ length: count }, (_, k): TestGrain => ({ position: [0.5 + k, 0, 0], mass: 2 }));
    const problem = makeProblem({
      grains,
      walls: [piston([0, 0, 0], [1, 0, 0], mass, force)],
      timeStep: STEP,
      friction: 0.5,
    });
    const simulation = await simulate(problem, backend);
    const steps = 20;
    const last = (await simulation.step(steps))[steps - 1];
    const acceleration = force / (mass + 2 * count);
    expect(Math.abs(last.wallMotions[3] / (acceleration * steps * STEP) - 1)).toBeLessThan(1e3 * tiny);
    expect(Math.abs(last.wallLoads[0] / (-force + mass * acceleration) - 1)).toBeLessThan(1e3 * tiny);
    const { velocities } = await simulation.read();
    for (let i = 0; i < count; i++)
      expect(Math.abs(velocities[3 * i] / (acceleration * steps * STEP) - 1)).toBeLessThan(1e3 * tiny);
  });

  test('a piston almost without mass stops at the nearest grain, however far, and pushes it with its force', async () => {
    const problem = makeProblem({
      grains: [
        { position: [5, 0, 0], mass: 2 },
        { position: [9, 3, 0], mass: 2 },
      ],
      walls: [piston([0, 0, 0], [1, 0, 0], 1e-6, 3)],
      timeStep: STEP,
    });
    const simulation = await simulate(problem, backend);
    const [first, second, third] = await simulation.step(3);
    // In the first step it takes momentum with it over the gap: M (4.5/dt + v) + m v = F dt.
    const gained = (3 * STEP - (1e-6 * 4.5) / STEP) / (2 + 1e-6);
    expect(Math.abs(first.wallMotions[0] - 4.5 - gained * STEP)).toBeLessThan(10 * tiny);
    for (const [k, report] of [second, third].entries()) {
      expect(Math.abs((report.wallMotions[3] * (2 + 1e-6)) / (3 * STEP * (k + 2)) - 1)).toBeLessThan(1e3 * tiny);
    }
    expect((await simulation.read()).velocities[3]).toBe(0);
  });

  test('a block without mass pushes a row of disks that roll on a plane: their effective inertia', async () => {
    // Disks of unit radius and weight; mu between them and with the blocks 0.04, with the plane 0.1 (the disk array of 1997).
    const [count, mu, braking, force] = [4, 0.04, 0.01, 0.3];
    const disks = Array.from({ length: count }, (_, k): TestGrain => ({ position: [2 * k + 1, 1, 0], radius: 1, mass: 1 }));
    const problem: Problem = {
      ...makeProblem({
        grains: disks,
        walls: [
          plane([0, 0, 0], [0, 1, 0]),
          { ...piston([0, 0, 0], [1, 0, 0], 1e-6, braking), material: 1 },
          { ...piston([2 * count, 0, 0], [-1, 0, 0], 1e-6, force), material: 1 },
        ].map((wall, w) => (w === 0 ? { ...wall, material: 2 } : wall)),
        gravity: [0, -1, 0],
        timeStep: 0.02,
        friction: [
          [mu, mu, 0.1],
          [mu, mu, 0],
          [0.1, 0, 0],
        ],
        solver: { momentum: 0.9 },
      }),
      dimension: 2,
    };
    const simulation = await simulate(problem, backend);
    const reports = await simulation.step(30);
    const acceleration = (reports[29].wallMotions[15] - reports[19].wallMotions[15]) / (10 * 0.02);
    // Rolling on the plane each disk k adds (3/2) a and passes on h = (1 + mu)/(1 - mu) times what it gets, less what turns it:
    // N_k+1 (1 - mu) - N_k (1 + mu) = (3/2) a, both contact forces of a disk holding its turning back.
    let [passed, inertia] = [braking, 0];
    for (let k = 0; k < count; k++) {
      passed = (passed * (1 + mu)) / (1 - mu);
      inertia = (inertia * (1 + mu) + 1.5) / (1 - mu);
    }
    expect(Math.abs((-acceleration * inertia) / (force - passed) - 1)).toBeLessThan(backend === 'cpu' ? 1e-4 : 1e-2);
    expect(Math.abs(reports[29].wallLoads[12] / force - 1)).toBeLessThan(1e-4);
  });

  test.each([
    [0.01, 0.7],
    [0.5, 1],
    [5, 0.3],
  ])('a grain leaves a free piston of mass %d with e = %d times the speed of its approach', async (mass, e) => {
    const normal: Vector = [-0.6, 0.8, 0];
    const gap = 0.0123;
    const problem = makeProblem({
      grains: [{ position: [0, 0, 0], mass: 2, velocity: [0.6, -0.8, 0] }],
      walls: [piston([0.6 * (0.5 + gap), -0.8 * (0.5 + gap), 0], normal, mass, 0)],
      timeStep: STEP / 2,
      law: { normalRestitution: e },
    });
    const simulation = await simulate(problem, backend);
    const last = (await simulation.step(8))[7];
    const { velocities } = await simulation.read();
    const close = (x: number, expected: number) => expect(Math.abs(x - expected)).toBeLessThan(2 * tiny);
    for (let axis = 0; axis < 3; axis++) {
      close(velocities[axis], (-normal[axis] * (2 - e * mass)) / (2 + mass));
      close(last.wallMotions[3 + axis], (-normal[axis] * (1 + e) * 2) / (2 + mass));
    }
  });

  test.each([0.1, 50])(
    'a grain leaves a piston of mass %d that struck it with e V less what the force gives in a step',
    async (mass) => {
      const [e, force, step] = [0.5, 1, 0.01 * Math.sqrt(mass)];
      const problem = makeProblem({
        grains: [{ position: [0, 0, 0.55], mass: 2 }],
        walls: [piston([0, 0, 0], [0, 0, 1], mass, force)],
        timeStep: step,
        law: { normalRestitution: e },
      });
      const simulation = await simulate(problem, backend);
      // In 31 steps it goes 0.0496: n (n + 1)/2 F dt^2/M. The next closes the gap, and two later the collision is over.
      const reports = await simulation.step(34);
      expect(reports.map(({ contacts }) => contacts)).toEqual([...Array(31).fill(0), 1, 1, 1]);
      const { velocities } = await simulation.read();
      const [before, after] = [reports[30].wallMotions[5], reports[33].wallMotions[5]];
      expect(Math.abs((velocities[2] - after) / (e * before - (force * step) / mass) - 1)).toBeLessThan(100 * tiny);
      expect(Math.abs((mass * after + 2 * velocities[2]) / (34 * force * step) - 1)).toBeLessThan(100 * tiny);
    },
  );

  test('a piston on a random packing comes to rest with the floor and the piston bearing its force', async () => {
    const problem = packing(3, 4, 5, 100);
    const simulation = await simulate(problem, backend);
    const last = (await simulation.step(80))[79];
    expect(last.wallMotions[6 + 2]).toBeLessThan(3);
    expect(Math.abs(last.wallMotions[6 + 5])).toBeLessThan(2e-3);
    expect(Math.abs(last.wallLoads[6 + 2] / 100 - 1)).toBeLessThan(5e-3);
    // What friction at the side walls does not carry, the floor does.
    const sides = [2, 3, 4, 5].reduce((sum, w) => sum + last.wallLoads[6 * w + 2], 0);
    expect(Math.abs((last.wallLoads[2] + sides) / 100 + 1)).toBeLessThan(2e-2);
    expect(last.maxPenetration).toBeLessThan(1e-3);
  });
});

test('a packing under a piston comes to the same forces sweep by sweep in random order', async () => {
  const loads = async (solver: Partial<Problem['solver']>) => {
    const problem = packing(3, 4, 5, 100);
    problem.solver = { ...problem.solver, ...solver };
    return (await (await simulate(problem, 'cpu')).step(12))[11];
  };
  const convergence = { criterion: 'residual', tolerance: 1e-9, balance: null, maxIterations: 5000 } as const;
  const [coloured, random] = [await loads({ convergence }), await loads({ convergence, sweep: 'random', momentum: 0 })];
  expect(random.contacts).toBeGreaterThan(20);
  expect(Math.abs(random.wallMotions[6 + 2] / coloured.wallMotions[6 + 2] - 1)).toBeLessThan(1e-3);
  expect(Math.abs(random.wallMotions[6 + 5] / coloured.wallMotions[6 + 5] - 1)).toBeLessThan(2e-2);
});

test('a piston needs as many colours for 400 contacts as for 100, and no more sweeps than in the random sweep', async () => {
  const press = async (side: number, solver: Partial<Problem['solver']>) => {
    const problem = makeProblem({
      grains: Array.from({ length: side ** 2 }, (_, k) => ({ position: [k % side, Math.floor(k / side), 0.5] as Vector })),
      walls: [plane([0, 0, 0], [0, 0, 1]), piston([0, 0, 1], [0, 0, -1], 3, 100)],
      timeStep: 0.05,
      friction: 0.3,
      solver: { convergence: { criterion: 'residual', tolerance: 1e-6, balance: null, maxIterations: 20_000 }, ...solver },
    });
    const [report] = await (await simulate(problem, 'cpu')).step(1);
    expect(report.converged).toBe(true);
    expect(Math.abs(report.wallLoads[6 + 2] / 100 - 1)).toBeLessThan(1e-3);
    return report;
  };
  const [few, many] = [await press(10, {}), await press(20, {})];
  expect(many.candidates).toBeGreaterThan(3 * few.candidates);
  expect(many.colours).toBe(few.colours);
  for (const side of [10, 20]) {
    const random = await press(side, { sweep: 'random' });
    for (const order of ['fixed', 'random'] as const)
      expect((await press(side, { order })).iterations).toBeLessThanOrEqual(random.iterations);
  }
});

test('in a disordered packing too, a piston takes no more sweeps than in the random sweep', async () => {
  // From no impulses, so that the piston's force has to find its way to the floor.
  const system = toSystem(packing(5, 5, 5, 100));
  const settling = new CpuSolver(system);
  await settling.step(60);
  const rest = { ...(await settling.capture()), step: 0, fresh: false };
  const convergence = { criterion: 'residual', tolerance: 1e-3, balance: null, maxIterations: 5000 } as const;
  const press = async (options: Partial<Problem['solver']>) => {
    const solver = { ...system.solver, momentum: 0, coarse: 'off', warmStart: false, convergence, ...options } as const;
    const reports: StepReport[] = [];
    await new CpuSolver({ ...system, solver }, rest).step(1, (report) => reports.push(report));
    expect(reports[0].converged).toBe(true);
    expect(reports[0].contacts).toBeGreaterThan(150);
    return reports[0].iterations;
  };
  const random = await press({ sweep: 'random' });
  expect(await press({})).toBeLessThanOrEqual(random);
  expect(await press({ order: 'random' })).toBeLessThanOrEqual(1.1 * random);
  expect(await press({ momentum: 0.9 })).toBeLessThan(0.5 * random);
});
