import type { Vector } from '../problem';
import { facetsOf } from './facets';
import { at, dot, type EdgeTable, edgeTable, subtract } from './topology';
import { NONE, type TriangleMesh } from './triangleMesh';

/**
 * Finds what spheres can touch of welded triangles.
 * @param vertices V x 3
 * @param triangles T x 3, each with an area
 * @param tolerance a length: nearer to a plane is in it
 */
export function findFeatures(vertices: Float64Array, triangles: Uint32Array, tolerance: number): TriangleMesh {
  const table = edgeTable(triangles);
  const { facetOf, facets } = facetsOf(vertices, triangles, table, tolerance);
  const isInner = (edge: number) => {
    const sharers = table.trianglesOf[edge];
    return sharers.length > 1 && sharers.every((t) => facetOf[t] === facetOf[sharers[0]]);
  };
  const features = table.trianglesOf.flatMap((_, edge) => (isInner(edge) ? [] : [edge]));
  const edges = Uint32Array.from(features.flatMap((edge) => table.ends[edge]));
  const corners = Uint32Array.from(new Set(edges)).sort();

  const around: number[] = [];
  const aroundStarts = [0];
  for (const edge of features) {
    for (const t of table.trianglesOf[edge]) around.push(thirdVertex(triangles, t, table.ends[edge]));
    aroundStarts.push(around.length);
  }
  const neighbours = farEnds(table, vertices.length / 3);
  for (const corner of corners) {
    around.push(...neighbours[corner]);
    aroundStarts.push(around.length);
  }
  return {
    vertices,
    triangles,
    facetOf,
    facets,
    edges,
    corners,
    aroundStarts: Uint32Array.from(aroundStarts),
    around: Uint32Array.from(around),
    ownedEdges: ownedEdges(table, features, triangles.length),
    ownedCorners: ownedCorners(triangles, corners, vertices.length / 3),
    rising: risingEdges(vertices, triangles, table, facetOf, facets, tolerance),
    images: 1,
    tolerance,
  };
}

function thirdVertex(triangles: Uint32Array, t: number, [a, b]: readonly number[]): number {
  return [0, 1, 2].map((k) => triangles[3 * t + k]).find((vertex) => vertex !== a && vertex !== b)!;
}

/** For each vertex the other ends of all edges at it. */
function farEnds({ ends }: EdgeTable, count: number): number[][] {
  const result: number[][] = Array.from({ length: count }, () => []);
  for (const [a, b] of ends) {
    result[a].push(b);
    result[b].push(a);
  }
  return result;
}

function ownedEdges({ edgesOf, trianglesOf }: EdgeTable, features: readonly number[], length: number): Uint32Array {
  const owned = new Uint32Array(length).fill(NONE);
  features.forEach((edge, number) => {
    const t = trianglesOf[edge][0];
    owned[[0, 1, 2].map((k) => 3 * t + k).find((place) => edgesOf[place] === edge)!] = number;
  });
  return owned;
}

function ownedCorners(triangles: Uint32Array, corners: Uint32Array, vertices: number): Uint32Array {
  const numbers = new Uint32Array(vertices).fill(NONE);
  corners.forEach((vertex, number) => {
    numbers[vertex] = number;
  });
  return triangles.map((vertex) => {
    const number = numbers[vertex];
    numbers[vertex] = NONE;
    return number;
  });
}

/** Whether the triangles beyond an edge stand out of the plane of the one before it, on either side. */
function risingEdges(
  vertices: Float64Array,
  triangles: Uint32Array,
  { edgesOf, trianglesOf, ends }: EdgeTable,
  facetOf: Uint32Array,
  facets: Float64Array,
  tolerance: number,
): Uint8Array {
  return Uint8Array.from(facetOf, (facet, t) => {
    const point = at(vertices, triangles[3 * t]);
    const normal = Array.from(facets.subarray(6 * facet + 3, 6 * facet + 6)) as Vector;
    let bits = 0;
    for (let k = 0; k < 3; k++) {
      const edge = edgesOf[3 * t + k];
      for (const other of trianglesOf[edge]) {
        if (facetOf[other] === facet) continue;
        const height = dot(subtract(at(vertices, thirdVertex(triangles, other, ends[edge])), point), normal);
        if (height > tolerance) bits |= 1 << (2 * k);
        if (height < -tolerance) bits |= 2 << (2 * k);
      }
    }
    return bits;
  });
}
