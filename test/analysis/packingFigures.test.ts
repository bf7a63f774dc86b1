import { describe, expect, test } from 'vitest';
import { fabric } from '../../src/analysis/fabric';
import { forceChains } from '../../src/analysis/forceChains';
import { layerFigures } from '../../src/analysis/layers';
import { packingFigures, wholeRegion } from '../../src/analysis/packingFigures';
import { radialDistribution } from '../../src/analysis/radialDistribution';
import type { Region } from '../../src/analysis/region';
import { touchingContacts } from '../../src/analysis/touching';
import type { Vector } from '../../src/index';
import { randomNumbers } from '../../src/scene/generators/randomNumbers';
import { makeContacts } from '../support/contacts';

const CUBIC: Vector[] = [[0, 0, 0]];
const FACE_CENTRED: Vector[] = [
  [0, 0, 0],
  [0.5, 0.5, 0],
  [0.5, 0, 0.5],
  [0, 0.5, 0.5],
];

/** Periodic lattice of n cells of edge 1 along each axis, away from the origin. */
function lattice(basis: readonly Vector[], radius: number, n = 4) {
  const cells = Array.from({ length: n ** 3 }, (_, k) => [k % n, Math.floor(k / n) % n, Math.floor(k / n ** 2)]);
  const positions = Float64Array.from(
    cells.flatMap((cell) => basis.flatMap((place) => place.map((x, axis) => cell[axis] + x - 1.25))),
  );
  const radii = new Float64Array(positions.length / 3).fill(radius);
  const periodic = { min: [-1.25, -1.25, -1.25] as Vector, lengths: [n, n, n] as Vector };
  return { positions, radii, periodic };
}

describe.each([
  ['simple cubic', CUBIC, 0.5, Math.PI / 6, 6],
  ['face-centred cubic', FACE_CENTRED, Math.SQRT1_2 / 2, Math.PI / (3 * Math.SQRT2), 12],
] as const)('a %s lattice', (_, basis, radius, fraction, neighbours) => {
  const { positions, radii, periodic } = lattice(basis, radius);
  const contacts = touchingContacts(positions, radii, 1e-6, periodic);
  const packing = { positions, radii, periodic, contacts, dimension: 3 as const, hasForces: false };

  test('has the volume fraction and the neighbours that are known', () => {
    const figures = packingFigures(packing, wholeRegion(positions, periodic));
    expect(figures.volumeFraction).toBeCloseTo(fraction, 12);
    expect(figures.coordination).toEqual({ mean: neighbours, withoutRattlers: neighbours, rattlers: 0 });
    expect(figures.fabric!.anisotropy).toBeCloseTo(0, 12);
    expect(figures.overlap.max).toBeLessThan(1e-12);
    expect(figures).toMatchObject({ stress: null, forces: null, forceChains: null, mobilisation: null });
  });

  test('has the same figures in each layer, and centres between two count once', () => {
    // Cut at the centres of every plane of cells.
    const layers = layerFigures(packing, wholeRegion(positions, periodic), 4);
    for (const layer of layers) {
      expect(layer).toMatchObject({ grains: radii.length / 4, coordination: neighbours, stress: null });
      expect(layer.volumeFraction).toBeCloseTo(fraction, 12);
    }
  });

  test('has the same figures where its places count on beyond the faces', () => {
    const { min, lengths } = periodic;
    const beyond = positions.map((x, k) => x + lengths[k % 3] * ((k % 7) - 3));
    const half: Region = { kind: 'box', min, max: [min[0] + 1.75, min[1] + lengths[1], min[2] + 2.25] };
    for (const region of [half, wholeRegion(positions, periodic)]) {
      const unwrapped = { ...packing, positions: beyond };
      expect(packingFigures(unwrapped, region)).toEqual(packingFigures(packing, region));
      expect(layerFigures(unwrapped, region, 3)).toEqual(layerFigures(packing, region, 3));
    }
  });

  test('has its shells in g(r)', () => {
    const { edges, density, grains } = radialDistribution(packing, positions, wholeRegion(positions, periodic), 1.9, 190);
    expect(grains).toBe(radii.length);
    const rho = basis.length;
    const shells = [...density].map((g, k) => g * rho * (4 / 3) * Math.PI * (edges[k + 1] ** 3 - edges[k] ** 3));
    const peaks = shells.flatMap((count, k) => (count > 0.5 ? [[(edges[k] + edges[k + 1]) / 2, Math.round(count)]] : []));
    expect(peaks[0][0]).toBeCloseTo(2 * radius, 1);
    expect(peaks[0][1]).toBe(neighbours);
    expect(peaks[1][0]).toBeCloseTo(2 * radius * Math.SQRT2, 1);
    expect(peaks[1][1]).toBe(basis === CUBIC ? 12 : 6);
  });
});

test('rattlers are counted where the coordination is: in the region', () => {
  const { positions, radii, periodic } = lattice(CUBIC, 0.5);
  // Grains of the lattice become grains too small to touch: one low down, two high up, none of them a neighbour of another.
  for (const i of [21, 32, 38]) radii[i] = 0.1;
  const contacts = touchingContacts(positions, radii, 1e-6, periodic);
  const packing = { positions, radii, periodic, contacts, dimension: 3 as const, hasForces: false };
  const { min, max } = wholeRegion(positions, periodic) as Region & { kind: 'box' };
  const of = (region: Region) => packingFigures(packing, region).coordination;
  // Ends of contacts: six for each grain; a loose one takes its own six away and one of each neighbour.
  expect(of({ kind: 'box', min, max })).toMatchObject({ mean: (64 * 6 - 3 * 12) / 64, rattlers: 3 });
  // The lower two of four planes: six of the loose one and five of its neighbours, one below each of the two above the cut.
  expect(of({ kind: 'box', min, max: [max[0], max[1], 0.5] })).toMatchObject({ mean: (32 * 6 - 11 - 2) / 32, rattlers: 1 });
  expect(of({ kind: 'box', min: [min[0], min[1], 0.5], max })).toMatchObject({ mean: (32 * 6 - 2 * 11 - 1) / 32, rattlers: 2 });
});

test('g(r) of a gas is one', () => {
  const random = randomNumbers(3);
  const positions = Float64Array.from({ length: 3 * 2000 }, () => 10 * random());
  const periodic = { min: [0, 0, 0] as Vector, lengths: [10, 10, 10] as Vector };
  const { density } = radialDistribution({ dimension: 3, periodic }, positions, wholeRegion(positions, periodic), 3, 6);
  for (const g of density.slice(2)) expect(g).toBeCloseTo(1, 1);
  // In open space, seen from the middle.
  const middle = { kind: 'box', min: [3, 3, 3], max: [7, 7, 7] } as Region;
  const open = radialDistribution({ dimension: 3 }, positions, middle, 3, 6);
  for (const g of open.density.slice(2)) expect(Math.abs(g - 1)).toBeLessThan(0.15);
});

/** Contacts with forces along their normals. */
const contacts = (list: [first: number, second: number, normal: Vector, force: number][]) =>
  makeContacts(list.map(([first, second, normal, force]) => [first, second, normal, normal.map((n) => n * force)]));

test('fabric: one direction, a plane and all of space', () => {
  const x: Vector = [1, 0, 0];
  const y: Vector = [0, 1, 0];
  const z: Vector = [0, 0, 1];
  const along = (...normals: Vector[]) => contacts(normals.map((normal, k) => [k, k + 1, normal, 1]));
  expect([...fabric(along(x, x), 9).tensor]).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0]);
  expect(fabric(along(x, x), 9).anisotropy).toBeCloseTo(1, 12);
  expect(fabric(along(x, y, z), 9).anisotropy).toBeCloseTo(0, 12);
  expect(fabric(along(x, y), 9, 2).anisotropy).toBeCloseTo(0, 12);
  expect(fabric(along(x, x), 9, 2).anisotropy).toBeCloseTo(1, 12);
  // Walls do not count: grain 1 of 2 touches wall 0.
  expect(
    fabric(
      contacts([
        [0, 1, x, 1],
        [1, 2, z, 1],
      ]),
      2,
    ).count,
  ).toBe(1);
});

test('grains at one place touch, overlap and have no direction', () => {
  const [positions, radii] = [Float64Array.of(1, 2, 3, 1, 2, 3, 1, 2, 3, 3, 2, 3), new Float64Array(4).fill(1)];
  const figuresOf = (count: number) => {
    const [places, sizes] = [positions.slice(0, 3 * count), radii.slice(0, count)];
    const packing = { positions: places, radii: sizes, contacts: touchingContacts(places, sizes), dimension: 3 as const };
    return packingFigures({ ...packing, hasForces: false }, wholeRegion(places));
  };
  const three = figuresOf(3);
  expect(three).toMatchObject({
    contacts: 3,
    coordination: { mean: 2, rattlers: 0 },
    overlap: { mean: 1, max: 1 },
    fabric: null,
  });
  // A fourth that touches all three along x.
  expect(figuresOf(4)).toMatchObject({ contacts: 6, overlap: { mean: 0.5 }, fabric: { tensor: [1, 0, 0, 0, 0, 0, 0, 0, 0] } });
});

test('fabric: no contact, no figure', () => {
  const { count, tensor, anisotropy } = fabric(contacts([]), 3);
  expect([count, anisotropy, ...tensor]).toEqual([0, ...new Array(10).fill(Number.NaN)]);
});

test('force chains: networks of contacts above the mean', () => {
  const n: Vector = [1, 0, 0];
  // Mean 2.2: 0-1-2 and 4-5 are chains; the wall's contact, however strong, joins nothing.
  const {
    contacts: strong,
    share,
    sizes,
    chainOf,
  } = forceChains(
    contacts([
      [0, 1, n, 3],
      [1, 2, n, 4],
      [2, 3, n, 0.5],
      [4, 5, n, 3],
      [3, 4, n, 0.5],
      [5, 6, n, 100],
    ]),
    6,
  );
  expect({ strong, share, sizes, chainOf: [...chainOf] }).toEqual({
    strong: 3,
    share: 3 / 5,
    sizes: [3, 2],
    chainOf: [0, 0, 0, -1, 1, 1],
  });
});

test('stress, forces, friction and chains of a pressed row', () => {
  const n: Vector = [1, 0, 0];
  const positions = Float64Array.of(0.5, 0.5, 0.5, 1.5, 0.5, 0.5, 2.5, 0.5, 0.5);
  const state = contacts([
    [0, 1, n, 2],
    [1, 2, n, 2],
  ]);
  state.forces.set([2, 0.5, 0]);
  const region = { kind: 'box', min: [0.5, 0, 0], max: [2.5, 1, 1] } as Region;
  const radii = new Float64Array(3).fill(0.5);
  const packing = { positions, radii, contacts: state, dimension: 3 as const, hasForces: true, friction: () => 0.5 };
  const figures = packingFigures(packing, region);
  expect(figures.stress!.total[0]).toBeCloseTo(2, 12);
  expect(figures.forces!.mean).toBe(2);
  expect(figures.mobilisation).toEqual({ contacts: 2, mean: 0.25, full: 0 });
  expect(figures.forceChains).toEqual({ contacts: 0, share: 0, networks: 0, largest: 0 });
  expect(JSON.parse(JSON.stringify(figures))).toEqual(figures);
});

test('figures of contacts are of the contacts of the grains in the region', () => {
  const n: Vector = [1, 0, 0];
  const positions = Float64Array.from({ length: 15 }, (_, k) => (k % 3 === 0 ? k / 3 : 0));
  const state = contacts([
    [0, 1, n, 100],
    [1, 2, n, 2],
    [2, 3, n, 4],
    [3, 4, n, 100],
  ]);
  state.gaps.set([-0.5, -0.1, -0.2, -0.5]);
  state.forces.set([100, 0, 0, 2, 0.5, 0, 4, 0, 0, 100, 0, 0]);
  const radii = new Float64Array(5).fill(0.5);
  const packing = { positions, radii, contacts: state, dimension: 3 as const, hasForces: true, friction: (c: number) => c };
  const middle = packingFigures(packing, { kind: 'box', min: [1.5, -1, -1], max: [2.5, 1, 1] });
  expect(middle).toMatchObject({ grains: 5, inside: 1, contacts: 2, overlap: { mean: 0.15000000000000002, max: 0.2 } });
  expect(middle.forces!.mean).toBe(3);
  expect(middle.mobilisation).toEqual({ contacts: 2, mean: 0.125, full: 0 });
  expect(middle.forceChains).toMatchObject({ contacts: 1, share: 0.5, largest: 2 });
  expect(packingFigures(packing, wholeRegion(positions)).contacts).toBe(4);
});
