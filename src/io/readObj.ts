import { formatValue } from '../scene/faults';
import { fileError } from './table';
import { TriangleTable } from './triangleTable';

/**
 * Reads a surface in Wavefront OBJ: vertices (v) and faces (f), whose indices count from 1, or from the end where negative;
 * texture and normal indices, groups and materials are passed over. A convex polygon becomes a fan of triangles.
 * @throws SceneError naming file and line
 */
export function readObj(file: string, text: string): TriangleTable {
  const table = new TriangleTable(file);
  // A backslash at the end of a line continues it.
  const rows = text.replace(/\\\r?\n/g, ' ').split('\n');
  rows.forEach((row, k) => {
    const [key, ...words] = row.replace(/#.*/, '').trim().split(/\s+/);
    if (key === 'v') {
      const [x, y, z] = [0, 1, 2].map((axis) => (words[axis] === undefined ? Number.NaN : Number(words[axis])));
      if (!Number.isFinite(x + y + z)) {
        throw fileError(file, k + 1, `has a vertex ${formatValue(words.join(' '))}; expected three finite numbers`);
      }
      table.addVertex(x, y, z);
    } else if (key === 'f') {
      const corners = words.map((word) => vertexIndex(file, k + 1, word, table.vertexCount));
      if (corners.length < 3) throw fileError(file, k + 1, `has a face of ${corners.length} corners; it must have three or more`);
      if (corners.length > 3 && !isConvex(corners.map((corner) => table.vertex(corner)))) {
        throw fileError(file, k + 1, 'has a face that is not convex; divide it into triangles');
      }
      for (let corner = 2; corner < corners.length; corner++) {
        table.addTriangle(corners[0], corners[corner - 1], corners[corner]);
      }
    }
  });
  return table;
}

function vertexIndex(file: string, line: number, word: string, vertices: number): number {
  const given = /^[+-]?\d+(\/|$)/.test(word) ? Number.parseInt(word, 10) : 0;
  const index = given < 0 ? vertices + given : given - 1;
  if (index >= 0 && index < vertices) return index;
  throw fileError(
    file,
    line,
    `has a face with the corner ${formatValue(word)}; expected the number of one of the ${vertices} vertices above, from 1, or from -1 backwards`,
  );
}

/** Whether no corner of a polygon turns against the others, seen along its mean normal; where sides cross there may be none. */
function isConvex(corners: readonly (readonly number[])[]): boolean {
  const turns = corners.map((corner, k) => {
    const before = corners[(k + corners.length - 1) % corners.length];
    const after = corners[(k + 1) % corners.length];
    const a = corner.map((x, axis) => x - before[axis]);
    const b = after.map((x, axis) => x - corner[axis]);
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  });
  const mean = turns.reduce((sum, turn) => sum.map((x, axis) => x + turn[axis]), [0, 0, 0]);
  const size = Math.hypot(...mean);
  if (size < 1e-6 * turns.reduce((sum, turn) => sum + Math.hypot(...turn), 0)) return false;
  const slack = 1e-9 * size ** 2;
  return turns.every((turn) => turn[0] * mean[0] + turn[1] * mean[1] + turn[2] * mean[2] >= -slack);
}
