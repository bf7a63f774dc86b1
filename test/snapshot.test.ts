import { describe, expect, test } from 'vitest';
import { CpuSolver } from '../src/cpu/solver';
import { GpuSolver } from '../src/gpu/solver';
import type { Backend, StepReport } from '../src/report';
import type { System } from '../src/scene/system';
import { toSystem } from '../src/scene/units';
import type { Snapshot } from '../src/snapshot';
import { sharedDevice } from './support/device';
import { floor, meshWall } from './support/meshes';
import { pouring } from './support/packings';
import { periodicCrowd } from './support/periodic';
import { makeProblem, plane } from './support/problems';

const device = sharedDevice();

const open: Record<string, (system: System, from?: Snapshot) => Promise<Backend>> = {
  cpu: async (system, from) => new CpuSolver(system, from),
  webgpu: (system, from) => GpuSolver.create(device(), system, { from }),
};

/** Falls, collides and comes to lie within the steps of the tests; one grain is so fast that cells grow and a step starts cold. */
function lively(steps: number): System {
  const problem = pouring({
    count: 120,
    radii: [0.35, 0.5],
    solver: { momentum: 0.9, convergence: { criterion: 'residual', tolerance: 1e-3, balance: null, maxIterations: 100 } },
  });
  problem.grains.velocities[3 * 5 + 2] = -30;
  problem.grains.velocities.forEach((v, k, all) => {
    all[k] = v - (k % 3 === 2 ? 2 : 0);
  });
  return toSystem({ ...problem, steps });
}

async function run(solver: Backend, steps: number): Promise<StepReport[]> {
  const reports: StepReport[] = [];
  await solver.step(steps, (report) => reports.push(report));
  return reports;
}

describe.each(Object.keys(open))('a snapshot on %s', (backend) => {
  test('tells where its pistons are, before the first step that goes on from it', async () => {
    const problem = makeProblem({
      grains: [{ position: [0, 0, 0] }],
      walls: [{ ...plane([1, 2, 3], [0, 0.6, -0.8]), piston: { mass: 2, force: 3 } }, plane([0, 0, -0.5], [0, 0, 1])],
      timeStep: 0.1,
    });
    const system = toSystem(problem);
    const first = await open[backend](system);
    const start = (await first.read()).walls;
    await run(first, 3);
    const { walls } = await first.read();
    expect(walls[1] - start[1]).toBeGreaterThan(0.05);
    const second = await open[backend](system, await first.capture());
    expect([...(await second.read()).walls]).toEqual([...walls]);
    for (const solver of [first, second]) solver.dispose();
  });

  test.each([1, 20, 21])('taken after step %i, goes on with the same bits', async (when) => {
    const system = lively(40);
    const whole = await open[backend](system);
    const reports = await run(whole, 40);
    const first = await open[backend](system);
    await run(first, when);
    const [state, snapshot] = [await first.read(), await first.capture()];
    first.dispose();

    const second = await open[backend](system, structuredClone(snapshot));
    expect(await second.read()).toEqual(state);
    expect(await second.capture()).toEqual(snapshot);
    expect(await run(second, 40 - when)).toEqual(reports.slice(when));
    expect(await second.read()).toEqual(await whole.read());
    expect(await second.capture()).toEqual(await whole.capture());
    expect(reports.some(({ redone }) => redone > 0)).toBe(true);
    expect(reports[39].contacts).toBeGreaterThan(50);
    for (const solver of [whole, second]) solver.dispose();
  });

  test('with contacts at a mesh goes on with the same bits', async () => {
    const problem = pouring({ count: 40, radii: [0.35, 0.5], solver: { convergence: { criterion: 'fixed', iterations: 10 } } });
    const ramp = meshWall(floor(20, 12, (x, y) => 0.3 * Math.sin(x) * Math.cos(y), 0.3));
    problem.walls = [{ name: 'ground', material: 0, shape: ramp }];
    // Collisions go on from facet to facet.
    problem.laws = problem.laws.map((law) => ({ ...law, normalRestitution: 0.8 }));
    const system = toSystem(problem);
    const whole = await open[backend](system);
    const reports = await run(whole, 30);
    expect(reports[29].wallLoads[2]).toBeLessThan(0);
    const again = await open[backend](system, structuredClone(await whole.capture()));
    expect(await again.read()).toEqual(await whole.read());
    expect(await run(again, 10)).toEqual(await run(whole, 10));
    expect(await again.capture()).toEqual(await whole.capture());
    for (const each of [whole, again]) each.dispose();
  });

  test('in periodic space goes on with the same bits', async () => {
    const solver = { momentum: 0.9, convergence: { criterion: 'fixed', iterations: 10 } } as const;
    const system = toSystem(periodicCrowd(80, [4.1, 5.3, 0], { solver, gravity: [0.003, 0, 0] }));
    const whole = await open[backend](system);
    await run(whole, 15);
    const again = await open[backend](system, await whole.capture());
    expect(await run(again, 15)).toEqual(await run(whole, 15));
    expect(await again.capture()).toEqual(await whole.capture());
    for (const each of [whole, again]) each.dispose();
  });

  test('of a system that has not begun is where it begins', async () => {
    const system = lively(5);
    const whole = await open[backend](system);
    const again = await open[backend](system, await whole.capture());
    expect(await run(again, 5)).toEqual(await run(whole, 5));
    for (const each of [whole, again]) each.dispose();
  });
});

test('torques and memories of contacts go on too', async () => {
  const system = lively(40);
  system.laws = system.laws.map((law) => ({
    ...law,
    rollingFriction: 0.1,
    torsionFriction: 0.1,
    normalRestitution: 0.8,
    cohesionForce: 0.01,
    cohesionRange: 0.01,
  }));
  const whole = await open.cpu(system);
  await run(whole, 30);
  const snapshot = await whole.capture();
  expect(snapshot.contacts.torques.some((torque) => torque !== 0)).toBe(true);
  expect(snapshot.contacts.memory.some((value) => value > 1)).toBe(true);
  const again = await open.cpu(system, snapshot);
  expect(await run(again, 5)).toEqual(await run(whole, 5));
});

test('a run on the GPU goes on on the reference', async () => {
  const system = lively(30);
  const gpu = await open.webgpu(system);
  await run(gpu, 29);
  const cpu = await open.cpu(system, await gpu.capture());
  const [right] = await run(gpu, 1);
  const [found] = await run(cpu, 1);
  expect(found).toMatchObject({ step: 30, candidates: right.candidates, colours: right.colours });
  expect(Math.abs(found.kineticEnergy / right.kineticEnergy - 1)).toBeLessThan(1e-3);
  gpu.dispose();
});
