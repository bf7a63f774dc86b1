import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { oneChunk } from '../../src/io/bytes';
import { lastFrame } from '../../src/io/particleFile';
import { expectFault } from '../support/scenes';

/** VTK files written from the format's description: one array of points, one of radii. */
const POINTS = Float64Array.of(1 / 3, -2, 3e10, 4, 5, 6);
const RADII = Float32Array.of(0.5, 0.25);
const bytesOf = (values: Float64Array | Float32Array, little = true) => {
  const bytes = new Uint8Array(values.buffer.slice(0));
  if (!little)
    for (let at = 0; at < bytes.length; at += values.BYTES_PER_ELEMENT)
      bytes.subarray(at, at + values.BYTES_PER_ELEMENT).reverse();
  return bytes;
};
const header = (numbers: number[], size: 4 | 8, little = true) => {
  const view = new DataView(new ArrayBuffer(size * numbers.length));
  for (const [k, value] of numbers.entries()) {
    if (size === 8) view.setBigUint64(8 * k, BigInt(value), little);
    else view.setUint32(4 * k, value, little);
  }
  return new Uint8Array(view.buffer);
};
const vtp = (attributes: string, arrays: [string, string], tail = '') =>
  `<?xml version="1.0"?><VTKFile type="PolyData" version="1.0" ${attributes}><PolyData><Piece NumberOfPoints="2" NumberOfVerts="0">
<PointData><DataArray Name="Radius" type="Float32" ${arrays[1]}</DataArray></PointData>
<Points><DataArray type="Float64" Name="Points" NumberOfComponents="3" ${arrays[0]}</DataArray></Points></Piece></PolyData>${tail}</VTKFile>`;
const base64 = (...parts: Uint8Array[]) => parts.map((part) => Buffer.from(part).toString('base64')).join('');
/** Data in blocks of 16 bytes, each compressed, with the header before them. */
const compressed = (data: Uint8Array, size: 4 | 8) => {
  const blocks = Array.from({ length: Math.ceil(data.length / 16) }, (_, k) => deflateSync(data.subarray(16 * k, 16 * k + 16)));
  return [header([blocks.length, 16, data.length % 16, ...blocks.map(({ length }) => length)], size), Buffer.concat(blocks)];
};
const inline = (format: string, content: string) => `format="${format}">${content}`;
const plain = (values: Float64Array | Float32Array, size: 4 | 8, little = true) => {
  const bytes = bytesOf(values, little);
  return Buffer.concat([header([bytes.length], size, little), bytes]);
};
const appended = (encoding: string, parts: [string | Buffer, string | Buffer], attributes: string) => {
  const [first, second] = parts.map((part) => Buffer.from(part));
  const file = vtp(attributes, [inline('appended" offset="0', ''), inline(`appended" offset="${first.length}`, '')], '@');
  const [head, tail] = file.split('@');
  return Buffer.concat([
    Buffer.from(`${head}<AppendedData encoding="${encoding}">\n _`),
    first,
    second,
    Buffer.from(`</AppendedData>${tail}`),
  ]);
};
const ZLIB = 'compressor="vtkZLibDataCompressor"';
const [pz, rz] = [compressed(bytesOf(POINTS), 4), compressed(bytesOf(RADII), 4)];
const [pz8, rz8] = [compressed(bytesOf(POINTS), 8), compressed(bytesOf(RADII), 8)];
const variants: [string, string | Buffer][] = [
  ['ASCII', vtp('', [inline('ascii', [...POINTS].join(' ')), inline('ascii', '0.5\n0.25')])],
  [
    'inline base64',
    vtp('byte_order="LittleEndian"', [
      inline('binary', base64(plain(POINTS, 4))),
      inline('binary', ` ${base64(plain(RADII, 4))}\n`),
    ]),
  ],
  [
    'inline, big endian, long header',
    vtp('byte_order="BigEndian" header_type="UInt64"', [
      inline('binary', base64(plain(POINTS, 8, false))),
      inline('binary', base64(plain(RADII, 8, false))),
    ]),
  ],
  ['inline, compressed', vtp(ZLIB, [inline('binary', base64(...pz)), inline('binary', base64(...rz))])],
  ['appended raw', appended('raw', [plain(POINTS, 8), plain(RADII, 8)], 'header_type="UInt64"')],
  ['appended raw, compressed', appended('raw', [Buffer.concat(pz8), Buffer.concat(rz8)], `header_type="UInt64" ${ZLIB}`)],
  ['appended base64', appended('base64', [base64(plain(POINTS, 4)), base64(plain(RADII, 4))], '')],
  ['appended base64, compressed', appended('base64', [base64(...pz), base64(...rz)], ZLIB)],
  [
    'attributes in single quotes, and comments with tags in them',
    vtp('', [inline('ascii', [...POINTS].join(' ')), inline('ascii', '0.5\n0.25')])
      .replaceAll('"', "'")
      .replace('<PolyData>', '<!-- <PolyData><Piece NumberOfPoints="9"/></PolyData> --><PolyData><!-- a > b -->'),
  ],
];
test.each(variants)('reads VTK, %s', async (_, content) => {
  const read = await lastFrame('a.vtp', async () => oneChunk(Buffer.from(content)));
  expect([...read.positions, ...read.radii]).toEqual([...POINTS, ...RADII]);
});

/** Radii as text, with another array of point data behind them. */
const ascii = (radii: string, type = 'Float32', format = 'ascii', more = '') =>
  vtp('', [inline('ascii', '0 0 0 1 1 1'), `type="${type}" format="${format}">${radii}</DataArray>${more}<DataArray>`]);
const more = (name: string, values: string) =>
  ascii('0.5 0.25', undefined, undefined, `<DataArray type="Float64" Name="${name}" format="ascii">${values}</DataArray>`);
test.each([
  ['material', '0 -1', /point 1: the material is -1; expected a whole number from 0 to 2147483647/],
  ['material', '1e20 0', /point 0: the material is 100000000000000000000; expected/],
  ['material', '0 1.5', /point 1: the material is 1.5; expected/],
  ['type', '1 0', /point 1: the type is 0; expected a whole number from 1 to 2147483648/],
  ['id', '-1.5 1', /point 0: the id is -1.5; expected a whole number from 0 to 9007199254740991/],
  ['id', '0 1e300', /point 1: the id is 1e\+300; expected/],
  ['mass', '1 -7', /point 1: the mass is -7; it must be above 0/],
  ['mass', '0 1', /point 0: the mass is 0; it must be above 0/],
  ['diameter', '1 0.5', /both point data "radius" and "diameter"; keep one/],
  ['radii', '1 0.5', /the point data "Radius" and "radii", which are the same; keep one/],
])('refuses VTK with %s %s', (name, values, message) =>
  expectFault(() => lastFrame('a.vtp', async () => oneChunk(Buffer.from(more(name, values)))), 'a.vtp', message),
);
test('VTK with both types and materials must have the same of each grain', async () => {
  const both = (types: string, materials: string) =>
    more('type', `${types}</DataArray><DataArray type="Float64" Name="material" format="ascii">${materials}`);
  const read = (text: string) => lastFrame('a.vtp', async () => oneChunk(Buffer.from(text)));
  expect((await read(both('2 1', '1 0'))).types).toEqual(Uint32Array.of(2, 1));
  await expectFault(() => read(both('2 1', '1 1')), 'a.vtp', /point data "type" and "material" that differ.* keep one/);
});
test('refuses VTK in which grains have the id of another', () =>
  expectFault(
    () => lastFrame('a.vtp', async () => oneChunk(Buffer.from(more('id', '8 8')))),
    'a.vtp grain 1',
    /^has the id 8, as grain 0 has; give each grain an id of its own/,
  ));
test('takes VTK with the largest material and id', async () => {
  const read = (name: string, values: string) => lastFrame('a.vtp', async () => oneChunk(Buffer.from(more(name, values))));
  expect((await read('material', '0 2147483647')).types).toEqual(Uint32Array.of(1, 2 ** 31));
  expect((await read('id', `0 ${Number.MAX_SAFE_INTEGER}`)).ids).toEqual(Float64Array.of(0, Number.MAX_SAFE_INTEGER));
});

const good = variants[4][1] as Buffer;
const short = deflateSync(bytesOf(RADII).subarray(0, 4));
test.each<[string, string | Buffer, RegExp]>([
  ['of another type', 'x,y,z\n1,2,3\n', /not a VTK XML file/],
  ['of another kind of data', vtp('', ['', '']).replace('PolyData', 'UnstructuredGrid'), /holds UnstructuredGrid/],
  [
    'compressed otherwise',
    variants[3][1].toString().replace('ZLib', 'LZMA'),
    /vtkLZMADataCompressor, which is not supported; write it with zlib/,
  ],
  ...['NumberOfPolys', 'NumberOfStrips'].map((what): [string, string, RegExp] => [
    `with ${what} of a surface`,
    variants[0][1].toString().replace('NumberOfVerts="0"', `NumberOfVerts="0" ${what}="1"`),
    /holds a surface, as glyphs are, whose points are no centres of grains; write the points/,
  ]),
  ['without radius', variants[0][1].toString().replace('Radius', 'Size'), /no point data "radius"/],
  ['that was cut short', good.subarray(0, good.indexOf('\n _') + 40), /cut short/],
  [
    'with too many points',
    variants[0][1].toString().replace('NumberOfPoints="2"', 'NumberOfPoints="99999999"'),
    /holds 99999999 points/,
  ],
  ['with a radius of zero', variants[0][1].toString().replace('0.25', '0'), /point 1: the radius is 0/],
  ['with a number that is none', variants[0][1].toString().replace('0.25', 'nan'), /value 1 is not a finite number but "nan"/],
  ['with a number that is not decimal', ascii('0.5 0x10'), /radius: value 1 is not a finite number but "0x10"/],
  ['with a number that does not end', ascii(`0.5 ${'1'.repeat(200_000)}`), /radius: value 1 has more than 65536 letters/],
  [
    'of a type that is a name of all objects',
    ascii('0.5 0.25', 'constructor', 'binary'),
    /is of the type constructor, which is not/,
  ],
  ['compressed by a name of all objects', vtp('compressor="constructor"', ['', '']), /compressed by constructor, which is not/],
  [
    'with points below none',
    variants[0][1].toString().replace('NumberOfPoints="2"', 'NumberOfPoints="-2"'),
    /NumberOfPoints="-2"; expected a whole number from 0 to \d+: the file is damaged/,
  ],
  [
    'that announces more bytes than belong',
    withHeader(plain(RADII, 4), 0, 9),
    /radius announces 9 bytes where 8 belong; the file/,
  ],
  ['whose last block is the largest', withHeader(Buffer.concat(rz), 4, 4, ZLIB), /radius announces more data than it can have/],
  [
    'whose block has less than it should',
    withHeader(Buffer.concat([rz[0], short]), 12, short.length, ZLIB),
    /radius cannot be decompressed; the file/,
  ],
  [
    'damaged in its compressed part',
    Buffer.concat(rz).length > 0 ? damaged() : '',
    /cannot be decompressed|announces more|cut short|more values/,
  ],
])('refuses VTK %s', (_, content, message) =>
  expectFault(() => lastFrame('a.vtp', async () => oneChunk(Buffer.from(content))), 'a.vtp', message),
);

/** The array of the radii with another number in its header. */
function withHeader(radii: Buffer, offset: number, value: number, attributes = ''): Buffer {
  radii.writeUInt32LE(value, offset);
  const points = attributes === '' ? plain(POINTS, 4) : Buffer.concat(pz);
  return appended('raw', [points, radii], attributes);
}

function damaged(): Buffer {
  const bytes = Buffer.from(variants[5][1]);
  bytes.fill(0x55, bytes.indexOf('\n _') + 60);
  return bytes;
}
