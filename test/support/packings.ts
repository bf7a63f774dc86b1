import type { SolverOptions, Vector } from '../../src/index';
import { randomNumbers } from '../../src/scene/generators/randomNumbers';
import { makeProblem, plane, type TestGrain } from './problems';

export interface PackingOptions {
  count: number;
  /** Radii are drawn evenly between these. */
  radii: [number, number];
  friction?: number | number[][];
  solver?: Partial<SolverOptions>;
  seed?: number;
  /** Units: lengths times this, gravity and radii with them. */
  size?: number;
}

/** Spheres on a loose, jittered lattice that fall into an open box; every tenth is fixed where `fixed` is given. */
export function pouring({ count, radii, friction = 0.3, solver, seed = 1, size = 1 }: PackingOptions, fixed = false) {
  const random = randomNumbers(seed);
  const side = Math.ceil(Math.cbrt(count / 2));
  const spacing = 2.35 * radii[1];
  const grains = Array.from({ length: count }, (_, k): TestGrain => {
    const cell = [k % side, Math.floor(k / side) % side, Math.floor(k / side ** 2)];
    const position = cell.map((c) => size * (radii[1] + spacing * c + 0.3 * radii[1] * random())) as Vector;
    const radius = radii[0] + (radii[1] - radii[0]) * random();
    const mass = (4 / 3) * Math.PI * radius ** 3;
    return {
      position,
      radius: size * radius,
      mass,
      velocity: [size * (random() - 0.5), size * (random() - 0.5), -2 * size],
      fixed: fixed && k % 10 === 3,
    };
  });
  const width = size * spacing * side;
  return makeProblem({
    grains,
    walls: [
      plane([0, 0, 0], [0, 0, 1]),
      plane([0, 0, 0], [1, 0, 0]),
      plane([0, 0, 0], [0, 1, 0]),
      plane([width, 0, 0], [-1, 0, 0]),
      plane([0, width, 0], [0, -1, 0]),
    ],
    gravity: [0, 0, -10 * size],
    timeStep: 0.01,
    friction,
    solver,
  });
}

/** Disks on a loose, jittered lattice that fall into an open box; every tenth is fixed where `fixed` is given. */
export function pouringDisks({ count, radii, friction = 0.3, solver, seed = 1 }: PackingOptions, fixed = false) {
  const random = randomNumbers(seed);
  const side = Math.ceil(Math.sqrt(count / 2));
  const spacing = 2.35 * radii[1];
  const grains = Array.from({ length: count }, (_, k): TestGrain => {
    const cell = [k % side, Math.floor(k / side)];
    const [x, y] = cell.map((c) => radii[1] + spacing * c + 0.3 * radii[1] * random());
    return {
      position: [x, y, 0],
      radius: radii[0] + (radii[1] - radii[0]) * random(),
      velocity: [random() - 0.5, -2, 0],
      angularVelocity: [0, 0, random() - 0.5],
      fixed: fixed && k % 10 === 3,
    };
  });
  return makeProblem({
    grains,
    walls: [plane([0, 0, 0], [0, 1, 0]), plane([0, 0, 0], [1, 0, 0]), plane([spacing * side, 0, 0], [-1, 0, 0])],
    gravity: [0, -10, 0],
    timeStep: 0.01,
    friction,
    solver,
    dimension: 2,
  });
}
