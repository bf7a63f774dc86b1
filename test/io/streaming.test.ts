import { expect, test, vi } from 'vitest';
import type { Chunks } from '../../src/io/bytes';
import { lastFrame, particleFrames } from '../../src/io/particleFile';

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
