import type { Problem, State, StepReport } from '../../src/index';

const sum = (values: Float64Array) => values.reduce((total, value) => total + value, 0);

export const totalMass = ({ grains }: Problem): number => sum(grains.masses);

export const meanDiameter = ({ grains: { radii, count } }: Problem): number => (2 * sum(radii)) / Math.max(1, count);

/** Force that the grains exert on a wall or a box, in the scene's units. */
export function loadOn(name: string, { wallLoads }: StepReport, { walls }: Problem): [number, number, number] {
  const force: [number, number, number] = [0, 0, 0];
  walls.forEach((wall, w) => {
    if (wall.name !== name && wall.box !== name) return;
    for (let axis = 0; axis < 3; axis++) force[axis] += wallLoads[6 * w + axis];
  });
  return force;
}

/** Of all walls together. */
export function totalLoad({ wallLoads }: StepReport): [number, number, number] {
  const force: [number, number, number] = [0, 0, 0];
  for (let k = 0; k < wallLoads.length; k += 6) for (let axis = 0; axis < 3; axis++) force[axis] += wallLoads[k + axis];
  return force;
}

/** Mass that flows down through a slab per time: the momentum in it over its thickness. */
export function flux(
  { positions, velocities }: Pick<State, 'positions' | 'velocities'>,
  { grains: { masses, count, fixed } }: Problem,
  { axis, from, to, down }: { axis: 1 | 2; from: number; to: number; down: 1 | -1 },
): number {
  let momentum = 0;
  for (let i = 0; i < count; i++) {
    const height = positions[3 * i + axis];
    if (fixed[i] === 0 && height >= from && height < to) momentum += down * masses[i] * velocities[3 * i + axis];
  }
  return momentum / (to - from);
}

/** Mean of a function of the grains, each by its mass. */
export function massMean({ grains: { masses, count } }: Problem, value: (i: number) => number): number {
  let [mean, mass] = [0, 0];
  for (let i = 0; i < count; i++) {
    mean += masses[i] * value(i);
    mass += masses[i];
  }
  return mass > 0 ? mean / mass : 0;
}
