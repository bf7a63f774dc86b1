import { WORKGROUP_SIZE } from '../../../shaders/control';
import { type HubOptions, hubs } from '../../../shaders/hubs';
import { createKernels, type Kernel } from '../kernel';
import type { Sizes } from '../sizes';
import { groupsFor, Stage } from '../stage';

type Entry = 'countDegrees' | 'countLarge' | 'listLarge' | 'choose' | 'mark';

/** Chooses the bodies whose contacts leave the colouring. `hubOf` and `hubs` must be zero before. */
export class HubsStage extends Stage<Entry> {
  private constructor(
    kernels: Record<Entry, Kernel>,
    private readonly options: HubOptions,
  ) {
    super(kernels);
  }

  static async create(device: GPUDevice, options: HubOptions): Promise<HubsStage> {
    const kernels = await createKernels<Entry>(device, {
      label: 'hubs',
      code: hubs(options),
      entries: {
        countDegrees: ['pairs', 'hubOf'],
        countLarge: ['hubOf', 'hubs', 'lattice'],
        listLarge: ['hubOf', 'hubs', 'lattice'],
        choose: ['hubOf', 'hubs', ...(options.pistons > 0 ? ['pistons'] : [])],
        mark: ['pairs', 'hubOf', 'colours'],
      },
    });
    return new HubsStage(kernels, options);
  }

  encode(pass: GPUComputePassEncoder, parity: number, { candidates, grains, bodies }: Sizes): void {
    if (this.options.hubGrains) {
      this.run(pass, 'countDegrees', parity, groupsFor(candidates, WORKGROUP_SIZE));
      this.run(pass, 'countLarge', parity, groupsFor(grains, WORKGROUP_SIZE));
      this.run(pass, 'listLarge', parity, groupsFor(bodies, WORKGROUP_SIZE));
    }
    this.run(pass, 'choose', parity, 1);
    this.run(pass, 'mark', parity, groupsFor(candidates, WORKGROUP_SIZE));
  }
}
