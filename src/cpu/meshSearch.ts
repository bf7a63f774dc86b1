import type { TriangleGrid } from '../scene/mesh/triangleGrid';
import { NONE, type TriangleMesh } from '../scene/mesh/triangleMesh';

/** Facets reach so far (mean diameters) beyond their borders, so that rounding leaves no slit between them and their edges. */
const BAND = 1e-9;
/** Share of the way to a point of the mesh within which what lies across the way is at one of its ends, and hides nothing. */
const AT_END = 1e-4;
/** Share of its reach by which a sphere may be beyond further borders of a facet that it is beyond a rising one of. */
export const ASIDE = 0.5;
/** Sine of an angle that counts as none. */
const STRAIGHT = 1e-7;

/**
 * Finds the features of a mesh that a sphere can touch: those that hold a point nearest to the centre among all around it. Over
 * the inside of a facet that is the facet alone; an edge or a corner only where the centre lies outside the regions of all that
 * meet there, so that none is felt on the way over an inner edge. Within reach, a facet also counts beyond borders across which
 * the surface rises: the sphere may come to it in this step, and, from a corner, over another border too, if the plane is clear of
 * it. What the surface hides from the centre does not count.
 * Lengths in mean diameters, in the mesh's own frame.
 */
export class MeshSearch {
  /** Features found, ascending. */
  readonly found: number[] = [];
  private readonly near: number[] = [];
  /** T x 9: unit, in the triangle's plane, at right angles to each edge and inwards */
  private readonly inwards: Float64Array;
  private readonly firstCorner: number;
  private readonly tolerance: number;
  private readonly target = new Float64Array(3);
  private x = 0;
  private y = 0;
  private z = 0;
  private range = 0;
  private reach = 0;

  constructor(
    private readonly mesh: TriangleMesh,
    private readonly grid: TriangleGrid,
  ) {
    this.inwards = inwardNormals(mesh);
    this.firstCorner = mesh.edges.length / 2;
    this.tolerance = Math.max(mesh.tolerance, BAND);
  }

  /** Fills `found` for a sphere with its centre at (x, y, z): features with a gap of at most `reach`. */
  find(x: number, y: number, z: number, radius: number, reach: number): void {
    this.found.length = 0;
    [this.x, this.y, this.z, this.range, this.reach] = [x, y, z, radius + reach, reach];
    this.findNear();
    if (this.near.length === 0) return;
    const { facetOf, ownedEdges, ownedCorners, facets } = this.mesh;
    const firstEdge = facets.length / 6;
    for (const t of this.near) {
      if (this.touchesFacet(t) && !this.found.includes(facetOf[t])) this.found.push(facetOf[t]);
      for (let k = 3 * t; k < 3 * t + 3; k++) {
        const edge = ownedEdges[k];
        if (edge !== NONE && this.touchesEdge(edge)) this.found.push(firstEdge + edge);
        const corner = ownedCorners[k];
        if (corner !== NONE && this.touchesCorner(corner)) this.found.push(firstEdge + this.firstCorner + corner);
      }
    }
    this.found.sort((a, b) => a - b);
  }

  /** Triangles in the cells around, each from the first of these cells that it reaches into. */
  private findNear(): void {
    const { near, grid, range } = this;
    const { origin, cellSize, dims, starts, items, first } = grid;
    near.length = 0;
    const low = [this.x, this.y, this.z].map((c, axis) => Math.max(0, Math.floor((c - range - origin[axis]) / cellSize)));
    const high = [this.x, this.y, this.z].map((c, axis) =>
      Math.min(dims[axis] - 1, Math.floor((c + range - origin[axis]) / cellSize)),
    );
    for (let z = low[2]; z <= high[2]; z++) {
      for (let y = low[1]; y <= high[1]; y++) {
        for (let x = low[0]; x <= high[0]; x++) {
          const cell = (z * dims[1] + y) * dims[0] + x;
          for (let k = starts[cell]; k < starts[cell + 1]; k++) {
            const t = items[k];
            const isFirst =
              x === Math.max(low[0], first[3 * t]) &&
              y === Math.max(low[1], first[3 * t + 1]) &&
              z === Math.max(low[2], first[3 * t + 2]);
            if (isFirst) near.push(t);
          }
        }
      }
    }
  }

  private touchesFacet(t: number): boolean {
    const { mesh, target, reach } = this;
    const f = 6 * mesh.facetOf[t];
    const { facets } = mesh;
    const height = this.heightOver(f, this.x, this.y, this.z);
    if (Math.abs(height) > this.range) return false;
    const side = height >= 0 ? 0 : 1;
    const aside = Math.abs(height) < this.range - reach ? 0 : ASIDE * reach;
    let least = 0;
    let beyond = -1;
    let [isAside, rises] = [false, false];
    for (let k = 0; k < 3; k++) {
      const inside = this.inside(t, k, this.x, this.y, this.z);
      if (inside < -BAND) {
        const risesHere = ((mesh.rising[t] >> (2 * k + side)) & 1) === 1;
        if (inside < -(risesHere ? reach : aside)) return false;
        if (risesHere) rises = true;
        else isAside = true;
      }
      if (inside >= least) continue;
      least = inside;
      beyond = k;
    }
    if (isAside && !rises) return false;
    if (beyond < 0) {
      for (let axis = 0; axis < 3; axis++) target[axis] = -height * facets[f + 3 + axis];
      target[0] += this.x;
      target[1] += this.y;
      target[2] += this.z;
    } else if (!this.aimAtEdge(mesh.triangles[3 * t + beyond], mesh.triangles[3 * t + ((beyond + 1) % 3)])) return false;
    return !this.isHidden(false);
  }

  /** Sets the target to the point nearest to the centre on the line between two vertices. False where it is out of range. */
  private aimAtEdge(from: number, to: number): boolean {
    const { target } = this;
    const { vertices } = this.mesh;
    const centre = [this.x, this.y, this.z];
    let [square, shadow] = [0, 0];
    for (let axis = 0; axis < 3; axis++) {
      const along = vertices[3 * to + axis] - vertices[3 * from + axis];
      square += along * along;
      shadow += along * (centre[axis] - vertices[3 * from + axis]);
    }
    const share = Math.min(1, Math.max(0, shadow / square));
    let distance = 0;
    for (let axis = 0; axis < 3; axis++) {
      target[axis] = vertices[3 * from + axis] + share * (vertices[3 * to + axis] - vertices[3 * from + axis]);
      distance += (target[axis] - centre[axis]) ** 2;
    }
    return distance <= this.range * this.range;
  }

  private touchesEdge(edge: number): boolean {
    const { vertices, edges } = this.mesh;
    const a = 3 * edges[2 * edge];
    const b = 3 * edges[2 * edge + 1];
    const ux = vertices[b] - vertices[a];
    const uy = vertices[b + 1] - vertices[a + 1];
    const uz = vertices[b + 2] - vertices[a + 2];
    const length = Math.sqrt(ux * ux + uy * uy + uz * uz);
    const along = ((this.x - vertices[a]) * ux + (this.y - vertices[a + 1]) * uy + (this.z - vertices[a + 2]) * uz) / length;
    if (along < -BAND || along > length + BAND) return false;
    const share = along / length;
    return this.touchesPoint(edge, vertices[a] + share * ux, vertices[a + 1] + share * uy, vertices[a + 2] + share * uz);
  }

  private touchesCorner(corner: number): boolean {
    const { vertices, corners } = this.mesh;
    const v = 3 * corners[corner];
    return this.touchesPoint(this.firstCorner + corner, vertices[v], vertices[v + 1], vertices[v + 2]);
  }

  /** Whether the way to the centre leads away from all that surrounds the point on an edge or corner. */
  private touchesPoint(feature: number, px: number, py: number, pz: number): boolean {
    const { target, mesh } = this;
    const dx = this.x - px;
    const dy = this.y - py;
    const dz = this.z - pz;
    if (dx * dx + dy * dy + dz * dz > this.range * this.range) return false;
    const { vertices, around, aroundStarts } = mesh;
    for (let k = aroundStarts[feature]; k < aroundStarts[feature + 1]; k++) {
      const v = 3 * around[k];
      if (dx * (vertices[v] - px) + dy * (vertices[v + 1] - py) + dz * (vertices[v + 2] - pz) > 0) return false;
    }
    target[0] = px;
    target[1] = py;
    target[2] = pz;
    return !this.isHidden(true);
  }

  /** Whether a triangle lies across the way from the centre to the target, or, from an edge or corner there, leads nearer. */
  private isHidden(isPoint: boolean): boolean {
    const { near, target, mesh } = this;
    const [px, py, pz] = target;
    for (const t of near) {
      const f = 6 * mesh.facetOf[t];
      const start = this.heightOver(f, this.x, this.y, this.z);
      const end = this.heightOver(f, px, py, pz);
      const share = start / (start - end);
      if (start * end < 0 && share > AT_END && share < 1 - AT_END) {
        const [cx, cy, cz] = [this.x + share * (px - this.x), this.y + share * (py - this.y), this.z + share * (pz - this.z)];
        if ([0, 1, 2].every((k) => this.inside(t, k, cx, cy, cz) >= -BAND)) return true;
      }
      if (isPoint && Math.abs(end) <= this.tolerance && this.leadsNearer(t, f)) return true;
    }
    return false;
  }

  /**
   * Whether a triangle that holds the target, and does not share the vertices there, goes on from it towards the centre: so that
   * neither borders of pieces that lie flush nor vertices on the edges of others are felt.
   */
  private leadsNearer(t: number, f: number): boolean {
    const { target, tolerance, inwards } = this;
    const { facets } = this.mesh;
    const way = [this.x - target[0], this.y - target[1], this.z - target[2]];
    const up = way[0] * facets[f + 3] + way[1] * facets[f + 4] + way[2] * facets[f + 5];
    const flat = way.map((w, axis) => w - up * facets[f + 3 + axis]);
    if (Math.hypot(...flat) <= STRAIGHT * Math.hypot(...way)) return false;
    return [0, 1, 2].every((k) => {
      const inside = this.inside(t, k, target[0], target[1], target[2]);
      if (inside > tolerance) return true;
      const m = 9 * t + 3 * k;
      return inside >= -tolerance && flat[0] * inwards[m] + flat[1] * inwards[m + 1] + flat[2] * inwards[m + 2] >= 0;
    });
  }

  /** How far a point is over a facet's plane, on the side that its normal points to. */
  private heightOver(f: number, x: number, y: number, z: number): number {
    const { facets } = this.mesh;
    return (x - facets[f]) * facets[f + 3] + (y - facets[f + 1]) * facets[f + 4] + (z - facets[f + 2]) * facets[f + 5];
  }

  /** How far a point is inside of a triangle's edge k. */
  private inside(t: number, k: number, x: number, y: number, z: number): number {
    const { inwards, mesh } = this;
    const v = 3 * mesh.triangles[3 * t + k];
    const m = 9 * t + 3 * k;
    const { vertices } = mesh;
    return (x - vertices[v]) * inwards[m] + (y - vertices[v + 1]) * inwards[m + 1] + (z - vertices[v + 2]) * inwards[m + 2];
  }
}

function inwardNormals({ vertices, triangles }: TriangleMesh): Float64Array {
  const result = new Float64Array(3 * triangles.length);
  const along = new Float64Array(3);
  const over = new Float64Array(3);
  for (let place = 0; place < triangles.length; place++) {
    const base = place - (place % 3);
    const [a, b, c] = [0, 1, 2].map((step) => 3 * triangles[base + ((place + step) % 3)]);
    let [square, shadow] = [0, 0];
    for (let axis = 0; axis < 3; axis++) {
      along[axis] = vertices[b + axis] - vertices[a + axis];
      over[axis] = vertices[c + axis] - vertices[a + axis];
      square += along[axis] ** 2;
      shadow += along[axis] * over[axis];
    }
    const inwards = over.map((x, axis) => x - (shadow / square) * along[axis]);
    const length = Math.hypot(...inwards);
    result.set(
      inwards.map((x) => x / length),
      3 * place,
    );
  }
  return result;
}
