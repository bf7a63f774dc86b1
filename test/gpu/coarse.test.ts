import { describe, expect, test } from 'vitest';
import { COARSE_WORDS } from '../../shaders/coarseState';
import { CONTROL_WORDS } from '../../shaders/control';
import { Balance } from '../../src/cpu/balance';
import { BODY_STRIDE, INVERSE_MASS, SPIN } from '../../src/cpu/bodies';
import { CoarseLevel } from '../../src/cpu/coarse';
import { CoarseSchedule } from '../../src/cpu/coarseSchedule';
import { CONTACT_STRIDE, ContactBlock, EXTRA_STRIDE, IMPULSE, SLIDES, TORQUE } from '../../src/cpu/contacts';
import { CpuSolver } from '../../src/cpu/solver';
import { GpuSolver } from '../../src/gpu/solver';
import type { Convergence, Problem, SolverOptions, StepReport } from '../../src/index';
import { randomNumbers } from '../../src/scene/generators/randomNumbers';
import type { PairLaw } from '../../src/scene/problem';
import type { System } from '../../src/scene/system';
import { toSystem } from '../../src/scene/units';
import { sharedDevice } from '../support/device';
import { giantsAmongSmall, pouring } from '../support/packings';
import { makeProblem, plane } from '../support/problems';
import { outlet, stack } from '../support/systems';
import { atPresent, type GpuStep, gpuStep, pairKey, referenceStep, settling, settlingDisks } from './support';

const device = sharedDevice();
/** The first turn of the coarse level comes after so many sweeps. */
const TURN = 10;
/** Words of the control block: spacing of the coarse grid, its cells along the axes, whether a turn is done, S at the last one, whether the step is far. */
const [SPACING, DIMS, APPLIES, LAST_CHANGE, FAR] = [9, 12, 25, 27, 30].map((word) => CONTROL_WORDS - COARSE_WORDS + word);
const plan = { largeColours: 3, contactsAtOnce: [100] };

/** A step on the GPU up to the end of so many sweeps. */
async function sweepsOf(system: System, sweeps: number, rounds = 48): Promise<GpuStep> {
  const step = await gpuStep(device(), system);
  step.submit((encoder) => {
    step.pipeline.encodeContacts(encoder, 0, rounds, plan);
    step.pipeline.encodeSweeps(encoder, 0, 0, sweeps, plan);
  });
  return step;
}

/** The contacts and bodies of a step on the GPU, as the reference has them. */
async function onCpu(system: System, step: GpuStep) {
  const { list, work: free } = referenceStep(system, step.sizes);
  const motion = free.slice();
  const [pairs, impulses, bodies] = [
    await step.words('contactPairs'),
    await step.floats('impulses'),
    await step.floats('motion'),
  ];
  const index = new Map(Array.from({ length: list.count }, (_, c) => [pairKey(list.first[c], list.second[c]), c]));
  const order = Uint32Array.from({ length: list.count }, (_, k) => index.get(pairKey(pairs[2 * k], pairs[2 * k + 1]))!);
  const block = new ContactBlock(list.general);
  block.gather(list, { starts: Uint32Array.of(0, list.count), order }, free, system);
  const rows = step.sizes.impulseRows;
  for (let k = 0; k < block.count; k++) {
    for (let axis = 0; axis < 3; axis++) {
      block.data[CONTACT_STRIDE * k + IMPULSE + axis] = impulses[4 * rows * k + axis];
      if (rows === 2) block.extra[EXTRA_STRIDE * k + TORQUE + axis] = impulses[4 * rows * k + 4 + axis];
    }
    if (list.general) block.extra[EXTRA_STRIDE * k + SLIDES] = impulses[4 * rows * k + 3] % 1 > 0.25 ? 1 : 0;
  }
  for (let body = 0; body < system.bodies; body++) {
    for (let axis = 0; axis < 3; axis++) {
      motion[BODY_STRIDE * body + axis] = bodies[8 * body + axis];
      motion[BODY_STRIDE * body + SPIN + axis] = bodies[8 * body + 4 + axis];
    }
  }
  const level = new CoarseLevel(system);
  level.begin(system.positions);
  return { block, free, motion, level, rows };
}

const convergence: Convergence = { criterion: 'residual', tolerance: 1e-9, balance: 5e-2, maxIterations: 500 };
const laws: Partial<PairLaw> = {
  ...{ staticFriction: 0.4, rollingFriction: 0.2, torsionFriction: 0.1 },
  ...{ cohesionForce: 0.05, cohesionRange: 0.02, normalRestitution: 0.5 },
};

/** Grains around a large one, which has more contacts than a workgroup has invocations; they have no colours. */
async function besideGiant(solver: Partial<SolverOptions>): Promise<System> {
  return atPresent(giantsAmongSmall({ giants: 1, ratio: 9 }), 30, { solver });
}

/** A tower on a floor that goes on across x and y, of grains that stick, bounce and roll. */
async function periodicTower(solver: Partial<SolverOptions>): Promise<System> {
  const random = randomNumbers(1);
  const grains = Array.from({ length: 240 }, (_, k) => ({
    position: [(k % 4) + 0.3, (Math.floor(k / 4) % 3) + 0.6, 0.5 + 1.01 * Math.floor(k / 12)] as [number, number, number],
    velocity: [0.5 * random(), 0.5 * random(), -random()] as [number, number, number],
    radius: 0.48 + 0.02 * random(),
  }));
  const floor = plane([0, 0, 0], [0, 0, 1]);
  const problem = makeProblem({ grains, walls: [floor], gravity: [0, 0, -10], timeStep: 0.01, friction: 0.3 });
  const periodic = { min: [0, 0, 0], lengths: [4.1, 3.1, 0] } as Problem['periodic'];
  return atPresent({ ...problem, periodic }, 30, { solver, law: laws });
}

const packings: [string, (solver: Partial<SolverOptions>) => Promise<System>, Partial<SolverOptions>?][] = [
  ['a giant', besideGiant],
  ['periodic, all laws, no momentum', periodicTower, { momentum: 0 }],
  ['disks in some blocks', (solver) => settlingDisks(1100, 100, { solver })],
];

describe.each(packings)('%s', (_, packing, options = {}) => {
  test('a step of the coarse level does what the reference does', async () => {
    const solver = { momentum: 0.9, convergence, ...options };
    const system = await packing({ ...solver, coarse: 'on' });
    const before = await sweepsOf({ ...system, solver: { ...system.solver, coarse: 'off' } }, TURN);
    const after = await sweepsOf(system, TURN);
    const { block, motion, level, rows } = await onCpu(system, before);
    const control = await after.floats('control');
    const words = new Uint32Array(control.buffer);
    expect([...words.subarray(DIMS, DIMS + 3)]).toEqual(level.grid.dims);
    for (let axis = 0; axis < 3; axis++) expect(Math.abs(control[SPACING + axis] - level.grid.spacing[axis])).toBeLessThan(0.005);
    const share = level.propose(block, motion);
    expect(share).toBeGreaterThan(0.01);
    expect(Math.abs(control[LAST_CHANGE] - share)).toBeLessThan(5e-3 * share);

    const old = block.data.slice();
    const oldMotion = motion.slice();
    level.apply(block, motion, motion.slice());
    const impulses = await after.floats('impulses');
    const bodies = await after.floats('motion');
    let [changed, wrong] = [0, 0];
    for (let k = 0; k < block.count; k++) {
      for (let axis = 0; axis < 3; axis++) {
        const at = CONTACT_STRIDE * k + IMPULSE + axis;
        changed += (block.data[at] - old[at]) ** 2;
        wrong += (impulses[4 * rows * k + axis] - block.data[at]) ** 2;
      }
    }
    expect(wrong).toBeLessThan(0.02 ** 2 * changed);
    [changed, wrong] = [0, 0];
    for (let i = 0; i < system.grains; i++) {
      for (const [from, to] of [0, 1, 2].flatMap((axis) => [
        [axis, axis],
        [4 + axis, SPIN + axis],
      ])) {
        const at = BODY_STRIDE * i + to;
        changed += (motion[at] - oldMotion[at]) ** 2 / motion[BODY_STRIDE * i + INVERSE_MASS] || 0;
        wrong += (bodies[8 * i + from] - motion[at]) ** 2 / motion[BODY_STRIDE * i + INVERSE_MASS] || 0;
      }
    }
    expect(wrong).toBeLessThan(0.03 ** 2 * changed);
  });
});

test('contacts without a colour count too', async () => {
  const system = await settling(333, 160, { solver: { momentum: 0.9, coarse: 'on', convergence } });
  const before = await sweepsOf({ ...system, solver: { ...system.solver, coarse: 'off' } }, TURN, 2);
  const after = await sweepsOf(system, TURN, 2);
  expect((await after.words('control'))[8]).toBeGreaterThan(10);
  const { block, motion, level } = await onCpu(system, before);
  const share = level.propose(block, motion);
  expect(Math.abs((await after.floats('control'))[LAST_CHANGE] - share)).toBeLessThan(5e-3 * share);
});

test.each([7, 20, 55])('the balance after %d sweeps is that of the reference', async (sweeps) => {
  const solver = { momentum: 0.9, convergence: { criterion: 'fixed', iterations: sweeps } } as const;
  const system = await settling(333, 160, { solver });
  const last = Math.floor(sweeps / 5);
  const { block, free, level } = await onCpu(system, await sweepsOf(system, 0));
  const balance = new Balance(system, level);
  balance.begin(free);
  for (let k = 0; k <= last; k++) balance.record((await onCpu(system, await sweepsOf(system, 5 * k))).motion);
  const ended = await onCpu(system, await sweepsOf(system, sweeps));
  block.data.set(ended.block.data);
  const right = balance.remainder(block);
  const step = await sweepsOf(system, sweeps);
  const found = (await step.floats('control'))[18];
  expect(right).toBeGreaterThan(1e-3);
  expect(Math.abs(found - right)).toBeLessThan(0.02 * right);
});

const column = (count: number, solver: Partial<SolverOptions>) =>
  stack(count, { convergence: { ...convergence, tolerance: 1e-3, maxIterations: 2000 }, ...solver });

async function stepsOf(backend: Promise<GpuSolver> | CpuSolver, count: number): Promise<StepReport[]> {
  const solver = await backend;
  const reports: StepReport[] = [];
  await solver.step(count, (report) => reports.push(report));
  solver.dispose();
  return reports;
}

describe('a column of 80 whose grains have just been set down', () => {
  test('bears its weight after as few sweeps as on the CPU, a fraction of those without the coarse level', async () => {
    const run = (coarse: 'auto' | 'off') => GpuSolver.create(device(), column(80, { coarse }));
    const [[off], [auto]] = [await stepsOf(run('off'), 1), await stepsOf(run('auto'), 1)];
    const [reference] = await stepsOf(new CpuSolver(column(80, { coarse: 'auto' })), 1);
    for (const { converged, wallLoads, balance } of [off, auto]) {
      expect(converged).toBe(true);
      expect(balance).toBeLessThan(5e-2);
      expect(Math.abs(wallLoads[2] / (80 * 1e-4) + 1)).toBeLessThan(0.1);
    }
    expect(auto.iterations).toBeLessThan(0.25 * off.iterations);
    expect(Math.abs(auto.iterations - reference.iterations)).toBeLessThanOrEqual(10);
  });

  test('has not converged where the residual alone is small', async () => {
    const solver = { coarse: 'off', momentum: 0 } as const;
    const alone = { ...convergence, tolerance: 1e-3, balance: null, maxIterations: 2000 } as const;
    const [blind] = await stepsOf(GpuSolver.create(device(), column(80, { ...solver, convergence: alone })), 1);
    expect(blind.converged).toBe(true);
    expect(blind.wallLoads[2] / (80 * 1e-4)).toBeGreaterThan(-0.85);
    expect(blind.balance).toBeGreaterThan(5e-2);
    const [seeing] = await stepsOf(
      GpuSolver.create(device(), column(80, { ...solver, convergence: { ...alone, balance: 5e-2 } })),
      1,
    );
    expect(seeing.iterations).toBeGreaterThan(1.5 * blind.iterations);
  });

  test('gives the same bits again', async () => {
    const run = () => stepsOf(GpuSolver.create(device(), column(80, { coarse: 'auto' })), 2);
    expect(await run()).toEqual(await run());
  });
});

test.each(['a plate', 'a fixed grain'] as const)('grains that fall away below it do not hold up a column on %s', async (base) => {
  const solver = { momentum: 0.9, coarse: 'auto', convergence: { ...convergence, tolerance: 1e-3 } } as const;
  const [{ converged, iterations }] = await stepsOf(GpuSolver.create(device(), outlet(base, solver)), 1);
  expect(converged).toBe(true);
  expect(iterations).toBeLessThan(100);
});

test.each([
  [0.0001, false],
  [0.01, true],
])('a column that falls at %d is far from balance only where it hardly moves', async (speed, moves) => {
  const system = column(80, { coarse: 'auto' });
  for (let i = 0; i < system.grains; i++) system.velocities[3 * i + 2] = -speed;
  const step = await sweepsOf(system, TURN);
  const { free, level } = await onCpu(system, step);
  const balance = new Balance(system, level);
  balance.begin(free);
  expect(balance.moves).toBe(moves);
  expect((await step.floats('control'))[LAST_CHANGE]).toBeGreaterThan(0.15);
  expect((await step.words('control'))[FAR]).toBe(moves ? 0 : 1);
});

describe('grains of sizes to 1:2 that come to rest', () => {
  test.each([
    ['much is asked for, and more than before', 120, 0.5, 5e-2, false],
    ['much is asked for, and less than before', 120, 2, 5e-2, true],
    ['little is asked for, and more than before', 140, 0.5, 5e-2, true],
    ['next to nothing is asked for', 180, 2, 5e-2, false],
    ['a better balance needs even that', 180, 2, 1e-2, true],
  ])('where %s a turn is done as on the CPU', async (_, steps, before, balance, done) => {
    const solver = { momentum: 0.9, coarse: 'off', convergence: { ...convergence, tolerance: 1e-3 } } as const;
    const resting = toSystem(pouring({ count: 250, radii: [0.25, 0.5], solver }));
    const cpu = new CpuSolver(resting);
    await cpu.step(steps);
    const asked: SolverOptions = { ...resting.solver, coarse: 'on', convergence: { ...convergence, balance } };
    const step = await gpuStep(device(), { ...resting, solver: asked }, 8, 2, Infinity, await cpu.capture());
    const sweep = (first: number, count: number) =>
      step.submit((encoder) => {
        if (first === 0) step.pipeline.encodeContacts(encoder, 0, 48, plan);
        step.pipeline.encodeSweeps(encoder, 0, first, count, plan);
      });
    sweep(0, TURN);
    const change = (await step.floats('control'))[LAST_CHANGE];
    sweep(0, TURN - 1);
    device().queue.writeBuffer(step.pipeline.buffers.get('control'), 4 * LAST_CHANGE, Float32Array.of(before * change));
    sweep(TURN - 1, 1);
    expect((await step.words('control'))[APPLIES]).toBe(done ? 1 : 0);
    const schedule = new CoarseSchedule(asked, 30);
    schedule.turn(5, before * change);
    expect(schedule.turn(TURN, change)).toBe(done);
  });
});

test.each(['cpu', 'webgpu'])('after a turn that throws the impulses about sweeps go on alone: %s', async (backend) => {
  const options = { momentum: 0.9, coarse: 'on', convergence: { ...convergence, tolerance: 1e-3 } } as const;
  const system = await atPresent(pouring({ count: 250, radii: [0.05, 0.5], seed: 4 }), 34, { solver: options });
  const solver = backend === 'cpu' ? new CpuSolver(system) : GpuSolver.create(device(), system);
  const [{ converged, iterations }] = await stepsOf(solver, 1);
  expect(converged).toBe(true);
  expect(iterations).toBeLessThan(100);
});

test('short packings have no coarse level unless it is asked for', async () => {
  const sweeps = async (coarse: SolverOptions['coarse']) =>
    (await stepsOf(GpuSolver.create(device(), column(15, { coarse })), 1))[0].iterations;
  expect(await sweeps('auto')).toBe(await sweeps('off'));
  expect(await sweeps('on')).not.toBe(await sweeps('off'));
});

test('grains that touch nothing are in balance', async () => {
  const system = toSystem(makeProblem({ grains: [{ position: [0, 0, 9], radius: 0.5 }], gravity: [0, 0, -1] }));
  const [{ balance, iterations, converged }] = await stepsOf(GpuSolver.create(device(), system), 1);
  expect([balance, iterations, converged]).toEqual([0, 0, true]);
});
