import { describe, expect, test, vi } from 'vitest';
import { Colourer } from '../../src/cpu/colouring';
import { restoreCandidates } from '../../src/cpu/restart';
import { CpuSolver } from '../../src/cpu/solver';
import { SweepOrder } from '../../src/cpu/sweepOrder';
import type { Problem } from '../../src/index';
import type { PairLaw } from '../../src/scene/problem';
import { toSystem } from '../../src/scene/units';
import { giantsAmongSmall, pouring, shaft } from '../support/packings';

/** 0 where a contact of the list sticks, 1 where it slides, 2 where it does not bear. */
function stateOf(impulse: ArrayLike<number>, normal: ArrayLike<number>, friction: number): number {
  const size = Math.hypot(impulse[0], impulse[1], impulse[2]);
  if (size === 0) return 2;
  const pressing = impulse[0] * normal[0] + impulse[1] * normal[1] + impulse[2] * normal[2];
  return Math.sqrt(size ** 2 - pressing ** 2) < 0.99 * friction * pressing ? 0 : 1;
}

const withLaw = (problem: Problem, law: Partial<PairLaw>): Problem => ({
  ...problem,
  laws: problem.laws.map((plain) => ({ ...plain, ...law })),
});
const general: Partial<PairLaw> = {
  staticFriction: 0.4,
  rollingFriction: 0.1,
  normalRestitution: 0.3,
  cohesionForce: 0.02,
  cohesionRange: 0.02,
};
const solver = { momentum: 0.9, convergence: { criterion: 'fixed', iterations: 15 } } as const;
const convergence = { criterion: 'residual', tolerance: 1e-3, balance: 5e-2, maxIterations: 100 } as const;
const packings: [string, Problem][] = [
  ['spheres', pouring({ count: 200, radii: [0.4, 0.5], solver })],
  [
    'some fixed, colours in random order',
    pouring({ count: 200, radii: [0.3, 0.5], solver: { ...solver, order: 'random' } }, true),
  ],
  ['all laws', withLaw(pouring({ count: 150, radii: [0.4, 0.5], solver }), general)],
  ['with the coarse level', shaft({ height: 40, solver: { ...solver, coarse: 'auto', convergence } })],
  ['with a giant', giantsAmongSmall({ giants: 1, ratio: 8, solver })],
];

describe('order of the contacts of a colour', () => {
  test('by colour, then by what they did, then as in the list', async () => {
    const system = toSystem(pouring({ count: 300, radii: [0.4, 0.5], solver }));
    const settled = new CpuSolver(system);
    await settled.step(50);
    const list = restoreCandidates((await settled.capture()).contacts, system, false);
    const colouring = new Colourer(system.inverseMasses).colour(list, list.colours);
    const { colourOf } = colouring;
    const arranged = new SweepOrder().arrange(list, colouring, system);
    const seen = [0, 0, 0];
    const keys = Array.from(arranged.subarray(0, list.count), (c) => {
      const row = (of: Float64Array) => of.subarray(3 * c, 3 * c + 3);
      const state = stateOf(row(list.impulses), row(list.normals), system.laws[list.laws[c]].dynamicFriction);
      seen[state]++;
      return [colourOf[c], state, c];
    });
    for (let k = 1; k < keys.length; k++) {
      const differs = keys[k].findIndex((key, place) => key !== keys[k - 1][place]);
      expect(keys[k][differs]).toBeGreaterThan(keys[k - 1][differs]);
    }
    for (const count of seen) expect(count).toBeGreaterThan(20);
  });

  test.each(packings)('changes no bit of the motion and the forces: %s', async (_, problem) => {
    const system = toSystem(problem);
    const run = async () => {
      const solver = new CpuSolver(system);
      await solver.step(30);
      return solver.read();
    };
    const original = SweepOrder.prototype.arrange;
    let moved = 0;
    const arrange = vi.spyOn(SweepOrder.prototype, 'arrange').mockImplementation(function (
      this: SweepOrder,
      list,
      colouring,
      of,
    ) {
      const arranged = original.call(this, list, colouring, of);
      for (let slot = 0; slot < list.count; slot++) if (arranged[slot] !== colouring.order[slot]) moved++;
      return arranged;
    });
    const arranged = await run();
    arrange.mockImplementation((_, { order }) => order);
    const byColour = await run();
    arrange.mockRestore();
    expect(moved).toBeGreaterThan(100);
    expect(arranged).toEqual(byColour);
  });
});
