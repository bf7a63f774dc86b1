import type { Problem, State } from '../../src/index';
import { at, dot } from './vectors';

/** Energy of grains 0 and 1, of 2 and 3 and so on; of the last alone where their number is odd. */
export function pairEnergies(
  { dimension, grains: { count, masses, radii } }: Problem,
  { velocities, angularVelocities }: Pick<State, 'velocities' | 'angularVelocities'>,
): number[] {
  const energies = new Array<number>(Math.ceil(count / 2)).fill(0);
  for (let i = 0; i < count; i++) {
    const inertia = (dimension === 3 ? 0.4 : 0.5) * radii[i] ** 2;
    const [v, w] = [at(velocities, i), at(angularVelocities, i)];
    energies[Math.floor(i / 2)] += 0.5 * masses[i] * (dot(v, v) + inertia * dot(w, w));
  }
  return energies;
}
