import { deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { SceneError } from '../../src/errors';
import { type Chunks, oneChunk } from '../../src/io/bytes';
import { lastFrame, particleFrames } from '../../src/io/particleFile';
import type { ParticleTable } from '../../src/io/table';
import { writeText, writeVtp } from '../../src/io/writeParticles';
import { byteMutation, mutatedBytes, mutatedText, textMutation } from './mutations';
import { settings } from './settings';

/** Grains with all that a table may have. */
const table = (count: number, step: number): ParticleTable => {
  const values = (length: number, shift: number) => Float64Array.from({ length }, (_, k) => Math.sin(shift + k) * 10 ** (k % 3));
  return {
    count,
    step,
    time: step / 3,
    positions: values(3 * count, 1),
    radii: values(count, 2).map((x) => Math.abs(x) + 0.1),
    velocities: values(3 * count, 3),
    angularVelocities: values(3 * count, 4),
    masses: values(count, 5).map((x) => Math.abs(x) + 0.1),
    ids: Float64Array.from({ length: count }, (_, k) => k),
    types: new Uint32Array(count).fill(2),
    box: { min: [-100, -100, -100], max: [100, 100, 100], periodic: [true, false, true] },
  };
};
const text = (frame: ParticleTable, format: 'dump' | 'csv' | 'xyz') => [...writeText(frame, format)].join('');
/** Two grains in a file as VTK writes it, its arrays between their tags. */
function vtpOf(attributes: string, format: string, content: (values: number[]) => string): string {
  const array = (name: string, components: number, values: number[]) =>
    `<DataArray type="Float64" Name="${name}" NumberOfComponents="${components}" format="${format}">${content(values)}</DataArray>`;
  return (
    `<VTKFile type="PolyData" ${attributes}><PolyData><Piece NumberOfPoints="2"><PointData>${array('radius', 1, [0.5, 0.25])}` +
    `${array('velocity', 3, [1, 2, 3, 4, 5, 6])}</PointData><Points>${array('Points', 3, [1 / 3, 2, 3, 4, 5, 6])}</Points></Piece></PolyData></VTKFile>`
  );
}
const base64 = (values: Float64Array | Uint8Array | Uint32Array) =>
  Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString('base64');
function withLength(values: Float64Array): string {
  const all = new Uint8Array(4 + values.byteLength);
  all.set(new Uint8Array(Uint32Array.of(values.byteLength).buffer));
  all.set(new Uint8Array(values.buffer), 4);
  return base64(all);
}
function inBlocks(values: Float64Array): string {
  const block = deflateSync(values);
  return base64(Uint32Array.of(1, values.byteLength, 0, block.length)) + base64(block);
}

const texts: Record<string, string> = {
  'a.dump': text(table(3, 1), 'dump') + text(table(2, 2), 'dump'),
  'a.xyz': text(table(3, 1), 'xyz') + text(table(2, 2), 'xyz'),
  'a.csv': text(table(4, 1), 'csv'),
  'a.pvd': '<VTKFile><Collection><DataSet timestep="2" file="b.vtp"/><DataSet timestep="1" file="c.vtp"/></Collection></VTKFile>',
  'ascii.vtp': vtpOf('', 'ascii', (values) => values.join(' ')),
};
const binaries: Record<string, Uint8Array> = {
  'a.vtp': writeVtp(table(3, 1)),
  'inline.vtp': Buffer.from(vtpOf('', 'binary', (values) => withLength(Float64Array.from(values)))),
  'zlib.vtp': Buffer.from(vtpOf('compressor="vtkZLibDataCompressor"', 'binary', (values) => inBlocks(Float64Array.from(values)))),
  'raw.vtp': rawZlib(),
};
const beside: Record<string, Uint8Array> = { 'b.vtp': writeVtp(table(2, 2)), 'c.vtp': writeVtp(table(1, 1)) };

/** Compressed arrays behind the tags, as bytes. */
function rawZlib(): Uint8Array {
  const blocks: Uint8Array[] = [];
  let at = 0;
  const [head, tail] = vtpOf('compressor="vtkZLibDataCompressor"', 'appended', () => '#')
    .replace(/format="appended">#/g, () => `format="appended" offset="${at++}">`)
    .split('</VTKFile>');
  const arrays = [
    [0.5, 0.25],
    [1, 2, 3, 4, 5, 6],
    [1 / 3, 2, 3, 4, 5, 6],
  ].map((values) => Float64Array.from(values));
  const offsets: number[] = [];
  at = 0;
  for (const values of arrays) {
    const block = deflateSync(values);
    offsets.push(at);
    blocks.push(new Uint8Array(Uint32Array.of(1, values.byteLength, 0, block.length).buffer), block);
    at += 16 + block.length;
  }
  const tags = head.replace(/offset="(\d)"/g, (_, k) => `offset="${offsets[k]}"`);
  const start = Buffer.from(`${tags}<AppendedData encoding="raw">_`);
  // The header of the first array begins at a place that is a multiple of four.
  const blanks = Buffer.from(' '.repeat((4 - (start.length % 4)) % 4));
  return Buffer.concat([
    start.subarray(0, -1),
    blanks,
    Buffer.from('_'),
    ...blocks,
    Buffer.from(`</AppendedData></VTKFile>${tail}`),
  ]);
}

/** What was read must be whole: a row of right numbers for each grain, and no more grains than the file can hold. */
function checkTable(frame: ParticleTable, bytes: number): void {
  const { count, positions, radii, velocities, angularVelocities, masses, ids, types } = frame;
  expect(count).toBeGreaterThan(0);
  expect(count).toBeLessThan(bytes);
  for (const [values, width] of [
    [positions, 3],
    [radii, 1],
    [velocities, 3],
    [angularVelocities, 3],
    [masses, 1],
    [ids, 1],
    [types, 1],
  ] as const) {
    if (!values) continue;
    expect(values).toHaveLength(width * count);
    expect(values.every(Number.isFinite)).toBe(true);
  }
  expect(radii.every((radius) => radius > 0)).toBe(true);
  expect((masses ?? radii).every((mass) => mass > 0)).toBe(true);
}

/** Reads all frames of a file, and its last; what is thrown must name the file and say what is wrong. */
async function tryFile(file: string, bytes: Uint8Array): Promise<'refused' | 'read'> {
  const open = async (path: string): Promise<Chunks> => {
    if (path === file) return oneChunk(bytes);
    if (!Object.hasOwn(beside, path)) throw new SceneError([{ path, message: 'there is no such file' }]);
    return oneChunk(beside[path]);
  };
  const size = bytes.length + 2000;
  const seen = async (work: () => Promise<void>) => {
    try {
      await work();
      return 'read';
    } catch (error) {
      if (!(error instanceof SceneError)) throw error;
      expect(error.faults.length).toBeGreaterThan(0);
      for (const { path, message } of error.faults) {
        expect(path).toMatch(/\.(dump|xyz|csv|vtp|pvd)/);
        expect(message.length).toBeGreaterThan(5);
        expect(message).not.toMatch(/undefined|\[object/);
      }
      return 'refused';
    }
  };
  const all = await seen(async () => {
    for await (const frame of particleFrames(file, open)) checkTable(frame, size);
  });
  const last = await seen(async () => checkTable(await lastFrame(file, open), size));
  if (all === 'read') expect(last).toBe('read');
  return last;
}

test.each([...Object.keys(texts), ...Object.keys(binaries)])('the file that is to be broken is right: %s', async (file) => {
  expect(await tryFile(file, binaries[file] ?? Buffer.from(texts[file]))).toBe('read');
});

test('a text of grains that is broken is refused with what is wrong, or read whole', async () => {
  const seen = { refused: 0, read: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(texts)),
      fc.array(textMutation, { minLength: 1, maxLength: 3 }),
      async (file, mutations) => {
        seen[await tryFile(file, Buffer.from(mutatedText(texts[file], mutations)))]++;
      },
    ),
    settings(1000),
  );
  expect(Math.min(seen.refused, seen.read)).toBeGreaterThan(50);
});

test('a binary file of grains, or a compressed one, that is broken is refused with what is wrong, or read whole, and takes no memory', async () => {
  const files = {
    ...binaries,
    ...Object.fromEntries(Object.entries(texts).map(([name, content]) => [`${name}.gz`, gzipSync(content)])),
  };
  const seen = { refused: 0, read: 0 };
  const before = process.resourceUsage().maxRSS;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(files)),
      fc.array(byteMutation, { minLength: 1, maxLength: 3 }),
      async (file, mutations) => {
        seen[await tryFile(file, mutatedBytes(files[file], mutations))]++;
      },
    ),
    settings(1000),
  );
  expect(Math.min(seen.refused, seen.read)).toBeGreaterThan(50);
  expect((process.resourceUsage().maxRSS - before) / 1024).toBeLessThan(300);
});

/** The longest array that is asked for meanwhile. */
async function longestArray(work: () => Promise<void>): Promise<number> {
  let longest = 0;
  const construct = (type: Float64ArrayConstructor | Uint8ArrayConstructor, args: unknown[]) => {
    longest = Math.max(longest, Number(args[0]) || 0);
    return Reflect.construct(type, args);
  };
  vi.stubGlobal('Float64Array', new Proxy(Float64Array, { construct }));
  vi.stubGlobal('Uint8Array', new Proxy(Uint8Array, { construct }));
  await work().finally(() => vi.unstubAllGlobals());
  return longest;
}

test('lengths in a binary file that are anything are refused, or read whole, and no array is made for them', async () => {
  const lengths = [0, 1, 0xff, 0x7fffffff, 0xffffffff];
  const longest = await longestArray(async () => {
    for (const bytes of Object.values(binaries)) {
      for (let at = 0; at + 4 <= bytes.length; at += 4) {
        for (const length of lengths) {
          const changed = Uint8Array.from(bytes);
          new DataView(changed.buffer).setUint32(at, length, true);
          await tryFile('a.vtp', changed);
        }
      }
    }
  });
  expect(longest).toBeLessThan(1e6);
});
