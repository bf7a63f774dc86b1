import type { SpaceOptions } from '../../../shaders/bodies';
import { WORKGROUP_SIZE } from '../../../shaders/control';
import { integrate } from '../../../shaders/integrate';
import { createKernels } from '../kernel';
import type { Sizes } from '../sizes';
import { groupsFor, Stage } from '../stage';

type Entry = 'integrate' | 'advance';

/** Last stage of a step: positions follow the velocities that the solve left behind. */
export class IntegrateStage extends Stage<Entry> {
  static async create(device: GPUDevice, space: SpaceOptions): Promise<IntegrateStage> {
    return new IntegrateStage(
      await createKernels<Entry>(device, {
        label: 'integrate',
        code: integrate(space),
        entries: {
          integrate: ['lattice', 'offsets', 'motion', 'velocities', 'spins', 'orientations'],
          advance: ['report'],
        },
      }),
    );
  }

  encode(pass: GPUComputePassEncoder, parity: number, { grains }: Sizes): void {
    this.run(pass, 'integrate', parity, groupsFor(grains, WORKGROUP_SIZE));
  }

  encodeAdvance(pass: GPUComputePassEncoder, parity: number): void {
    this.run(pass, 'advance', parity, 1);
  }
}
