import type { SolverOptions, Vector } from '../../src/index';
import { randomNumbers } from '../../src/scene/generators/randomNumbers';
import type { Piston } from '../../src/scene/problem';
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

/** Floor and four sides of a square box, a corner in the origin. */
const openBox = (width: number) => [
  plane([0, 0, 0], [0, 0, 1]),
  plane([0, 0, 0], [1, 0, 0]),
  plane([0, 0, 0], [0, 1, 0]),
  plane([width, 0, 0], [-1, 0, 0]),
  plane([0, width, 0], [0, -1, 0]),
];

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
    walls: openBox(width),
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

export interface GiantOptions {
  /** Layers of them. */
  giants: number;
  /** Of each layer, along both sides. */
  across?: number;
  /** Radius of the giants in radii of the small grains. */
  ratio: number;
  piston?: Piston;
  friction?: number;
  /** Mass of a giant over what its density makes it. */
  lightness?: number;
  solver?: Partial<SolverOptions>;
}

/** Large spheres one above the other in a bed of small ones on a jittered lattice, in an open box or under a piston, falling. */
export function giantsAmongSmall({ giants, across = 1, ratio, piston, friction = 0.3, lightness = 1, solver }: GiantOptions) {
  const random = randomNumbers(5);
  const radius = 0.5 * ratio;
  const spacing = 1.08;
  const side = Math.ceil((across * 2 * radius + 3) / spacing);
  const width = side * spacing + 0.1;
  const layers = Math.ceil((giants * (2 * radius + 0.2) + 2) / spacing);
  const middles = Array.from({ length: giants * across ** 2 }, (_, k): Vector => {
    const [x, y] = [k % across, Math.floor(k / across) % across].map((place) => (width * (place + 0.5)) / across);
    return [x, y, 1 + radius + Math.floor(k / across ** 2) * (2 * radius + 0.2)];
  });
  const grains: TestGrain[] = middles.map((position) => ({
    position,
    radius,
    mass: lightness * (4 / 3) * Math.PI * radius ** 3,
  }));
  for (let k = 0; k < side * side * layers; k++) {
    const cell = [k % side, Math.floor(k / side) % side, Math.floor(k / side ** 2)];
    const position = cell.map((c) => 0.55 + spacing * c + 0.03 * random()) as Vector;
    const distance = (middle: Vector) => Math.hypot(...middle.map((x, axis) => x - position[axis]));
    if (middles.some((middle) => distance(middle) < radius + 0.52)) continue;
    grains.push({ position, radius: 0.48 + 0.02 * random() });
  }
  const height = layers * spacing + 0.1;
  return makeProblem({
    grains,
    walls: [...openBox(width), ...(piston ? [{ ...plane([0, 0, height], [0, 0, -1]), piston }] : [])],
    gravity: [0, 0, -10],
    timeStep: 0.02,
    friction,
    solver,
  });
}

/** Grains of a diameter 1 all over a sphere, that fly towards its middle. */
export function shell(middle: Vector, radius: number, count: number): TestGrain[] {
  return Array.from({ length: count }, (_, k): TestGrain => {
    const [z, turn] = [(2 * k + 1) / count - 1, k * Math.PI * (3 - Math.sqrt(5))];
    const way = [Math.sqrt(1 - z * z) * Math.cos(turn), Math.sqrt(1 - z * z) * Math.sin(turn), z];
    return {
      position: middle.map((x, axis) => x + radius * way[axis]) as Vector,
      radius: 0.5,
      velocity: way.map((x) => -x) as Vector,
    };
  });
}

export interface ShaftOptions {
  /** Grains along the way down. */
  height: number;
  /** Axis that gravity points against; the others follow in turn. */
  axis?: number;
  /** Disks in the x-y plane. Then the axis is 1. */
  flat?: boolean;
  /** Disks across; six unless given. */
  wide?: number;
  /** The packing repeats itself across, instead of between walls. */
  periodic?: boolean;
  solver?: Partial<SolverOptions>;
}

/** Spheres (three by three across) or disks (six across) of sizes 47:50 on a jittered lattice over the floor of a shaft. */
export function shaft({ height, axis = 2, flat = false, wide: disks = 6, periodic = false, solver }: ShaftOptions) {
  const random = randomNumbers(3);
  const spacing = 1.02;
  const [wide, deep] = flat ? [disks, 1] : [3, 3];
  // From across, across and up to x, y and z.
  const turned = ([u, v, up]: Vector): Vector => {
    if (flat) return [u, up, v];
    return [0, 1, 2].map((k) => [u, v, up][(k - axis + 5) % 3]) as Vector;
  };
  const grains = Array.from({ length: wide * deep * height }, (_, k): TestGrain => {
    const cell = [k % wide, Math.floor(k / wide) % deep, Math.floor(k / (wide * deep))];
    const place = cell.map((c) => 0.5 + spacing * c + 0.015 * random()) as Vector;
    return { position: turned([place[0], flat ? 0 : place[1], place[2]]), radius: 0.47 + 0.03 * random() };
  });
  const [width, depth] = [spacing * wide, spacing * deep];
  const across = (point: Vector, normal: Vector) => plane(turned(point), turned(normal));
  const sides = [across([0, 0, 0], [1, 0, 0]), across([width, 0, 0], [-1, 0, 0])];
  if (!flat) sides.push(across([0, 0, 0], [0, 1, 0]), across([0, depth, 0], [0, -1, 0]));
  const problem = makeProblem({
    grains,
    walls: [across([0, 0, 0], [0, 0, 1]), ...(periodic ? [] : sides)],
    gravity: turned([0, 0, -10]),
    timeStep: 0.02,
    friction: 0.3,
    solver,
    ...(flat ? { dimension: 2 as const } : {}),
  });
  return periodic
    ? { ...problem, periodic: { min: [0, 0, 0] as Vector, lengths: turned([width, flat ? 0 : depth, 0]) } }
    : problem;
}
