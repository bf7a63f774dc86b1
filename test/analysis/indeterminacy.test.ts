import { describe, expect, test } from 'vitest';
import { createSimulation, indeterminacy, type SceneInput, type Vector } from '../../src/index';

/** A disk of radius and mass 1 in a right-angled wedge of two planes, under gravity 1. */
function wedge(friction: number): SceneInput {
  const side = Math.SQRT1_2;
  const plane = (x: number) => ({ point: [0, 0, 0] as Vector, normal: [x, side, 0] as Vector });
  return {
    format: 'contact-dynamics/1',
    dimension: 2,
    gravity: [0, -1, 0],
    timeStep: 0.01,
    steps: 100,
    materials: { grain: { density: 1 / Math.PI } },
    contacts: [{ between: ['grain', 'grain'], friction }],
    grains: [{ material: 'grain', list: [{ position: [0, Math.SQRT2, 0], radius: 1 }] }],
    walls: [
      { name: 'left', material: 'grain', plane: plane(side) },
      { name: 'right', material: 'grain', plane: plane(-side) },
    ],
    solver: { momentum: 0, coarse: 'off', convergence: { criterion: 'residual', tolerance: 1e-12 } },
  };
}

async function rest(scene: SceneInput) {
  const simulation = await createSimulation(scene, { backend: 'cpu' });
  await simulation.step(20);
  const state = await simulation.read();
  simulation.dispose();
  return { problem: simulation.problem, state };
}

describe('indeterminacy', () => {
  test('of a disk in a smooth wedge is none: two forces, two equations', async () => {
    const { problem, state } = await rest(wedge(0));
    const { eta, samples, rejected, mean } = indeterminacy(problem, state, { samples: 20, tolerance: 1e-10 });
    expect([samples, rejected]).toEqual([20, 0]);
    expect(eta).toBeLessThan(1e-9);
    expect(Math.hypot(mean[0], mean[1])).toBeCloseTo(Math.SQRT1_2, 9);
  });

  test('of a disk in a rough wedge: each state balances, friction takes all values that Coulomb allows', async () => {
    const mu = 0.3;
    const { problem, state } = await rest(wedge(mu));
    const { eta, samples, mean, fluctuation } = indeterminacy(problem, state, { samples: 400, tolerance: 1e-10 });
    expect(samples).toBe(400);
    // By torque both walls rub alike, T, up or down the slopes: N = 1/sqrt(2) -+ T, |T| <= mu N.
    const most = Math.SQRT1_2 * (mu / (1 - mu) + mu / (1 + mu)) * 0.5;
    expect(mean[1] + mean[4]).toBeCloseTo(-1, 8);
    expect(fluctuation[0]).toBeCloseTo(fluctuation[1], 8);
    expect(eta).toBeGreaterThan(0.05);
    // |F - <F>| is sqrt(2) times that of T, which is at most half of its range, from -mu/(1 + mu) to mu/(1 - mu) over sqrt(2).
    expect(fluctuation[0]).toBeLessThan(Math.SQRT2 * most * 1.01);
  });

  test('its error is how far other seeds lead from it', async () => {
    const { problem, state } = await rest(wedge(0.3));
    const runs = Array.from({ length: 12 }, (_, seed) => indeterminacy(problem, state, { samples: 60, seed: seed + 1 }));
    const mean = runs.reduce((sum, { eta }) => sum + eta, 0) / runs.length;
    const spread = Math.sqrt(runs.reduce((sum, { eta }) => sum + (eta - mean) ** 2, 0) / (runs.length - 1));
    const error = Math.sqrt(runs.reduce((sum, run) => sum + run.error ** 2, 0) / runs.length);
    expect(error / spread).toBeGreaterThan(0.6);
    expect(error / spread).toBeLessThan(1.7);
    expect(indeterminacy(problem, state, { samples: 19 }).error).toBeNaN();
  });

  test('is the same for the same seed, and another for another', async () => {
    const { problem, state } = await rest(wedge(0.3));
    const eta = (seed: number) => indeterminacy(problem, state, { samples: 10, seed }).eta;
    expect(eta(2)).toBe(eta(2));
    expect(eta(2)).not.toBe(eta(3));
  });

  test('cannot be told from one state', async () => {
    const { problem, state } = await rest(wedge(0.3));
    expect(indeterminacy(problem, state, { samples: 1 }).eta).toBeNaN();
  });

  test('goes on from the last state of balance: a disk that slips from between two walls gets its hold back', async () => {
    const { problem, state } = await rest(wedge(0));
    // Upright walls hold it by friction alone, and nothing makes them press again once they have let go.
    const contacts = {
      ...state.contacts,
      normals: Float64Array.of(-1, 0, 0, 1, 0, 0),
      forces: Float64Array.of(-2, -0.5, 0, 2, -0.5, 0),
    };
    const held = { ...problem, laws: problem.laws.map((law) => ({ ...law, dynamicFriction: 0.3 })) };
    const heard: number[][] = [];
    const onState = (...counts: number[]) => heard.push(counts);
    const options = { samples: 40, maxIterations: 300, onState };
    const { samples, rejected } = indeterminacy(held, { ...state, contacts }, options);
    expect(rejected).toBeGreaterThan(0);
    expect(samples).toBe(40);
    expect(heard.at(-1)).toEqual([samples, rejected]);
  });

  test('names what lacks balance where no state has it', async () => {
    const { problem, state } = await rest(wedge(0.3));
    expect(() => indeterminacy(problem, state, { samples: 2, maxIterations: 1, tolerance: 1e-12 })).toThrow(
      /^No state of the forces balances\. The best of 3 tries left grains \(1\) that lack more than 1e-12 of the mean force, grain 0 most \(0\.\d+\)/,
    );
  });

  test('keeps what lies outside of the region', async () => {
    const { problem, state } = await rest(wedge(0.3));
    const region = { kind: 'box' as const, min: [-1, 5, 0] as Vector, max: [1, 6, 0] as Vector };
    expect(() => indeterminacy(problem, state, { region })).toThrow('No contact in the region bears');
  });
});
