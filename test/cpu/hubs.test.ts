import { describe, expect, test } from 'vitest';
import { Colourer } from '../../src/cpu/colouring';
import { HubChooser } from '../../src/cpu/hubs';
import { CpuSolver } from '../../src/cpu/solver';
import type { StepReport } from '../../src/report';
import type { Vector } from '../../src/scene/problem';
import type { System } from '../../src/scene/system';
import { toSystem } from '../../src/scene/units';
import { makeProblem, plane, type TestGrain } from '../support/problems';

/** As many candidates at the first grains as `degrees` says, with grains that have one each. */
function stars(degrees: number[], radius = 10) {
  const hubs = degrees.length;
  const leaves = degrees.reduce((sum, degree) => sum + degree, 0);
  const grains = Array.from({ length: hubs + leaves }, (_, k) => ({
    position: [30 * k, 0, 0] as [number, number, number],
    radius: k < hubs ? radius : 1,
  }));
  const list = { count: leaves, first: new Uint32Array(leaves), second: new Uint32Array(leaves) };
  for (let hub = 0, c = 0; hub < hubs; hub++) {
    for (let k = 0; k < degrees[hub]; k++, c++) [list.first[c], list.second[c]] = [hubs + c, hub];
  }
  return { system: toSystem(makeProblem({ grains })), list };
}

describe('hubs', () => {
  const chosen = (degrees: number[], radius?: number) => {
    const { system, list } = stars(degrees, radius);
    return new HubChooser(system).choose(list);
  };

  test('are the grains with more candidates than can be coloured', () => {
    expect(chosen([24, 25, 200, 5])).toEqual([1, 2]);
  });

  test('are none where sizes do not differ much, nor where the sweep goes contact by contact', () => {
    expect(chosen([25, 200], 2.9)).toEqual([]);
    const { system, list } = stars([25, 200]);
    expect(new HubChooser({ ...system, solver: { ...system.solver, sweep: 'random' } }).choose(list)).toEqual([]);
  });

  test('may be any number', () => {
    expect(chosen(Array(500).fill(25))).toHaveLength(500);
  });

  test('that never move are none', () => {
    const { system, list } = stars([200, 200]);
    system.inverseMasses[0] = 0;
    expect(new HubChooser(system).choose(list)).toEqual([1]);
  });
});

describe('colours of hubs', () => {
  /** Contacts given as pairs, among grains of which the first are large. */
  function colour(large: number, grains: number, pairs: [number, number][]) {
    const radii = Float64Array.from({ length: grains }, (_, k) => (k < large ? 10 : 1));
    const colourer = new Colourer(new Float64Array(grains).fill(1), radii);
    const [first, second] = [0, 1].map((side) => Uint32Array.from(pairs, (pair) => pair[side]));
    const hubs = Array.from({ length: large }, (_, k) => k);
    return colourer.colour({ count: pairs.length, first, second }, undefined, hubs);
  }

  test('hubs that share a grain have different ones, as far as there are any', () => {
    const shared = colour(
      40,
      42,
      Array.from({ length: 40 }, (_, k) => [k, 40]),
    );
    const apart = colour(
      40,
      80,
      Array.from({ length: 40 }, (_, k) => [k, 40 + k]),
    );
    const colours = shared.hubs.map((hub) => hub.colour);
    expect(colours).toEqual([...Array.from({ length: 32 }, (_, k) => k), ...Array(8).fill(32)]);
    expect(shared.hubTurns).toBe(33);
    expect(apart.hubs.map((hub) => hub.colour)).toEqual(Array(40).fill(0));
    expect(apart.hubTurns).toBe(1);
  });

  test('contacts of hubs with each other stay in the colouring', () => {
    const { colours, starts, order, hubs } = colour(3, 5, [
      [0, 1],
      [0, 3],
      [1, 2],
      [1, 4],
    ]); // prettier-ignore
    expect(colours).toBe(2);
    expect(new Set(order.slice(0, starts[2]))).toEqual(new Set([0, 2]));
    expect(hubs.map(({ body, begin, end }) => [body, Array.from(order.slice(begin, end))])).toEqual([
      [0, [1]],
      [1, [3]],
    ]); // prettier-ignore
  });
});

/** A large sphere covered with small ones that fall towards it, on a floor of which a piston pushes a layer. */
function covered(): System {
  const [radius, small] = [5, 0.5];
  const grains: TestGrain[] = [{ position: [0, 0, 0], radius }];
  for (let k = 0; k < 250; k++) {
    const z = 1 - (2 * k + 1) / 250;
    const direction = [Math.sqrt(1 - z * z) * Math.cos(2.4 * k), Math.sqrt(1 - z * z) * Math.sin(2.4 * k), z];
    const position = direction.map((x) => x * (radius + small + 1e-3)) as Vector;
    grains.push({ position, radius: small, velocity: direction.map((x) => -0.1 * x) as Vector });
  }
  for (let k = 0; k < 225; k++) grains.push({ position: [(k % 15) - 7, Math.floor(k / 15) - 7, -10], radius: small });
  const walls = [
    plane([0, 0, -10.5], [0, 0, 1]),
    { ...plane([0, 0, -10.5 - 2e-3], [0, 0, 1]), piston: { mass: 100, force: 10 } },
  ];
  return toSystem(makeProblem({ grains, walls, timeStep: 0.1, friction: 0.3, solver: { momentum: 0.9 } }));
}

test('a large grain and a piston with hundreds of contacts add one colour each', async () => {
  const system = covered();
  const solver = new CpuSolver(system);
  const reports: StepReport[] = [];
  await solver.step(2, (report) => reports.push(report));
  const { contacts } = await solver.read();
  const degrees = new Uint32Array(system.bodies);
  for (let c = 0; c < contacts.count; c++) {
    degrees[contacts.first[c]]++;
    degrees[contacts.second[c]]++;
  }
  const others = degrees.slice(1, system.grains).reduce((a, b) => Math.max(a, b), 0);
  expect(degrees[0]).toBe(250);
  expect(degrees[system.grains + 1]).toBe(225);
  expect(others).toBeGreaterThan(3);
  expect(reports[1].colours).toBeLessThanOrEqual(others + 1 + 2);
  expect(reports[1].converged).toBe(true);
});
