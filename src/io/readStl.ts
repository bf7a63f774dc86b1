import { formatValue } from '../scene/faults';
import { fileError } from './table';
import { checkCount, TriangleTable, wholeFileError } from './triangleTable';

const HEADER_BYTES = 84;
const TRIANGLE_BYTES = 50;
/** Where a text has come to its first facet, whatever its name. */
const HEAD_BYTES = 4096;
/** Ends texts of DOS. */
const DOS_END = 26;

/**
 * Reads a surface in STL, text or binary. Binary files too may begin with "solid": one whose length is that of the count in its header
 * is binary. Of others those are text that go on with facets below the name, or that have nothing but letters.
 * Normals are passed over: they follow from the corners.
 * @throws SceneError naming the file, and the line in a text
 */
export function readStl(file: string, bytes: Uint8Array): TriangleTable {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const hasHeader = bytes.length >= HEADER_BYTES;
  const count = hasHeader ? view.getUint32(HEADER_BYTES - 4, true) : 0;
  const length = HEADER_BYTES + TRIANGLE_BYTES * count;
  if (hasHeader && bytes.length === length) return readBinary(file, view, count);
  const head = new TextDecoder().decode(bytes.subarray(0, HEAD_BYTES));
  const stray = bytes.findIndex((byte) => byte < 9 || (byte > 13 && byte < 32 && byte !== DOS_END) || byte === 127);
  const solid = /^\s*solid\b/i.test(head);
  if (/^\s*solid\b.*[\r\n]\s*(facet|endsolid)\b/i.test(head) || (solid && stray < 0)) {
    if (stray < 0) return readText(file, lines(bytes));
    const line = lines(bytes.subarray(0, stray)).split('\n').length;
    throw fileError(file, line, `has a byte ${bytes[stray]}, which is no letter: the file is damaged; write it again`);
  }
  if (stray < 0 || (!hasHeader && !solid))
    throw wholeFileError(
      file,
      'is no STL file: it neither begins with "solid" nor has a header of 84 bytes; save the surface as STL or OBJ',
    );
  if (!hasHeader) throw wholeFileError(file, `is cut off within its header, which takes ${HEADER_BYTES} bytes; write it again`);
  const message = `is broken: its header announces ${count} triangles, which take ${length} bytes, and it has ${bytes.length}; write it again`;
  throw wholeFileError(file, message);
}

/** As text, with lines that end in the same way on all systems. */
const lines = (bytes: Uint8Array) => new TextDecoder().decode(bytes).replace(/\r\n?/g, '\n');

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
