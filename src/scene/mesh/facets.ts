import type { Vector } from '../problem';
import { unit } from '../walls';
import { at, cross, dot, type EdgeTable, subtract } from './topology';
import { NONE } from './triangleMesh';

/**
 * Joins triangles that lie in one plane and share edges, from the largest on: the plane is that of the largest triangle, and
 * what joins it lies within the tolerance of it, so that a finely divided curved surface does not grow flat.
 */
export function facetsOf(
  vertices: Float64Array,
  triangles: Uint32Array,
  { edgesOf, trianglesOf, ends }: EdgeTable,
  tolerance: number,
): { facetOf: Uint32Array; facets: Float64Array } {
  const count = triangles.length / 3;
  const corner = (t: number, k: number) => at(vertices, triangles[3 * t + k]);
  const areas = Array.from({ length: count }, (_, t) => {
    const [a, b, c] = [corner(t, 0), corner(t, 1), corner(t, 2)];
    return cross(subtract(b, a), subtract(c, a));
  });
  const sizes = Float64Array.from(areas, (area) => Math.hypot(...area));
  const order = Uint32Array.from({ length: count }, (_, t) => t).sort((a, b) => sizes[b] - sizes[a] || a - b);
  const facetOf = new Uint32Array(count).fill(NONE);
  const facets: number[] = [];
  for (const seed of order) {
    if (facetOf[seed] !== NONE) continue;
    const facet = facets.length / 6;
    const point = corner(seed, 0);
    const normal = unit(areas[seed]);
    facets.push(...point, ...normal);
    facetOf[seed] = facet;
    const inPlane = (t: number) => [0, 1, 2].every((k) => Math.abs(dot(subtract(corner(t, k), point), normal)) <= tolerance);
    for (const waiting = [seed]; waiting.length > 0; ) {
      const t = waiting.pop()!;
      for (let k = 0; k < 3; k++) {
        const edge = edgesOf[3 * t + k];
        for (const other of trianglesOf[edge]) {
          if (facetOf[other] !== NONE || !inPlane(other) || !across(t, other, ends[edge])) continue;
          facetOf[other] = facet;
          waiting.push(other);
        }
      }
    }
  }
  return { facetOf, facets: Float64Array.from(facets) };

  /** Whether two triangles lie on different sides of their edge; else one is folded back onto the other. */
  function across(t: number, other: number, [from, to]: readonly [number, number]): boolean {
    const start = at(vertices, from);
    const along = unit(subtract(at(vertices, to), start));
    const inwards = (triangle: number): Vector => {
      const third = [0, 1, 2].map((k) => triangles[3 * triangle + k]).find((vertex) => vertex !== from && vertex !== to)!;
      const way = subtract(at(vertices, third), start);
      const along0 = dot(way, along);
      return [0, 1, 2].map((axis) => way[axis] - along0 * along[axis]) as Vector;
    };
    return dot(inwards(t), inwards(other)) < 0;
  }
}
