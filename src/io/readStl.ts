import { formatValue } from '../scene/faults';
import { fileError } from './table';
import { checkCount, TriangleTable, wholeFileError } from './triangleTable';

const HEADER_BYTES = 84;
const TRIANGLE_BYTES = 50;

/**
 * Reads a surface in STL, text or binary; what tells them apart is the length, since binary files too may begin with "solid".
 * Normals are passed over: they follow from the corners.
 * @throws SceneError naming the file, and the line in a text
 */
export function readStl(file: string, bytes: Uint8Array): TriangleTable {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = bytes.length >= HEADER_BYTES ? view.getUint32(HEADER_BYTES - 4, true) : 0;
  if (bytes.length >= HEADER_BYTES && bytes.length === HEADER_BYTES + TRIANGLE_BYTES * count)
    return readBinary(file, view, count);
  if (/^\s*solid\b/i.test(new TextDecoder().decode(bytes.subarray(0, 80))))
    return readText(file, new TextDecoder().decode(bytes));
  if (bytes.length < HEADER_BYTES)
    throw wholeFileError(
      file,
      'is no STL file: it neither begins with "solid" nor has a header of 84 bytes; save the surface as STL or OBJ',
    );
  const message = `is broken: its header announces ${count} triangles, which take ${HEADER_BYTES + TRIANGLE_BYTES * count} bytes, and it has ${bytes.length}; write it again`;
  throw wholeFileError(file, message);
}

function readBinary(file: string, view: DataView, count: number): TriangleTable {
  checkCount(file, count);
  const table = new TriangleTable(file);
  for (let triangle = 0; triangle < count; triangle++) {
    const start = HEADER_BYTES + TRIANGLE_BYTES * triangle + 12;
    for (let k = 0; k < 9; k += 3) {
      const [x, y, z] = [0, 4, 8].map((offset) => view.getFloat32(start + 4 * k + offset, true));
      if (!Number.isFinite(x + y + z)) {
        throw wholeFileError(
          file,
          `has a corner at (${x}, ${y}, ${z}) in triangle ${triangle + 1}; coordinates must be finite numbers: export the surface anew`,
        );
      }
      table.addVertex(x, y, z);
    }
    table.addTriangle(3 * triangle, 3 * triangle + 1, 3 * triangle + 2);
  }
  return table;
}

/** Loops of "vertex x y z" within "facet ... endfacet"; of other words only the order of those matters. */
function readText(file: string, text: string): TriangleTable {
  const table = new TriangleTable(file);
  const lexer = /\S+|\n/g;
  let [line, vertices, inFacet, ended] = [1, 0, false, false];
  const next = () => {
    for (let match = lexer.exec(text); match; match = lexer.exec(text)) {
      if (match[0] !== '\n') return match[0];
      line++;
    }
    return undefined;
  };
  for (let word = next(); word !== undefined; word = next()) {
    const key = word.toLowerCase();
    if (key === 'facet') {
      if (inFacet) throw fileError(file, line, 'begins a facet inside another; "endfacet" is missing');
      [inFacet, vertices] = [true, 0];
    } else if (key === 'vertex') {
      if (!inFacet) throw fileError(file, line, 'has a vertex outside a facet');
      const words = [next(), next(), next()];
      const [x, y, z] = words.map((w) => (w === undefined || w === '' ? Number.NaN : Number(w)));
      if (!Number.isFinite(x + y + z)) {
        throw fileError(file, line, `has a vertex ${formatValue(words.join(' '))}; expected three finite numbers`);
      }
      table.addVertex(x, y, z);
      vertices++;
    } else if (key === 'endfacet') {
      if (vertices !== 3 || !inFacet) throw fileError(file, line, `ends a facet of ${vertices} vertices; it must have three`);
      const first = table.vertexCount - 3;
      table.addTriangle(first, first + 1, first + 2);
      inFacet = false;
    } else if (key === 'solid' || key === 'endsolid') {
      if (inFacet) throw fileError(file, line, `has ${formatValue(word)} inside a facet; "endfacet" is missing`);
      ended = key === 'endsolid';
      // A name may follow, of any words.
      const end = text.indexOf('\n', lexer.lastIndex);
      lexer.lastIndex = end < 0 ? text.length : end;
    }
  }
  if (inFacet || !ended)
    throw fileError(file, line, 'is the last, and "endsolid" is missing: the file is cut off; write it again');
  return table;
}
