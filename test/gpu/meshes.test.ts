import { expect, test } from 'vitest';
import type { Vector } from '../../src/index';
import { randomNumbers } from '../../src/scene/generators/randomNumbers';
import { toSystem } from '../../src/scene/units';
import { sharedDevice } from '../support/device';
import { boxSurface, floor, meshWall, type Triangle } from '../support/meshes';
import { makeProblem, plane } from '../support/problems';
import { gpuStep, ID, referenceStep } from './support';

const device = sharedDevice();

const around = (triangles: Triangle[], shift: Vector): Triangle[] =>
  triangles.map((corners) => corners.map((corner) => corner.map((x, axis) => x + shift[axis]) as Vector) as Triangle);

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
        meshWall(around(hills, shift)),
        plane([0, 0, -3], [0, 0, 1]),
        meshWall(around(boxSurface([-3, -2, -1], [2, 3, 2]), shift)),
      ],
    }),
  );
  const { sizes, pipeline, submit, words, floats } = await gpuStep(device(), system, 20);
  submit((encoder) => pipeline.encodeContacts(encoder, 0, 48, { largeColours: 0, contactsAtOnce: [200] }));
  const { list } = referenceStep(system, sizes);
  const expected = Array.from({ length: list.count }, (_, c) => `${list.first[c]}-${list.keys[c]}`);
  const starts = await words('starts0');
  const count = starts[system.grains];
  const pairs = await words('pairs0');
  const found = Array.from({ length: count }, (_, c) => `${pairs[2 * c] & ID}-${pairs[2 * c + 1] & ID}`);
  expect(found).toEqual(expected);
  const bodies = system.grains + system.walls.length;
  const kinds = new Set(list.keys.subarray(0, list.count).filter((key) => key >= bodies));
  expect(kinds.size).toBeGreaterThan(30);

  const [sequence, contactPairs, normals] = [await words('sequence'), await words('contactPairs'), await floats('normals')];
  for (let k = 0; k < count; k++) {
    const c = sequence[k];
    expect(contactPairs[2 * k + 1] & ID).toBe(list.second[c]);
    expect(Math.abs(normals[4 * k + 3] - list.gaps[c])).toBeLessThan(1e-6);
    for (let axis = 0; axis < 3; axis++) expect(Math.abs(normals[4 * k + axis] - list.normals[3 * c + axis])).toBeLessThan(3e-6);
  }
});
