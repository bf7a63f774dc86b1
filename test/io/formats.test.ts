import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type Chunks, oneChunk } from '../../src/io/bytes';
import { lastFrame, particleFrames } from '../../src/io/particleFile';
import { encodePolyData } from '../../src/io/polyData';
import { encodePvd } from '../../src/io/pvd';
import type { ParticleTable } from '../../src/io/table';
import { periodicFields } from '../../src/io/vtp';
import { writeText, writeVtp } from '../../src/io/writeParticles';
import { expectFault } from '../support/scenes';

/** Numbers that lose bits where anything is cut. */
const awkward = (length: number, seed: number) =>
  Float64Array.from({ length }, (_, k) => [1, -1][k % 2] * (Math.sin(seed + k) / 3) * 10 ** ((k % 7) - 3) || -0);
const table = (count: number, seed = 1): ParticleTable => ({
  count,
  step: 10 * seed,
  time: seed / 3,
  positions: awkward(3 * count, seed),
  radii: awkward(count, seed + 1).map(Math.abs),
  velocities: awkward(3 * count, seed + 2),
  angularVelocities: awkward(3 * count, seed + 3),
  masses: awkward(count, seed + 4).map(Math.abs),
  ids: Float64Array.from({ length: count }, (_, k) => 1000 * seed - k),
  types: Uint32Array.from({ length: count }, (_, k) => 1 + (k % 3)),
});
const encoder = new TextEncoder();
const text = (frame: ParticleTable, format: 'dump' | 'csv' | 'xyz') => encoder.encode([...writeText(frame, format)].join(''));
const encode = (frame: ParticleTable, format: string) => (format === 'vtp' ? writeVtp(frame) : text(frame, format as 'csv'));

async function* inPieces(bytes: Uint8Array, size: number): Chunks {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
const figures = ({ step: _, time: __, box: ___, firstLine: ____, ...rest }: ParticleTable) => rest;
async function all(file: string, bytes: Uint8Array, size = bytes.length): Promise<ParticleTable[]> {
  const frames: ParticleTable[] = [];
  for await (const frame of particleFrames(file, async () => inPieces(bytes, size))) frames.push(frame);
  return frames;
}

describe.each(['dump', 'csv', 'xyz', 'vtp'])('%s', (format) => {
  test('comes back to the same bits, compressed too', async () => {
    const frame = table(57);
    const bytes = encode(frame, format);
    for (const [name, content] of [
      [`a.${format}`, bytes],
      [`a.${format}.gz`, gzipSync(bytes)],
    ] as const) {
      const read = await lastFrame(name, async () => inPieces(content, 1000));
      expect(figures(read)).toEqual(figures(frame));
      if (format !== 'csv') expect([read.step, read.time]).toEqual([frame.step, frame.time]);
    }
  });

  test('without what need not be there', async () => {
    const { count, positions, radii } = table(5);
    const read = await lastFrame(`a.${format}`, async () => oneChunk(encode({ count, positions, radii }, format)));
    expect(read).toMatchObject({ count, positions, radii });
    expect(read.velocities).toBeUndefined();
  });
});

test.each(['dump', 'xyz'] as const)('several frames of a %s come one by one, however the pieces fall', async (format) => {
  const frames = [table(3, 1), table(5, 2), table(1, 3)];
  const bytes = Buffer.concat(frames.map((frame) => text(frame, format)));
  for (const size of [1, 2, 13, 200, bytes.length]) {
    const read = await all(`a.${format}`, bytes, size);
    expect(read.map(figures)).toEqual(frames.map(figures));
    const lines = format === 'dump' ? 11 : 2;
    expect(read.map(({ firstLine }) => firstLine)).toEqual([lines + 1, 2 * lines + 4, 3 * lines + 9]);
  }
  for (const once of [false, true]) {
    let opened = 0;
    const open = async () => {
      opened++;
      return inPieces(bytes, 50);
    };
    expect(figures(await lastFrame(`a.${format}`, open, once))).toEqual(figures(frames[2]));
    expect(opened).toBe(once ? 1 : 2);
  }
});

test.each(['dump', 'xyz'] as const)(
  'a %s whose earlier frames are empty or broken has a last one all the same',
  async (format) => {
    const [broken, good] = [Buffer.from(text(table(2, 1), format)), text(table(3, 2), format)];
    const wrong = Buffer.from(broken.toString().replace(/\S+\n$/, 'nan\n'));
    const empty = Buffer.from(
      format === 'dump'
        ? 'ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n0\nITEM: BOX BOUNDS ff ff ff\n0 1\n0 1\n0 1\nITEM: ATOMS x y z radius\n'
        : '0\nProperties=pos:R:3:radius:R:1\n',
    );
    for (const once of [false, true]) {
      const at = (...parts: Uint8Array[]) => lastFrame(`a.${format}`, async () => inPieces(Buffer.concat(parts), 40), once);
      expect(figures(await at(empty, wrong, good))).toEqual(figures(table(3, 2)));
      await expectFault(() => at(good, empty), `a.${format} line ${format === 'dump' ? 18 : 6}`, /holds no grains/);
    }
    await expect(all(`a.${format}`, Buffer.concat([wrong, good]))).rejects.toThrow(/nan/);
  },
);

test.each(['dump', 'xyz', 'vtp'])('%s keeps the periodic box', async (format) => {
  const frame = table(5);
  frame.box = { min: [-1, -2, -3000], max: [2000, 3000, 4000], periodic: [true, true, false] };
  const [{ box }] = await all(`a.${format}`, encode(frame, format));
  expect(box?.periodic).toEqual([true, true, false]);
  expect(box?.min.slice(0, 2)).toEqual([-1, -2]);
  expect(box?.max.slice(0, 2)).toEqual([2000, 3000]);
  expect(box!.min[2]).toBeLessThan(box!.max[2]);
});

test('what is compressed and damaged, and what has no lines, is refused', async () => {
  const bytes = gzipSync(text(table(500), 'csv'));
  const damaged = Buffer.from(bytes).fill(0x55, 100, 300);
  for (const content of [bytes.subarray(0, bytes.length / 2), damaged])
    await expectFault(() => all('a.csv.gz', content, 100), 'a.csv.gz', /is compressed, and damaged or cut short/);
  async function* endless(): Chunks {
    for (;;) yield encoder.encode('1 '.repeat(1 << 16));
  }
  await expectFault(() => lastFrame('a.dump', async () => endless()), 'a.dump line 1', /has more than 1048576 letters/);
  const failing = async function* (): Chunks {
    yield gzipSync('x').subarray(0, 5);
    throw new Error('the disk is gone');
  };
  await expect(lastFrame('a.csv', async () => failing())).rejects.toThrow('the disk is gone');
});

test('a file without end, or one that grows without end as it is expanded, is refused', async () => {
  const piece = new Uint8Array(1 << 20);
  async function* endless(): Chunks {
    for (;;) yield piece;
  }
  for (const [name, most] of [
    ['a.vtp', 2 ** 31],
    ['a.pvd', 2 ** 26],
  ] as const)
    await expectFault(() => lastFrame(name, async () => endless()), name, new RegExp(`^has more than ${most} bytes`));
  const bomb = gzipSync(new Uint8Array(2 ** 26 + 1));
  await expectFault(
    () => all('a.pvd.gz', bomb),
    'a.pvd.gz',
    /^has more than 67108864 bytes \(expanded, where it is compressed\)/,
  );
});

test('long words and unfinished tags are passed but once', async () => {
  const word = 'a'.repeat(1 << 19);
  await expectFault(() => all('a.xyz', xyz(word)), 'a.xyz line 2', /no Properties=/);
  await expectFault(
    () => all('a.vtp', encoder.encode(`<VTKFile ${word.slice(0, 65_000)}>`.repeat(50))),
    'a.vtp',
    /holds no type/,
  );
  await expectFault(() => all('a.pvd', encoder.encode('<DataSet '.repeat(1 << 17))), 'a.pvd line 1', /does not end/);
  for (const endless of ['aa', '""', '"a'])
    await expectFault(() => all('a.pvd', encoder.encode(`<DataSet ${endless.repeat(1 << 22)}`)), 'a.pvd line 1', /does not end/);
});

const xyz = (comment: string, rows = '0 0 0 1\n') => encoder.encode(`1\n${comment}\n${rows}`);
test('extended XYZ as others write it', async () => {
  const comment =
    'Lattice="4 0 0 0 5 0 0 0 6" Origin="-1 0 0" Properties=species:S:1:pos:R:3:Color:R:3:vel:R:3:Radius:R:1 pbc="T F T"';
  const [frame] = await all('a.xyz', xyz(comment, 'He 1 2 3 .1 .2 .3 4 5 6 0.5\n'));
  expect(frame).toMatchObject({
    positions: Float64Array.of(1, 2, 3),
    velocities: Float64Array.of(4, 5, 6),
    radii: Float64Array.of(0.5),
  });
  expect(frame.box).toEqual({ min: [-1, 0, 0], max: [3, 5, 6], periodic: [true, false, true] });
  expect(frame.types).toBeUndefined();

  for (const [open, close] of ["''", '{}']) {
    const [same] = await all('a.xyz', xyz(comment.replace(/"([^"]*)"/g, `${open}$1${close}`), 'He 1 2 3 .1 .2 .3 4 5 6 0.5\n'));
    expect(same).toEqual(frame);
  }
});
test.each(['constructor:R:1', '__proto__:R:1', 'toString:S:1'])('extended XYZ passes over the property %s', async (property) => {
  const [{ positions, radii }] = await all('a.xyz', xyz(`Properties=${property}:pos:R:3:radius:R:1`, '7 1 2 3 0.5\n'));
  expect([...positions, ...radii]).toEqual([1, 2, 3, 0.5]);
});
test.each([
  ['a plain XYZ', 'comment', 'a.xyz line 2', /no Properties=/],
  ['far too many columns', `Properties=pos:R:3${':a:R:1000'.repeat(50_000)}`, 'a.xyz line 2', /names \d+ columns; the most/],
  ['no radius', 'Properties=species:S:1:pos:R:3', 'a.xyz line 2', /no column radius/],
  ['properties that are none', 'Properties=pos:R', 'a.xyz line 2', /name:type:columns/],
  ['a triclinic box', 'Lattice="1 0 0 0.5 1 0 0 0 1" Properties=pos:R:3:radius:R:1', 'a.xyz line 2', /triclinic/],
  ['a row too few columns', 'Properties=pos:R:3:radius:R:1:mass:R:1', 'a.xyz line 3', /has 4 values where the header names 5/],
])('refuses XYZ with %s', (_, comment, path, message) => expectFault(() => all('a.xyz', xyz(comment)), path, message));
test.each([
  ['Lattice="-4 0 0 0 5 0 0 0 6"', /the box reaches from 0 to -4 in x; its upper end must lie above the lower one/],
  ['Lattice="4 0 0 0 0 0 0 0 6" pbc="F T F"', /the box reaches from 0 to 0 in y; its upper/],
  ['Lattice="4 0 0 0 5 0 0 0 1" Origin="0 0 1e20"', /the box reaches from 100000000000000000000 to 100000000000000000000 in z/],
  [
    'Lattice="1e308 0 0 0 5 0 0 0 1" Origin="1e308 0 0"',
    /the box reaches from 1e\+308 to Infinity in x; that is longer than a number can be/,
  ],
  ['Lattice="4 0 0 0 5 0 0 0 6" Origin="nan 0 0"', /Origin="\.\.\.": expected three numbers/],
  ['Lattice="4 0 0 0 5 0 0 0 6" Origin="0 0"', /Origin="\.\.\.": expected three numbers/],
])('refuses XYZ with %s', (box, message) =>
  expectFault(() => all('a.xyz', xyz(`${box} Properties=pos:R:3:radius:R:1`)), 'a.xyz line 2', message),
);
test.each(['Lattice="4 0 0 0 5 0 0 0 0"', 'Lattice="4 0 0 0 5 0 0 0 0" pbc="T T F"'])(
  'takes the flat box of XYZ: %s',
  async (box) => {
    const [frame] = await all('a.xyz', xyz(`${box} Properties=pos:R:3:radius:R:1`));
    expect(frame.box).toEqual({ min: [0, 0, 0], max: [4, 5, 0], periodic: [true, true, false] });
  },
);
test.each([
  [[0, 0, 0], [-5, 0, 0], /the periodic lengths are -5, 0, 0; periodicLengths are above 0, or 0 along/],
  [[1e20, 0, 0], [5, 0, 0], /the box reaches from 1e\+?20|100000000000000000000 to/],
])('refuses VTK with a periodic box from %s of %s', async (min, lengths, message) => {
  const fieldData = periodicFields({ min: min as [number, number, number], lengths: lengths as [number, number, number] });
  const { positions, radii } = table(1);
  const cells = { kind: 'verts', size: 1, connectivity: Int32Array.of(0) } as const;
  const bytes = encodePolyData({
    fieldData,
    points: positions,
    cells,
    pointData: [{ name: 'radius', values: radii }],
    cellData: [],
  });
  await expectFault(() => all('a.vtp', bytes), 'a.vtp', message);
});
test('refuses XYZ that was cut short or goes on', async () => {
  await expectFault(
    () => all('a.xyz', encoder.encode('2\nProperties=pos:R:3:radius:R:1\n0 0 0 1\n')),
    'a.xyz line 4',
    /after 1 of the 2/,
  );
  await expectFault(() => all('a.xyz', encoder.encode('two\n')), 'a.xyz line 1', /expected the number of grains/);
});

test('names that XML has to escape come back from a collection, and quotes are of either kind', async () => {
  const name = `a&b<c>"d"'e'&lt;\n.vtp`;
  const open = async (path: string) =>
    oneChunk(
      path === 'own.pvd' ? encoder.encode(encodePvd([{ time: 2, file: name }])) : path === 'x.pvd' ? other : written.get(path)!,
    );
  const other = encoder.encode(`<DataSet part='0' timestep='3' file='a&#38;b&#x3c;c>"d"&apos;e&apos;&amp;lt;&#10;.vtp'/>`);
  const written = new Map([[name, writeVtp(table(2, 1))]]);
  expect(await lastFrame('own.pvd', open)).toMatchObject({ count: 2, time: 2 });
  expect(await lastFrame('x.pvd', open)).toMatchObject({ count: 2, time: 3 });
});

test('the parts that a collection lists for one time are one frame', async () => {
  const { masses: _, ...noMasses } = table(1, 9);
  const files: Record<string, Uint8Array> = {
    'a.vtp': writeVtp(table(2, 1)),
    'b.vtp': writeVtp(table(3, 2)),
    'c.vtp': writeVtp(noMasses),
  };
  const open = async (path: string) => oneChunk(files[path]);
  const list = (...sets: string[]) => {
    files['all.pvd'] = encoder.encode(`<Collection>\n${sets.join('\n')}\n</Collection>`);
    return lastFrame('all.pvd', open);
  };
  const set = (name: string, time: number, part: number) => `<DataSet timestep="${time}" part="${part}" file="${name}.vtp"/>`;
  const both = await list(set('b', 1, 0), set('a', 5, 0), '<!-- <DataSet timestep="9" file="a.vtp"/>', '-->', set('b', 5, 1));
  const [first, second] = [await lastFrame('a.vtp', open), await lastFrame('b.vtp', open)];
  expect([both.count, both.time]).toEqual([5, 5]);
  for (const key of ['positions', 'radii', 'velocities', 'ids', 'types'] as const)
    expect([...both[key]!]).toEqual([...first[key]!, ...second[key]!]);
  for (const [sets, line, message] of [
    [
      [set('a', 1, 0), set('b', 1, 0)],
      ' line 3',
      /lists "b\.vtp" for the time 1, as "a\.vtp" is; give each its own time, or its own part/,
    ],
    [[set('a', 1, 0), '<DataSet file="a.vtp timestep="1"/>'], ' line 3', /has a <DataSet that does not end/],
    [[set('a', 1, 0), set('c', 1, 1)], '', /of which not all have masses/],
    [[set('a', 1, 0), set('a', 1, 1)], ' grain 2', /^has the id \d+, as grain 0 has/],
  ] as const) {
    await expectFault(() => list(...sets), `all.pvd${line}`, message);
  }
});

test('a collection gives its frames by time, from its own folder alone', async () => {
  const files: Record<string, Uint8Array> = {
    'out/all.pvd': encoder.encode(
      '<VTKFile><Collection><DataSet timestep="2" file="b.vtp"/><DataSet timestep="1" file="a.vtp"/></Collection></VTKFile>',
    ),
    'out/a.vtp': writeVtp(table(2, 1)),
    'out/b.vtp': writeVtp(table(3, 2)),
  };
  const open = async (path: string) => oneChunk(files[path]);
  const frames: ParticleTable[] = [];
  for await (const frame of particleFrames('out/all.pvd', open)) frames.push(frame);
  expect(frames.map(({ count, time }) => [count, time])).toEqual([
    [2, 1],
    [3, 2],
  ]);
  expect((await lastFrame('out/all.pvd', open)).count).toBe(3);
  for (const path of ['../a.vtp', '/etc/a.vtp', 'http://x/a.vtp']) {
    files['out/bad.pvd'] = encoder.encode(`<DataSet timestep="1" file="${path}"/>`);
    await expectFault(() => lastFrame('out/bad.pvd', open), 'out/bad.pvd line 1', /leads out of its folder; put/);
  }
  for (const [tag, message] of [
    ['timestep="1" file="a.csv"', /lists "a\.csv"; expected file="\.\.\." with the name of a \.vtp file/],
    ['timestep="" file="a.vtp"', /lists "a\.vtp" with timestep=""; expected the time of the frame/],
    ['file="a.vtp"', /lists "a\.vtp" with timestep=""; expected the time of the frame/],
    ['timestep="soon" file="a.vtp"', /with timestep="soon"; expected the time/],
  ] as const) {
    files['out/bad.pvd'] = encoder.encode(`<Collection>\n<DataSet timestep="0" file="a.vtp"/>\n<DataSet ${tag}/>\n</Collection>`);
    await expectFault(() => lastFrame('out/bad.pvd', open), 'out/bad.pvd line 3', message);
  }
});
