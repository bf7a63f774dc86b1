import { bucket, type ColouringOptions, colouring } from '../../../shaders/colouring';
import { SORT_BLOCK, WORKGROUP_SIZE } from '../../../shaders/control';
import { createKernels, type Kernel, type NamedBuffers } from '../kernel';
import type { Sizes } from '../sizes';
import { groupsFor, Stage } from '../stage';
import { ScannedStage, ScanStage } from './scan';

type Entry = 'carryOver' | 'propose' | 'commit';
type BucketEntry = 'histogram' | 'sortByColour' | 'tabulate';

/** Colours the candidates and sorts them by colour. `masks` must be zero before; `claims` is, and is left so. */
export class ColouringStage extends Stage<Entry> {
  private constructor(
    kernels: Record<Entry, Kernel>,
    private readonly bucket: BucketStage,
  ) {
    super(kernels);
  }

  static async create(device: GPUDevice, options: ColouringOptions): Promise<ColouringStage> {
    const kernels = await createKernels<Entry>(device, {
      label: 'colouring',
      code: colouring(options),
      entries: {
        carryOver: ['pairs', 'colours', 'masks', 'lastPairs', 'lastStarts', 'lastColours', 'lastIndices'],
        propose: ['pairs', 'colours', 'claims'],
        commit: ['pairs', 'colours', 'masks', 'claims'],
      },
    });
    return new ColouringStage(kernels, await BucketStage.create(device, options));
  }

  override bind(views: readonly NamedBuffers[]): void {
    super.bind(views);
    this.bucket.bind(views);
  }

  setSizes(queue: GPUQueue, sizes: Sizes): void {
    this.bucket.setSizes(queue, sizes);
  }

  /** @param rounds of proposals; each colours at most one more contact at each grain */
  encode(pass: GPUComputePassEncoder, parity: number, sizes: Sizes, rounds: number): void {
    const groups = groupsFor(sizes.candidates, WORKGROUP_SIZE);
    this.run(pass, 'carryOver', parity, groups);
    for (let round = 0; round < rounds; round++) {
      this.run(pass, 'propose', parity, groups);
      this.run(pass, 'commit', parity, groups);
    }
    this.bucket.encode(pass, parity, sizes);
  }

  dispose(): void {
    this.bucket.dispose();
  }
}

class BucketStage extends ScannedStage<BucketEntry> {
  static async create(device: GPUDevice, options: ColouringOptions): Promise<BucketStage> {
    const kernels = await createKernels<BucketEntry>(device, {
      label: 'bucket',
      code: bucket(options),
      entries: {
        histogram: ['colours', 'blockCounts'],
        sortByColour: ['colours', 'blockStarts', 'sequence'],
        tabulate: ['blockStarts', 'schedule'],
      },
    });
    return new BucketStage(kernels, await ScanStage.create(device, 'blockCounts', 'blockStarts'));
  }

  setSizes(queue: GPUQueue, { blocks, colourWords, hubs }: Sizes): void {
    this.scan.setCount(queue, blocks * (32 * colourWords + 1 + hubs));
  }

  encode(pass: GPUComputePassEncoder, parity: number, { candidates }: Sizes): void {
    const blocks = groupsFor(candidates, SORT_BLOCK);
    this.run(pass, 'histogram', parity, blocks);
    this.scan.encode(pass, parity);
    this.run(pass, 'sortByColour', parity, blocks);
    this.run(pass, 'tabulate', parity, 1);
  }
}
