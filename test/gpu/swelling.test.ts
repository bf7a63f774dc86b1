import { expect, test } from 'vitest';
import { swellingPerDiameter } from '../../src/cpu/coarseSchedule';
import { CONTACT_STRIDE, ContactBlock, IMPULSE } from '../../src/cpu/contacts';
import { ContactSolver } from '../../src/cpu/solve';
import { CpuSolver } from '../../src/cpu/solver';
import { GpuSolver } from '../../src/gpu/solver';
import type { StepReport } from '../../src/index';
import type { Backend } from '../../src/report';
import type { PairLaw, SolverOptions } from '../../src/scene/problem';
import type { System } from '../../src/scene/system';
import { sharedDevice } from '../support/device';
import { type ShaftOptions, shaft } from '../support/packings';
import { atPresent, gpuStep, pairKey, referenceStep } from './support';

const device = sharedDevice();
/** All with swollen grains but the last, after which the coarse level has a turn. */
const SWEEPS = 9;
const plan = { largeColours: 3, contactsAtOnce: [100] };
const solver = {
  momentum: 0.9,
  coarse: 'auto',
  convergence: { criterion: 'residual', tolerance: 1e-3, balance: 5e-2, maxIterations: 500 },
} as const satisfies Partial<SolverOptions>;
const torques = { rollingFriction: 0.2, torsionFriction: 0.1 };

const packings: [string, ShaftOptions, Partial<PairLaw>][] = [
  ['spheres that bounce and roll', { height: 30 }, { ...torques, normalRestitution: 0.5 }],
  ['disks', { height: 40, flat: true }, {}],
];

/** At rest, without impulses. */
async function packing(options: ShaftOptions, law: Partial<PairLaw> = {}): Promise<System> {
  const system = await atPresent(shaft(options), 120, { solver, law });
  system.velocities.fill(0);
  system.spins.fill(0);
  return system;
}

test.each(packings)('swollen grains press on each other as those of the reference do: %s', async (_, options, law) => {
  const system = await packing(options, law);
  const step = await gpuStep(device(), system);
  step.submit((encoder) => {
    step.pipeline.encodeContacts(encoder, 0, 48, plan);
    step.pipeline.encodeSweeps(encoder, 0, 0, SWEEPS, plan);
  });
  const [pairs, schedule, control] = [
    await step.words('contactPairs'),
    await step.words('schedule'),
    await step.words('control'),
  ];
  const { work, list } = referenceStep(system, step.sizes);
  const index = new Map(Array.from({ length: list.count }, (_, c) => [pairKey(list.first[c], list.second[c]), c]));
  const order = Uint32Array.from({ length: list.count }, (_, k) => index.get(pairKey(pairs[2 * k], pairs[2 * k + 1]))!);
  const block = new ContactBlock(list.general);
  block.gather(list, { starts: schedule.slice(0, control[6] + 1), order }, work, system);
  const [low, high] = [0, 1, 2]
    .map((axis) => system.positions.filter((_, k) => k % 3 === axis && k < 3 * system.grains))
    .reduce(
      ([least, most], places) => {
        const [from, to] = [Math.min(...places), Math.max(...places)];
        return to - from > most - least ? [from, to] : [least, most];
      },
      [0, 0],
    );
  block.swell(swellingPerDiameter(system) * (high - low + 1));
  const swollen = { ...system.solver, momentum: 0.95, convergence: { criterion: 'fixed', iterations: SWEEPS } } as const;
  const plain = new ContactSolver({ ...swollen, coarse: 'off' }, system.grains);
  // Contacts that slide are held to that only later than in other steps.
  Object.defineProperty(block, 'slidersStay', { get: () => false, set: () => {} });
  await plain.solve(block, work, 0);
  const impulses = await step.floats('impulses');
  const rows = step.sizes.impulseRows;
  let [all, wrong] = [0, 0];
  for (let k = 0; k < block.count; k++) {
    for (let axis = 0; axis < 3; axis++) {
      const right = block.data[CONTACT_STRIDE * k + IMPULSE + axis];
      all += right ** 2;
      wrong += (impulses[4 * rows * k + axis] - right) ** 2;
    }
  }
  expect(all).toBeGreaterThan(0);
  expect(Math.sqrt(wrong / all)).toBeLessThan(2e-3);
});

test('such a step takes the sweeps that it does on the CPU, to the same loads, and the same bits again', async () => {
  const system = await packing({ height: 40, flat: true });
  const stepsOf = async (backend: Backend) => {
    const reports: StepReport[] = [];
    await backend.step(2, (report) => reports.push(report));
    backend.dispose();
    return reports;
  };
  const run = async () => stepsOf(await GpuSolver.create(device(), system));
  const [found, right] = [await run(), await stepsOf(new CpuSolver(system))];
  for (const [s, { iterations, wallLoads, converged }] of found.entries()) {
    expect(converged).toBe(true);
    expect(Math.abs(iterations - right[s].iterations)).toBeLessThanOrEqual(5);
    expect(Math.abs(wallLoads[1] / right[s].wallLoads[1] - 1)).toBeLessThan(0.05);
  }
  expect(await run()).toEqual(found);
});

test.each([12, 16])('a bed %i high and long across its load takes the sweeps that it does on the CPU', async (high) => {
  const bed = await packing({ height: 30, flat: true, wide: high });
  const load = bed.accelerations[1];
  const system = { ...bed, accelerations: bed.accelerations.map((_, k) => (k % 3 === 0 ? load : 0)) };
  const firstStep = async (backend: Backend) => {
    const reports: StepReport[] = [];
    await backend.step(1, (report) => reports.push(report));
    backend.dispose();
    return reports[0];
  };
  const [found, right] = [await firstStep(await GpuSolver.create(device(), system)), await firstStep(new CpuSolver(system))];
  expect(Math.abs(found.iterations - right.iterations)).toBeLessThanOrEqual(5);
});
