import type { Grains } from '../problem';
import type { SceneGroup } from '../schema';
import { drawRadii } from './radii';
import { randomNumbers } from './randomNumbers';

export type LatticeSettings = NonNullable<SceneGroup['lattice']>;

/** Grains on a simple cubic (or square) lattice, x fastest, each moved by up to `jitter` along every axis. Writes from grain `start` on. */
export function fillLattice(
  { count, spacing, origin, radius, jitter, seed }: LatticeSettings,
  grains: Grains,
  start: number,
  dimension: 2 | 3,
): void {
  const [nx, ny, nz] = count;
  const steps = typeof spacing === 'number' ? [spacing, spacing, spacing] : spacing;
  const random = randomNumbers(seed);
  const { positions } = grains;
  grains.radii.set(drawRadii(radius, nx * ny * nz, random), start);
  let at = 3 * start;
  for (let z = 0; z < nz; z++) {
    for (let y = 0; y < ny; y++) {
      for (let x = 0; x < nx; x++, at += 3) {
        positions[at] = origin[0] + x * steps[0];
        positions[at + 1] = origin[1] + y * steps[1];
        positions[at + 2] = origin[2] + z * steps[2];
        if (jitter > 0) for (let axis = 0; axis < dimension; axis++) positions[at + axis] += jitter * (2 * random() - 1);
      }
    }
  }
}

/** Place of a grain of the lattice as the user counts, from 0. */
export function latticePlace({ count: [nx, ny] }: LatticeSettings, k: number): string {
  return `(${k % nx}, ${Math.floor(k / nx) % ny}, ${Math.floor(k / (nx * ny))})`;
}
