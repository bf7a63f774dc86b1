import { describe, expect, test } from 'vitest';
import { backends, simulate } from '../support/backends';
import { load, sceneWith } from '../support/scenes';

/** Spheres that fly in a box without gravity, in steps of which many have no contact that bears. */
const gas = (restitution: number) =>
  load(
    sceneWith({
      timeStep: 0.01,
      steps: 300,
      contacts: [
        { between: ['glass', 'glass'], restitution },
        { between: ['glass', 'steel'], restitution },
      ],
      grains: [
        {
          material: 'glass',
          velocity: [1, 0.3, 0.2],
          random: { count: 30, radius: 0.4, box: { min: [0, 0, 0], max: [5, 5, 5] }, seed: 1 },
        },
      ],
      walls: [{ name: 'box', material: 'steel', box: { min: [0, 0, 0], max: [5, 5, 5] } }],
      solver: { convergence: { criterion: 'residual', tolerance: 1e-3, maxIterations: 200 } },
    }),
  );

describe.each(backends)('a gas on %s', (backend) => {
  test('no step of it wants for balance, and it gains no energy', async () => {
    const simulation = await simulate(await gas(1), backend);
    const reports = await simulation.step(backend === 'cpu' ? 300 : 40);
    expect(reports.filter(({ converged }) => !converged).map(({ step }) => step)).toEqual([]);
    const energies = reports.map(({ kineticEnergy }) => kineticEnergy);
    expect(Math.max(...energies)).toBeLessThan(energies[0] * (1 + 1e-6));
  });
});
