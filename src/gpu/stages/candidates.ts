import type { WallOptions } from '../../../shaders/bodies';
import { AGAIN_BLOCK, candidates } from '../../../shaders/candidates';
import { WORKGROUP_SIZE } from '../../../shaders/control';
import type { CellOptions } from '../../../shaders/grid';
import { createKernels } from '../kernel';
import { lookersOf } from '../pack';
import type { Sizes } from '../sizes';
import { groupsFor } from '../stage';
import type { MeshesStage } from './meshes';
import { ScannedStage, ScanStage } from './scan';

type Entry = 'count' | 'lookDown' | 'checkCapacity' | 'fill' | 'lookAgain';

/** Pairs whose gap can close in this step, by first and second body. */
export class CandidatesStage extends ScannedStage<Entry> {
  static async create(device: GPUDevice, options: CellOptions & WallOptions): Promise<CandidatesStage> {
    const search = ['levels', 'lattice', 'offsets', 'linked', 'reaches'];
    const kernels = await createKernels<Entry>(device, {
      label: 'candidates',
      code: candidates(options),
      entries: {
        count: [...search, 'walls', 'candidateCounts', 'noted'],
        ...((options.levels > 1 ? { lookDown: [...search, 'candidateCounts', 'noted'] } : {}) as { lookDown: string[] }),
        checkCapacity: ['starts'],
        fill: ['lattice', 'starts', 'noted', 'pairs'],
        lookAgain: [...search, 'walls', 'starts', 'pairs'],
      },
    });
    return new CandidatesStage(kernels, await ScanStage.create(device, 'candidateCounts', 'starts'));
  }

  setSizes(queue: GPUQueue, { grains }: Sizes): void {
    this.scan.setCount(queue, grains);
  }

  encode(pass: GPUComputePassEncoder, parity: number, sizes: Sizes, meshes?: MeshesStage): void {
    const { grains, levels } = sizes;
    const groups = groupsFor(grains, WORKGROUP_SIZE);
    this.run(pass, 'count', parity, groups);
    const lookers = levels.reduce((sum, level, l) => sum + level.grains * lookersOf(levels, l), 0);
    if (lookers > 0) this.run(pass, 'lookDown', parity, groupsFor(lookers, WORKGROUP_SIZE));
    meshes?.encodeCount(pass, parity, sizes);
    this.scan.encode(pass, parity);
    this.run(pass, 'checkCapacity', parity, 1);
    this.run(pass, 'fill', parity, groups);
    this.run(pass, 'lookAgain', parity, groupsFor(grains, AGAIN_BLOCK));
    meshes?.encodeFill(pass, parity, sizes);
  }
}
