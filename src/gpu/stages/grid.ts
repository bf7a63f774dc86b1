import { WORKGROUP_SIZE } from '../../../shaders/control';
import { type GridOptions, grid } from '../../../shaders/grid';
import { createKernels } from '../kernel';
import type { Sizes } from '../sizes';
import { groupsFor } from '../stage';
import { ScannedStage, ScanStage } from './scan';

type Entry = 'count' | 'scatter' | 'rank' | 'checkReach';

/** Linked cells and the reach of each grain. `cellCounts` and `cellSpeeds` must be zero before. */
export class GridStage extends ScannedStage<Entry> {
  static async create(device: GPUDevice, options: GridOptions): Promise<GridStage> {
    const kernels = await createKernels<Entry>(device, {
      label: 'grid',
      code: grid(options),
      entries: {
        count: ['levels', 'lattice', 'offsets', 'motion', 'cellCounts', 'cellSpeeds', ...(options.moving ? ['walls'] : [])],
        scatter: ['levels', 'lattice', 'offsets', 'cellCounts', 'linked', 'unsorted'],
        rank: ['levels', 'lattice', 'offsets', 'cellSpeeds', 'linked', 'unsorted', 'reaches', 'noted'],
        checkReach: [],
      },
    });
    return new GridStage(kernels, await ScanStage.create(device, 'cellCounts', 'linked'));
  }

  setSizes(queue: GPUQueue, { cells }: Sizes): void {
    this.scan.setCount(queue, cells);
  }

  encode(pass: GPUComputePassEncoder, parity: number, { grains }: Sizes): void {
    const groups = groupsFor(grains, WORKGROUP_SIZE);
    this.run(pass, 'count', parity, groups);
    this.scan.encode(pass, parity);
    this.run(pass, 'scatter', parity, groups);
    this.run(pass, 'rank', parity, groups);
    this.run(pass, 'checkReach', parity, 1);
  }
}
