import type { Fault } from '../errors';
import { formatPath } from './faults';
import { MAX_DIAMETERS } from './grainIndex';
import { meshDistance } from './mesh/distance';
import type { MeshShape } from './mesh/read';
import type { Vector, Wall } from './problem';
import type { SceneWall } from './schema';
import { BOX_FACES, type BoxFace } from './vocabulary';

/** The faces that a box keeps when those in `open` are left out; in two dimensions it has none along z. */
export function boxFaces(open: unknown, dimension: 2 | 3): BoxFace[] {
  return BOX_FACES.filter((face) => !(Array.isArray(open) && open.includes(face)) && (dimension === 3 || face[1] !== 'z'));
}

/**
 * Walls with unit vectors; a box becomes one plane for each face it keeps, facing inwards.
 * @param meshes by the index of their wall
 */
export function makeWalls(
  walls: readonly SceneWall[],
  materialIndex: (name: string) => number,
  dimension: 2 | 3,
  meshes: ReadonlyMap<number, MeshShape>,
): Wall[] {
  return walls.flatMap(({ name, material, plane, cylinder, box, piston }, w): Wall[] => {
    const common = { name, material: materialIndex(material), ...(piston ? { piston } : {}) };
    const mesh = meshes.get(w);
    if (mesh) return [{ ...common, shape: mesh }];
    if (plane) return [{ ...common, shape: { kind: 'plane', point: plane.point, normal: unit(plane.normal) } }];
    if (cylinder) {
      const { point, axis, radius, side } = cylinder;
      return [{ ...common, shape: { kind: 'cylinder', point, axis: unit(axis), radius, side } }];
    }
    return boxFaces(box?.open, dimension).map((face) => {
      const [point, sign] = face[0] === '-' ? [box!.min, 1] : [box!.max, -1];
      const normal: Vector = [0, 0, 0];
      normal['xyz'.indexOf(face[1])] = sign;
      return { ...common, name: `${name}.${face}`, box: name, shape: { kind: 'plane', point, normal } };
    });
  });
}

/** Coordinates or radii of a wall that its shape is made of, with their paths. */
export interface WallLength {
  path: string;
  length: number;
}

/**
 * The largest coordinate, and the radius, of each wall.
 * @param meshes by the index of their wall
 * @param list where the scene lists the walls
 */
export function wallLengths(
  walls: readonly SceneWall[],
  meshes: ReadonlyMap<number, MeshShape>,
  list: PropertyKey[] = ['walls'],
): WallLength[] {
  const largest = (point: Vector) => Math.max(...point.map(Math.abs));
  return walls.flatMap(({ plane, cylinder, box }, w): WallLength[] => {
    const at = (shape: string, key: string, length: number) => ({ path: formatPath([...list, w, shape, key]), length });
    const mesh = meshes.get(w)?.mesh;
    if (mesh)
      return [
        at(
          'mesh',
          'file',
          mesh.vertices.reduce((most, x) => Math.max(most, Math.abs(x)), 0),
        ),
      ];
    if (plane) return [at('plane', 'point', largest(plane.point))];
    if (box) return [at('box', 'min', largest(box.min)), at('box', 'max', largest(box.max))];
    return [at('cylinder', 'point', largest(cylinder!.point)), at('cylinder', 'radius', cylinder!.radius)];
  });
}

/** Walls, or ends of a periodic box, as far away, or walls as wide, as no grain could be: distances to them would have no digits left. */
export function farWalls(lengths: readonly WallLength[], smallestRadius: number): Fault[] {
  return lengths
    .filter(({ length }) => !(length / (2 * smallestRadius) < MAX_DIAMETERS))
    .map(({ path, length }) => {
      const message = `${length.toPrecision(3)} is more than 10^9 diameters of the smallest grain (radius ${smallestRadius.toPrecision(3)}); move it nearer, leave it out, or check the units`;
      return { path, message };
    });
}

/**
 * @param within for meshes, beside which no side is wrong: at this distance or more it does not matter how far
 * @returns how far `(x, y, z)` is from the wall's surface, negative on the wrong side
 */
export function wallDistance({ shape }: Wall, x: number, y: number, z: number, within = Infinity): number {
  if (shape.kind === 'mesh') return meshDistance(shape.mesh, shape.grid, x, y, z, within);
  const [dx, dy, dz] = [x - shape.point[0], y - shape.point[1], z - shape.point[2]];
  if (shape.kind === 'plane') return dx * shape.normal[0] + dy * shape.normal[1] + dz * shape.normal[2];
  const [ax, ay, az] = shape.axis;
  const along = dx * ax + dy * ay + dz * az;
  const rho = Math.hypot(dx - along * ax, dy - along * ay, dz - along * az);
  return shape.side === 'inside' ? shape.radius - rho : rho - shape.radius;
}

/** The vector scaled to length 1, for any finite length above 0. */
export function unit(v: Vector): Vector {
  // Scaled by the largest component first: squares of very small or large ones would leave the range of numbers.
  const scale = Math.max(...v.map(Math.abs));
  const [x, y, z] = v.map((component) => component / scale);
  const length = Math.hypot(x, y, z);
  return [x / length, y / length, z / length];
}
