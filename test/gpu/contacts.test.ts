import { beforeAll, expect, test } from 'vitest';
import { Colourer } from '../../src/cpu/colouring';
import type { System } from '../../src/scene/system';
import { sharedDevice } from '../support/device';
import { type GpuStep, gpuStep, ID, pairKey, referenceStep, settling } from './support';

const device = sharedDevice();
let system: System;
let step: GpuStep;
let reference: ReturnType<typeof referenceStep>;

beforeAll(async () => {
  system = await settling(333, 160);
  step = await gpuStep(device(), system);
  reference = referenceStep(system, step.sizes);
});

/** The stages up to contacts, with so many rounds of colouring. */
async function encodeContacts(rounds = 48) {
  step.submit((encoder) => step.pipeline.encodeContacts(encoder, 0, rounds, { largeColours: 3, contactsAtOnce: [100] }));
  const control = await step.words('control');
  return { candidates: control[5], colours: control[6], uncoloured: control[8] };
}

test('linked cells hold the same grains, in the order of their ids', async () => {
  const system = await settling(333, 40);
  await encodeContacts();
  const linked = await step.words('linked');
  const { cells } = step.sizes;
  expect([...linked.slice(0, cells + 1)]).toEqual([...reference.grid.starts]);
  expect([...linked.slice(cells + 1, cells + 1 + system.grains)]).toEqual([...reference.grid.grains]);
});

test('reach follows the fastest grain around', async () => {
  const system = await settling(333, 40);
  await encodeContacts();
  const reaches = await step.floats('reaches');
  for (let i = 0; i < system.grains; i++) expect(reaches[2 * i]).toBeCloseTo(reference.reach[i], 6);
});

test('candidates are the reference’s, first by first body, then by second', async () => {
  const { candidates } = await encodeContacts();
  const pairs = await step.words('pairs0');
  const { list } = reference;
  expect(list.count).toBeGreaterThan(500);
  expect(candidates).toBe(list.count);
  const found = Array.from({ length: candidates }, (_, c) => pairKey(pairs[2 * c], pairs[2 * c + 1]));
  expect(found).toEqual(found.map((_, c) => pairKey(list.first[c], list.second[c])));
});

test('normals, gaps and friction of contacts are the reference’s', async () => {
  const { candidates } = await encodeContacts();
  const { list } = reference;
  const index = new Map(Array.from({ length: list.count }, (_, c) => [pairKey(list.first[c], list.second[c]), c]));
  const [pairs, normals, impulses] = [
    await step.words('contactPairs'),
    await step.floats('normals'),
    await step.floats('impulses'),
  ];
  for (let k = 0; k < candidates; k++) {
    const c = index.get(pairKey(pairs[2 * k], pairs[2 * k + 1]))!;
    for (let axis = 0; axis < 3; axis++) expect(Math.abs(normals[4 * k + axis] - list.normals[3 * c + axis])).toBeLessThan(1e-6);
    expect(Math.abs(normals[4 * k + 3] - list.gaps[c])).toBeLessThan(5e-7);
    expect(impulses[4 * k + 3]).toBeCloseTo(system.laws[list.laws[c]].dynamicFriction, 6);
  }
});

/** Contacts by colour as the sweeps find them; throws where two of one colour share a grain that moves. */
async function checkColouring(candidates: number) {
  const [pairs, schedule] = [await step.words('contactPairs'), await step.words('schedule')];
  const colours = 32 * step.sizes.colourWords;
  const degree = new Uint32Array(system.bodies);
  for (let k = 0; k < candidates; k++) for (const body of [pairs[2 * k], pairs[2 * k + 1]]) degree[body & ID]++;
  let bound = 0;
  for (let k = 0; k < candidates; k++) {
    const moving = [pairs[2 * k] & ID, pairs[2 * k + 1] & ID].filter((body) => system.inverseMasses[body] > 0);
    bound = Math.max(
      bound,
      moving.reduce((sum, body) => sum + degree[body] - 1, 1),
    );
  }
  for (let colour = 0; colour < colours; colour++) {
    const seen = new Set<number>();
    for (let k = schedule[colour]; k < schedule[colour + 1]; k++) {
      for (const body of [pairs[2 * k] & ID, pairs[2 * k + 1] & ID]) {
        if (system.inverseMasses[body] === 0) continue;
        expect(seen.has(body), `colour ${colour} has body ${body} twice`).toBe(false);
        seen.add(body);
      }
    }
  }
  expect(schedule[colours + 1]).toBe(candidates);
  const keys = new Set(Array.from({ length: candidates }, (_, k) => pairKey(pairs[2 * k], pairs[2 * k + 1])));
  expect(keys.size).toBe(candidates);
  return { bound, most: Math.max(...degree.subarray(0, system.grains)) };
}

test('no two contacts of a colour share a grain that moves, and colours are few', async () => {
  const { candidates, colours, uncoloured } = await encodeContacts();
  const { bound, most } = await checkColouring(candidates);
  expect(uncoloured).toBe(0);
  expect(colours).toBeLessThanOrEqual(bound);
  expect(colours).toBeLessThanOrEqual(most + 3);
});

test('colours are those of the reference', async () => {
  const { candidates } = await encodeContacts();
  const { colourOf } = new Colourer(system.inverseMasses).colour(reference.list);
  expect((await step.words('colours0')).slice(0, candidates)).toEqual(colourOf.slice(0, candidates));
});

test('contacts that find no colour in the rounds there are come last and are none the fewer', async () => {
  const { candidates, uncoloured } = await encodeContacts(2);
  expect(uncoloured).toBeGreaterThan(0);
  await checkColouring(candidates);
});

test('within a colour contacts keep the order of the candidates', async () => {
  await encodeContacts();
  const [sequence, schedule] = [await step.words('sequence'), await step.words('schedule')];
  for (let colour = 0; colour <= 32 * step.sizes.colourWords; colour++) {
    for (let k = schedule[colour] + 1; k < schedule[colour + 1]; k++) expect(sequence[k]).toBeGreaterThan(sequence[k - 1]);
  }
});

test('contacts of hundreds of colours are sorted by them', async () => {
  const many = await gpuStep(device(), system, 8, 32);
  const plan = { largeColours: 0, contactsAtOnce: [100] };
  many.submit((encoder) => many.pipeline.encodeContacts(encoder, 0, 1, plan));
  const count = (await many.words('control'))[5];
  // Colours that persist are kept as they are: 7 to 1015, each given to several contacts.
  const colours = Uint32Array.from({ length: count }, (_, c) => 7 + 144 * ((c * 5) % 8));
  many.pipeline.buffers.write('colours0', colours);
  many.submit((encoder) => many.pipeline.encodeContacts(encoder, 1, 1, plan));
  const sorted = [...colours.keys()].sort((a, b) => colours[a] - colours[b] || a - b);
  expect([...(await many.words('sequence')).slice(0, count)]).toEqual(sorted);
});
