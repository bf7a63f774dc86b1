import { expect, test } from 'vitest';
import { CpuSolver } from '../../src/cpu/solver';
import { inverse, mortonOrder, reorderSnapshot, reorderSystem } from '../../src/gpu/grainOrder';
import { createGpuSolver } from '../../src/gpu/orderedSolver';
import type { State, StepReport } from '../../src/index';
import { randomNumbers } from '../../src/scene/generators/randomNumbers';
import { toSystem } from '../../src/scene/units';
import type { Snapshot } from '../../src/snapshot';
import { sharedDevice } from '../support/device';
import { pouring } from '../support/packings';

const device = sharedDevice();
const residual = { criterion: 'residual', tolerance: 1e-4, balance: null, maxIterations: 300 } as const;

/** Equal spheres that fell, with contacts that roll, bounce and hold each other, numbered at random. */
async function fallen(count: number, steps: number) {
  const problem = pouring({ count, radii: [0.5, 0.5], solver: { momentum: 0.8, convergence: residual } });
  const laws = { staticFriction: 0.5, rollingFriction: 0.1, normalRestitution: 0.3, cohesionForce: 0.05, cohesionRange: 0.02 };
  problem.laws = problem.laws.map((plain) => ({ ...plain, ...laws }));
  const random = randomNumbers(3);
  const shuffled = Uint32Array.from({ length: count }, (_, i) => i).sort(() => random() - 0.5);
  const system = reorderSystem(toSystem(problem), shuffled);
  const solver = new CpuSolver(system);
  await solver.step(steps);
  return { system, snapshot: await solver.capture() };
}

const distance = (positions: Float64Array, a: number, b: number) =>
  Math.hypot(...[0, 1, 2].map((axis) => positions[3 * a + axis] - positions[3 * b + axis]));

test('grains that follow each other along the curve are neighbours', () => {
  const random = randomNumbers(1);
  const positions = Float64Array.from({ length: 3 * 4096 }, () => 16 * random() - 50);
  const order = mortonOrder(positions);
  expect([...order].sort((a, b) => a - b)).toEqual([...order.keys()]);
  const mean = order.slice(1).reduce((sum, grain, k) => sum + distance(positions, grain, order[k]), 0) / order.length;
  expect(mean).toBeLessThan(2.2);
  // Far from each other cells are larger; in one place the order is that of the ids.
  expect([...mortonOrder(Float64Array.from([1e6, 0, 0, 0, 0, 0, 1e6, 0, 0]))]).toEqual([1, 0, 2]);
});

test('contacts come to their grains in the new order, with what points from one to the other turned round', async () => {
  const { system, snapshot } = await fallen(80, 120);
  const order = mortonOrder(snapshot.positions);
  const radii = system.radii;
  const moved = reorderSnapshot(snapshot, order, radii);
  const places = inverse(order);
  let turned = 0;
  const { contacts: old } = snapshot;
  const known = new Map(Array.from({ length: old.count }, (_, c) => [`${old.first[c]}-${old.second[c]}`, c]));
  const body = (id: number) => (id < system.grains ? order[id] : id);
  const now = moved.contacts;
  for (let k = 0; k < now.count; k++) {
    const [a, b] = [body(now.first[k]), body(now.second[k])];
    const sign = known.has(`${a}-${b}`) ? 1 : -1;
    const c = known.get(sign > 0 ? `${a}-${b}` : `${b}-${a}`)!;
    if (sign < 0) turned++;
    if (k > 0) expect(now.first[k] * 1e6 + now.second[k]).toBeGreaterThan(now.first[k - 1] * 1e6 + now.second[k - 1]);
    if (now.second[k] < system.grains) expect(now.first[k]).toBeLessThan(now.second[k]);
    expect(now.colours[k]).toBe(old.colours[c]);
    expect(now.gaps[k]).toBe(old.gaps[c]);
    for (const name of ['normals', 'impulses', 'torques'] as const) {
      for (let axis = 0; axis < 3; axis++) expect(now[name][3 * k + axis]).toBe(sign * old[name][3 * c + axis]);
    }
    if (now.second[k] >= system.grains) continue;
    const along = [0, 1, 2].map((axis) => moved.positions[3 * now.second[k] + axis] - moved.positions[3 * now.first[k] + axis]);
    expect(along.reduce((sum, x, axis) => sum + x * now.normals[3 * k + axis], 0)).toBeGreaterThan(0.9);
  }
  expect(turned).toBeGreaterThan(20);
  expect(places[order[5]]).toBe(5);
  expect(reorderSnapshot(moved, places, radii)).toEqual(snapshot);
});

/** Steps of grains that are put in order every four. */
async function runOrdered(from: Snapshot, system: Parameters<typeof createGpuSolver>[1], steps: number) {
  const solver = await createGpuSolver(device(), system, { from, reorder: { least: 0, interval: 4 } });
  const reports: StepReport[] = [];
  await solver.step(steps, (report) => reports.push(report));
  const [state, snapshot] = [await solver.read(), await solver.capture()];
  solver.dispose();
  return { reports, state, snapshot };
}

test('grains in order move as those that are not, and go on from a snapshot with the same bits', async () => {
  const { system, snapshot } = await fallen(80, 120);
  const plain = await createGpuSolver(device(), system, { from: snapshot });
  const reports: StepReport[] = [];
  await plain.step(9, (report) => reports.push(report));
  const right = await plain.read();
  plain.dispose();
  const whole = await runOrdered(snapshot, system, 9);
  expect([...whole.snapshot.order].every((grain, place) => grain === place)).toBe(false);
  for (const [k, { candidates, fastestGrain, iterations, kineticEnergy }] of whole.reports.entries()) {
    // Sweeps in another order end elsewhere within the tolerance.
    expect(Math.abs(candidates - reports[k].candidates)).toBeLessThanOrEqual(2);
    if (k === 0) expect(fastestGrain).toBe(reports[k].fastestGrain);
    // Warm starts hold: with impulses on the wrong side it takes several times as many.
    expect(iterations).toBeLessThanOrEqual(1.5 * reports[k].iterations + 10);
    expect(Math.abs(kineticEnergy / reports[k].kineticEnergy - 1)).toBeLessThan(0.05);
  }
  right.positions.forEach((x, k) => {
    expect(Math.abs(x - whole.state.positions[k])).toBeLessThan(1e-4);
  });
  const pairs = ({ first, second }: State['contacts']) => Array.from(first, (a, c) => a * 1e6 + second[c]);
  const [found, expected] = [pairs(whole.state.contacts), pairs(right.contacts)];
  expect(found).toEqual([...found].sort((a, b) => a - b));
  const common = found.flatMap((pair, k) => (expected.includes(pair) ? [[k, expected.indexOf(pair)]] : []));
  expect(common.length).toBeGreaterThanOrEqual(expected.length - 2);
  for (const [k, c] of common) {
    for (let axis = 0; axis < 3; axis++) {
      expect(Math.abs(whole.state.contacts.normals[3 * k + axis] - right.contacts.normals[3 * c + axis])).toBeLessThan(1e-3);
    }
  }
  // Between two orders and when one is due.
  for (const steps of [6, 8]) {
    const { snapshot: middle } = await runOrdered(snapshot, system, steps);
    expect((await runOrdered(middle, system, 9 - steps)).snapshot).toEqual(whole.snapshot);
  }
});
