import { SCAN_BLOCK, scan } from '../../../shaders/scan';
import { createKernels, type Kernel, type NamedBuffers } from '../kernel';
import { groupsFor, Stage } from '../stage';

type Entry = 'sumBlocks' | 'scanBlockSums' | 'scanBlocks';

/** Exclusive prefix sum of one buffer into another; a stage that counts owns one for its numbers. */
export class ScanStage extends Stage<Entry> {
  private count = 0;

  /** @param counts,sums names of the buffers that are read and written */
  private constructor(
    device: GPUDevice,
    kernels: Record<Entry, Kernel>,
    private readonly counts: string,
    private readonly sums: string,
    private readonly range = device.createBuffer({ label: 'scan range', size: 16, usage: 0x40 | 0x8 }), // UNIFORM | COPY_DST
  ) {
    super(kernels);
  }

  static async create(device: GPUDevice, counts: string, sums: string): Promise<ScanStage> {
    const kernels = await createKernels<Entry>(device, {
      label: `scan of ${counts}`,
      code: scan(),
      entries: {
        sumBlocks: ['counts', 'blockSums', 'range'],
        scanBlockSums: ['sums', 'blockSums', 'range'],
        scanBlocks: ['counts', 'sums', 'blockSums', 'range'],
      },
    });
    return new ScanStage(device, kernels, counts, sums);
  }

  override bind(views: readonly NamedBuffers[]): void {
    super.bind(views.map((view) => ({ ...view, counts: view[this.counts], sums: view[this.sums], range: this.range })));
  }

  setCount(queue: GPUQueue, count: number): void {
    this.count = count;
    queue.writeBuffer(this.range, 0, new Uint32Array([count]));
  }

  encode(pass: GPUComputePassEncoder, parity: number): void {
    const blocks = groupsFor(this.count, SCAN_BLOCK);
    this.run(pass, 'sumBlocks', parity, blocks);
    this.run(pass, 'scanBlockSums', parity, 1);
    this.run(pass, 'scanBlocks', parity, blocks);
  }

  dispose(): void {
    this.range.destroy();
  }
}

/** A stage that counts, and needs the prefix sums of its counts. */
export class ScannedStage<Entry extends string> extends Stage<Entry> {
  constructor(
    kernels: Record<Entry, Kernel>,
    protected readonly scan: ScanStage,
  ) {
    super(kernels);
  }

  override bind(views: readonly NamedBuffers[]): void {
    super.bind(views);
    this.scan.bind(views);
  }

  dispose(): void {
    this.scan.dispose();
  }
}
