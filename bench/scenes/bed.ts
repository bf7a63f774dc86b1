import type { SceneInput } from '../../src/scene/schema';

const SPACING = 1.05;

/** Equal spheres that settle from a loose lattice into an open box about as high as wide: d = 1, g = 10, dt = 0.01. */
export function bedScene(grains: number, steps: number, solver: SceneInput['solver']): SceneInput {
  const across = Math.max(2, Math.round(Math.cbrt(grains)));
  const layers = Math.max(1, Math.round(grains / across ** 2));
  const width = across * SPACING;
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
          spacing: SPACING,
          origin: [SPACING / 2, SPACING / 2, SPACING / 2],
          radius: 0.5,
          jitter: 0.02,
          seed: 1,
        },
      },
    ],
    walls: [{ name: 'box', material: 'grain', box: { min: [0, 0, 0], max: [width, width, 2 * width], open: ['+z'] } }],
    solver,
    output: { frames: 'none' },
  };
}
