import { describe, expect, test } from 'vitest';
import { readTriangles } from '../../src/io/triangles';
import { weld } from '../../src/scene/mesh/weld';

const bytes = (text: string) => new TextEncoder().encode(text);

const facet = (...corners: string[]) =>
  `facet normal 0 0 1\n outer loop\n${corners.map((corner) => `  vertex ${corner}\n`).join('')} endloop\nendfacet\n`;
const text = `solid part of facet\n${facet('0 0 0', '1 0 0', '0 1 0')}${facet('1 0 0', '1e0 1.0 0', '0 1 0')}endsolid part of facet\n`;

function binary(triangles: number[][], header = ''): Uint8Array {
  const data = new Uint8Array(84 + 50 * triangles.length);
  data.set(bytes(header));
  const view = new DataView(data.buffer);
  view.setUint32(80, triangles.length, true);
  triangles.forEach((corners, t) => {
    corners.forEach((x, k) => {
      view.setFloat32(84 + 50 * t + 12 + 4 * k, x, true);
    });
  });
  return data;
}

const joined = (...parts: Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]));

const SQUARE = [
  [0, 0, 0, 1, 0, 0, 0, 1, 0],
  [1, 0, 0, 1, 1, 0, 0, 1, 0],
];

const refusal = (file: string, content: Uint8Array) => {
  try {
    readTriangles(file, content);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('was read');
};

describe('triangles from files', () => {
  test.each([
    ['text STL', 'a.stl', bytes(text)],
    ['text STL with other line ends and case', 'A.STL', bytes(text.toUpperCase().replaceAll('\n', '\r\n'))],
    ['text STL with line ends of one letter', 'a.stl', bytes(text.replaceAll('\n', '\r'))],
    ['binary STL', 'a.stl', binary(SQUARE)],
    ['binary STL that begins as a text would', 'a.stl', binary(SQUARE, 'solid facet')],
  ])('%s', (_, file, content) => {
    const table = readTriangles(file, content);
    expect(table.count).toBe(2);
    expect([...table.vertices]).toEqual(SQUARE.flat());
    expect([...table.triangles]).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test('OBJ with polygons, negative and compound indices, comments and continued lines', () => {
    const obj =
      '# box\no lid\nv 0 0 0\nv 1 0 0 # corner\nv 1 1 0\nvt 0 0\nvn 0 0 1\nv 0 1 0\nf 1/1/1 2//1 \\\n 3 4\nv 0 0 2\nf -1 -5 -4\n';
    const table = readTriangles('a.obj', bytes(obj));
    expect([...table.triangles]).toEqual([0, 1, 2, 0, 2, 3, 4, 0, 1]);
    expect(table.vertices.slice(12)).toEqual(Float64Array.of(0, 0, 2));
  });

  test.each([
    ['a.stl', bytes(''), 'a.stl: is empty'],
    ['a.stl', bytes('no mesh'), 'a.stl: is no STL file'],
    ['a.stl', bytes('solid x\nendsolid x\n'), 'a.stl: has no triangles'],
    ['a.stl', binary([]), 'a.stl: has no triangles'],
    [
      'a.stl',
      binary(SQUARE).subarray(0, 150),
      'a.stl: is broken: its header announces 2 triangles, which take 184 bytes, and it has 150',
    ],
    [
      'a.stl',
      binary(SQUARE, 'solid part').subarray(0, 183),
      'a.stl: is broken: its header announces 2 triangles, which take 184 bytes, and it has 183',
    ],
    [
      'a.stl',
      joined(binary(SQUARE, 'solid part'), new Uint8Array(3)),
      'a.stl: is broken: its header announces 2 triangles, which take 184 bytes, and it has 187',
    ],
    [
      'a.stl',
      joined(binary([], `solid ${' '.repeat(74)}`), binary(SQUARE).subarray(84)),
      'a.stl: is broken: its header announces 0 triangles, which take 84 bytes, and it has 184',
    ],
    ['a.stl', binary([], 'solid part'), 'a.stl: has no triangles'],
    ['a.stl', binary([], 'solid part').subarray(0, 50), 'a.stl: is cut off within its header, which takes 84 bytes'],
    ['a.stl', bytes(text.slice(text.indexOf('facet'))), 'a.stl: is no STL file'],
    ['a.stl', bytes(`<html>${' '.repeat(90)}</html>`), 'a.stl: is no STL file'],
    ['a.stl', bytes(text.replace('1e0', '1\0\0')), 'a.stl line 12: has a byte 0, which is no letter: the file is damaged'],
    ['a.stl', joined(bytes(text), binary(SQUARE)), 'a.stl line 17: has a byte 0'],
    ['a.stl', bytes('solid part'), 'a.stl line 1: is the last, and "endsolid" is missing'],
    ['a.stl', binary([[0, 0, 0, Number.NaN, 0, 0, 0, 1, 0]]), 'a.stl: has a corner at (NaN, 0, 0) in triangle 1'],
    ['a.stl', bytes(text.slice(0, -40)), 'a.stl line 14: is the last, and "endsolid" is missing'],
    ['a.stl', bytes(text.replace('1.0', 'nan')), 'a.stl line 12: has a vertex "1e0 nan 0"'],
    ['a.stl', bytes(`solid\n${facet('0 0 0', '1 0 0')}endsolid`), 'a.stl line 7: ends a facet of 2 vertices'],
    ['a.obj', bytes('v 0 0 0\n'), 'a.obj: has no triangles'],
    ['a.obj', bytes('v 0 0\n'), 'a.obj line 1: has a vertex "0 0"'],
    ['a.obj', bytes('v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n'), 'a.obj line 4: has a face with the corner "4"'],
    ['a.obj', bytes('v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n'), 'a.obj line 4: has a face with the corner "0"'],
    ['a.obj', bytes('v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1.5 2 3\n'), 'a.obj line 4: has a face with the corner "1.5"'],
    ['a.obj', bytes('v 0 0 0\nv 1 0 0\nf 1 2\n'), 'a.obj line 3: has a face of 2 corners'],
    [
      'a.obj',
      bytes('v 0 0 0\nv 4 0 0\nv 1 1 0\nv 0 4 0\nf 1 2 3 4\n'),
      'a.obj line 5: has a face that is not convex; divide it into triangles',
    ],
    ['a.obj', bytes('v 0 0 0\nv 1 1 0\nv 1 0 0\nv 0 1 0\nf 1 2 3 4\n'), 'a.obj line 5: has a face that is not convex'],
  ])('%s with a fault is refused: %#', (file, content, message) => {
    expect(refusal(file, content)).toContain(message);
  });

  test('millions of triangles are refused, in a header before they are read', () => {
    const header = binary([]);
    new DataView(header.buffer).setUint32(80, 3_000_000, true);
    const huge = new Uint8Array(84 + 50 * 3_000_000);
    huge.set(header);
    expect(refusal('a.stl', huge)).toContain('a.stl: has more triangles than the 250000 that a scene can hold');
  });
});

describe('welding', () => {
  test('joins vertices within the rounding of single precision, and drops triangles without an area or that come twice', () => {
    const slip = 1e-7;
    const vertices = Float64Array.from([...SQUARE.flat(), 1 + slip, 0, 0, 0.5, 0, 0, 0, 0, 0]);
    const triangles = Uint32Array.of(0, 1, 2, 6, 4, 2, 0, 7, 1, 2, 0, 3, 8, 1, 2);
    const welded = weld(vertices, triangles);
    expect([...welded.triangles]).toEqual([0, 1, 2, 1, 3, 2]);
    expect(welded.vertices.length).toBe(15);
    expect([...welded.kept]).toEqual([0, 1]);
  });
});
