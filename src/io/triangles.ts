import { SceneError } from '../errors';
import { readObj } from './readObj';
import { readStl } from './readStl';
import { type TriangleTable, wholeFileError } from './triangleTable';

/**
 * Reads the triangles of an .stl (text or binary) or .obj file.
 * @param file name for messages; its ending says which format
 * @throws SceneError naming the file, and the line in a text
 */
export function readTriangles(file: string, bytes: Uint8Array): TriangleTable {
  if (bytes.length === 0) throw wholeFileError(file, 'is empty: expected a surface of triangles, as STL or OBJ');
  const table = /\.obj$/i.test(file) ? readObj(file, new TextDecoder().decode(bytes)) : readStl(file, bytes);
  if (table.count === 0) throw wholeFileError(file, 'has no triangles; export the surface as a mesh of triangles');
  return table;
}

/** The triangles of a file. @throws SceneError at the place that names the file, with the file and the line */
export function trianglesOf(file: string, bytes: Uint8Array, place: string): TriangleTable {
  try {
    return readTriangles(file, bytes);
  } catch (error) {
    if (!(error instanceof SceneError)) throw error;
    throw new SceneError(error.faults.map(({ path, message }) => ({ path: place, message: `${path}: ${message}` })));
  }
}
