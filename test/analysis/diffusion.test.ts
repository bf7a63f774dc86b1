import { expect, test } from 'vitest';
import { diffusionLength, effectiveStiffness, systemLength } from '../../src/analysis/diffusion';
import type { State } from '../../src/report';
import { makeContacts } from '../support/contacts';
import { makeProblem } from '../support/problems';

test('the largest cluster is followed across periodic sides; walls and open contacts do not join', () => {
  const problem = makeProblem({
    grains: [9.5, 0.5, 1.5, 4, 6].map((x) => ({ position: [x, 0, 0] as [number, number, number] })),
    periodic: { min: [0, 0, 0], lengths: [10, 0, 0] },
  });
  const contacts = makeContacts([
    [0, 1, [1, 0, 0], [1, 0, 0]],
    [1, 2, [1, 0, 0], [1, 0, 0]],
    [2, 3, [1, 0, 0], [0, 0, 0]],
    [3, 5, [0, 1, 0], [0, 1, 0]],
    [4, 5, [0, 1, 0], [0, 1, 0]],
  ]);
  const state = { positions: problem.grains.positions, contacts } as State;
  expect(systemLength(problem, state)).toBeCloseTo(3, 12);
});

test('forces diffuse by 2 d sqrt(q N)', () => {
  const grains = [{ position: [0, 0, 0] as [number, number, number], radius: 2 }];
  const reach = (solver: object) => diffusionLength(makeProblem({ grains, solver }), 25);
  expect(reach({})).toBeCloseTo(40, 12);
  expect(reach({ order: 'random' })).toBeCloseTo(40 * Math.sqrt(3 / 4), 12);
  expect(reach({ sweep: 'random' })).toBeCloseTo(40 * Math.sqrt((4 * Math.sqrt(Math.E) - 5) / 2), 12);
});

test('contacts seem as stiff as q m N/dt^2', () => {
  const grains = [2, 4].map((mass, k) => ({ position: [3 * k, 0, 0] as [number, number, number], mass }));
  expect(effectiveStiffness(makeProblem({ grains, timeStep: 0.1 }), 25)).toBeCloseTo((3 * 25) / 0.01, 9);
  expect(effectiveStiffness(makeProblem({ grains, timeStep: 0.1, solver: { order: 'random' } }), 25)).toBeCloseTo(5625, 9);
});
