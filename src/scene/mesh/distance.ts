import type { Vector } from '../problem';
import { at, cross, dot, subtract } from './topology';
import type { TriangleGrid } from './triangleGrid';
import type { TriangleMesh } from './triangleMesh';

/** Distance from a point of its own frame to a mesh, or `within` where it is that or more. */
export function meshDistance(mesh: TriangleMesh, grid: TriangleGrid, point: Vector, within: number): number {
  const { origin, cellSize, dims, starts, items } = grid;
  const low = point.map((c, axis) => Math.max(0, Math.floor((c - within - origin[axis]) / cellSize)));
  const high = point.map((c, axis) => Math.min(dims[axis] - 1, Math.floor((c + within - origin[axis]) / cellSize)));
  let least = within;
  for (let k = low[2]; k <= high[2]; k++) {
    for (let j = low[1]; j <= high[1]; j++) {
      for (let i = low[0]; i <= high[0]; i++) {
        const cell = (k * dims[1] + j) * dims[0] + i;
        for (let n = starts[cell]; n < starts[cell + 1]; n++) least = Math.min(least, triangleDistance(mesh, items[n], point));
      }
    }
  }
  return least;
}

/** Distance from a point to triangle t: to its plane over the inside, else to the nearest of its edges. */
function triangleDistance({ vertices, triangles }: TriangleMesh, t: number, point: Vector): number {
  const corners = [0, 1, 2].map((k) => at(vertices, triangles[3 * t + k]));
  const area = cross(subtract(corners[1], corners[0]), subtract(corners[2], corners[0]));
  const isInside = corners.every((corner, k) => {
    const side = subtract(corners[(k + 1) % 3], corner);
    return dot(cross(side, subtract(point, corner)), area) >= 0;
  });
  if (isInside) return Math.abs(dot(subtract(point, corners[0]), area)) / Math.hypot(...area);
  const toEdges = corners.map((corner, k) => {
    const side = subtract(corners[(k + 1) % 3], corner);
    const way = subtract(point, corner);
    const share = Math.min(1, Math.max(0, dot(way, side) / dot(side, side)));
    return Math.hypot(...way.map((w, axis) => w - share * side[axis]));
  });
  return Math.min(...toEdges);
}
