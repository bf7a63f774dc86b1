import { expect, test } from 'vitest';
import { CONTROL_WORDS } from '../../shaders/control';
import { SCAN_BLOCK } from '../../shaders/scan';
import { PARAMS_BYTES } from '../../src/gpu/pack';
import { download } from '../../src/gpu/readback';
import { ScanStage } from '../../src/gpu/stages/scan';
import { withDevice } from '../support/device';

for (const count of [1, 255, 1025, 70_001, 300_000]) {
  test(`prefix sums of ${count} numbers`, () =>
    withDevice(async (device) => {
      const numbers = Uint32Array.from({ length: count }, (_, k) => (k * 7919) % 13);
      const buffer = (label: string, bytes: number, usage = GPUBufferUsage.STORAGE) =>
        device.createBuffer({ label, size: bytes, usage: usage | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST });
      const view = {
        params: buffer('params', PARAMS_BYTES, GPUBufferUsage.UNIFORM),
        // With a row of what is carried, at a multiple of 16 bytes.
        control: buffer('control', 4 * CONTROL_WORDS + 32),
        numbers: buffer('numbers', 4 * count),
        sums: buffer('sums', 4 * (count + 1)),
        blockSums: buffer('blockSums', 4 * Math.ceil(count / SCAN_BLOCK)),
      };
      device.queue.writeBuffer(view.numbers, 0, numbers);
      const stage = await ScanStage.create(device, 'numbers', 'sums');
      stage.bind([view]);
      stage.setCount(device.queue, count);
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass();
      stage.encode(pass, 0);
      pass.end();
      device.queue.submit([encoder.finish()]);
      const sums = new Uint32Array((await download(device, [{ buffer: view.sums, bytes: 4 * (count + 1) }]))[0]);
      let sum = 0;
      const right = Uint32Array.from({ length: count + 1 }, (_, k) => {
        const before = sum;
        sum += numbers[k] ?? 0;
        return before;
      });
      // A comparison of the arrays themselves would take minutes to show how they differ.
      expect(sums.findIndex((value, k) => value !== right[k])).toBe(-1);
    }));
}
