import { COARSE_BLOCK, coarseCounts } from '../../../shaders/coarseGrid';
import { type CoarseListsOptions, coarseLists } from '../../../shaders/coarseLists';
import { WORKGROUP_SIZE } from '../../../shaders/control';
import { createKernels, type Kernel } from '../kernel';
import type { Sizes } from '../sizes';
import { groupsFor } from '../stage';
import { ScannedStage, ScanStage } from './scan';

type Entry = 'findBox' | 'layOut' | 'count' | 'listGrains';
type SideEntry = 'listColoured' | 'listOthers' | 'listHubs' | 'sortOthers';

/** The coarse grid of a step, the grains of its cells and the contacts of each grain. */
export class CoarseListsStage extends ScannedStage<Entry | SideEntry> {
  private constructor(
    kernels: Record<Entry | SideEntry, Kernel>,
    private readonly options: CoarseListsOptions,
    scan: ScanStage,
  ) {
    super(kernels, scan);
  }

  static async create(device: GPUDevice, options: CoarseListsOptions): Promise<CoarseListsStage> {
    const sides = options.split ? ['coarseLists', 'coarseSides'] : ['coarseLists'];
    const kernels = await createKernels<Entry | SideEntry>(device, {
      label: 'coarse lists',
      code: coarseLists(options),
      entries: {
        findBox: ['lattice', 'coarseCounts'],
        layOut: [],
        count: ['lattice', 'coarseCounts', ...(options.sides ? ['contactPairs', 'masks', 'schedule'] : [])],
        listGrains: ['lattice', 'coarseLists'],
        ...((options.sides
          ? {
              listColoured: ['contactPairs', 'masks', 'schedule', 'sequence', 'colours', ...sides],
              listOthers: ['contactPairs', 'schedule', 'coarseCounts', ...sides],
              ...(options.hubs.hubGrains ? { listHubs: ['contactPairs', 'masks', 'schedule', 'coarseCounts', ...sides] } : {}),
              sortOthers: ['coarseCounts', ...sides],
            }
          : {}) as Record<SideEntry, string[]>),
      },
    });
    return new CoarseListsStage(kernels, options, await ScanStage.create(device, 'coarseCounts', 'coarseLists'));
  }

  setSizes(queue: GPUQueue, { grains }: Sizes): void {
    this.scan.setCount(queue, coarseCounts(grains, this.options.sides));
  }

  encode(pass: GPUComputePassEncoder, parity: number, { grains, candidates, teams }: Sizes): void {
    const blocks = groupsFor(grains, COARSE_BLOCK);
    this.run(pass, 'findBox', parity, teams);
    this.run(pass, 'layOut', parity, 1);
    this.run(pass, 'count', parity, blocks);
    this.scan.encode(pass, parity);
    this.run(pass, 'listGrains', parity, blocks);
    if (!this.options.sides) return;
    this.run(pass, 'listColoured', parity, groupsFor(candidates, WORKGROUP_SIZE));
    this.run(pass, 'listOthers', parity, teams);
    if (this.options.hubs.hubGrains) this.run(pass, 'listHubs', parity, teams);
    this.run(pass, 'sortOthers', parity, groupsFor(grains, WORKGROUP_SIZE));
  }
}
