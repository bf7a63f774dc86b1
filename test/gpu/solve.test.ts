import { expect, test } from 'vitest';
import { MEMORY_ROWS } from '../../shaders/contactLaw';
import { CONTROL_CANDIDATES } from '../../shaders/control';
import { BODY_STRIDE, SPIN } from '../../src/cpu/bodies';
import { rememberBonds } from '../../src/cpu/bonds';
import { CONTACT_STRIDE, ContactBlock, EXTRA_STRIDE, IMPULSE, TORQUE } from '../../src/cpu/contacts';
import { integrate } from '../../src/cpu/integrate';
import { countBearing, meanImpulse, measureBodies, measurePenetration, measureWallLoads } from '../../src/cpu/measure';
import { APPROACH, BOND, CLOSED, MEMORY_STRIDE, NONE, PHASE, SLIP, SLIP_LOSS, WORK } from '../../src/cpu/memory';
import { residual } from '../../src/cpu/residual';
import { rememberCollisions } from '../../src/cpu/restitution';
import { ContactSolver } from '../../src/cpu/solve';
import { wallSteps } from '../../src/cpu/walls';
import { unpackPositions } from '../../src/gpu/state';
import { parseReport } from '../../src/gpu/stepReport';
import type { PairLaw } from '../../src/scene/problem';
import type { System } from '../../src/scene/system';
import { sharedDevice } from '../support/device';
import { gpuStep, pairKey, referenceStep, settling, settlingDisks } from './support';

const SWEEPS = 25;
/**
 * Shares of the mean impulse that single precision may be off by after so many sweeps of bodies with speeds of 0.1 d per step: 99 of
 * 100 contacts, and the few whose bonds, slipping or opening hang on the last bits.
 */
const USUAL_ERROR = 1e-3;
const IMPULSE_ERROR = 5e-3;
const device = sharedDevice();

/** Sweeps on the GPU, and on the CPU in the GPU's own order of contacts; then the rest of the step on both. */
async function solveBoth(system: System, rounds = 48) {
  const step = await gpuStep(device(), system);
  const plan = { largeColours: 3, contactsAtOnce: [100] };
  step.submit((encoder) => step.pipeline.encodeContacts(encoder, 0, rounds, plan));
  const [pairs, schedule, control] = [
    await step.words('contactPairs'),
    await step.words('schedule'),
    await step.words('control'),
  ];
  step.submit((encoder) => {
    step.pipeline.encodeSweeps(encoder, 0, 0, SWEEPS, plan);
    step.pipeline.encodeEnd(encoder, 0);
  });

  const { start, work, list } = referenceStep(system, step.sizes);
  const index = new Map(Array.from({ length: list.count }, (_, c) => [pairKey(list.first[c], list.second[c]), c]));
  const order = Uint32Array.from({ length: list.count }, (_, k) => index.get(pairKey(pairs[2 * k], pairs[2 * k + 1]))!);
  // The reference draws an order for the colours in use alone; those without a colour come last, one by one.
  const starts = schedule.slice(0, control[6] + 1);
  const block = new ContactBlock(list.general);
  block.gather(list, { starts, order }, work, system);
  await new ContactSolver(system.solver, system.grains).solve(block, work, 0);
  block.scatter(list);
  return { step, start, work, list, block, report: parseReport(await step.words('report'), system), uncoloured: control[8] };
}

const rolling = { staticFriction: 0.4, rollingFriction: 0.2, torsionFriction: 0.1 };
const bouncing = { normalRestitution: 0.6, tangentialRestitution: 0.3 };
const bonding = { cohesionForce: 0.05, cohesionRange: 0.02 };

const cases: { name: string; momentum: number; order: 'fixed' | 'random'; packing?: typeof settling; law?: Partial<PairLaw> }[] =
  [
    { name: 'plain', momentum: 0, order: 'fixed' },
    { name: 'heavy ball', momentum: 0.9, order: 'fixed' },
    { name: 'random order of colours', momentum: 0.5, order: 'random' },
    { name: 'disks', momentum: 0.9, order: 'fixed', packing: settlingDisks },
    { name: 'static and dynamic friction', momentum: 0, order: 'fixed', law: { staticFriction: 0.5, dynamicFriction: 0.2 } },
    { name: 'rolling and torsion friction', momentum: 0.5, order: 'fixed', law: rolling },
    { name: 'restitution', momentum: 0, order: 'fixed', law: bouncing },
    { name: 'cohesion', momentum: 0.5, order: 'fixed', law: bonding },
    {
      name: 'all laws, disks',
      momentum: 0.5,
      order: 'fixed',
      packing: settlingDisks,
      law: { ...rolling, ...bouncing, ...bonding },
    },
  ];

for (const { name, momentum, order, packing = settling, law } of cases) {
  test(`sweeps give what the reference's give in the same order: ${name}`, async () => {
    const solver = { momentum, order, convergence: { criterion: 'fixed', iterations: SWEEPS } } as const;
    const system = await packing(333, 160, { solver, law });
    const { step, block, work, report } = await solveBoth(system);
    const mean = meanImpulse(block, IMPULSE);
    const impulses = await step.floats('impulses');
    const rows = step.sizes.impulseRows;
    const errors: number[] = [];
    for (let k = 0; k < block.count; k++) {
      for (let axis = 0; axis < 3; axis++) {
        const error = Math.abs(impulses[4 * rows * k + axis] - block.data[CONTACT_STRIDE * k + IMPULSE + axis]);
        errors.push(error);
        expect(error).toBeLessThan(IMPULSE_ERROR * mean);
        if (rows === 1) continue;
        const torque = block.extra[EXTRA_STRIDE * k + TORQUE + axis];
        expect(Math.abs(impulses[4 * rows * k + 4 + axis] - torque)).toBeLessThan(IMPULSE_ERROR * mean);
      }
    }
    errors.sort((a, b) => a - b);
    expect(errors[Math.floor(0.99 * errors.length)]).toBeLessThan(USUAL_ERROR * mean);
    const { rms } = residual(block, work);
    expect(Math.abs(report.step.residual - rms)).toBeLessThan(0.02 * rms);
    const [velocities, spins] = [await step.floats('velocities'), await step.floats('spins')];
    for (let i = 0; i < system.grains; i++) {
      for (let axis = 0; axis < 3; axis++) {
        expect(Math.abs(velocities[4 * i + axis] - work[BODY_STRIDE * i + axis])).toBeLessThan(1e-5);
        expect(Math.abs(spins[4 * i + axis] - work[BODY_STRIDE * i + SPIN + axis])).toBeLessThan(1e-5);
      }
    }
  });
}

for (const { momentum, order } of cases.slice(0, 3)) {
  test(`one workgroup alone sweeps to the same bits as colour after colour: ${order} order, momentum ${momentum}`, async () => {
    const solver = {
      momentum,
      order,
      convergence: { criterion: 'residual', tolerance: 1e-9, balance: null, maxIterations: 500 },
    } as const;
    const system = await settling(120, 120, { solver });
    const alone = { largeColours: 0, contactsAtOnce: [1] };
    const results: Uint32Array[] = [];
    // In submissions of different lengths, that neither end with tests of convergence nor with whole dispatches.
    for (const { plan, parts } of [
      { plan: { largeColours: 64, contactsAtOnce: [7, 30] }, parts: [43] },
      { plan: alone, parts: [43] },
      { plan: alone, parts: [1, 33, 9] },
    ]) {
      const step = await gpuStep(device(), system);
      step.submit((encoder) => step.pipeline.encodeContacts(encoder, 0, 48, plan));
      let done = 0;
      for (const count of parts) {
        step.submit((encoder) => step.pipeline.encodeSweeps(encoder, 0, done, count, plan));
        done += count;
      }
      const control = await step.words('control');
      expect(control[9]).toBe(43);
      // Behind the impulses of the contacts is what the search for them left, in no order.
      const impulses = (await step.words('impulses')).subarray(0, 4 * control[CONTROL_CANDIDATES]);
      expect(impulses.length).toBeGreaterThan(400);
      results.push(impulses, await step.words('motion'));
    }
    for (const k of [2, 4]) {
      expect(results[k]).toEqual(results[0]);
      expect(results[k + 1]).toEqual(results[1]);
    }
  });
}

test('contacts remember what those of the reference do', async () => {
  const solver = { momentum: 0, convergence: { criterion: 'fixed', iterations: SWEEPS } } as const;
  const system = await settling(333, 160, { solver, law: { ...bouncing, ...bonding } });
  const { step, start, work, list } = await solveBoth(system);
  rememberCollisions(system, list, start, work);
  rememberBonds(system, list);
  const memories = await step.floats('lastMemories');
  const pairs = await step.words('pairs0');
  // Some press, or approach, by no more than rounding.
  const seen = { closed: 0, bonds: 0, different: 0 };
  for (let c = 0; c < list.count; c++) {
    expect(pairKey(pairs[2 * c], pairs[2 * c + 1])).toBe(pairKey(list.first[c], list.second[c]));
    const own = list.memory.subarray(MEMORY_STRIDE * c, MEMORY_STRIDE * (c + 1));
    const right = [PHASE, APPROACH, WORK, BOND, SLIP, SLIP + 1, SLIP + 2, SLIP_LOSS].map((place) => own[place]);
    const same = right.every((value, k) => Math.abs(memories[4 * MEMORY_ROWS * c + k] - value) < 2e-5);
    if (!same) seen.different++;
    if (own[PHASE] === CLOSED) seen.closed++;
    if (own[BOND] !== NONE) seen.bonds++;
  }
  expect(seen.closed).toBeGreaterThan(20);
  expect(seen.bonds).toBeGreaterThan(20);
  expect(seen.different).toBeLessThan(0.02 * list.count);
});

test('contacts without a colour are solved too', async () => {
  const system = await settling(333, 160, { solver: { momentum: 0.9, convergence: { criterion: 'fixed', iterations: SWEEPS } } });
  const { step, block, uncoloured } = await solveBoth(system, 2);
  expect(uncoloured).toBeGreaterThan(10);
  const mean = meanImpulse(block, IMPULSE);
  const impulses = await step.floats('impulses');
  for (let k = block.count - uncoloured; k < block.count; k++) {
    for (let axis = 0; axis < 3; axis++) {
      expect(Math.abs(impulses[4 * k + axis] - block.data[CONTACT_STRIDE * k + IMPULSE + axis])).toBeLessThan(
        IMPULSE_ERROR * mean,
      );
    }
  }
});

test('the report has the figures of the reference', async () => {
  const system = await settling(333, 160, { solver: { momentum: 0.9, convergence: { criterion: 'fixed', iterations: SWEEPS } } });
  const { report, block, list, work } = await solveBoth(system);
  const figures = report.step;
  const close = (found: number, right: number, share = 1e-4) =>
    expect(Math.abs(found - right)).toBeLessThanOrEqual(share * Math.abs(right) + 1e-9);
  expect(report.halt).toBe(0);
  expect([figures.step, figures.candidates, figures.iterations, figures.converged]).toEqual([1, block.count, SWEEPS, true]);
  close(figures.contacts, countBearing(block), 0.01);
  close(figures.meanForce, meanImpulse(block, IMPULSE));
  const { rms, max } = residual(block, work);
  close(figures.residual, rms, 0.02);
  close(figures.residualMax, max, 0.05);
  const bodies = measureBodies(work, system);
  close(figures.kineticEnergy, bodies.kineticEnergy);
  figures.momentum.forEach((p, axis) => {
    expect(Math.abs(p - bodies.momentum[axis])).toBeLessThan(1e-4);
  });
  expect(figures.fastestGrain).toBe(bodies.fastestGrain);
  close(figures.fastestDisplacement, bodies.fastestDisplacement);
  const loads = measureWallLoads(system, wallSteps(system, 0), system.positions, list);
  const scale = Math.max(...loads.map(Math.abs));
  figures.wallLoads.forEach((load, k) => {
    expect(Math.abs(load - loads[k])).toBeLessThan(1e-4 * scale);
  });
  const moved = system.positions.slice();
  integrate(work, moved, new Float64Array(4 * system.grains), system.radii);
  const penetration = measurePenetration(system, wallSteps(system, 0), moved, list);
  expect(penetration.max).toBeGreaterThan(1e-5);
  expect(Math.abs(figures.maxPenetration - penetration.max)).toBeLessThan(2e-6);
  expect(Math.abs(figures.meanPenetration - penetration.mean)).toBeLessThan(1e-6);
});

test('grains move and turn as the reference has them', async () => {
  const system = await settling(333, 160, { solver: { momentum: 0.9, convergence: { criterion: 'fixed', iterations: SWEEPS } } });
  const { step, work } = await solveBoth(system);
  const positions = system.positions.slice();
  const orientations = Float64Array.from({ length: 4 * system.grains }, (_, k) => (k % 4 === 3 ? 1 : 0));
  integrate(work, positions, orientations, system.radii);
  const moved = unpackPositions(new Int32Array((await step.words('lattice')).buffer), await step.floats('offsets'));
  const turned = await step.floats('orientations');
  for (let k = 0; k < positions.length; k++) expect(Math.abs(moved[k] - positions[k])).toBeLessThan(5e-6);
  for (let k = 0; k < orientations.length; k++) expect(Math.abs(turned[k] - orientations[k])).toBeLessThan(5e-6);
});
