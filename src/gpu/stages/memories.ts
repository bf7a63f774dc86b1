import { WORKGROUP_SIZE } from '../../../shaders/control';
import { type MemoriesOptions, memories } from '../../../shaders/memories';
import { createKernels } from '../kernel';
import type { Sizes } from '../sizes';
import { groupsFor, Stage } from '../stage';

type Entry = 'find' | 'recall' | 'aim' | 'mark' | 'stop' | 'weigh' | 'keep';

const BODIES = ['contactPairs', 'normals', 'impulses', 'velocities', 'spins', 'motion', 'memories'];

const MOVING_APART = ['contactPairs', 'normals', 'impulses', 'velocities', 'motion', 'memories', 'claims'];

/** What contacts remember of collisions and bonds; only where some law has them. */
export class MemoriesStage extends Stage<Entry> {
  static async create(device: GPUDevice, options: MemoriesOptions, page?: number): Promise<MemoriesStage> {
    const given = options.features ? ['lastImpulses', 'normals', 'pairs'] : [];
    return new MemoriesStage(
      await createKernels<Entry>(device, {
        label: 'memories',
        page,
        code: memories(options),
        entries: {
          ...((options.features
            ? { find: ['sequence', 'pairs', 'lastPairs', 'lastStarts', 'lastMemories', 'lastIndices', 'memories'] }
            : {}) as {
            find: string[];
          }),
          recall: ['sequence', 'lastIndices', 'lastMemories', 'memories', ...given],
          aim: [...BODIES, 'laws'],
          mark: MOVING_APART,
          stop: MOVING_APART,
          weigh: BODIES,
          keep: ['sequence', 'normals', 'impulses', 'memories', 'lastMemories', 'laws'],
        },
      }),
    );
  }

  /** What each contact aims at, from free velocities: before the impulses of the last step act. */
  encode(pass: GPUComputePassEncoder, parity: number, { candidates }: Sizes): void {
    if (this.kernels.find) this.run(pass, 'find', parity, groupsFor(candidates, WORKGROUP_SIZE));
    this.run(pass, 'recall', parity, groupsFor(candidates, WORKGROUP_SIZE));
    this.run(pass, 'aim', parity, groupsFor(candidates, WORKGROUP_SIZE));
  }

  /** What stopping took in the step, before velocities are those of its end. `claims` must be zero before, and is to be afterwards. */
  encodeStop(pass: GPUComputePassEncoder, parity: number, { candidates }: Sizes): void {
    for (const entry of ['mark', 'stop'] as const) this.run(pass, entry, parity, groupsFor(candidates, WORKGROUP_SIZE));
  }

  /** What friction did in the step, before velocities are those of its end. */
  encodeWeigh(pass: GPUComputePassEncoder, parity: number, { candidates }: Sizes): void {
    this.run(pass, 'weigh', parity, groupsFor(candidates, WORKGROUP_SIZE));
  }

  encodeKeep(pass: GPUComputePassEncoder, parity: number, { candidates }: Sizes): void {
    this.run(pass, 'keep', parity, groupsFor(candidates, WORKGROUP_SIZE));
  }
}
