const COPIES = 8;

/** Bytes read and written per second by copying 64 MiB in memory on one core. */
export function cpuBandwidth(): number {
  const from = new Float64Array(2 ** 23).fill(1);
  const to = new Float64Array(from.length).fill(2);
  let best = Infinity;
  for (let k = 0; k < COPIES; k++) {
    const start = performance.now();
    to.set(from);
    best = Math.min(best, performance.now() - start);
  }
  return (2 * from.byteLength) / (best / 1000);
}

/**
 * Bytes read and written per second by copies from buffer to buffer.
 * @param bytes of each buffer; larger than the caches of a GPU
 */
export async function gpuBandwidth(device: GPUDevice, bytes: number): Promise<number> {
  const [from, to] = [0, 1].map(() =>
    device.createBuffer({ label: 'bandwidth', size: bytes, usage: GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST }),
  );
  const copy = async () => {
    const encoder = device.createCommandEncoder({ label: 'bandwidth' });
    for (let k = 0; k < COPIES; k++) encoder.copyBufferToBuffer(from, 0, to, 0, bytes);
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
  };
  await copy();
  let best = Infinity;
  for (let round = 0; round < 3; round++) {
    const start = performance.now();
    await copy();
    best = Math.min(best, performance.now() - start);
  }
  from.destroy();
  to.destroy();
  return (2 * COPIES * bytes) / (best / 1000);
}
