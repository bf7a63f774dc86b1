/** Vertices nearer to each other than this share of the largest coordinate are one: twice the rounding of single precision. */
const WELD_TOLERANCE = 2.5e-7;

export interface Welded {
  vertices: Float64Array;
  triangles: Uint32Array;
  /** Which triangles these are of those given; others were left out because they have no area, or come twice. */
  kept: Uint32Array;
}

/**
 * Joins vertices in one place, and leaves out triangles without an area and all but the first of those with the same corners.
 * @param vertices V x 3
 * @param triangles T x 3
 */
export function weld(vertices: Float64Array, triangles: Uint32Array): Welded {
  const tolerance = meshTolerance(vertices);
  const joined = joinVertices(vertices, tolerance);
  const { places } = joined;
  const seen = new Set<string>();
  const [result, kept]: number[][] = [[], []];
  for (let t = 0; t < triangles.length; t += 3) {
    const corners = [places[triangles[t]], places[triangles[t + 1]], places[triangles[t + 2]]];
    const key = [...corners].sort((a, b) => a - b).join();
    if (seen.has(key) || isFlat(joined.kept, corners, tolerance)) continue;
    seen.add(key);
    result.push(...corners);
    kept.push(t / 3);
  }
  return {
    vertices: Float64Array.from(joined.kept),
    triangles: Uint32Array.from(result),
    kept: Uint32Array.from(kept),
  };
}

/** What is one place, or one plane, in a mesh of these vertices. */
export function meshTolerance(vertices: Float64Array): number {
  return WELD_TOLERANCE * vertices.reduce((largest, x) => Math.max(largest, Math.abs(x)), 0);
}

function joinVertices(vertices: Float64Array, tolerance: number): { kept: number[]; places: Uint32Array } {
  const kept: number[] = [];
  const places = new Uint32Array(vertices.length / 3);
  const cellSize = 4 * tolerance;
  const newest = new Map<number, number>();
  const older: number[] = [];
  const key = (x: number, y: number, z: number) => (Math.imul(x, 73856093) ^ Math.imul(y, 19349663) ^ Math.imul(z, 83492791)) | 0;
  const cell = (x: number) => Math.floor(x / cellSize) % 2 ** 31;
  const find = (x: number, y: number, z: number): number | undefined => {
    for (const cx of new Set([cell(x - tolerance), cell(x + tolerance)])) {
      for (const cy of new Set([cell(y - tolerance), cell(y + tolerance)])) {
        for (const cz of new Set([cell(z - tolerance), cell(z + tolerance)])) {
          for (let v = newest.get(key(cx, cy, cz)) ?? -1; v >= 0; v = older[v]) {
            if (Math.hypot(kept[3 * v] - x, kept[3 * v + 1] - y, kept[3 * v + 2] - z) <= tolerance) return v;
          }
        }
      }
    }
    return undefined;
  };
  for (let v = 0; v < places.length; v++) {
    const [x, y, z] = vertices.subarray(3 * v, 3 * v + 3);
    const found = find(x, y, z);
    if (found !== undefined) {
      places[v] = found;
      continue;
    }
    const home = key(cell(x), cell(y), cell(z));
    places[v] = kept.length / 3;
    older.push(newest.get(home) ?? -1);
    newest.set(home, places[v]);
    kept.push(x, y, z);
  }
  return { kept, places };
}

/** Whether the corners are on one line, or nearly. */
function isFlat(vertices: readonly number[], [a, b, c]: readonly number[], tolerance: number): boolean {
  if (a === b || b === c || a === c) return true;
  const side = (from: number, to: number) => [0, 1, 2].map((axis) => vertices[3 * to + axis] - vertices[3 * from + axis]);
  const [u, v] = [side(a, b), side(a, c)];
  const twiceArea = Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]);
  const longest = Math.max(Math.hypot(...u), Math.hypot(...v), Math.hypot(...side(b, c)));
  return twiceArea <= tolerance * longest;
}
