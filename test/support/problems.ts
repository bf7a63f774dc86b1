import { grainVolume } from '../../src/scene/grainVolume';
import { coulomb } from '../../src/scene/laws';
import { joinPlates } from '../../src/scene/plates';
import type {
  PairLaw,
  Periodic,
  Piston,
  Problem,
  SolverOptions,
  Vector,
  Wall,
  WallMotion,
  WallShape,
} from '../../src/scene/problem';

/** One grain of a test's scene; density 1 unless a mass is given. */
export interface TestGrain {
  position: Vector;
  radius?: number;
  mass?: number;
  velocity?: Vector;
  angularVelocity?: Vector;
  force?: Vector;
  torque?: Vector;
  fixed?: boolean;
  material?: number;
}

export interface TestScene {
  grains: TestGrain[];
  walls?: (WallShape & { material?: number; piston?: Piston; motion?: Partial<WallMotion> })[];
  gravity?: Vector;
  timeStep?: number;
  /** One mu for all, or an M x M table. */
  friction?: number | number[][];
  /** What the laws of all pairs have beside friction. */
  law?: Partial<PairLaw>;
  solver?: Partial<SolverOptions>;
  /** In 2: disks in the x-y plane, mass by the area unless one is given. */
  dimension?: 2 | 3;
  periodic?: Periodic;
}

const DEFAULT_SOLVER: SolverOptions = {
  sweep: 'coloured',
  order: 'fixed',
  momentum: 0,
  coarse: 'off',
  convergence: { criterion: 'residual', tolerance: 1e-10, balance: null, maxIterations: 20_000 },
  warmStart: true,
  seed: 1,
};

export const plane = (point: Vector, normal: Vector): WallShape => {
  const length = Math.hypot(...normal);
  return { kind: 'plane', point, normal: normal.map((x) => x / length) as Vector };
};

export const cylinder = (radius: number, side: 'inside' | 'outside'): WallShape => ({
  kind: 'cylinder',
  point: [0, 0, 0],
  axis: [0, 0, 1],
  radius,
  side,
});

/** A plate across z about a point: a disk where `inner` is 0. */
export const plate = (point: Vector, inner: number, outer: number): WallShape => ({
  kind: 'plane',
  point,
  normal: [0, 0, 1],
  region: { inner, outer, rims: [inner > 0, true] },
});

/** A problem as a scene file would give it, solved tightly unless the scene says otherwise. */
export function makeProblem({
  grains,
  walls = [],
  gravity = [0, 0, 0],
  timeStep = 1,
  friction = 0,
  law,
  solver,
  dimension = 3,
  periodic,
}: TestScene): Problem {
  const table = typeof friction === 'number' ? [[friction]] : friction;
  const column = (pick: (grain: TestGrain) => Vector | undefined) =>
    Float64Array.from(grains.flatMap((grain) => pick(grain) ?? [0, 0, 0]));
  return {
    title: 'test',
    dimension,
    gravity,
    timeStep,
    steps: 1,
    materials: table.map((_, k) => ({ name: `material ${k}`, density: 1 })),
    laws: [coulomb(0), ...table.flat().map((mu) => ({ ...coulomb(mu), ...law }))],
    lawOf: Uint32Array.from(table.flat(), (_, pair) => pair + 1),
    grains: {
      count: grains.length,
      positions: column(({ position }) => position),
      radii: Float64Array.from(grains, ({ radius = 0.5 }) => radius),
      masses: Float64Array.from(grains, ({ mass, radius = 0.5 }) => mass ?? grainVolume(radius, dimension)),
      velocities: column(({ velocity }) => velocity),
      angularVelocities: column(({ angularVelocity }) => angularVelocity),
      forces: column(({ force }) => force),
      torques: column(({ torque }) => torque),
      materials: Uint32Array.from(grains, ({ material = 0 }) => material),
      fixed: Uint8Array.from(grains, ({ fixed }) => (fixed ? 1 : 0)),
      groups: new Uint32Array(grains.length),
    },
    walls: joinPlates(
      walls.map(({ material = 0, piston, motion, ...shape }, k): Wall => {
        const full = motion && { velocity: [0, 0, 0], angularVelocity: [0, 0, 0], point: shape.point, start: 0, ...motion };
        return {
          name: `wall ${k}`,
          material,
          shape: shape as WallShape,
          ...(piston ? { piston } : {}),
          ...(full ? { motion: full as WallMotion } : {}),
        };
      }),
    ),
    solver: { ...DEFAULT_SOLVER, ...solver },
    output: { every: 0, frames: 'none', contacts: false },
    warnings: [],
    ...(periodic ? { periodic } : {}),
  };
}
