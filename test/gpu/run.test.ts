import { expect, test, vi } from 'vitest';
import { HeavyBall } from '../../src/cpu/heavyBall';
import { CpuSolver } from '../../src/cpu/solver';
import { GpuSolver, type GpuSolverOptions } from '../../src/gpu/solver';
import type { Problem, StepReport } from '../../src/index';
import type { Vector } from '../../src/scene/problem';
import type { System } from '../../src/scene/system';
import { toSystem } from '../../src/scene/units';
import { requestAdapter, sharedDevice } from '../support/device';
import { pouring } from '../support/packings';
import { cylinder, makeProblem, plane } from '../support/problems';
import { settling } from './support';

const device = sharedDevice();

async function runGpu(system: System, steps: number, options?: GpuSolverOptions) {
  const solver = await GpuSolver.create(device(), system, options);
  try {
    const reports: StepReport[] = [];
    await solver.step(steps, (report) => reports.push(report));
    return { reports, state: await solver.read() };
  } finally {
    solver.dispose();
  }
}

async function runCpu(system: System, steps: number) {
  const solver = new CpuSolver(system);
  const reports: StepReport[] = [];
  await solver.step(steps, (report) => reports.push(report));
  return { reports, state: await solver.read() };
}

/** Without the balance. */
const residual = (tolerance: number): Problem['solver']['convergence'] => ({
  criterion: 'residual',
  tolerance,
  balance: null,
  maxIterations: 200,
});

test('a pouring run goes as on the reference', async () => {
  const problem = pouring({ count: 200, radii: [0.35, 0.5], solver: { momentum: 0.9, convergence: residual(1e-3) } });
  const system = toSystem(problem);
  const [gpu, cpu] = [await runGpu(system, 40), await runCpu(system, 40)];
  expect(gpu.reports.map(({ step }) => step)).toEqual(cpu.reports.map(({ step }) => step));
  for (const [k, right] of cpu.reports.entries()) {
    const found = gpu.reports[k];
    expect(found.converged).toBe(right.converged);
    expect(found.candidates).toBe(right.candidates);
    expect(found.colours).toBe(right.colours);
    expect(Math.abs(found.iterations - right.iterations)).toBeLessThanOrEqual(5);
    expect(Math.abs(found.kineticEnergy / right.kineticEnergy - 1)).toBeLessThan(1e-3);
    expect(Math.abs(found.maxPenetration - right.maxPenetration)).toBeLessThan(1e-5);
  }
  const distance = gpu.state.positions.map((x, k) => Math.abs(x - cpu.state.positions[k]));
  expect(Math.max(...distance)).toBeLessThan(1e-3);
});

test('warm starts carry on: a bed at rest takes few sweeps and its floor bears the weight', async () => {
  const system = await settling(150, 400, { solver: { momentum: 0.9, convergence: residual(1e-3) } });
  const { reports } = await runGpu(system, 25);
  const last = reports[24];
  expect(last.converged).toBe(true);
  // A mean, since now and then a contact that opens costs one step more.
  const sweeps = reports.slice(15).reduce((sum, { iterations }) => sum + iterations / 10, 0);
  expect(sweeps).toBeLessThanOrEqual(15);
  const weight = system.accelerations.reduce(
    (sum, a, k) => (k % 3 === 2 && a < 0 ? sum - a / system.inverseMasses[(k - 2) / 3] : sum),
    0,
  );
  const cold = await runGpu({ ...system, solver: { ...system.solver, warmStart: false } }, 3);
  expect(cold.reports[2].iterations).toBeGreaterThan(sweeps);
  // The fixed grains of the packing bear their share.
  expect(-last.wallLoads[2]).toBeGreaterThan(0.5 * weight);
});

test('momentum is taken back where the residual stalls, as on the reference', async () => {
  const solver = { momentum: 0.9, warmStart: false, convergence: { ...residual(1e-4), maxIterations: 1000 } } as const;
  const system = await settling(150, 100, { law: { staticFriction: 0.9, dynamicFriction: 0.9 }, solver });
  const sweeps = ({ reports }: { reports: StepReport[] }) => reports[0].iterations;
  const [gpu, cpu] = [sweeps(await runGpu(system, 1)), sweeps(await runCpu(system, 1))];
  const observe = vi.spyOn(HeavyBall.prototype, 'observe').mockImplementation(() => {});
  const kept = sweeps(await runCpu(system, 1));
  observe.mockRestore();
  expect(Math.abs(gpu - cpu)).toBeLessThanOrEqual(20);
  expect(kept).toBeGreaterThan(3 * Math.max(gpu, cpu));
});

test('the same system gives the same bits', async () => {
  const system = await settling(150, 150, { solver: { momentum: 0.9, convergence: residual(1e-3) } });
  const [first, second] = [await runGpu(system, 6), await runGpu(system, 6)];
  expect(second).toEqual(first);
});

test('buffers that are too small grow, and the step is done again with nothing lost', async () => {
  const system = await settling(150, 150, { solver: { momentum: 0.9, convergence: residual(1e-3) } });
  const [roomy, tight] = [await runGpu(system, 4), await runGpu(system, 4, { candidates: 100 })];
  expect(roomy.reports[0].candidates).toBeGreaterThan(200);
  expect(tight.reports[0].redone).toBe(roomy.reports[0].redone + 1);
  expect(tight.state).toEqual(roomy.state);
});

test('so they do in mid-run, where grains that were apart come together', async () => {
  // A row that is pressed together, whose impulses must not be lost.
  const row = Array.from({ length: 5 }, (_, k) => ({ position: [9, k, 0] as Vector, force: [0, 0.01 * (2 - k), 0] as Vector }));
  // Towards the middle, each as fast as it is far: at first none is near another.
  const cloud = Array.from({ length: 27 }, (_, k) => {
    const cell = [k % 3, Math.floor(k / 3) % 3, Math.floor(k / 9)].map((x) => x - 1);
    return { position: cell.map((x) => 1.45 * x) as Vector, velocity: cell.map((x) => -0.06 * x) as Vector };
  });
  const system = toSystem(makeProblem({ grains: [...row, ...cloud], solver: { convergence: residual(1e-3) } }));
  const [roomy, tight] = [await runGpu(system, 9), await runGpu(system, 9, { candidates: 10 })];
  const counts = tight.reports.map(({ candidates }) => candidates);
  const grown = tight.reports.findIndex(({ redone }, k) => redone > roomy.reports[k].redone);
  expect(grown).toBeGreaterThan(1);
  expect(Math.max(...counts.slice(0, grown))).toBeLessThanOrEqual(10);
  expect(counts[grown]).toBeGreaterThan(10);
  expect(tight.state).toEqual(roomy.state);
});

/** A row of touching spheres, hit at one end. */
function row(count: number, speed: number): System {
  const grains = Array.from({ length: count }, (_, k) => ({
    position: [k + (k === 0 ? -0.4 : 0), 0, 0] as [number, number, number],
    mass: k === 0 ? 1000 : 1,
    velocity: [k === 0 ? speed : 0, 0, 0] as [number, number, number],
  }));
  return toSystem(
    makeProblem({ grains, solver: { momentum: 0, convergence: { ...residual(1e-5), maxIterations: 4000 } as never } }),
  );
}

test('a grain that outruns its reach has the step done again', async () => {
  const { reports, state } = await runGpu(row(9, 0.3), 4);
  expect(reports.reduce((sum, { redone }) => sum + redone, 0)).toBeGreaterThan(0);
  for (let k = 1; k < 9; k++) expect(state.positions[3 * k] - state.positions[3 * k - 3]).toBeGreaterThan(1 - 1e-3);
});

test('grains faster than the cells allow for do not pass through each other', async () => {
  const { reports, state } = await runGpu(row(2, 5), 3);
  expect(reports[0].redone).toBeGreaterThan(0);
  expect(state.positions[3] - state.positions[0]).toBeGreaterThan(1 - 1e-4);
  expect(reports[0].momentum[0]).toBeGreaterThan(0);
});

test('a giant with very many contacts takes no colours, and none of them is lost', async () => {
  const radius = 6;
  const grains = Array.from({ length: 140 }, (_, k) => {
    const height = 1 - (2 * (k + 0.5)) / 140;
    const angle = 2.399963 * k;
    const ring = Math.sqrt(1 - height ** 2);
    const position = [ring * Math.cos(angle), ring * Math.sin(angle), height].map((x) => (radius + 0.5 + 1e-4) * x);
    return {
      position: position as [number, number, number],
      velocity: position.map((x) => -1e-3 * x) as [number, number, number],
    };
  });
  const problem = makeProblem({
    grains: [{ position: [0, 0, 0], radius }, ...grains] as never,
    friction: 0.3,
    solver: { momentum: 0, convergence: residual(1e-3) },
  });
  const { reports, state } = await runGpu(toSystem(problem), 14);
  const last = reports[13];
  expect(last.candidates).toBeGreaterThanOrEqual(140);
  // Those of the small grains among each other.
  expect(last.colours).toBeLessThan(6);
  expect(last.maxPenetration).toBeLessThan(1e-3);
  expect(state.contacts.count).toBe(last.candidates);
});

test('far from the origin gaps are right to 1e-6 diameters, and slow grains move', async () => {
  const far = 150;
  const slow = 1e-7;
  const gaps = [0, 1e-6, 3e-5, 2e-3, -1e-5];
  // Pairs and grains at walls in two far corners of a domain 300 diameters across.
  const grains = [-1, 1].flatMap((side) =>
    gaps.flatMap((gap, k) => {
      const place = side * far + 0.123 * k;
      return [
        { position: [place, 3 * k, side * far] as [number, number, number], velocity: [0, slow, 0] as [number, number, number] },
        { position: [place + 0.6 * (1 + gap), 3 * k, side * far + 0.8 * (1 + gap)] as [number, number, number] },
      ];
    }),
  );
  const slope = [0.48, 0.6, 0.64] as [number, number, number];
  const along = [0.6, -0.48, 0];
  const onPlane = (shift: number, height = 0) =>
    slope.map((x, axis) => (height - 200) * x + shift * along[axis]) as [number, number, number];
  const touching = onPlane(-80, 0.5 + 1e-5);
  const inCylinder = [0.6 * (200 - 0.5 - 1e-5), 0.8 * (200 - 0.5 - 1e-5), 77] as [number, number, number];
  const system = toSystem(
    makeProblem({
      grains: [...grains, { position: touching }, { position: inCylinder }],
      walls: [
        plane(onPlane(100), slope),
        {
          kind: 'cylinder',
          point: [0, 0, 0],
          axis: [0, 0, 1],
          radius: 200,
          side: 'inside',
        },
      ],
      solver: { momentum: 0, convergence: { criterion: 'fixed', iterations: 1 } },
    }),
  );
  const [gpu, cpu] = [await runGpu(system, 1), await runCpu(system, 1)];
  const gapsOf = ({ contacts }: typeof gpu.state) =>
    new Map(Array.from({ length: contacts.count }, (_, c) => [`${contacts.first[c]}-${contacts.second[c]}`, contacts.gaps[c]]));
  const found = gapsOf(gpu.state);
  const right = gapsOf(cpu.state);
  expect(found.size).toBe(12);
  expect([...found.keys()].sort()).toEqual([...right.keys()].sort());
  for (const [pair, gap] of right) expect(Math.abs(found.get(pair)! - gap), pair).toBeLessThan(1e-6);
  for (let k = 0; k < grains.length; k += 2) {
    expect(gpu.state.positions[3 * k + 1] - system.positions[3 * k + 1]).toBeCloseTo(slow, 9);
  }
});

test('a callback that throws leaves the run where it can go on', async () => {
  const system = await settling(60, 150, { solver: { momentum: 0.9, convergence: residual(1e-3) } });
  const whole = await runGpu(system, 6);
  const solver = await GpuSolver.create(device(), system);
  const broken = solver.step(6, ({ step }) => {
    if (step === 2) throw new Error('enough');
  });
  await expect(broken).rejects.toThrow('enough');
  const { step } = await solver.read();
  expect(step).toBeGreaterThanOrEqual(2);
  await solver.step(6 - step);
  expect(await solver.read()).toEqual(whole.state);
  solver.dispose();
});

test('a packing beyond what the device holds is refused with the size that fits', async () => {
  const system = await settling(60, 1);
  await expect(GpuSolver.create(device(), system, { candidates: 1e8 })).rejects.toThrow(/about \d+ grains would fit/);
});

/** So many grains that all but share one place. */
const heap = (count: number, spacing = 1e-6) =>
  toSystem(
    makeProblem({
      grains: Array.from({ length: count }, (_, k) => ({ position: [spacing * k, 0, 0] as [number, number, number] })),
      walls: [],
    }),
  );

test('grains that lie in one place end the run with an error, before they keep the device busy', async () => {
  const solver = await GpuSolver.create(device(), heap(17_000, 0));
  await expect(solver.step(3)).rejects.toMatchObject({
    name: 'NumericalError',
    step: 1,
    message: expect.stringContaining('more than 16384 grains lie in one place'),
  });
  expect(solver.steps).toBe(0);
  solver.dispose();
});

test('more pairs than a packing can have end the run as on the CPU', async () => {
  const system = heap(700);
  const solver = await GpuSolver.create(device(), system);
  const message = /more than 175000 pairs could touch/;
  await expect(solver.step(1)).rejects.toThrow(message);
  solver.dispose();
  await expect(new CpuSolver(system).step(1)).rejects.toThrow(message);
});

test.each([
  ['GPU', 8e6, (system: System) => GpuSolver.create(device(), system)],
  ['CPU', 1e9, async (system: System) => new CpuSolver(system)],
] as const)(
  'on the %s a grain that leaves for where its place cannot be told ends the run as it was before',
  async (_, most, open) => {
    const at = (z: number) => ({ position: [0, 0, z] as Vector, velocity: [0, 0, z < 0 ? 0 : 60] as Vector });
    const solver = await open(toSystem(makeProblem({ grains: [at(100 - most), at(most - 100)] })));
    await expect(solver.step(3)).rejects.toMatchObject({
      name: 'NumericalError',
      step: 2,
      grain: 1,
      message: expect.stringMatching(`Step 2: grain 1 runs away.* more than ${most} mean diameters from the middle`),
    });
    expect(solver.steps).toBe(1);
    expect((await solver.read()).positions[5]).toBe(most - 40);
    solver.dispose();
  },
);

test('a grain too far away for the GPU is refused', async () => {
  const far = makeProblem({ grains: [{ position: [0, 0, 0] }, { position: [0, 2e7, 0] }] });
  await expect(GpuSolver.create(device(), toSystem(far))).rejects.toThrow(/grains up to 8\.00e\+6 from the middle.* CPU backend/);
});

test('a lost device is an error that names the last step', async () => {
  const lost = await (await requestAdapter()).requestDevice();
  const solver = await GpuSolver.create(lost, await settling(60, 1));
  await solver.step(2);
  lost.destroy();
  await expect(solver.step(2)).rejects.toMatchObject({ name: 'DeviceLostError', step: 2 });
});

test('disposed in mid-run the steps fail and the device is left in order', async () => {
  const system = await settling(60, 150, { solver: { momentum: 0.9, convergence: residual(1e-3) } });
  const solver = await GpuSolver.create(device(), system);
  await expect(solver.step(20, ({ step }) => step === 3 && solver.dispose())).rejects.toThrow('disposed');
  expect(solver.gpuMemoryBytes).toBe(0);
});

test('a cylinder too wide for single precision is refused', async () => {
  const wide = makeProblem({ grains: [{ position: [0, 0, 0] }], walls: [cylinder(3000, 'inside')] });
  await expect(GpuSolver.create(device(), toSystem(wide))).rejects.toThrow(/up to a radius of 2\.05e\+3/);
});
