import type { SceneInput } from '../src/index';

/** The grains of most demos: glass marbles. SI units. */
export const DIAMETER = 0.01;
export const DENSITY = 2500;
export const GRAVITY = 9.81;

/** In which a marble falls half of its diameter. */
export const UNIT_TIME = Math.sqrt(DIAMETER / GRAVITY);

/** Long enough to be lively, and short enough that a marble that fell 20 diameters moves a third of its diameter in a step. */
export const TIME_STEP = 0.05 * UNIT_TIME;

/** Solid share of poured spheres and disks, to choose sizes by. */
export const POURED = 0.6;
export const POURED_DISKS = 0.82;

/** Room that a sphere of diameter 1 takes in a poured packing, and a disk. */
export const SPHERE_ROOM = Math.PI / 6 / POURED;
export const DISK_ROOM = Math.PI / 4 / POURED_DISKS;

/** Steps are there in plenty: who wants to go on does not reach the end. */
export const STEPS = 1_000_000;

/** For flows: a residual that the eye cannot tell from less, by sweeps that end in flows with much friction. */
export const FLOWING: SceneInput['solver'] = {
  momentum: 0.8,
  coarse: 'off',
  convergence: { criterion: 'residual', tolerance: 1e-2, balance: null, maxIterations: 100 },
};

/** Radii evenly spread about the mean, the largest `ratio` times the smallest. */
export function radii(mean: number, ratio: number): number | { uniform: [number, number] } {
  const smallest = (2 * mean) / (1 + ratio);
  return ratio > 1 ? { uniform: [smallest, ratio * smallest] } : mean;
}
