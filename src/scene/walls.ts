import type { Fault } from '../errors';
import { formatPath } from './faults';
import { MAX_DIAMETERS } from './grainIndex';
import { meshDistance } from './mesh/distance';
import { intoFrame } from './mesh/pose';
import type { MeshShape } from './mesh/read';
import { wrapPositions } from './periodic';
import { joinPlates } from './plates';
import type { Periodic, Vector, Wall, WallMotion, WallShape } from './problem';
import type { SceneWall } from './schema';
import { BOX_FACES, type BoxFace } from './vocabulary';
import { wallContact } from './wallContact';
import { meshPose } from './wallMotion';

/** The faces that a box keeps when those in `open` are left out; in two dimensions it has none along z. */
export function boxFaces(open: unknown, dimension: 2 | 3): BoxFace[] {
  return BOX_FACES.filter((face) => !(Array.isArray(open) && open.includes(face)) && (dimension === 3 || face[1] !== 'z'));
}

/**
 * Walls with unit vectors; a box becomes one plane for each face it keeps, facing inwards, all with the box's motion.
 * @param meshes by the index of their wall
 */
export function makeWalls(
  walls: readonly SceneWall[],
  materialIndex: (name: string) => number,
  dimension: 2 | 3,
  meshes: ReadonlyMap<number, MeshShape>,
): Wall[] {
  const made = walls.flatMap((wall, w): Wall[] => {
    const { name, material, plane, cylinder, sphere, box, piston } = wall;
    const mesh = meshes.get(w);
    const motion = makeMotion(wall);
    const common = { name, material: materialIndex(material), ...(motion ? { motion } : {}), ...(piston ? { piston } : {}) };
    if (mesh) return [{ ...common, shape: mesh }];
    if (plane) return [{ ...common, shape: makePlane(plane) }];
    if (cylinder) {
      const { point, axis, radius, side } = cylinder;
      return [{ ...common, shape: { kind: 'cylinder', point, axis: unit(axis), radius, side } }];
    }
    if (sphere) return [{ ...common, shape: { kind: 'sphere', point: sphere.centre, radius: sphere.radius, side: sphere.side } }];
    return boxFaces(box?.open, dimension).map((face) => {
      const [point, sign] = face[0] === '-' ? [box!.min, 1] : [box!.max, -1];
      const normal: Vector = [0, 0, 0];
      normal['xyz'.indexOf(face[1])] = sign;
      return { ...common, name: `${name}.${face}`, box: name, shape: { kind: 'plane', point, normal } };
    });
  });
  return joinPlates(made);
}

function makePlane({ point, normal, disk, ring }: NonNullable<SceneWall['plane']>): WallShape & { kind: 'plane' } {
  const plane = { kind: 'plane' as const, point, normal: unit(normal) };
  if (disk !== undefined) return { ...plane, region: { inner: 0, outer: disk, rims: [false, true] } };
  return ring ? { ...plane, region: { inner: ring[0], outer: ring[1], rims: [true, true] } } : plane;
}

/** Turns about the wall's own point (of a mesh the origin of its file), or the middle of the box, unless the motion says otherwise. */
function makeMotion({ motion, plane, cylinder, sphere, box, mesh }: SceneWall): WallMotion | undefined {
  if (!motion) return undefined;
  if (mesh) return { ...motion, point: motion.point ?? [0, 0, 0], start: 0 };
  const middle = () => box!.min.map((x, axis) => (x + box!.max[axis]) / 2) as Vector;
  return { ...motion, point: motion.point ?? plane?.point ?? cylinder?.point ?? sphere?.centre ?? middle(), start: 0 };
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
  return walls.flatMap(({ plane, cylinder, sphere, box, motion }, w): WallLength[] => {
    const at = (shape: string, key: string, length: number | undefined) =>
      length === undefined ? [] : [{ path: formatPath([...list, w, shape, key]), length }];
    const mesh = meshes.get(w)?.mesh;
    return [
      ...(mesh
        ? [
            at(
              'mesh',
              'file',
              mesh.vertices.reduce((most, x) => Math.max(most, Math.abs(x)), 0),
            ),
          ]
        : []),
      ...(plane
        ? [at('plane', 'point', largest(plane.point)), at('plane', 'disk', plane.disk), at('plane', 'ring', plane.ring?.[1])]
        : []),
      ...(cylinder ? [at('cylinder', 'point', largest(cylinder.point)), at('cylinder', 'radius', cylinder.radius)] : []),
      ...(sphere ? [at('sphere', 'centre', largest(sphere.centre)), at('sphere', 'radius', sphere.radius)] : []),
      ...(box ? [at('box', 'min', largest(box.min)), at('box', 'max', largest(box.max))] : []),
      ...(motion?.point ? [at('motion', 'point', largest(motion.point))] : []),
      ...(motion?.oscillation ? [at('motion', 'oscillation', largest(motion.oscillation.amplitude))] : []),
    ].flat();
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
 * @param periodic the box that the place lies in; needed for meshes that are not where they were read
 * @returns how far `(x, y, z)` is from the wall's surface, negative on the wrong side; a plate has none
 */
export function wallDistance(
  { shape, turned }: Wall,
  x: number,
  y: number,
  z: number,
  within = Infinity,
  periodic?: Periodic,
): number {
  if (shape.kind === 'mesh') {
    const pose = meshPose(shape, undefined, turned, 0);
    const place = pose ? intoFrame(pose, x, y, z) : ([x, y, z] as Vector);
    if (pose && periodic) wrapPositions(place, periodic);
    return meshDistance(shape.mesh, shape.grid, place, within);
  }
  const touch = { gap: 0, normal: [0, 0, 0] as Vector };
  wallContact(shape, x, y, z, 0, touch);
  return touch.gap;
}

/** The vector scaled to length 1, for any finite length above 0. */
export function unit(v: Vector): Vector {
  // Scaled by the largest component first: squares of very small or large ones would leave the range of numbers.
  const scale = Math.max(...v.map(Math.abs));
  const [x, y, z] = v.map((component) => component / scale);
  const length = Math.hypot(x, y, z);
  return [x / length, y / length, z / length];
}
