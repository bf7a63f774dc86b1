import type { Vector } from '../problem';

/** Which triangles share which edges. */
export interface EdgeTable {
  /** Each edge's two vertices, the lower first. */
  ends: [number, number][];
  /** Each edge's triangles, ascending: two within a surface, one at its border, more where surfaces meet. */
  trianglesOf: number[][];
  /** T x 3: edge from corner k to corner k + 1 */
  edgesOf: Uint32Array;
}

export function edgeTable(triangles: Uint32Array): EdgeTable {
  const numbers = new Map<number, number>();
  const [ends, trianglesOf]: [[number, number][], number[][]] = [[], []];
  const edgesOf = triangles.map((from, place) => {
    const to = triangles[place % 3 === 2 ? place - 2 : place + 1];
    const [low, high] = from < to ? [from, to] : [to, from];
    const key = low * 2 ** 26 + high;
    const known = numbers.get(key);
    if (known !== undefined) {
      trianglesOf[known].push(Math.floor(place / 3));
      return known;
    }
    numbers.set(key, ends.length);
    trianglesOf.push([Math.floor(place / 3)]);
    return ends.push([low, high]) - 1;
  });
  return { ends, trianglesOf, edgesOf };
}

export const at = (vertices: Float64Array, vertex: number): Vector => [
  vertices[3 * vertex],
  vertices[3 * vertex + 1],
  vertices[3 * vertex + 2],
];

export const subtract = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
