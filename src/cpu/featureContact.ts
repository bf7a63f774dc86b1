import type { TriangleMesh } from '../scene/mesh/triangleMesh';
import type { Vector } from '../scene/problem';
import type { WallContact } from '../scene/wallContact';

/**
 * Gap between a sphere and a feature, and the contact normal, from the sphere to the feature. A facet's plane and an edge's line
 * count without end: whether the sphere is at the feature is MeshSearch's to say.
 * @param towards of a facet: a direction to the side of it that is met; default: from where the sphere is
 */
export function featureContact(
  { facets, edges, corners, vertices }: TriangleMesh,
  feature: number,
  x: number,
  y: number,
  z: number,
  radius: number,
  out: WallContact,
  towards?: Vector,
): void {
  const { normal } = out;
  const firstEdge = facets.length / 6;
  if (feature < firstEdge) {
    const [px, py, pz, nx, ny, nz] = facets.subarray(6 * feature, 6 * feature + 6);
    const height = (x - px) * nx + (y - py) * ny + (z - pz) * nz;
    const isOver = towards ? towards[0] * nx + towards[1] * ny + towards[2] * nz < 0 : height >= 0;
    const side = isOver ? -1 : 1;
    out.gap = -side * height - radius;
    normal[0] = side * nx;
    normal[1] = side * ny;
    normal[2] = side * nz;
    return;
  }
  const edge = feature - firstEdge;
  const isEdge = edge < edges.length / 2;
  const v = 3 * (isEdge ? edges[2 * edge] : corners[edge - edges.length / 2]);
  let [dx, dy, dz] = [vertices[v] - x, vertices[v + 1] - y, vertices[v + 2] - z];
  if (isEdge) {
    const b = 3 * edges[2 * edge + 1];
    const [ux, uy, uz] = [vertices[b] - vertices[v], vertices[b + 1] - vertices[v + 1], vertices[b + 2] - vertices[v + 2]];
    const share = (dx * ux + dy * uy + dz * uz) / (ux * ux + uy * uy + uz * uz);
    [dx, dy, dz] = [dx - share * ux, dy - share * uy, dz - share * uz];
  }
  const distance = Math.sqrt(dx * dx + dy * dy + dz * dz);
  out.gap = distance - radius;
  if (distance === 0) normal.splice(0, 3, 0, 0, -1);
  else normal.splice(0, 3, dx / distance, dy / distance, dz / distance);
}
