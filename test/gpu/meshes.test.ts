import { expect, test } from 'vitest';
import type { Vector } from '../../src/index';
import { randomNumbers } from '../../src/scene/generators/randomNumbers';
import type { System } from '../../src/scene/system';
import { toSystem } from '../../src/scene/units';
import { sharedDevice } from '../support/device';
import { boxSurface, fan, floor, meshWall, periodicMeshes, shifted } from '../support/meshes';
import { makeProblem, plane } from '../support/problems';
import { gpuStep, ID, referenceStep } from './support';

const device = sharedDevice();

test.each([
  ['near the origin', 0],
  ['300 diameters away', 300],
])('candidates at meshes and their gaps are those of the reference, %s', async (_, away) => {
  const random = randomNumbers(3);
  const shift: Vector = [away, -away, 0];
  const grains = Array.from({ length: 130 }, () => ({
    position: [0, 1, 2].map((axis) => 7 * (random() - 0.5) + shift[axis]) as Vector,
    radius: 0.3 + 0.4 * random(),
    velocity: [0.02 * random(), 0, 0] as Vector,
  }));
  // One grain in the origin keeps the internal origin away from the others.
  const anchor = { position: [0.013 - away, 0.027 + away, 0.011] as Vector };
  const hills = floor(9, 9, (x, y) => 0.7 * Math.sin(1.3 * x) * Math.cos(1.1 * y), 0.3);
  const system = toSystem(
    makeProblem({
      grains: [...grains, anchor],
      walls: [
        meshWall(shifted(hills, shift)),
        plane([0, 0, -3], [0, 0, 1]),
        meshWall(shifted(boxSurface([-3, -2, -1], [2, 3, 2]), shift)),
      ],
    }),
  );
  // First without the notes of what was counted: grains with more candidates than are noted look for them again.
  await compare(system, 0);
  const list = await compare(system);
  const bodies = system.grains + system.walls.length;
  const kinds = new Set(list.keys.subarray(0, list.count).filter((key) => key >= bodies));
  expect(kinds.size).toBeGreaterThan(30);
});

test.each([
  ['along y', [0, 7.3, 0], false],
  ['along x and y', [6.1, 7.3, 0], false],
  ['along y, of meshes that move', [0, 7.3, 0], true],
] as [string, Vector, boolean][])('so they are in periodic space, %s', async (_, lengths, moves) => {
  const random = randomNumbers(4);
  const periodic = { min: [-3.5, -3.5, 0] as Vector, lengths };
  const grains = Array.from({ length: 130 }, () => ({
    position: [0, 1, 2].map(
      (axis) => (lengths[axis] || 6) * (random() - (axis === 2 ? 0.5 : 0)) - (axis < 2 ? 3.5 : 0),
    ) as Vector,
    radius: 0.3 + 0.4 * random(),
    velocity: [0.02 * random(), 0, 0] as Vector,
  }));
  // Hills that go through the box and meet their images, and a box across its end.
  const hills = floor(1, 9, (x, y) => 0.7 * Math.sin(2 * Math.PI * x) * Math.cos(2 * Math.PI * y));
  const stretched = hills.map((corners) => corners.map(([x, y, z]) => [6.1 * x, 7.3 * y, z]) as typeof corners);
  const [range, block] = periodicMeshes(periodic, stretched, boxSurface([-2, 2.5, -3], [1.1, 5, -1]));
  const motion = { velocity: [0.1, 3, 0.1] as Vector, start: -2.6 };
  const walls = moves ? [{ ...range, motion }, block, { ...block, point: [0.3, 7.9, 2] as Vector }] : [range, block];
  const system = toSystem(makeProblem({ grains, walls, periodic, timeStep: 0.05 }));
  const list = await compare(system);
  const seam = Array.from({ length: list.count }, (_, c) => c).filter(
    (c) =>
      list.second[c] >= system.grains &&
      Math.abs(system.positions[3 * list.first[c] + 1] - system.periods![1] / 2) > system.periods![1] / 2 - 0.7,
  );
  expect(seam.length).toBeGreaterThan(3);
});

test('so they are on triangles that are narrow throughout', async () => {
  const grains = Array.from({ length: 36 }, (_, k) => ({
    position: [1.8 * (k % 6) - 4.49, 1.8 * Math.floor(k / 6) - 4.52, 0.5 + 5e-4 * Math.sin(k)] as Vector,
  }));
  expect((await compare(toSystem(makeProblem({ grains, walls: [meshWall(fan(12, 1000))] })))).count).toBe(36);
});

/** Contacts of a system's first step, in which those of the GPU are shown to be the same. */
async function compare(system: System, notes?: number) {
  const { sizes, pipeline, submit, words, floats } = await gpuStep(device(), system, 20, 2, notes);
  submit((encoder) => pipeline.encodeContacts(encoder, 0, 48, { largeColours: 0, contactsAtOnce: [200] }));
  const { list } = referenceStep(system, sizes);
  const expected = Array.from({ length: list.count }, (_, c) => `${list.first[c]}-${list.keys[c]}`);
  const starts = await words('starts0');
  const count = starts[system.grains];
  const pairs = await words('pairs0');
  const found = Array.from({ length: count }, (_, c) => `${pairs[2 * c] & ID}-${pairs[2 * c + 1] & ID}`);
  expect(found).toEqual(expected);
  const [sequence, contactPairs, normals] = [await words('sequence'), await words('contactPairs'), await floats('normals')];
  for (let k = 0; k < count; k++) {
    const c = sequence[k];
    expect(contactPairs[2 * k + 1] & ID).toBe(list.second[c]);
    expect(Math.abs(normals[4 * k + 3] - list.gaps[c])).toBeLessThan(1e-6);
    for (let axis = 0; axis < 3; axis++) expect(Math.abs(normals[4 * k + axis] - list.normals[3 * c + axis])).toBeLessThan(3e-6);
  }
  return list;
}
