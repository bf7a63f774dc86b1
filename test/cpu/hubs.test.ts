import { describe, expect, test } from 'vitest';
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
    expect(chosen([16, 17, 200, 5])).toEqual([1, 2]);
  });

  test('are none where sizes do not differ much, nor where the sweep goes contact by contact', () => {
    expect(chosen([17, 200], 3)).toEqual([]);
    const { system, list } = stars([17, 200]);
    expect(new HubChooser({ ...system, solver: { ...system.solver, sweep: 'random' } }).choose(list)).toEqual([]);
  });

  test('are the few with the most where many have many', () => {
    expect(chosen([...Array(20).fill(40), 70, 49])).toEqual([20, 21]);
    expect(chosen(Array(17).fill(20))).toEqual([]);
  });

  test('that never move are none', () => {
    const { system, list } = stars([200, 200]);
    system.inverseMasses[0] = 0;
    expect(new HubChooser(system).choose(list)).toEqual([1]);
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
