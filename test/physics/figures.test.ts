import { expect, test } from 'vitest';
import { measure } from '../../bench/physics/chain';
import { measureArray } from '../../bench/physics/diskArray';
import { near, runOn } from '../../bench/physics/figure';
import { figures } from '../../bench/physics/figures';
import { cuts, janssen, saturationOf } from '../../bench/physics/janssen';
import { markdown } from '../../bench/physics/results';
import { cupolaTop, firstCupola, lastOpen, openCentre } from '../../bench/physics/shearBand';

test('a chain with 40 coloured sweeps a step rings as the theory of diffusing forces says', async () => {
  const { expected, omega, tau } = await measure(runOn('cpu'), 'two colours, fixed order', 40, 1);
  expect(omega.mean / expected.omega).toBeCloseTo(1, 3);
  expect(Math.abs(tau.mean / expected.tau - 1)).toBeLessThan(1e-3);
});

test('a chain with 40 sweeps in random order rings lower', async () => {
  const { expected, omega, tau } = await measure(runOn('cpu'), 'random sweep', 40, 2);
  expect(Math.abs(omega.mean / expected.omega - 1)).toBeLessThan(3e-3);
  expect(Math.abs(tau.mean / expected.tau - 1)).toBeLessThan(0.05);
});

test.each([
  [1, 0.0280351, 0.0049649, [30, 0, 0]],
  [2, 0.0545638, 0.0117696, [23, 0, 7]],
  [4, 0.086818, 0.046182, [9, 2, 19]],
])(
  'a row of 30 disks pushed with %f: collective friction, acceleration, the modes of the disks',
  async (push, friction, acceleration, modes) => {
    const state = await measureArray(runOn('cpu'), { disks: 30, mu: 0.04, plane: 0.1, block: 0.001, brake: 0.01, push }, 400);
    expect(state.friction).toBeCloseTo(friction, 6);
    expect(state.acceleration).toBeCloseTo(acceleration, 6);
    expect(state.modes).toEqual(modes);
  },
);

test('the variational model of shear bands: open and closed bands', () => {
  expect(openCentre(0.25)).toBeCloseTo(0.9675, 3);
  expect(openCentre(0.65)).toBeCloseTo(0.7052, 3);
  expect(lastOpen().height).toBeCloseTo(0.7427, 4);
  expect(firstCupola().height).toBeCloseTo(0.6968, 4);
  expect(cupolaTop(1.3426)).toBeCloseTo(0.1343, 3);
});

test("Janssen's law is read off cuts through a packing", () => {
  // Grains one above the other, each held by the wall with the share of its load that makes w = 10 (1 - exp(-W/10)) at every cut.
  const weights = Array.from({ length: 40 }, (_, k) => k + 1);
  const held = weights.map((weight) => 1 - janssen(weight, 10) + janssen(weight - 1, 10));
  const state = {
    positions: Float64Array.from(weights.flatMap((weight) => [0, 0, -0.5 * weight])),
    contacts: {
      count: 40,
      first: Uint32Array.from(weights, (weight) => weight - 1),
      second: new Uint32Array(40).fill(41),
      forces: Float64Array.from(held.flatMap((force) => [0.3, 0, -force])),
    },
  };
  const { carried, perLength } = cuts(state, 41);
  expect(carried[39]).toBeCloseTo(janssen(40, 10), 10);
  expect(saturationOf(weights, carried)).toBeCloseTo(10, 4);
  expect(perLength).toBeCloseTo(2, 10);
  expect(cuts(state, 40).carried[39]).toBe(40);
});

test('the table names where its figures come from', () => {
  const figure = { id: 'A-one', title: 'One' };
  const table = markdown([
    { figure, backend: 'webgpu', adapter: 'some card', seconds: 1, result: { rows: [near('x', 1, 1.1, 0.2)], plots: [] } },
  ]);
  expect(table).toContain('Backend: webgpu, some card.');
  expect(table).toContain('| x | 1.1 +- 0.2 | 1 | pass |');
});

test('every figure says whether it runs on the GPU, and those that sweep at random do not', async () => {
  const ids = figures.filter(({ gpu }) => typeof gpu === 'string').map(({ id }) => id);
  expect(ids).toContain('A-fixed-colours');
  expect(ids).not.toContain('A-random');
  expect(ids).not.toContain('D-overlaps');
  expect(figures.filter(({ quick, gpu }) => !quick && gpu === 'quick')).toEqual([]);
});
