import type { SceneInput } from '../../src/scene/schema';

/**
 * Equal spheres that settle from a lattice into an open box about as high as wide: d = 1, g = 10, dt = 0.01.
 * @param spacing of the lattice; at 1.004 with a jitter of 0.001 they bear after a few steps
 */
export function bedScene(
  grains: number,
  steps: number,
  solver: SceneInput['solver'],
  { spacing, jitter } = { spacing: 1.05, jitter: 0.02 },
): SceneInput {
  const across = Math.max(2, Math.round(Math.cbrt(grains)));
  const layers = Math.max(1, Math.round(grains / across ** 2));
  const width = across * spacing;
  return {
    format: 'contact-dynamics/1',
    title: 'Settled bed',
    gravity: [0, 0, -10],
    timeStep: 0.01,
    steps,
    materials: { grain: { density: 1 } },
    contacts: [{ between: ['grain', 'grain'], friction: 0.3 }],
    grains: [
      {
        material: 'grain',
        lattice: {
          count: [across, across, layers],
          spacing,
          origin: [spacing / 2, spacing / 2, spacing / 2],
          radius: 0.5,
          jitter,
          seed: 1,
        },
      },
    ],
    walls: [{ name: 'box', material: 'grain', box: { min: [0, 0, 0], max: [width, width, 2 * width], open: ['+z'] } }],
    solver,
    output: { frames: 'none' },
  };
}
