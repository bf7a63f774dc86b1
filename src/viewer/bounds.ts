import { Box3, Vector3 } from 'three/webgpu';
import type { FillRegion, Problem, Vector, Wall } from '../scene/problem';
import type { Units } from '../scene/system';

/** Walls whose point is farther from the grains than so many sizes of the packing do not widen the view. */
const FARTHEST = 2;

/** What of a scene is to be in view, in internal units: grains, places where some come in, finite walls, and points of the others near by. */
export function sceneBox({ grains, walls, events = [] }: Problem, units: Units): Box3 {
  const box = new Box3();
  const { positions, radii } = grains;
  for (let i = 0; i < grains.count; i++) {
    const centre = new Vector3(positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]);
    box.union(around(centre, radii[i]));
  }
  for (const { insert, pour } of events) {
    if (pour) box.union(regionBox(pour.region));
    for (let i = 0; insert && i < insert.count; i++) {
      box.union(around(new Vector3().fromArray(insert.positions, 3 * i), insert.radii[i]));
    }
  }
  for (const wall of walls) box.union(wallBox(wall, box));
  return inUnits(box, units);
}

/**
 * What of a scene is in view once it has run, in internal units: its grains, finite walls, and points of the others near by.
 * @param grains their box, in internal units
 * @param poses of the walls, W x 7 in units of the scene
 * @param coming whether grains are still to come, whose regions are in view too
 */
export function presentBox(
  grains: Box3,
  { walls, events = [] }: Problem,
  poses: Float64Array,
  units: Units,
  coming: boolean,
): Box3 {
  const { origin, length } = units;
  const box = grains.clone();
  for (const end of box.isEmpty() ? [] : [box.min, box.max]) end.multiplyScalar(length).add(new Vector3(...origin));
  for (const { pour } of events) if (pour && coming) box.union(regionBox(pour.region));
  walls.forEach((wall, w) => {
    const point: Vector = [poses[7 * w], poses[7 * w + 1], poses[7 * w + 2]];
    box.union(wallBox({ ...wall, shape: { ...wall.shape, point } }, box));
  });
  return inUnits(box, units);
}

const around = (centre: Vector3, radius: number) => new Box3(centre.clone().subScalar(radius), centre.clone().addScalar(radius));

function regionBox({ box, cylinder }: FillRegion): Box3 {
  if (box) return new Box3(new Vector3(...box.min), new Vector3(...box.max));
  const { point, axis, radius, height } = cylinder!;
  const start = new Vector3(...point);
  const end = start.clone().addScaledVector(new Vector3(...axis).normalize(), height);
  return around(start, radius).union(around(end, radius));
}

/** @param others the grains' */
function wallBox({ shape }: Wall, others: Box3): Box3 {
  const point = new Vector3(...shape.point);
  if (shape.kind === 'sphere') return around(point, shape.radius);
  if (shape.kind === 'mesh') return meshBox(shape.mesh.vertices, point.sub(new Vector3(...shape.home)));
  if (shape.kind === 'cylinder') return cylinderBox(point, new Vector3(...shape.axis), shape.radius, others);
  if (shape.region) return around(point, shape.region.outer);
  const size = others.getSize(new Vector3()).length();
  return others.distanceToPoint(point) < FARTHEST * size ? new Box3(point, point.clone()) : new Box3();
}

function meshBox(vertices: Float64Array, carried: Vector3): Box3 {
  const box = new Box3();
  for (let k = 0; k < vertices.length; k += 3) box.expandByPoint(new Vector3().fromArray(vertices, k).add(carried));
  return box;
}

/** As far along its axis as the others reach. */
function cylinderBox(point: Vector3, axis: Vector3, radius: number, others: Box3): Box3 {
  const box = new Box3();
  const [low, high] = extentAlong(others, point, axis);
  for (const along of [low, high]) {
    const centre = point.clone().addScaledVector(axis, along);
    const reach = new Vector3(...axis.toArray().map((a) => radius * Math.sqrt(Math.max(0, 1 - a * a))));
    box.union(new Box3(centre.clone().sub(reach), centre.clone().add(reach)));
  }
  return box;
}

/** How far a box reaches along an axis from a point. */
export function extentAlong(box: Box3, point: Vector3, axis: Vector3): [low: number, high: number] {
  const centre = box.getCenter(new Vector3()).sub(point).dot(axis);
  const size = box.getSize(new Vector3());
  const half = (Math.abs(size.x * axis.x) + Math.abs(size.y * axis.y) + Math.abs(size.z * axis.z)) / 2;
  return [centre - half, centre + half];
}

function inUnits(box: Box3, { origin, length }: Units): Box3 {
  for (const end of [box.min, box.max]) end.sub(new Vector3(...origin)).divideScalar(length);
  return box;
}
