import type { SceneInput } from '../../src/scene/schema';

const DIAMETER = 1e-3;
const TIME_STEP = 5e-4;
/** Sides of the lattice that the grains start on: room for the jitter between the largest grains. */
const SPACING = 1.1 * DIAMETER;
/** Fall of the grains when they are poured, in diameters per step. */
const FALL = 0.2;

/**
 * Sand poured into an open tray, about one and a half times as deep as wide: layers come to bear from the bottom within the
 * first steps. The scene of the benchmark, the same on every machine.
 * @param grains about how many; rounded to full layers
 */
export function pouredScene(grains: number, steps: number): SceneInput {
  const across = Math.max(3, Math.round((grains / 1.5) ** (1 / 3)));
  const layers = Math.max(1, Math.round(grains / across ** 2));
  const width = across * SPACING;
  return {
    format: 'contact-dynamics/1',
    title: 'Sand poured into a tray',
    gravity: [0, 0, -9.81],
    timeStep: TIME_STEP,
    steps,
    materials: { sand: { density: 2650 }, wood: {} },
    contacts: [
      { between: ['sand', 'sand'], friction: 0.5 },
      { between: ['sand', 'wood'], friction: 0.3 },
    ],
    grains: [
      {
        material: 'sand',
        velocity: [0, 0, (-FALL * DIAMETER) / TIME_STEP],
        lattice: {
          count: [across, across, layers],
          spacing: SPACING,
          origin: [SPACING / 2, SPACING / 2, SPACING / 2],
          radius: { uniform: [0.4 * DIAMETER, 0.5 * DIAMETER] },
          jitter: 0.05 * DIAMETER,
          seed: 1,
        },
      },
    ],
    walls: [{ name: 'tray', material: 'wood', box: { min: [0, 0, 0], max: [width, width, 2 * layers * SPACING], open: ['+z'] } }],
    solver: { coarse: 'off', convergence: { criterion: 'residual', tolerance: 1e-2, balance: null, maxIterations: 200 } },
    output: { frames: 'none' },
  };
}
