import { expect, test } from 'vitest';
import { CpuSolver } from '../../src/cpu/solver';
import { Pipeline } from '../../src/gpu/pipeline';
import { download } from '../../src/gpu/readback';
import { chooseSizes } from '../../src/gpu/sizes';
import { GpuSolver } from '../../src/gpu/solver';
import type { Backend, StepReport } from '../../src/report';
import type { Vector } from '../../src/scene/problem';
import type { System } from '../../src/scene/system';
import { toSystem } from '../../src/scene/units';
import { HUB_COLOURING_ROUNDS, HUB_DEGREE } from '../../src/settings';
import { type Snapshot, startOf } from '../../src/snapshot';
import { sharedDevice } from '../support/device';
import { giantsAmongSmall } from '../support/packings';
import { makeProblem, type TestGrain } from '../support/problems';
import { mixOfSizes } from '../support/sizes';

const device = sharedDevice();

/** Two large grains among small ones under a piston, after they have fallen together. */
async function squeezed(): Promise<{ system: System; from: Snapshot }> {
  const problem = giantsAmongSmall({
    giants: 2,
    ratio: 5,
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
  const { first, second } = right.contacts;
  const degree = (body: number) => first.filter((id, c) => id === body || second[c] === body).length;
  for (const hub of [0, 1, system.grains + 5]) expect(degree(hub)).toBeGreaterThan(HUB_DEGREE);
  for (const key of ['velocities', 'angularVelocities', 'positions'] as const) {
    right[key].forEach((x, k) => {
      expect(Math.abs(found[key][k] - x)).toBeLessThan(1e-5);
    });
  }
  const mean = onCpu.meanForce;
  right.contacts.forces.forEach((force, k) => {
    // What single precision leaves of the velocities, times the mass that bears.
    const [a, b] = [right.contacts.first, right.contacts.second].map((of) => system.inverseMasses[of[Math.floor(k / 3)]]);
    expect(Math.abs(found.contacts.forces[k] - force)).toBeLessThan(3e-3 * mean * Math.max(1, 1 / (a + b)));
  });
  onCpu.wallMotions.forEach((x, k) => {
    expect(Math.abs(onGpu.wallMotions[k] - x)).toBeLessThan(1e-5);
  });
  gpu.dispose();
});

/** Many large grains, between which small ones touch several. */
async function crowded(): Promise<{ system: System; from: Snapshot }> {
  const system = toSystem(
    giantsAmongSmall({
      giants: 2,
      across: 3,
      ratio: 4,
      solver: { momentum: 0.9, convergence: { criterion: 'fixed', iterations: 20 } },
    }),
  );
  const cpu = new CpuSolver(system);
  await cpu.step(25);
  return { system, from: await cpu.capture() };
}

test('many large grains, some at once, move as on the CPU', async () => {
  const { system, from } = await crowded();
  const solver = { ...system.solver, convergence: { criterion: 'fixed', iterations: 7 } } as const;
  const cpu = new CpuSolver({ ...system, solver }, from);
  const gpu = await GpuSolver.create(device(), { ...system, solver }, { from });
  // In the first step one workgroup does them all, then each of a colour has its own.
  const [onCpu, onGpu] = [await run(cpu, 2), await run(gpu, 2)];
  for (const step of [0, 1]) {
    expect(onGpu[step].colours).toBe(onCpu[step].colours);
    expect(onCpu[step].colours).toBeLessThan(36);
  }
  const [right, found] = [await cpu.read(), await gpu.read()];
  const degrees = new Uint32Array(system.bodies);
  right.contacts.first.forEach((first, c) => {
    degrees[first]++;
    degrees[right.contacts.second[c]]++;
  });
  expect(degrees.slice(0, 18).filter((degree) => degree > HUB_DEGREE).length).toBeGreaterThan(9);
  right.velocities.forEach((v, k) => {
    expect(Math.abs(found.velocities[k] - v)).toBeLessThan(1e-4);
  });
  gpu.dispose();
});

test.each([20, 50])('mixes of sizes up to 1:%i move as on the CPU', async (ratio) => {
  const mix = mixOfSizes({ count: 1500, ratio });
  const convergence = { criterion: 'fixed', iterations: 15 } as const;
  const system: System = { ...mix, solver: { ...mix.solver, momentum: 0.9, convergence } };
  const [cpu, gpu] = [new CpuSolver(system), await GpuSolver.create(device(), system)];
  const [[onCpu], [onGpu]] = [await run(cpu, 1), await run(gpu, 1)];
  const [right, found] = [await cpu.read(), await gpu.read()];
  expect(found.contacts.first).toEqual(right.contacts.first);
  expect(found.contacts.second).toEqual(right.contacts.second);
  const degree = right.contacts.second.filter((id) => id === 0).length;
  expect(degree).toBeGreaterThan(HUB_DEGREE);
  expect(onGpu.colours).toBe(onCpu.colours);
  right.velocities.forEach((v, k) => {
    expect(Math.abs(found.velocities[k] - v)).toBeLessThan(1e-5);
  });
  gpu.dispose();
});

test('a workgroup for each large grain of a colour sweeps to the same bits as one for all', async () => {
  const { system, from } = await crowded();
  const { extent, reachLimit, colourWords } = from;
  const sizes = chooseSizes(system, { extent, reachLimit, candidates: 2 * from.contacts.count, colourWords });
  const results: Uint32Array[][] = [];
  for (const hubs of [undefined, { grains: 3, colours: 2, atOnce: 2 }, { grains: 30, colours: 9, atOnce: 20 }]) {
    const pipeline = await Pipeline.create(device(), system, sizes, from, false);
    const encoder = device().createCommandEncoder();
    const plan = { largeColours: 3, contactsAtOnce: [100], hubs };
    pipeline.encodeContacts(encoder, 0, 48, plan);
    pipeline.encodeSweeps(encoder, 0, 0, 6, plan);
    device().queue.submit([encoder.finish()]);
    const bytes = { control: 40, impulses: 16 * from.contacts.count, motion: 32 * system.grains };
    const buffers = Object.entries(bytes).map(([name, size]) => ({ buffer: pipeline.buffers.get(name), bytes: size }));
    results.push((await download(device(), buffers)).map((words) => new Uint32Array(words)));
    pipeline.dispose();
  }
  // Not halted, six sweeps.
  expect([results[0][0][0], results[0][0][9]]).toEqual([0, 6]);
  expect(results[1]).toEqual(results[0]);
  expect(results[2]).toEqual(results[0]);
});

/** Large grains between which so many small ones fly so fast that all pairs are candidates. */
function bombarded(): System {
  const grains: TestGrain[] = Array.from({ length: 40 }, (_, k) => ({
    position: [12 * (k % 7), 12 * Math.floor(k / 7), 0],
    radius: 5,
  }));
  for (let k = 0; k < 30; k++) {
    const velocity: Vector = [80 * Math.cos(k), 80 * Math.sin(k), 0];
    grains.push({ position: [6 + 12 * (k % 6), 6 + 12 * Math.floor(k / 6), 0], radius: 0.5, velocity });
  }
  const convergence = { criterion: 'residual', tolerance: 1e-4, balance: null, maxIterations: 600 } as const;
  return toSystem(makeProblem({ grains, timeStep: 1, gravity: [0, 0, 0], solver: { convergence } }));
}

test('large grains that find no colour are swept one by one', async () => {
  const system = bombarded();
  const [cpu, gpu] = [new CpuSolver(system), await GpuSolver.create(device(), system)];
  const [[onCpu], [onGpu]] = [await run(cpu, 1), await run(gpu, 1)];
  // There are fewer rounds than large grains, of which any two meet the same small one.
  expect(HUB_COLOURING_ROUNDS).toBeLessThan(40);
  for (const { candidates, converged, contacts } of [onCpu, onGpu]) {
    expect(candidates).toBe((70 * 69) / 2);
    expect(contacts).toBeGreaterThan(20);
    expect(converged).toBe(true);
  }
  onCpu.momentum.forEach((p, axis) => {
    expect(Math.abs(onGpu.momentum[axis] - p)).toBeLessThan(1e-3);
  });
  const [right, found] = [await cpu.read(), await gpu.read()];
  expect(found.contacts.first).toEqual(right.contacts.first);
  expect(found.contacts.second).toEqual(right.contacts.second);
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

test.each([64, 130, 700])('the contacts of a giant, %d of them, are swept in their order', async (count) => {
  const radius = 0.6 * Math.sqrt(count);
  const grains: TestGrain[] = [{ position: [0, 0, 0], radius }];
  for (let k = 0; k < count; k++) {
    const z = 1 - (2 * k + 1) / count;
    const [angle, rim] = [k * Math.PI * (3 - Math.sqrt(5)), Math.sqrt(1 - z * z)];
    const [x, y] = [rim * Math.cos(angle), rim * Math.sin(angle)];
    grains.push({ position: [x, y, z].map((c) => (radius + 0.5) * c) as Vector, radius: 0.5 });
  }
  const system = toSystem(makeProblem({ grains, timeStep: 0.01, gravity: [0, 0, 0] }));
  const from = startOf(system);
  const pipeline = await Pipeline.create(device(), system, chooseSizes(system, { ...from, candidates: 5 * count }), from, false);
  const encoder = device().createCommandEncoder();
  pipeline.encodeContacts(encoder, 0, 48, { largeColours: 0, contactsAtOnce: [100] });
  device().queue.submit([encoder.finish()]);
  const buffers = ['control', 'sequence', 'pairs'].map((name) => pipeline.buffers.view(0, {})[name]);
  const read = await download(
    device(),
    buffers.map((buffer) => ({ buffer, bytes: buffer.size })),
  );
  const [control, sequence, pairs] = read.map((words) => new Uint32Array(words));
  const isOfGiant = (contact: number) => pairs[2 * contact + 1] === 0;
  const contacts = Array.from({ length: control[5] }, (_, contact) => contact).filter(isOfGiant);
  expect(contacts.length).toBe(count);
  expect(Array.from(sequence.subarray(control[5] - count, control[5]))).toEqual(contacts);
  pipeline.dispose();
});
