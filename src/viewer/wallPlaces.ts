import { type Box3, Quaternion, Vector3 } from 'three/webgpu';
import type { Wall } from '../scene/problem';
import type { Units } from '../scene/system';
import { BOX_FACES } from '../scene/vocabulary';
import { extentAlong } from './bounds';

/** Where a wall is, in internal units. */
export interface WallPlace {
  wall: Wall;
  point: Vector3;
  /** Normal or axis; zero for what has none. */
  direction: Vector3;
  /** 0 for what has none. */
  radius: number;
  /** How it has turned since the shape in the problem was taken. */
  turn: Quaternion;
}

/** Cosine of the angle between a plane's normal and a cylinder's axis from which on the plane closes it. */
const ACROSS = 0.99;
/** From which on it cuts the cylinder in an ellipse that is worth drawing. */
const LEAST_ACROSS = 0.05;

/** A half space that is free: where (x - point) . normal >= 0. */
interface HalfSpace {
  point: Vector3;
  normal: Vector3;
}

/** @param poses W x 7 in units of the scene, as State.walls */
export function wallPlaces(walls: readonly Wall[], poses: Float64Array, { origin, length }: Units): WallPlace[] {
  return walls.map((wall, w) => {
    const { shape, turned } = wall;
    const point = new Vector3()
      .fromArray(poses, 7 * w)
      .sub(new Vector3(...origin))
      .divideScalar(length);
    const before = turned ? new Quaternion(...turned) : new Quaternion();
    const turn = new Quaternion().fromArray([...poses.subarray(7 * w + 3, 7 * w + 7)]).multiply(before.invert());
    const own = shape.kind === 'plane' ? shape.normal : shape.kind === 'cylinder' ? shape.axis : [0, 0, 0];
    const radius = 'radius' in shape ? shape.radius / length : 0;
    return { wall, point, radius, direction: new Vector3(...own).applyQuaternion(turn), turn };
  });
}

/** Planes that bound what is drawn of another: those that rest, or that move with it. */
function bounding(place: WallPlace, all: readonly WallPlace[]): HalfSpace[] {
  return all
    .filter(({ wall }) => {
      if (wall === place.wall || wall.shape.kind !== 'plane' || wall.shape.region) return false;
      const rests = !wall.motion && !wall.piston;
      return rests || (wall.box !== undefined && wall.box === place.wall.box);
    })
    .map(({ point, direction }) => ({ point, normal: direction }))
    .filter(({ normal }) => Math.abs(normal.dot(place.direction)) < 0.999);
}

/** The sides of a box of the view. */
function sidesOf(box: Box3): HalfSpace[] {
  return [0, 1, 2].flatMap((axis) =>
    [1, -1].map((sign) => ({
      point: sign > 0 ? box.min : box.max,
      normal: new Vector3().setComponent(axis, sign),
    })),
  );
}

/** For a face of a box: the sides of its box that are open, where what is drawn of it ends. */
function openSides(place: WallPlace, all: readonly WallPlace[]): HalfSpace[] {
  const faces = all.filter(({ wall }) => wall.box === place.wall.box);
  const corners = ['-', '+'].map((sign) => faces.find(({ wall }) => wall.name.includes(`.${sign}`))?.point);
  return BOX_FACES.flatMap((face) => {
    const corner = corners[face[0] === '-' ? 0 : 1];
    if (!corner || faces.some(({ wall }) => wall.name.endsWith(`.${face}`))) return [];
    const normal = new Vector3().setComponent('xyz'.indexOf(face[1]), face[0] === '-' ? 1 : -1).applyQuaternion(place.turn);
    return [{ point: corner, normal }];
  });
}

/** What is drawn of a plane: a polygon, counter-clockwise as seen from where grains are; none where it is out of view. */
export function planePolygon(place: WallPlace, all: readonly WallPlace[], view: Box3): Vector3[] {
  const { wall } = place;
  const across = acrossCylinder(place, all);
  if (across?.closes) return across.polygon;
  const bounds = [...bounding(place, all), ...(wall.box ? openSides(place, all) : sidesOf(view))];
  return bounds.reduce(clipPolygon, across?.polygon ?? largeSquare(place, view));
}

/** A part of a plane that is larger than the view. */
function largeSquare({ point, direction }: WallPlace, view: Box3): Vector3[] {
  const size = view.getSize(new Vector3()).length();
  const centre = view.getCenter(new Vector3());
  const middle = centre.addScaledVector(direction, point.clone().sub(centre).dot(direction));
  const [side, upwards] = tangents(direction);
  return [
    [-1, -1],
    [1, -1],
    [1, 1],
    [-1, 1],
  ].map(([a, b]) =>
    middle
      .clone()
      .addScaledVector(side, a * 3 * size)
      .addScaledVector(upwards, b * 3 * size),
  );
}

/** Corners of what stands for a circle. */
const CORNERS = 96;

/**
 * What of a plane lies in a cylinder that holds grains: an ellipse; undefined where there is no such cylinder, or one along the plane.
 * The plane closes the cylinder where the two are square to each other.
 */
function acrossCylinder(place: WallPlace, all: readonly WallPlace[]): { polygon: Vector3[]; closes: boolean } | undefined {
  const facing = ({ direction }: WallPlace) => direction.dot(place.direction);
  const around = all.find(
    (other) =>
      other.wall.shape.kind === 'cylinder' && other.wall.shape.side === 'inside' && Math.abs(facing(other)) > LEAST_ACROSS,
  );
  if (!around) return undefined;
  const { point, direction: axis, radius } = around;
  // Seen against the plane's normal the corners go round counter-clockwise, whichever way the axis points.
  const [side, upwards] = tangents(facing(around) > 0 ? axis : axis.clone().negate());
  const polygon = Array.from({ length: CORNERS }, (_, k) => {
    const angle = (2 * Math.PI * k) / CORNERS;
    const corner = point
      .clone()
      .addScaledVector(side, radius * Math.cos(angle))
      .addScaledVector(upwards, radius * Math.sin(angle));
    return corner.addScaledVector(axis, place.point.clone().sub(corner).dot(place.direction) / facing(around));
  });
  return { polygon, closes: Math.abs(facing(around)) > ACROSS };
}

/** Two vectors that span the plane across a direction, right-handed with it. */
export function tangents(direction: Vector3): [Vector3, Vector3] {
  const helper = Math.abs(direction.z) < 0.9 ? new Vector3(0, 0, 1) : new Vector3(1, 0, 0);
  const side = new Vector3().crossVectors(helper, direction).normalize();
  return [side, new Vector3().crossVectors(direction, side)];
}

/** The part of a convex polygon in a half space (Sutherland and Hodgman 1974). */
function clipPolygon(polygon: readonly Vector3[], { point, normal }: HalfSpace): Vector3[] {
  const heights = polygon.map((corner) => corner.clone().sub(point).dot(normal));
  return polygon.flatMap((corner, k) => {
    const next = (k + 1) % polygon.length;
    const kept = heights[k] >= 0 ? [corner] : [];
    if (heights[k] >= 0 === heights[next] >= 0) return kept;
    return [...kept, corner.clone().lerp(polygon[next], heights[k] / (heights[k] - heights[next]))];
  });
}

/** What is drawn of a line in the plane of two dimensions: how far from the place's point along its tangent; undefined out of view. */
export function lineExtent(place: WallPlace, all: readonly WallPlace[], view: Box3): [number, number] | undefined {
  const tangent = new Vector3(-place.direction.y, place.direction.x, 0);
  const bounds = [...bounding(place, all), ...(place.wall.box ? openSides(place, all) : sidesOf(view).slice(0, 4))];
  let [low, high] = extentAlong(view, place.point, tangent);
  if (place.wall.box) [low, high] = [2 * low - high, 2 * high - low];
  for (const { point, normal } of bounds) {
    const height = place.point.clone().sub(point).dot(normal);
    const slope = tangent.dot(normal);
    if (Math.abs(slope) < 1e-9) {
      if (height < -1e-6) return undefined;
    } else if (slope > 0) low = Math.max(low, -height / slope);
    else high = Math.min(high, -height / slope);
  }
  return low < high ? [low, high] : undefined;
}

/** What is drawn of a cylinder: how far from its point along its axis. Planes across the axis end it. */
export function cylinderExtent(place: WallPlace, all: readonly WallPlace[], view: Box3): [number, number] {
  let [low, high] = extentAlong(view, place.point, place.direction);
  for (const { wall, point, direction } of all) {
    if (wall.shape.kind !== 'plane' || wall.piston) continue;
    const facing = direction.dot(place.direction);
    const along = point.clone().sub(place.point).dot(direction) / facing;
    if (facing > ACROSS && along < high) low = Math.max(low, along);
    if (facing < -ACROSS && along > low) high = Math.min(high, along);
  }
  return [low, high];
}
