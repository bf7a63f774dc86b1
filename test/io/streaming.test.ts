import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test, vi } from 'vitest';
import { type Chunks, oneChunk } from '../../src/io/bytes';
import { lastFrame, particleFrames } from '../../src/io/particleFile';
import { expectFault } from '../support/scenes';

const encoder = new TextEncoder();
const dumpHeader = (count: number) =>
  `ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n${count}\nITEM: BOX BOUNDS ff ff ff\n0 1\n0 1\n0 1\nITEM: ATOMS radius x y z\n`;

test('a million grains of one frame are read with no more held than their arrays and small pieces', async () => {
  const count = 1e6;
  let longest = 0;
  const decode = TextDecoder.prototype.decode;
  const spy = vi.spyOn(TextDecoder.prototype, 'decode').mockImplementation(function (this: TextDecoder, bytes, options) {
    longest = Math.max(longest, bytes?.byteLength ?? 0);
    return decode.call(this, bytes, options);
  });
  async function* whole(): Chunks {
    // As a page gives it: in one piece.
    yield encoder.encode(`x,y,z,radius\n${'0.5,1,2.25,0.125\n'.repeat(count)}`);
  }
  const { positions } = await lastFrame('a.csv', async () => whole()).finally(() => spy.mockRestore());
  expect([positions.length, positions[3 * count - 1]]).toEqual([3 * count, 2.25]);
  expect(longest).toBeLessThan(1e6);
});

test('a million grains that come in pieces', async () => {
  const count = 1e6;
  async function* pieces(): Chunks {
    for (let frame = 0; frame < 2; frame++) {
      // The frame before is short: the last is what is read.
      const rows = frame === 0 ? 10_000 : count;
      yield encoder.encode(dumpHeader(rows));
      for (let k = 0; k < rows; k += 10_000) yield encoder.encode(`0.5 ${k} 2.25 ${frame}\n`.repeat(10_000));
    }
  }
  const { positions, radii } = await lastFrame('a.dump', async () => pieces());
  expect([radii.length, positions[3 * count - 3], positions[3 * count - 1]]).toEqual([count, 990_000, 1]);
});

/** In arrays that are still referred to. */
function bytesInUse(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().arrayBuffers;
}

test.each(['dump', 'xyz'])('the grains before the last frame take no memory: %s', async (format) => {
  const header = format === 'dump' ? dumpHeader : (n: number) => `${n}\nProperties=radius:R:1:pos:R:3\n`;
  const rows = encoder.encode('0.5 1 2 3\n'.repeat(10_000));
  const last = encoder.encode(`${header(1)}0.5 7 8 9\n`);
  let [before, during] = [0, 0];
  async function* pieces(): Chunks {
    yield last;
    before ||= bytesInUse();
    yield encoder.encode(header(400_000));
    for (let k = 0; k < 40; k++) yield rows;
    // Arrays that are being filled with those rows take 13 MB.
    during ||= bytesInUse();
    yield last;
  }
  const { positions } = await lastFrame(`a.${format}`, async () => pieces());
  expect([...positions]).toEqual([7, 8, 9]);
  expect(during - before).toBeLessThan(4e6);
});

test('a file that became shorter while its last frame was looked for is refused', async () => {
  const contents = ['1 0 0 0\n', ''].map((more) => encoder.encode(`${dumpHeader(1)}1 0 0 0\n${more && dumpHeader(1) + more}`));
  const open = async () => oneChunk(contents.shift()!);
  await expectFault(() => lastFrame('a.dump', open), 'a.dump', /became shorter while it was read; read it again/);
});

test('of a dump without end no more is read than the frames that are taken', async () => {
  const frame = encoder.encode(dumpHeader(1000) + '0.5 1 2 3\n'.repeat(1000));
  let [pulled, closed] = [0, false];
  async function* endless(): Chunks {
    try {
      for (;;) {
        pulled++;
        yield frame;
      }
    } finally {
      closed = true;
    }
  }
  let taken = 0;
  for await (const { count } of particleFrames('a.dump', async () => endless())) {
    expect(count).toBe(1000);
    // The piece after a frame tells whether it ends there.
    expect(pulled).toBeLessThanOrEqual(++taken + 2);
    if (taken === 300) break;
  }
  expect(closed).toBe(true);
});
