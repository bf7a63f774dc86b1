import { expect, test } from 'vitest';
import { GpuSolver } from '../../src/gpu/solver';
import type { Vector } from '../../src/scene/problem';
import { toSystem } from '../../src/scene/units';
import { sharedDevice } from '../support/device';
import { imagePairs, periodicCrowd } from '../support/periodic';
import { makeProblem, plane, type TestGrain } from '../support/problems';
import { gpuStep, pairKey, referenceStep } from './support';

const device = sharedDevice();

/** What the GPU makes of a system up to its contacts, and what the reference does. */
async function contactsOf(system: ReturnType<typeof toSystem>) {
  const step = await gpuStep(device(), system, 16);
  step.submit((encoder) => step.pipeline.encodeContacts(encoder, 0, 48, { largeColours: 3, contactsAtOnce: [100] }));
  const candidates = (await step.words('control'))[5];
  return { step, candidates, reference: referenceStep(system, step.sizes) };
}

test.each<[string, number, Vector]>([
  ['three cells along each axis', 70, [2.9, 2.7, 2.8]],
  ['many cells whose number does not divide the box', 333, [8.3, 7.1, 6.77]],
  ['one periodic axis above a floor', 150, [0, 2.9, 0]],
])('linked cells, reaches and candidates are the reference’s in a box of %s', async (_, count, lengths) => {
  const walls = lengths.every((length) => length > 0) ? [] : [plane([0, 0, 2], [0, 0, 1])];
  const system = toSystem(periodicCrowd(count, lengths, { walls }));
  const { step, candidates, reference } = await contactsOf(system);
  const linked = await step.words('linked');
  const { cells } = step.sizes;
  expect([...linked.slice(0, cells + 1)]).toEqual([...reference.grid.starts]);
  expect([...linked.slice(cells + 1, cells + 1 + count)]).toEqual([...reference.grid.grains]);

  const reaches = await step.floats('reaches');
  for (let i = 0; i < count; i++) expect(reaches[2 * i]).toBeCloseTo(reference.reach[i], 6);

  const { list } = reference;
  const onWalls = list.second.slice(0, list.count).filter((second) => second >= count).length;
  if (walls.length > 0) expect(onWalls).toBeGreaterThan(5);
  expect(list.count - onWalls).toBeGreaterThanOrEqual(imagePairs(system, 0).length);
  const pairs = await step.words('pairs0');
  const found = Array.from({ length: candidates }, (_, c) => pairKey(pairs[2 * c], pairs[2 * c + 1]));
  expect(found).toEqual(Array.from({ length: list.count }, (_, c) => pairKey(list.first[c], list.second[c])));

  const [contactPairs, normals] = [await step.words('contactPairs'), await step.floats('normals')];
  const index = new Map(Array.from({ length: list.count }, (_, c) => [pairKey(list.first[c], list.second[c]), c]));
  for (let k = 0; k < candidates; k++) {
    const c = index.get(pairKey(contactPairs[2 * k], contactPairs[2 * k + 1]))!;
    for (let axis = 0; axis < 3; axis++) expect(Math.abs(normals[4 * k + axis] - list.normals[3 * c + axis])).toBeLessThan(2e-6);
    expect(Math.abs(normals[4 * k + 3] - list.gaps[c])).toBeLessThan(5e-7);
  }
});

/** Pairs of touching grains around the seam of a long box, with gaps from 0 on; those of odd pairs move on together. */
function pairsAtSeam(period: number): TestGrain[] {
  return Array.from({ length: 50 }, (_, k): TestGrain[] => {
    const [y, z, x, gap] = [2 * (k % 10), 2 * Math.floor(k / 10), 0.01 * k, 1e-5 * k];
    const velocity: Vector = [k % 2 ? 0.2 + 0.001 * k : 0, 0, 0];
    return [
      { position: [x - 0.75 < 0 ? period + x - 0.75 : x - 0.75, y, z], velocity },
      { position: [x + 0.25 + gap, y, z], velocity },
    ];
  }).flat();
}

test('gaps across the seam of a box 300 diameters long are right to 1e-6 diameters, also after grains have wrapped', async () => {
  const period = 300.0001234;
  const system = toSystem(makeProblem({ grains: pairsAtSeam(period), periodic: { min: [0, 0, 0], lengths: [period, 0, 0] } }));
  const gpu = await GpuSolver.create(device(), system);
  const wraps = new Set<number>();
  for (let steps = 0; steps < 6; steps++) {
    await gpu.step(steps > 0 ? 1 : 0);
    const { positions, contacts } = await gpu.read();
    for (let i = 0; i < system.grains; i++) {
      expect(positions[3 * i]).toBeGreaterThanOrEqual(0);
      expect(positions[3 * i]).toBeLessThan(period);
    }
    for (let k = 0; k < 50; k++) {
      const across = positions[6 * k + 3] - positions[6 * k];
      if (across < 0) wraps.add(k);
      expect(Math.abs(across - period * Math.round(across / period) - 1 - 1e-5 * k)).toBeLessThan(1e-6);
    }
    if (steps === 0) continue;
    expect(contacts.count).toBe(50);
    for (let k = 0; k < 50; k++) expect(Math.abs(contacts.gaps[k] - 1e-5 * k)).toBeLessThan(1e-6);
  }
  gpu.dispose();
  expect(wraps.size).toBe(50);
});
