import { describe, expect, test } from 'vitest';
import type { SolverOptions, Vector } from '../../src/scene/problem';
import { backends, simulate } from '../support/backends';
import { cylinder, makeProblem, plane, type TestScene } from '../support/problems';

const sweeps = (iterations: number): Partial<SolverOptions> => ({ convergence: { criterion: 'fixed', iterations } });
const floor = plane([0, 0, 0], [0, 0, 1]);
const column = (count: number) => Array.from({ length: count }, (_, k) => ({ position: [0, 0, k + 0.5] as Vector }));
type Walls = NonNullable<TestScene['walls']>;

describe.each(backends)('on %s', (backend) => {
  test.each<[string, Walls[0]]>([
    ['a plane', floor],
    ['a cylinder', { kind: 'cylinder', radius: 20, side: 'outside', axis: [1, 0, 0], point: [0, 0, -20] }],
    ['a plane that turns', { ...floor, motion: { angularVelocity: [0.001, 0, 0] } }],
  ])('a grain with its centre behind %s ends the run as it was before', async (_, wall) => {
    const grains = [...column(3), { position: [3, 0, -0.1] as Vector }];
    const scene = makeProblem({ grains, walls: [cylinder(9, 'inside'), wall], gravity: [0, 0, -0.1], solver: sweeps(50) });
    const simulation = await simulate(scene, backend);
    const start = await simulation.read();
    await expect(simulation.step(3)).rejects.toMatchObject({
      name: 'NumericalError',
      step: 1,
      grain: 3,
      message: expect.stringMatching(
        /^Step 1: grain 3 passes into the wall "wall 1" by more than its radius.* timeStep or more sweeps/,
      ),
    });
    expect(simulation.steps).toBe(0);
    expect(await simulation.read()).toEqual(start);
  });

  test('grains that are driven through a floor faster than sweeps resolve end the run', async () => {
    const simulation = await simulate(
      makeProblem({ grains: column(8), walls: [floor], gravity: [0, 0, -9], solver: sweeps(1) }),
      backend,
    );
    await expect(simulation.step(3)).rejects.toMatchObject({
      step: 1,
      message: expect.stringMatching(/^Step 1: grain \d passes into (grain \d|the wall "wall 0") by more than its radius/),
    });
  });

  test('a grain that goes right through another in a step ends the run', async () => {
    const grains = [
      { position: [0, 0, 0] as Vector, mass: 1000, velocity: [9, 0, 0] as Vector },
      { position: [3, 0, 0] as Vector },
      { position: [4, 0, 0] as Vector, fixed: true },
    ];
    const simulation = await simulate(makeProblem({ grains, solver: sweeps(1) }), backend);
    await expect(simulation.step()).rejects.toMatchObject({
      step: 1,
      message: expect.stringMatching(/^Step 1: grain [01] passes into grain [12] by more than its radius/),
    });
  });

  test('grains that lie deep in each other from the start are kept, though pressed', async () => {
    const grains = column(6).map(({ position }) => ({ position: [0, 0, 0.5 + 0.2 * (position[2] - 0.5)] as Vector }));
    const simulation = await simulate(makeProblem({ grains, walls: [floor], gravity: [0, 0, -0.3], solver: sweeps(4) }), backend);
    const reports = await simulation.step(10);
    expect(reports[0].maxPenetration).toBeGreaterThan(0.8);
  });

  test('a block takes a hit of 100 diameters a step, and dust an overlap of the grains around it', async () => {
    const block = Array.from({ length: 27 }, (_, k) => ({
      position: [(k % 3) + 0.01 * Math.sin(k), Math.floor(k / 3) % 3, Math.floor(k / 9) + 0.5] as Vector,
    }));
    const grains = [...block, { position: [0.9, 1.1, 6] as Vector, radius: 0.7, velocity: [30, 0, -100] as Vector }];
    const walls = [floor, plane([12, 0, 0], [-1, 0, 0]), plane([0, 0, 30], [0, 0, -1])];
    const solver: Partial<SolverOptions> = {
      convergence: { criterion: 'residual', tolerance: 1e-3, balance: null, maxIterations: 500 },
    };
    const hit = await simulate(makeProblem({ grains, walls, solver }), backend);
    const fastest = await hit.step(3);
    expect(Math.max(...fastest.map(({ fastestDisplacement }) => fastestDisplacement))).toBeGreaterThan(3);

    const nut = [
      { position: [0, 0, 0] as Vector, fixed: true },
      { position: [1.04, 0, 0] as Vector, mass: 1000, velocity: [-0.2, 0, 0] as Vector },
      { position: [0.52, 0, 0] as Vector, radius: 0.02, mass: 1e-5 },
    ];
    const cracked = await simulate(makeProblem({ grains: nut, solver: sweeps(2) }), backend);
    const [report] = await cracked.step();
    expect(report.maxPenetration).toBeGreaterThan(0.02);
  });
});
