import { expect, test } from 'vitest';
import { CpuSolver } from '../../src/cpu/solver';
import { GpuSolver } from '../../src/gpu/solver';
import type { StepReport } from '../../src/report';
import { toSystem } from '../../src/scene/units';
import { sharedDevice } from '../support/device';
import { giantsAmongSmall } from '../support/packings';
import { type MixOptions, mixOfSizes } from '../support/sizes';
import { gpuStep, pairKey, referenceStep } from './support';

const device = sharedDevice();

test.each<[string, number, MixOptions, ((grain: number) => number)?]>([
  ['spheres 1:50, all at the largest', 1, { count: 333, ratio: 50 }],
  ['disks 1:20', 6, { count: 200, ratio: 20, dimension: 2 }],
  ['disks 1:20, all slow', 1, { count: 200, ratio: 20, dimension: 2 }, () => 0.02],
  ['spheres 1:5 in a periodic box', 6, { count: 333, ratio: 5, lengths: [23, 0, 24] }],
  ['spheres 1:5 in a periodic box, most slow', 6, { count: 333, ratio: 5, lengths: [23, 0, 24] }, (i) => (i < 10 ? 0.3 : 0)],
])('cells, reaches and candidates of several levels are the reference’s: %s', async (_, speeds, options, pace = () => 1) => {
  const mix = mixOfSizes(options);
  const system = { ...mix, velocities: mix.velocities.map((v, k) => pace(Math.floor(k / 3)) * v) };
  const step = await gpuStep(device(), system, 24);
  expect(step.sizes.levels.length).toBeGreaterThan(1);
  step.submit((encoder) => step.pipeline.encodeContacts(encoder, 0, 48, { largeColours: 3, contactsAtOnce: [100] }));
  const { grid, reach, list } = referenceStep(system, step.sizes);
  const linked = await step.words('linked');
  const { cells } = step.sizes;
  expect([...linked.slice(0, cells + 1)]).toEqual([...grid.starts]);
  expect([...linked.slice(cells + 1, cells + 1 + system.grains)]).toEqual([...grid.grains]);
  const reaches = await step.floats('reaches');
  for (let i = 0; i < system.grains; i++) expect(reaches[2 * i]).toBeCloseTo(reach[i], 6);
  expect(new Set(reach).size).toBeGreaterThanOrEqual(speeds);
  expect((await step.words('control'))[5]).toBe(list.count);
  // Grains with more candidates than are noted look for them again.
  const withoutNotes = await gpuStep(device(), system, 24, 2, 0);
  withoutNotes.submit((encoder) => withoutNotes.pipeline.encodeSearch(encoder, 0));
  for (const { words } of [step, withoutNotes]) {
    const pairs = await words('pairs0');
    const found = Array.from({ length: list.count }, (_, c) => pairKey(pairs[2 * c], pairs[2 * c + 1]));
    expect(found).toEqual(Array.from({ length: list.count }, (_, c) => pairKey(list.first[c], list.second[c])));
  }
});

test('cells of several levels grow with the reach of fast grains, and no candidate is lost', async () => {
  const system = toSystem(
    giantsAmongSmall({ giants: 1, ratio: 6, solver: { convergence: { criterion: 'fixed', iterations: 5 } } }),
  );
  const velocities = system.velocities.map((v, k) => (k % 30 === 2 ? -0.5 : v));
  const reports: StepReport[] = [];
  const gpu = await GpuSolver.create(device(), { ...system, velocities });
  await gpu.step(1, (report) => reports.push(report));
  await new CpuSolver({ ...system, velocities }).step(1, (report) => reports.push(report));
  for (const { redone } of reports) expect(redone).toBeGreaterThan(0);
  expect(reports[0].candidates).toBe(reports[1].candidates);
  gpu.dispose();
});
