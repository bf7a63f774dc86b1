/** GPU time of each stage by timestamp queries, where the device has them. */
export class Profiler {
  private readonly queries: GPUQuerySet;
  private readonly resolved: GPUBuffer;
  private labels: string[] = [];
  private readonly idle: GPUBuffer[] = [];
  private pending: Promise<void>[] = [];
  private readonly totals = new Map<string, number>();

  private constructor(
    private readonly device: GPUDevice,
    private readonly passes: number,
  ) {
    this.queries = device.createQuerySet({ label: 'profiler', type: 'timestamp', count: 2 * passes });
    this.resolved = device.createBuffer({
      label: 'profiler',
      size: 16 * passes,
      usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC,
    });
  }

  /** @param passes most passes between two calls of `collect` */
  static create(device: GPUDevice, passes: number): Profiler | undefined {
    return device.features.has('timestamp-query') ? new Profiler(device, passes) : undefined;
  }

  /** What makes a pass timed, under its label. Passes beyond the number that was asked for are not. */
  describe(label: string): GPUComputePassDescriptor {
    if (this.labels.length === this.passes) return { label };
    const first = 2 * this.labels.push(label) - 2;
    const timestampWrites = { querySet: this.queries, beginningOfPassWriteIndex: first, endOfPassWriteIndex: first + 1 };
    return { label, timestampWrites };
  }

  /** Ends a command encoder; returns what to call once it was submitted. */
  collect(encoder: GPUCommandEncoder): () => void {
    const labels = this.labels;
    this.labels = [];
    if (labels.length === 0) return () => {};
    const bytes = 16 * labels.length;
    const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
    const staging = this.idle.pop() ?? this.device.createBuffer({ label: 'profiler', size: 16 * this.passes, usage });
    encoder.resolveQuerySet(this.queries, 0, 2 * labels.length, this.resolved, 0);
    encoder.copyBufferToBuffer(this.resolved, 0, staging, 0, bytes);
    return () => {
      const adding = this.add(staging, labels, bytes);
      // Where the device is lost, who reads the times hears of it, and the step that was submitted; nobody else waits.
      adding.catch(() => undefined);
      this.pending.push(adding);
    };
  }

  private async add(staging: GPUBuffer, labels: readonly string[], bytes: number): Promise<void> {
    await staging.mapAsync(GPUMapMode.READ, 0, bytes);
    const times = new BigUint64Array(staging.getMappedRange(0, bytes));
    labels.forEach((label, k) => {
      const milliseconds = Number(times[2 * k + 1] - times[2 * k]) / 1e6;
      this.totals.set(label, (this.totals.get(label) ?? 0) + milliseconds);
    });
    staging.unmap();
    this.idle.push(staging);
  }

  /** Milliseconds of each stage since the start, summed over steps. */
  async read(): Promise<Record<string, number>> {
    await Promise.all(this.pending);
    this.pending = [];
    return Object.fromEntries(this.totals);
  }

  dispose(): void {
    this.queries.destroy();
    this.resolved.destroy();
    for (const buffer of this.idle) buffer.destroy();
  }
}
