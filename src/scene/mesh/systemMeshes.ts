import { CELL_PARTS } from '../../cpu/grid';
import type { WallShape } from '../problem';
import type { SystemMesh, Units } from '../system';
import { buildTriangleGrid } from './triangleGrid';
import { featureCount, type TriangleMesh } from './triangleMesh';

/** Edge of the cells that triangles are looked up by, at least, in mean diameters. Smaller: fewer triangles looked at, more cells. */
const LEAST_CELL = 1;

export function toInternalMesh(mesh: TriangleMesh, { length, origin }: Units): TriangleMesh {
  const place = (x: number, axis: number) => (x - origin[axis]) / length;
  return {
    ...mesh,
    vertices: mesh.vertices.map((x, k) => place(x, k % 3)),
    facets: mesh.facets.map((x, k) => (k % 6 < 3 ? place(x, k % 6) : x)),
    tolerance: mesh.tolerance / length,
  };
}

/** The meshes among walls in internal units, with their grids and with numbers for their features. */
export function systemMeshes(walls: readonly WallShape[]): SystemMesh[] {
  let firstFeature = 0;
  return walls.flatMap((shape, wall): SystemMesh[] => {
    if (shape.kind !== 'mesh') return [];
    const { mesh } = shape;
    const found = {
      wall,
      firstFeature,
      mesh,
      grid: buildTriangleGrid(mesh.vertices, mesh.triangles, LEAST_CELL, 1 / CELL_PARTS),
    };
    firstFeature += featureCount(mesh);
    return [found];
  });
}
