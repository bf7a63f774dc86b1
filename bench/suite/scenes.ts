import type { SceneInput } from '../../src/scene/schema';
import { bedScene } from '../scenes/bed';
import { pouringScene } from '../scenes/pouring';

/** A kind of packing that is run at several sizes. */
export interface BenchScene {
  title: string;
  /** Steps on the CPU, of few sweeps, before the first that is measured. */
  preparation: number;
  make(grains: number, solver: SceneInput['solver']): SceneInput;
}

/** What all scenes but the pouring have in common: density 1, g = 10, dt = 0.01. */
const common = (title: string, friction: number, solver: SceneInput['solver']) => ({
  ...{ format: 'contact-dynamics/1' as const, title, gravity: [0, 0, -10] as [number, number, number], timeStep: 0.01, steps: 1 },
  materials: { grain: { density: 1 } },
  contacts: [{ between: ['grain', 'grain'] as [string, string], friction }],
  solver,
  output: { frames: 'none' as const },
});

/** Equal spheres on a floor, six a side, periodic sideways: as high as a cube of many more. */
function columnScene(grains: number, solver: SceneInput['solver']): SceneInput {
  const [across, spacing] = [6, 1.03];
  const layers = Math.max(1, Math.round(grains / across ** 2));
  const width = across * spacing;
  const lattice = { spacing, origin: [0, 0, spacing / 2], radius: 0.5, jitter: 0.012, seed: 1 };
  return {
    ...common('Column', 0.3, solver),
    periodic: { axes: 'xy', min: [0, 0, 0], max: [width, width, layers * spacing] },
    grains: [{ material: 'grain', lattice: { ...lattice, origin: [0, 0, spacing / 2], count: [across, across, layers] } }],
    walls: [{ name: 'floor', material: 'grain', plane: { point: [0, 0, 0], normal: [0, 0, 1] } }],
  };
}

/** Spheres of sizes 1:10, one large to 199 small, which hold five sixths of the volume; they fall from a loose fill. */
function mixedScene(grains: number, solver: SceneInput['solver']): SceneInput {
  const [small, large] = [0.1, 1];
  const many = Math.max(1, Math.round(grains / 200));
  const volume = (4 / 3) * Math.PI * (many * large ** 3 + (grains - many) * small ** 3);
  const width = Math.max(4 * large, Math.cbrt(volume / 0.22));
  const max: [number, number, number] = [width, width, Math.max(4 * large, volume / 0.22 / width ** 2)];
  const fill = (count: number, radius: number, seed: number) => ({
    material: 'grain',
    random: { count, radius, seed, box: { min: [0, 0, 0] as [number, number, number], max } },
  });
  return {
    ...common('Sizes 1:10', 0.3, solver),
    grains: [fill(many, large, 1), fill(grains - many, small, 2)],
    walls: [{ name: 'box', material: 'grain', box: { min: [0, 0, 0], max, open: ['+z'] } }],
  };
}

/** Equal spheres that fill a drum, as long as wide, by a fifth before they settle, which turns about its axis. */
function drumScene(grains: number, solver: SceneInput['solver']): SceneInput {
  const radius = Math.cbrt(grains / (2 * Math.PI * 0.38));
  const length = Math.max(4, Math.round(2 * radius));
  return {
    ...common('Drum', 0.4, solver),
    periodic: { axes: 'y', min: [-radius, 0, -radius], max: [radius, length, radius] },
    grains: [
      {
        material: 'grain',
        random: { count: grains, seed: 1, radius: 0.5, cylinder: { point: [0, 0, 0], axis: [0, 1, 0], radius, height: length } },
      },
    ],
    walls: [
      {
        ...{ name: 'drum', material: 'grain', motion: { angularVelocity: [0, Math.sqrt(2 / radius), 0] } },
        cylinder: { point: [0, 0, 0], axis: [0, 1, 0], radius, side: 'inside' },
      },
    ],
  };
}

export const SCENES = {
  bed: { title: 'settled bed', preparation: 60, make: (grains, solver) => bedScene(grains, 1, solver) },
  pouring: { title: 'pouring', preparation: 40, make: (grains, solver) => pouringScene(grains, 1, solver) },
  column: { title: 'column, six wide', preparation: 20, make: columnScene },
  mixed: { title: 'sizes 1:10', preparation: 80, make: mixedScene },
  drum: { title: 'drum', preparation: 60, make: drumScene },
} satisfies Record<string, BenchScene>;

export type SceneName = keyof typeof SCENES;
