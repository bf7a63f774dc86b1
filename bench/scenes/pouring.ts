import type { SceneInput } from '../../src/scene/schema';

const SPACING = 1.15;

/**
 * Equal spheres (d = 1, density 1, friction 0.3) that fall from a loose lattice with ceil(cbrt(n/2)) sites a side into a box with
 * four walls of that side, g = 10, dt = 0.01: they come to bear within some fifty steps and come to rest within 400.
 */
export function pouringScene(grains: number, steps: number, solver: SceneInput['solver']): SceneInput {
  const across = Math.ceil(Math.cbrt(grains / 2));
  const layer = across ** 2;
  const width = across * SPACING;
  const lattice = (layers: number, first: number, rows = across) => ({
    material: 'grain',
    lattice: {
      count: [across, rows, layers] as [number, number, number],
      spacing: SPACING,
      origin: [SPACING / 2, SPACING / 2, (first + 0.5) * SPACING] as [number, number, number],
      radius: 0.5,
      jitter: 0.05,
      seed: 1 + first,
    },
  });
  const layers = Math.floor(grains / layer);
  const rows = Math.floor((grains - layers * layer) / across);
  return {
    format: 'contact-dynamics/1',
    title: 'Pouring',
    gravity: [0, 0, -10],
    timeStep: 0.01,
    steps,
    materials: { grain: { density: 1 } },
    contacts: [{ between: ['grain', 'grain'], friction: 0.3 }],
    grains: [...(layers > 0 ? [lattice(layers, 0)] : []), ...(rows > 0 ? [lattice(1, layers, rows)] : [])],
    walls: [
      {
        name: 'box',
        material: 'grain',
        box: { min: [0, 0, 0], max: [width, width, 2 * (layers + 2) * SPACING], open: ['+z'] },
      },
    ],
    solver,
    output: { frames: 'none' },
  };
}
