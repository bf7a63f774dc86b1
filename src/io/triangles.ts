import { readObj } from './readObj';
import { readStl } from './readStl';
import { type TriangleTable, wholeFileError } from './triangleTable';

/**
 * Reads the triangles of an .stl (text or binary) or .obj file.
 * @param file name for messages; its ending says which format
 * @throws SceneError naming the file, and the line in a text
 */
export function readTriangles(file: string, bytes: Uint8Array): TriangleTable {
  if (bytes.length === 0) throw wholeFileError(file, 'is empty');
  const table = /\.obj$/i.test(file) ? readObj(file, new TextDecoder().decode(bytes)) : readStl(file, bytes);
  if (table.count === 0) throw wholeFileError(file, 'has no triangles');
  return table;
}
