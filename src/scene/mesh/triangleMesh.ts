/** No such feature. */
export const NONE = 0xffffffff;

/**
 * A surface of triangles with what a sphere can touch: facets, edges and corners, its features. A facet is all triangles that
 * lie in one plane and hang together, so that how a plane is divided into triangles is not felt. Edges within a facet are no
 * features, nor are vertices that only such edges end at. Features are numbered: facets, then edges, then corners.
 */
export interface TriangleMesh {
  /** V x 3 */
  vertices: Float64Array;
  /** T x 3, indices of vertices */
  triangles: Uint32Array;
  /** T, the facet that each triangle is part of */
  facetOf: Uint32Array;
  /** F x 6: a point of the plane, and its unit normal. Which of its two sides the normal points to means nothing. */
  facets: Float64Array;
  /** E x 2, indices of vertices */
  edges: Uint32Array;
  /** K, indices of vertices */
  corners: Uint32Array;
  /** E + K + 1: where the surroundings of each edge and each corner begin */
  aroundStarts: Uint32Array;
  /** Vertices: for an edge the third ones of its triangles, for a corner the far ends of all that begin at it. */
  around: Uint32Array;
  /** T x 3: edge k runs from corner k to corner k + 1; the triangle that owns it has its number among the edges here, others NONE. */
  ownedEdges: Uint32Array;
  /** T x 3: the same for corners. */
  ownedCorners: Uint32Array;
  /** T: bit 2 k where the surface rises across edge k towards the facet's normal, bit 2 k + 1 where it does towards the other side. */
  rising: Uint8Array;
  /** In periodic space features with one whole part of number/images are images of each other; 1 elsewhere. */
  images: number;
  /** A length: nearer to a vertex or a plane of the mesh is at it or in it. */
  tolerance: number;
}

export const featureCount = ({ facets, edges, corners }: TriangleMesh): number =>
  facets.length / 6 + edges.length / 2 + corners.length;
