import { describe, expect, test } from 'vitest';
import type { SolverOptions, State, Vector } from '../../src/index';
import { backends, rounding, simulate } from '../support/backends';
import { type PackingOptions, pouring } from '../support/packings';
import { makeProblem, plane } from '../support/problems';

const packing = (options: Partial<PackingOptions> = {}) => {
  const solver: Partial<SolverOptions> = {
    momentum: 0.9,
    convergence: { criterion: 'residual', tolerance: 1e-3, balance: 1, maxIterations: 500 },
    ...options.solver,
  };
  return pouring({ count: 80, radii: [0.3, 0.5], ...options, solver });
};

describe.each(backends)('runs on %s', (backend) => {
  test.each<[string, Partial<SolverOptions>]>([
    ['fixed order', {}],
    ['random order', { order: 'random' }],
  ])('the same scene and seed give the same bits, %s', async (_, solver) => {
    const run = async () => {
      const simulation = await simulate(packing({ solver }), backend);
      return { reports: await simulation.step(40), state: await simulation.read() };
    };
    const [once, twice] = [await run(), await run()];
    expect(once.reports[39].contacts).toBeGreaterThan(20);
    expect(twice).toEqual(once);
  });

  test('the seed decides the random order of the colours', async () => {
    const run = async (seed: number) => {
      const simulation = await simulate(packing({ solver: { order: 'random', seed } }), backend);
      await simulation.step(40);
      return (await simulation.read()).positions;
    };
    expect(await run(2)).not.toEqual(await run(1));
  });

  test('steps in one call or in several are the same', async () => {
    const [whole, parts] = [await simulate(packing(), backend), await simulate(packing(), backend)];
    const reports = await whole.step(12);
    const pieces = [...(await parts.step(5)), ...(await parts.step()), ...(await parts.step(6))];
    expect(pieces).toEqual(reports);
    expect(reports.map(({ step }) => step)).toEqual(Array.from({ length: 12 }, (_, k) => k + 1));
    expect(await parts.read()).toEqual(await whole.read());
  });

  test('grains of 100 nm and of 1 m give the same figures', async () => {
    const sizes = [1, 1e-7, 3e5];
    const runs = await Promise.all(
      sizes.map(async (size) => {
        const simulation = await simulate(packing({ size }), backend);
        return { size, reports: await simulation.step(25), state: await simulation.read() };
      }),
    );
    const [{ reports, state }] = runs;
    expect(reports[24].contacts).toBeGreaterThan(10);
    for (const other of runs.slice(1)) {
      const last = other.reports[24];
      const { contacts, candidates, colours, iterations } = reports[24];
      expect(last).toMatchObject({ contacts, candidates, colours, iterations });
      // Masses stay as they are, so forces go like lengths and energies like their square.
      expectClose([last.meanForce / other.size], [reports[24].meanForce], 1e3 * rounding[backend]);
      expectClose([last.kineticEnergy / other.size ** 2], [reports[24].kineticEnergy], 1e3 * rounding[backend]);
      const loads = last.wallLoads.map((load, k) => load / (k % 6 < 3 ? other.size : other.size ** 2));
      expectClose(loads, reports[24].wallLoads, 1e4 * rounding[backend]);
      expectClose(other.state.positions, state.positions, 1e3 * rounding[backend], other.size);
      expectClose(other.state.velocities, state.velocities, 1e4 * rounding[backend], other.size);
    }
  });

  test('coloured sweeps in any order, with and without momentum, find the same motion without friction', async () => {
    const motion = async (solver: Partial<SolverOptions>): Promise<State> => {
      const convergence = {
        criterion: 'residual',
        tolerance: backend === 'cpu' ? 1e-9 : 1e-6,
        balance: 1,
        maxIterations: 50_000,
      } as const;
      const simulation = await simulate(packing({ count: 40, friction: 0, solver: { ...solver, convergence } }), backend);
      const reports = await simulation.step(30);
      expect(reports.every(({ converged }) => converged)).toBe(true);
      expect(reports[29].contacts).toBeGreaterThan(10);
      return simulation.read();
    };
    const { velocities } = await motion({ momentum: 0 });
    const others: Partial<SolverOptions>[] = [
      { momentum: 0.8 },
      { order: 'random', momentum: 0 },
      { warmStart: false, momentum: 0.5 },
    ];
    if (backend === 'cpu') others.push({ sweep: 'random' });
    for (const solver of others) expectClose((await motion(solver)).velocities, velocities, backend === 'cpu' ? 1e-6 : 1e-3);
  });

  test('a free grain turns exactly about a constant axis', async () => {
    const spin = [0.3, -0.2, 0.5];
    const rate = Math.hypot(...spin);
    const problem = makeProblem({
      grains: [
        { position: [0, 0, 0], radius: 0.2, angularVelocity: [0.3, -0.2, 0.5] },
        { position: [9, 0, 0], radius: 2 },
      ],
    });
    const simulation = await simulate(problem, backend);
    await simulation.step(40);
    const { orientations } = await simulation.read();
    const expected = [...spin.map((w) => (w / rate) * Math.sin(20 * rate)), Math.cos(20 * rate)];
    expectClose(orientations.slice(0, 4), expected, 10 * rounding[backend]);
    expect([...orientations.slice(4)]).toEqual([0, 0, 0, 1]);
  });

  test('a grain that rolls one turn is as it was before', async () => {
    const problem = makeProblem({ grains: [{ position: [0, 0, 0], angularVelocity: [0, (2 * Math.PI) / 50, 0] }] });
    const simulation = await simulate(problem, backend);
    await simulation.step(25);
    expectClose((await simulation.read()).orientations, [0, 1, 0, 0], 10 * rounding[backend]);
    await simulation.step(25);
    expectClose((await simulation.read()).orientations, [0, 0, 0, -1], 10 * rounding[backend]);
  });

  test.each<[string, SolverOptions['convergence'], number]>([
    ['fixed', { criterion: 'fixed', iterations: 7 }, 7],
    ['residual at its maximum', { criterion: 'residual', tolerance: 1e-30, balance: 1, maxIterations: 13 }, 13],
  ])('%s: as many sweeps as asked for', async (_, convergence, sweeps) => {
    const grains = Array.from({ length: 30 }, (_, k) => ({ position: [0, 0, 0.5 + k] as Vector }));
    const scene = { grains, walls: [plane([0, 0, 0], [0, 0, 1])], gravity: [0, 0, -1e-3] as Vector, solver: { convergence } };
    const [report] = await (await simulate(makeProblem(scene), backend)).step();
    expect(report).toMatchObject({ iterations: sweeps, converged: convergence.criterion === 'fixed' });
  });

  test('a scene without contacts takes no sweeps and is converged', async () => {
    const simulation = await simulate(makeProblem({ grains: [{ position: [0, 0, 0], velocity: [1, 2, 3] }] }), backend);
    const [report] = await simulation.step();
    expect(report).toMatchObject({
      candidates: 0,
      contacts: 0,
      colours: 0,
      iterations: 0,
      residual: 0,
      residualMax: 0,
      converged: true,
    });
    expect((await simulation.read()).contacts.count).toBe(0);
  });

  test('steps in which grains cross many diameters gain no energy without bound', async () => {
    const count = 27;
    const grains = Array.from({ length: count }, (_, k) => ({
      position: [1.02 * (k % 3), 1.02 * (Math.floor(k / 3) % 3), 0.6 + 1.02 * Math.floor(k / 9)] as Vector,
    }));
    const walls = [
      plane([0, 0, 0], [0, 0, 1]),
      plane([-1, 0, 0], [1, 0, 0]),
      plane([4, 0, 0], [-1, 0, 0]),
      plane([0, -1, 0], [0, 1, 0]),
      plane([0, 4, 0], [0, -1, 0]),
    ];
    const convergence = { criterion: 'residual', tolerance: 1e-3, balance: null, maxIterations: 200 } as const;
    const problem = makeProblem({
      grains,
      walls,
      gravity: [0, 0, -10],
      timeStep: 1,
      friction: 0.3,
      solver: { momentum: 0.9, convergence },
    });
    const simulation = await simulate(problem, backend);
    const reports = await simulation.step(25);
    // What gravity adds in one step, with room for the next.
    const fall = 0.5 * problem.grains.masses[0] * count * 10 ** 2;
    for (const { kineticEnergy } of reports) expect(kineticEnergy).toBeLessThan(2 * fall);
    expect(simulation.warnings.join()).toMatch(/is long/);
  });
});

/** Largest difference as a share of the largest expected value, after dividing by the unit. */
function expectClose(values: ArrayLike<number>, expected: ArrayLike<number>, tolerance: number, unit = 1): void {
  expect(values.length).toBe(expected.length);
  const largest = Math.max(...Array.from(expected, Math.abs));
  const difference = Math.max(...Array.from(expected, (x, k) => Math.abs(values[k] / unit - x)));
  expect(difference / largest).toBeLessThan(tolerance);
}
