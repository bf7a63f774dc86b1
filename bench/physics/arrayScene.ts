import type { SceneInput, Vector } from '../../src/index';

/** The row of disks of Radjai and others (1997): unit radius and mass, gravity 1. */
export interface ArrayOptions {
  disks: number;
  /** Between disks, with the plane, with the blocks. */
  mu: number | { static: number; dynamic: number };
  plane: number;
  block: number;
  /** Forces of the blocks at the last and at the first disk. */
  push: number;
  brake: number;
  /** With which all roll at the start. */
  speed?: number;
  /** With which they turn at the start besides, in turn to either side. */
  turning?: number;
}

/** Blocks that move along the row alone; so light that they pass forces on. */
const BLOCK_MASS = 1e-6;
/** Without a unit, as all here. */
export const STEP = 0.02;
/** Of the residual, in double and in single precision. */
export const CONVERGED = [1e-10, 1e-5] as const;

/** @param tolerance of the residual: as far as it goes in the precision of the run */
export function arrayScene(options: ArrayOptions, tolerance: number = CONVERGED[0]): SceneInput {
  const { disks, mu, plane, block, push, brake, speed = 0, turning = 0 } = options;
  return {
    format: 'contact-dynamics/1',
    title: `Row of ${disks} disks`,
    dimension: 2,
    gravity: [0, -1, 0],
    timeStep: STEP,
    steps: 10_000,
    materials: { disk: { density: 1 / Math.PI }, ground: {}, block: {} },
    contacts: [
      { between: ['disk', 'disk'], friction: mu },
      { between: ['disk', 'ground'], friction: plane },
      { between: ['disk', 'block'], friction: block },
    ],
    grains: [
      {
        material: 'disk',
        list: Array.from({ length: disks }, (_, k) => ({
          position: [-2 * k, 1, 0] as Vector,
          radius: 1,
          velocity: [speed, 0, 0] as Vector,
          angularVelocity: [0, 0, (k % 2 === 0 ? turning : -turning) - speed] as Vector,
        })),
      },
    ],
    walls: [
      { name: 'plane', material: 'ground', plane: { point: [0, 0, 0], normal: [0, 1, 0] } },
      // The last disk is the one farthest back: the row moves along +x.
      {
        name: 'push',
        material: 'block',
        plane: { point: [-2 * disks + 1, 0, 0], normal: [1, 0, 0] },
        piston: { mass: BLOCK_MASS, force: push },
      },
      {
        name: 'brake',
        material: 'block',
        plane: { point: [1, 0, 0], normal: [-1, 0, 0] },
        piston: { mass: BLOCK_MASS, force: brake },
      },
    ],
    solver: {
      momentum: 0,
      coarse: 'off',
      convergence: { criterion: 'residual', tolerance, maxIterations: 3000 },
    },
  };
}
