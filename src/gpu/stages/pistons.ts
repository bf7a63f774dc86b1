import { WORKGROUP_SIZE } from '../../../shaders/control';
import { type PistonsOptions, pistons } from '../../../shaders/pistons';
import { createKernels } from '../kernel';
import type { Sizes } from '../sizes';
import { groupsFor, Stage } from '../stage';

type Entry = 'free' | 'findNearest' | 'findReach' | 'check' | 'advance';

/** What pistons do outside of the sweeps. */
export class PistonsStage extends Stage<Entry> {
  static async create(device: GPUDevice, options: PistonsOptions): Promise<PistonsStage> {
    return new PistonsStage(
      await createKernels<Entry>(device, {
        label: 'pistons',
        code: pistons(options),
        entries: {
          free: ['pistons', 'motion', 'reaches', 'nearest'],
          findNearest: ['pistons', 'lattice', 'offsets', 'walls', 'nearest'],
          findReach: ['pistons', 'motion', 'reaches', 'nearest'],
          check: ['pistons', 'motion', 'reaches'],
          advance: ['pistons', 'motion', 'walls', 'velocities', 'report'],
        },
      }),
    );
  }

  /** Free velocities, and how far pistons may go. */
  encodeFree(pass: GPUComputePassEncoder, parity: number, { grains }: Sizes): void {
    this.run(pass, 'free', parity, 1);
    this.run(pass, 'findNearest', parity, groupsFor(grains, WORKGROUP_SIZE));
    this.run(pass, 'findReach', parity, 1);
  }

  /** Whether one outran its reach. */
  encodeCheck(pass: GPUComputePassEncoder, parity: number): void {
    this.run(pass, 'check', parity, 1);
  }

  /** Moves them, and reports where they are. */
  encodeAdvance(pass: GPUComputePassEncoder, parity: number): void {
    this.run(pass, 'advance', parity, 1);
  }
}
