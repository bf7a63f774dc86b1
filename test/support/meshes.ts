import { findFeatures } from '../../src/scene/mesh/features';
import type { MeshShape } from '../../src/scene/mesh/read';
import { repeatMeshes } from '../../src/scene/mesh/repeat';
import { buildSceneGrid } from '../../src/scene/mesh/triangleGrid';
import { meshTolerance, weld } from '../../src/scene/mesh/weld';
import type { Periodic, Vector, WallShape } from '../../src/scene/problem';

export type Triangle = [Vector, Vector, Vector];

/** A wall of triangles that each give their corners. */
export function meshWall(triangles: readonly Triangle[]): MeshShape {
  const all = Float64Array.from(triangles.flat(2));
  const { vertices, triangles: corners } = weld(
    all,
    Uint32Array.from({ length: all.length / 3 }, (_, k) => k),
  );
  return {
    kind: 'mesh',
    point: [0, 0, 0],
    home: [0, 0, 0],
    mesh: findFeatures(vertices, corners, meshTolerance(vertices)),
    grid: buildSceneGrid(vertices, corners),
  } satisfies WallShape;
}

/** The same in a periodic box, which the mesh must fit; several go together. */
export function periodicMeshes(periodic: Periodic, ...surfaces: readonly Triangle[][]): MeshShape[] {
  const { shapes, faults } = repeatMeshes(
    surfaces.map((triangles) => ({ path: 'mesh', shape: meshWall(triangles) })),
    periodic,
  );
  if (faults.length > 0) throw new Error(faults[0].message);
  return shapes;
}

/** Triangles somewhere else. */
export const shifted = (triangles: readonly Triangle[], by: Vector): Triangle[] =>
  triangles.map((corners) => corners.map((corner) => corner.map((x, axis) => x + by[axis]) as Vector) as Triangle);

/** Two triangles. */
export const quad = (a: Vector, b: Vector, c: Vector, d: Vector): Triangle[] => [
  [a, b, c],
  [a, c, d],
];

/**
 * A floor z = height(x) over a square of n x n cells about the origin, each of two triangles.
 * @param jitter by how much of a cell inner vertices are moved about in x and y
 */
export function floor(size: number, n: number, height: (x: number, y: number) => number = () => 0, jitter = 0): Triangle[] {
  const place = (i: number, j: number): Vector => {
    const inner = i > 0 && j > 0 && i < n && j < n ? jitter : 0;
    const shift = (k: number) => inner * Math.sin(12.9898 * i + 78.233 * j + k);
    const [x, y] = [(size * (i + shift(0))) / n - size / 2, (size * (j + shift(1))) / n - size / 2];
    return [x, y, height(x, y)];
  };
  const result: Triangle[] = [];
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) result.push(...quad(place(i, j), place(i + 1, j), place(i + 1, j + 1), place(i, j + 1)));
  }
  return result;
}

/** A square about the origin in the plane z = 0, as 2 n narrow triangles that all meet in its lowest corner. */
export function fan(size: number, n: number): Triangle[] {
  const half = size / 2;
  const rim = Array.from({ length: 2 * n + 1 }, (_, k): Vector => {
    const [up, left] = [Math.min(k, n), Math.max(0, k - n)];
    return [half - (size * left) / n, (size * up) / n - half, 0];
  });
  return rim.slice(1).map((corner, k) => [[-half, -half, 0], rim[k], corner]);
}

/** The surface of a box. */
export function boxSurface(min: Vector, max: Vector): Triangle[] {
  const [low, high] = [min, max];
  const corner = (x: number, y: number, z: number): Vector => [x ? high[0] : low[0], y ? high[1] : low[1], z ? high[2] : low[2]];
  return [0, 1].flatMap((s) => [
    ...quad(corner(s, 0, 0), corner(s, 1, 0), corner(s, 1, 1), corner(s, 0, 1)),
    ...quad(corner(0, s, 0), corner(1, s, 0), corner(1, s, 1), corner(0, s, 1)),
    ...quad(corner(0, 0, s), corner(1, 0, s), corner(1, 1, s), corner(0, 1, s)),
  ]);
}

/** The side of an upright cylinder about the z axis as n flat strips, its corners on the circle. */
export function tube(radius: number, bottom: number, top: number, n: number): Triangle[] {
  const corner = (k: number, z: number): Vector => [
    radius * Math.cos((2 * Math.PI * k) / n),
    radius * Math.sin((2 * Math.PI * k) / n),
    z,
  ];
  return Array.from({ length: n }, (_, k) =>
    quad(corner(k, bottom), corner(k + 1, bottom), corner(k + 1, top), corner(k, top)),
  ).flat();
}
