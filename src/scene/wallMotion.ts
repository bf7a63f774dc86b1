import type { MeshPose } from './mesh/pose';
import type { NewMotion, Quaternion, Vector, Wall, WallMotion, WallShape } from './problem';

/** A wall in one step: where it is before and after, and how its surface gets there. */
export interface WallStep {
  start: WallShape;
  end: WallShape;
  /** Way of the wall's point in the step. */
  way: Vector;
  /** Radians in the step about each axis. */
  angularVelocity: Vector;
  /** Rotation of the step less the identity, 3 x 3 by rows; absent where the wall does not turn. */
  turn?: Float64Array;
  /** 1 - (direction before . direction after) of normal or axis: 0 where the wall turns in itself or not at all, and for a mesh. */
  tilt: number;
  /** Of a mesh that moves, or is not where it was read: where it is before and after. */
  poses?: readonly [before: MeshPose, after: MeshPose];
}

/** Direction cosines below this are rounding: a wall that turns about its own normal or axis keeps it to the last bit. */
const PARALLEL = 1e-12;

/** The direction that tells a shape's attitude: normal or axis; zero for a sphere and a mesh, which have none. */
export function directionOf(shape: WallShape): Vector {
  switch (shape.kind) {
    case 'plane':
      return shape.normal;
    case 'cylinder':
      return shape.axis;
    case 'sphere':
    case 'mesh':
      return [0, 0, 0];
  }
}

/** Where a wall is at a time; in any one set of units. The pose is a function of time alone, so that no error adds up. */
export function shapeAt(shape: WallShape, motion: WallMotion | undefined, time: number): WallShape {
  if (!motion) return shape;
  const since = time - motion.start;
  const turned = rotate(subtract(shape.point, motion.point), motion.angularVelocity, since);
  const carried = shift(motion, since);
  const point = turned.map((x, k) => motion.point[k] + carried[k] + x) as Vector;
  switch (shape.kind) {
    case 'plane':
      return { ...shape, point, normal: rotate(shape.normal, motion.angularVelocity, since) };
    case 'cylinder':
      return { ...shape, point, axis: rotate(shape.axis, motion.angularVelocity, since) };
    case 'sphere':
    case 'mesh':
      return { ...shape, point };
  }
}

/** How far a wall has turned at a time. @param turned when the motion began */
function rotationAt(motion: WallMotion | undefined, time: number, turned: Quaternion = [0, 0, 0, 1]): Quaternion {
  const rate = motion ? Math.hypot(...motion.angularVelocity) : 0;
  if (!motion || rate === 0) return turned;
  const half = (rate * (time - motion.start)) / 2;
  const [x, y, z] = motion.angularVelocity.map((w) => (w / rate) * Math.sin(half));
  return product([x, y, z, Math.cos(half)], turned);
}

/** A wall that goes on in another way from where it is, or rests there. @param time when, in the units of the wall */
export function withMotion(wall: Wall, change: NewMotion | null, time: number): Wall {
  const { motion: before, turned: turnedBefore, ...still } = wall;
  const shape = shapeAt(wall.shape, before, time);
  const turned = isTurning(before) ? rotationAt(before, time, turnedBefore) : turnedBefore;
  return {
    ...still,
    shape,
    ...(turned ? { turned } : {}),
    ...(change ? { motion: { ...change, point: change.point ?? shape.point, start: time } } : {}),
  };
}

/**
 * A wall between two times.
 * @param turned when its motion, or its rest, began
 */
export function wallStep(
  shape: WallShape,
  motion: WallMotion | undefined,
  from: number,
  to: number,
  turned?: Quaternion,
): WallStep {
  if (!motion) {
    const pose = meshPose(shape, motion, turned, from);
    return {
      start: shape,
      end: shape,
      way: [0, 0, 0],
      angularVelocity: [0, 0, 0],
      tilt: 0,
      ...(pose ? { poses: [pose, pose] } : {}),
    };
  }
  const [start, end] = [shapeAt(shape, motion, from), shapeAt(shape, motion, to)];
  const lean = subtract(directionOf(end), directionOf(start));
  const turn = motion.angularVelocity.some((w) => w !== 0) ? rotationStep(motion.angularVelocity, to - from) : undefined;
  const angularVelocity = motion.angularVelocity.map((w) => w * (to - from)) as Vector;
  const [before, after] = [from, to].map((time) => meshPose(shape, motion, turned, time));
  return {
    start,
    end,
    way: subtract(end.point, start.point),
    angularVelocity,
    turn,
    tilt: lean.reduce((sum, x) => sum + x * x, 0) / 2,
    ...(before && after ? { poses: [before, after] } : {}),
  };
}

/**
 * Where a mesh is at a time, seen from its own frame; undefined for other walls, and for one that is where it was read for good.
 * @param turned when its motion, or its rest, began
 */
export function meshPose(
  shape: WallShape,
  motion: WallMotion | undefined,
  turned: Quaternion | undefined,
  time: number,
): MeshPose | undefined {
  if (shape.kind !== 'mesh') return undefined;
  if (!motion && !turned && shape.point.every((x, axis) => x === shape.home[axis])) return undefined;
  const { point } = shapeAt(shape, motion, time);
  const place = { from: shape.home, to: point };
  if (!motion || !isTurning(motion)) return turned ? { ...place, rotation: matrixOf(turned) } : place;
  const rotation = rotationStep(motion.angularVelocity, time - motion.start);
  for (let k = 0; k < 9; k += 4) rotation[k] += 1;
  return { ...place, rotation: turned ? matrixProduct(rotation, matrixOf(turned)) : rotation };
}

/** The rotation of a unit quaternion, 3 x 3 by rows. */
function matrixOf([x, y, z, w]: Quaternion): Float64Array {
  return Float64Array.of(
    1 - 2 * (y * y + z * z),
    2 * (x * y - z * w),
    2 * (x * z + y * w),
    2 * (x * y + z * w),
    1 - 2 * (x * x + z * z),
    2 * (y * z - x * w),
    2 * (x * z - y * w),
    2 * (y * z + x * w),
    1 - 2 * (x * x + y * y),
  );
}

function matrixProduct(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((_, k) => {
    const [row, column] = [k - (k % 3), k % 3];
    return a[row] * b[column] + a[row + 1] * b[3 + column] + a[row + 2] * b[6 + column];
  });
}

/** Where walls are, W x 7: the wall's point, and how it has turned since the start (x, y, z, w). Any one set of units. */
export function wallPoses(
  shapes: readonly WallShape[],
  motions: readonly (WallMotion | undefined)[],
  turned: readonly (Quaternion | undefined)[],
  time: number,
): Float64Array {
  return Float64Array.from(
    shapes.flatMap((shape, w) => [...shapeAt(shape, motions[w], time).point, ...rotationAt(motions[w], time, turned[w])]),
  );
}

/** Whether a wall moves by itself. */
export function isMoving<Motion extends NewMotion>(motion: Motion | null | undefined): motion is Motion {
  const moves = (v: Vector) => v.some((x) => x !== 0);
  return !!motion && (moves(motion.velocity) || isTurning(motion) || moves(motion.oscillation?.amplitude ?? [0, 0, 0]));
}

export function isTurning(motion: NewMotion | undefined): boolean {
  return motion?.angularVelocity.some((w) => w !== 0) ?? false;
}

/** Way of the wall's surface, from before to after the step, where it is at `(x, y, z)` before. */
export function surfaceWay({ start, way, turn }: WallStep, x: number, y: number, z: number): Vector {
  if (!turn) return [...way];
  const [ax, ay, az] = [x - start.point[0], y - start.point[1], z - start.point[2]];
  return [0, 1, 2].map((k) => way[k] + turn[3 * k] * ax + turn[3 * k + 1] * ay + turn[3 * k + 2] * az) as Vector;
}

/** Way of the point about which a wall turns. */
function shift({ velocity, oscillation }: WallMotion, time: number): Vector {
  let swing = 0;
  if (oscillation) swing = Math.sin(2 * Math.PI * oscillation.frequency * time + oscillation.phase) - Math.sin(oscillation.phase);
  return velocity.map((v, k) => v * time + (oscillation?.amplitude[k] ?? 0) * swing) as Vector;
}

/** The vector after a time of turning (Rodrigues' formula). */
function rotate(v: Vector, angularVelocity: Vector, time: number): Vector {
  const rate = Math.hypot(...angularVelocity);
  if (rate === 0) return v;
  const axis = angularVelocity.map((w) => w / rate) as Vector;
  const across = cross(axis, v);
  if (Math.hypot(...across) <= PARALLEL * Math.hypot(...v)) return v;
  const around = cross(axis, across);
  const [sine, versine] = [Math.sin(rate * time), 2 * Math.sin((rate * time) / 2) ** 2];
  return v.map((x, k) => x + sine * across[k] + versine * around[k]) as Vector;
}

function rotationStep(angularVelocity: Vector, time: number): Float64Array {
  const matrix = new Float64Array(9);
  for (let column = 0; column < 3; column++) {
    const unit: Vector = [0, 0, 0];
    unit[column] = 1;
    const turned = rotate(unit, angularVelocity, time);
    for (let row = 0; row < 3; row++) matrix[3 * row + column] = turned[row] - unit[row];
  }
  return matrix;
}

function subtract(a: Vector, b: Vector): Vector {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

function cross([ax, ay, az]: Vector, [bx, by, bz]: Vector): Vector {
  return [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx];
}

/** The second rotation, then the first. */
function product([ax, ay, az, aw]: Quaternion, [bx, by, bz, bw]: Quaternion): Quaternion {
  return [
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
    aw * bw - ax * bx - ay * by - az * bz,
  ];
}
