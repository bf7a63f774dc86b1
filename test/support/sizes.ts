import { randomNumbers } from '../../src/scene/generators/randomNumbers';
import type { Vector } from '../../src/scene/problem';
import type { System } from '../../src/scene/system';
import { toSystem } from '../../src/scene/units';
import { makeProblem, type TestGrain } from './problems';

export interface MixOptions {
  count: number;
  /** Largest over smallest radius; as much volume in each doubling between them. */
  ratio: number;
  /** Periods, 0 where the axis is open. */
  lengths?: Vector;
  dimension?: 2 | 3;
  seed?: number;
}

/** Spheres (or disks) of widely different sizes at random places, many overlapping, with random motion; the largest lies over many others. */
export function mixOfSizes({ count, ratio, lengths = [0, 0, 0], dimension = 3, seed = 1 }: MixOptions): System {
  const random = randomNumbers(seed);
  const radii = Array.from({ length: count }, (_, k) =>
    k === 0 ? ratio : Math.min(ratio, (1 - random() * (1 - ratio ** -dimension)) ** (-1 / dimension)),
  );
  const volume = radii.slice(1).reduce((sum, radius) => sum + (2 * radius) ** dimension, 0);
  const side = volume ** (1 / dimension);
  const grains = radii.map((radius): TestGrain => {
    const place = () => lengths.map((length) => (length || side) * random()) as Vector;
    const velocity = () => lengths.map(() => 0.2 * (random() - 0.5)) as Vector;
    const [position, motion] = [place(), velocity()];
    if (dimension === 2) position[2] = motion[2] = 0;
    return { position, radius, velocity: motion, fixed: random() < 0.05 };
  });
  const periodic = lengths.some((length) => length > 0) ? { periodic: { min: [0, 0, 0] as Vector, lengths } } : {};
  return toSystem(makeProblem({ grains, dimension, ...periodic }));
}
