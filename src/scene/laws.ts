import type { PairLaw } from './problem';

/** Coulomb's law with one coefficient and nothing else. */
export function coulomb(friction: number): PairLaw {
  return {
    staticFriction: friction,
    dynamicFriction: friction,
    normalRestitution: 0,
    tangentialRestitution: 0,
    rollingFriction: 0,
    torsionFriction: 0,
    cohesionForce: 0,
    cohesionRange: 0,
  };
}
