/** Staging buffers that go round: results come back a submission or two late, and nothing waits on the GPU meanwhile. */
export class Readback {
  private readonly idle: GPUBuffer[] = [];

  constructor(
    private readonly device: GPUDevice,
    private readonly bytes: number,
  ) {}

  /**
   * Encodes the copy of a buffer.
   * @returns what to call once the encoder was submitted: a promise of the words
   */
  encode(encoder: GPUCommandEncoder, source: GPUBuffer): () => Promise<Uint32Array> {
    const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
    const staging = this.idle.pop() ?? this.device.createBuffer({ label: 'readback', size: this.bytes, usage });
    encoder.copyBufferToBuffer(source, 0, staging, 0, this.bytes);
    return async () => {
      await staging.mapAsync(GPUMapMode.READ);
      const words = new Uint32Array(staging.getMappedRange().slice(0));
      staging.unmap();
      this.idle.push(staging);
      return words;
    };
  }

  dispose(): void {
    for (const buffer of this.idle) buffer.destroy();
  }
}

/** Copies buffers to the host, or so many bytes of what lies in several of them in turn, in one submission. */
export async function download(
  device: GPUDevice,
  buffers: readonly { buffer: GPUBuffer | readonly GPUBuffer[]; bytes: number }[],
): Promise<ArrayBuffer[]> {
  const encoder = device.createCommandEncoder({ label: 'download' });
  const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
  const staged = buffers.map(({ buffer, bytes }) => {
    const parts = [buffer].flat();
    const size = Math.max(4, bytes);
    const staging = device.createBuffer({ label: `download of ${parts[0].label}`, size, usage });
    let begin = 0;
    for (const part of parts) {
      const length = Math.min(part.size, bytes - begin);
      encoder.copyBufferToBuffer(part, 0, staging, begin, length);
      begin += length;
    }
    return staging;
  });
  device.queue.submit([encoder.finish()]);
  try {
    await Promise.all(staged.map((staging) => staging.mapAsync(GPUMapMode.READ)));
    return staged.map((staging, k) => staging.getMappedRange().slice(0, buffers[k].bytes));
  } finally {
    for (const staging of staged) staging.destroy();
  }
}
