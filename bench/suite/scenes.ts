import type { SceneInput, Vector } from '../../src/index';
import { bedScene } from '../scenes/bed';
import { pouringScene } from '../scenes/pouring';

/** A kind of packing that is run at several sizes. */
export interface BenchScene {
  title: string;
  /** Comes to rest, from which it is measured unless it is said when. */
  rests: boolean;
  /** Steps after which it is measured, in motion. */
  measuredAt?: number;
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

/**
 * Spheres of sizes 1:10 in a box, one large to some 199 small. The large ones, five sixths of the volume, begin on a lattice as the
 * bed's do; the small ones are strewn between them, so that none falls far before it bears.
 */
function mixedScene(grains: number, solver: SceneInput['solver']): SceneInput {
  const [small, large] = [0.1, 1];
  const [spacing, jitter] = [2.1, 0.04];
  const across = Math.max(2, Math.round(Math.cbrt(grains / 200)));
  const layers = Math.max(1, Math.round(grains / 200 / across ** 2));
  const [width, height] = [across * spacing, layers * spacing];
  const origin: Vector = [spacing / 2, spacing / 2, spacing / 2];
  const many = across ** 2 * layers;
  return {
    ...common('Sizes 1:10', 0.3, solver),
    grains: [
      { material: 'grain', lattice: { count: [across, across, layers], spacing, origin, radius: large, jitter, seed: 1 } },
      {
        material: 'grain',
        random: {
          count: Math.max(1, grains - many),
          radius: small,
          seed: 2,
          box: { min: [0, 0, 0], max: [width, width, height] },
        },
      },
    ],
    walls: [{ name: 'box', material: 'grain', box: { min: [0, 0, 0], max: [width, width, 2 * height], open: ['+z'] } }],
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

export const SCENE_NAMES = ['bed', 'pouring', 'column', 'mixed', 'drum'] as const;
export type SceneName = (typeof SCENE_NAMES)[number];

export const SCENES: Record<SceneName, BenchScene> = {
  bed: { title: 'settled bed', rests: true, make: (grains, solver) => bedScene(grains, 1, solver) },
  pouring: { title: 'pouring', rests: true, measuredAt: 40, make: (grains, solver) => pouringScene(grains, 1, solver) },
  column: { title: 'column, six wide', rests: true, make: columnScene },
  mixed: { title: 'sizes 1:10', rests: true, make: mixedScene },
  drum: { title: 'drum', rests: false, measuredAt: 60, make: drumScene },
};
