import type { WallOptions } from '../../../shaders/bodies';
import { candidates } from '../../../shaders/candidates';
import { WORKGROUP_SIZE } from '../../../shaders/control';
import type { CellOptions } from '../../../shaders/grid';
import { createKernels, type NamedBuffers } from '../kernel';
import type { Sizes } from '../sizes';
import { groupsFor } from '../stage';
import type { MeshesStage } from './meshes';
import { ScannedStage, ScanStage } from './scan';

type Entry = 'count' | 'checkCapacity' | 'fill';

/** Pairs whose gap can close in this step, by first and second body. */
export class CandidatesStage extends ScannedStage<Entry> {
  static async create(device: GPUDevice, options: CellOptions & WallOptions): Promise<CandidatesStage> {
    const search = ['levels', 'lattice', 'offsets', 'linked', 'reaches', 'walls', 'starts'];
    const kernels = await createKernels<Entry>(device, {
      label: 'candidates',
      code: candidates(options),
      entries: { count: search, checkCapacity: ['starts'], fill: [...search, 'pairs'] },
    });
    return new CandidatesStage(kernels, await ScanStage.create(device, 'candidateCounts', 'starts'));
  }

  override bind(views: readonly NamedBuffers[]): void {
    super.bind(views);
    this.bindEntry(
      'count',
      views.map((view) => ({ ...view, starts: view.candidateCounts })),
    );
  }

  setSizes(queue: GPUQueue, { grains }: Sizes): void {
    this.scan.setCount(queue, grains);
  }

  encode(pass: GPUComputePassEncoder, parity: number, sizes: Sizes, meshes?: MeshesStage): void {
    const groups = groupsFor(sizes.grains, WORKGROUP_SIZE);
    this.run(pass, 'count', parity, groups);
    meshes?.encodeCount(pass, parity, sizes);
    this.scan.encode(pass, parity);
    this.run(pass, 'checkCapacity', parity, 1);
    this.run(pass, 'fill', parity, groups);
    meshes?.encodeFill(pass, parity, sizes);
  }
}
