import type { Vector } from '../problem';
import type { TriangleGrid } from './triangleGrid';

/** Where a mesh is: its own frame is where it was read, turned about `from` and carried to `to`. Any one unit of length. */
export interface MeshPose {
  from: Vector;
  to: Vector;
  /** 3 x 3 by rows; absent where the mesh does not turn. */
  rotation?: Float64Array;
}

/** A place as it is seen in the mesh's own frame. */
export function intoFrame({ from, to, rotation }: MeshPose, x: number, y: number, z: number): Vector {
  const way = unturned(rotation, x - to[0], y - to[1], z - to[2]);
  return [from[0] + way[0], from[1] + way[1], from[2] + way[2]];
}

/** The other way round: where a point of the mesh is. */
export function outOfFrame({ from, to, rotation }: MeshPose, x: number, y: number, z: number): Vector {
  const way = turned(rotation, x - from[0], y - from[1], z - from[2]);
  return [to[0] + way[0], to[1] + way[1], to[2] + way[2]];
}

/** A direction of the mesh's frame. */
export function turned(r: Float64Array | undefined, x: number, y: number, z: number): Vector {
  if (!r) return [x, y, z];
  return [r[0] * x + r[1] * y + r[2] * z, r[3] * x + r[4] * y + r[5] * z, r[6] * x + r[7] * y + r[8] * z];
}

/** A direction as it is seen in the mesh's frame. */
export function unturned(r: Float64Array | undefined, x: number, y: number, z: number): Vector {
  if (!r) return [x, y, z];
  return [r[0] * x + r[3] * y + r[6] * z, r[1] * x + r[4] * y + r[7] * z, r[2] * x + r[5] * y + r[8] * z];
}

/** Corners of the box of a mesh's cells, which holds the mesh. */
export function boxCorners({ origin, cellSize, dims }: TriangleGrid): Vector[] {
  return Array.from(
    { length: 8 },
    (_, corner) => origin.map((low, axis) => low + ((corner >> axis) & 1) * dims[axis] * cellSize) as Vector,
  );
}
