import { expect, test } from 'vitest';
import { CpuSolver } from '../../src/cpu/solver';
import { GpuSolver } from '../../src/gpu/solver';
import type { Backend, StepReport } from '../../src/report';
import type { System } from '../../src/scene/system';
import { toSystem } from '../../src/scene/units';
import type { Snapshot } from '../../src/snapshot';
import { sharedDevice } from '../support/device';
import { giantsAmongSmall } from '../support/packings';

const device = sharedDevice();

/** Two large grains among small ones under a piston, after they have fallen together. */
async function squeezed(): Promise<{ system: System; from: Snapshot }> {
  const problem = giantsAmongSmall({
    giants: 2,
    ratio: 4,
    piston: { mass: 3, force: 300 },
    solver: { momentum: 0.9, convergence: { criterion: 'fixed', iterations: 40 } },
  });
  const system = toSystem(problem);
  const cpu = new CpuSolver(system);
  await cpu.step(25);
  return { system, from: await cpu.capture() };
}

async function run(solver: Backend, steps: number): Promise<StepReport[]> {
  const reports: StepReport[] = [];
  await solver.step(steps, (report) => reports.push(report));
  return reports;
}

test.each([0, 0.9])('large grains and a piston move as on the CPU, momentum %d', async (momentum) => {
  const { system, from } = await squeezed();
  // Few sweeps from zero impulses, so that nothing hides what each sweep does.
  const solver = { ...system.solver, warmStart: false, momentum, convergence: { criterion: 'fixed', iterations: 7 } } as const;
  const cpu = new CpuSolver({ ...system, solver }, from);
  const gpu = await GpuSolver.create(device(), { ...system, solver }, { from });
  const [[onCpu], [onGpu]] = [await run(cpu, 1), await run(gpu, 1)];
  expect(onGpu.candidates).toBe(onCpu.candidates);
  expect(onGpu.colours).toBe(onCpu.colours);
  const [right, found] = [await cpu.read(), await gpu.read()];
  const degree = (body: number) => right.contacts.second.filter((second) => second === body).length;
  for (const hub of [0, 1, system.grains + 5]) expect(degree(hub)).toBeGreaterThan(16);
  for (const key of ['velocities', 'angularVelocities', 'positions'] as const) {
    right[key].forEach((x, k) => {
      expect(Math.abs(found[key][k] - x)).toBeLessThan(1e-5);
    });
  }
  const mean = onCpu.meanForce;
  right.contacts.forces.forEach((force, k) => {
    expect(Math.abs(found.contacts.forces[k] - force)).toBeLessThan(1e-3 * mean);
  });
  onCpu.wallMotions.forEach((x, k) => {
    expect(Math.abs(onGpu.wallMotions[k] - x)).toBeLessThan(1e-5);
  });
  gpu.dispose();
});

test('with the last step’s impulses both backends start alike', async () => {
  const { system, from } = await squeezed();
  const solver = { ...system.solver, momentum: 0, convergence: { criterion: 'fixed', iterations: 1 } } as const;
  const cpu = new CpuSolver({ ...system, solver }, from);
  const gpu = await GpuSolver.create(device(), { ...system, solver }, { from });
  await run(cpu, 1);
  await run(gpu, 1);
  const [right, found] = [await cpu.read(), await gpu.read()];
  right.velocities.forEach((v, k) => {
    expect(Math.abs(found.velocities[k] - v)).toBeLessThan(1e-5);
  });
  gpu.dispose();
});

test('a piston and large grains go on from a snapshot with the same bits', async () => {
  const { system, from } = await squeezed();
  const whole = await GpuSolver.create(device(), system, { from });
  await run(whole, 2);
  const again = await GpuSolver.create(device(), system, { from: structuredClone(await whole.capture()) });
  expect(await again.capture()).toEqual(await whole.capture());
  expect(await run(again, 2)).toEqual(await run(whole, 2));
  expect(await again.capture()).toEqual(await whole.capture());
  for (const solver of [whole, again]) solver.dispose();

  const [one, other] = [new CpuSolver(system, from), new CpuSolver(system, from)];
  await run(one, 2);
  await run(other, 1);
  const resumed = new CpuSolver(system, await other.capture());
  await run(resumed, 1);
  expect(await resumed.capture()).toEqual(await one.capture());
});
