import { type CoarseOptions, coarse } from '../../../shaders/coarse';
import { WORKGROUP_SIZE } from '../../../shaders/control';
import { MAX_COARSE_NODES } from '../../settings';
import { createKernels, type Kernel } from '../kernel';
import type { Sizes } from '../sizes';
import { groupsFor, Stage } from '../stage';

type Entry = 'sumWork' | 'respond' | 'solveField' | 'share' | 'judge';
type ApplyEntry = 'moveGrains' | 'changeImpulses';
type SplitEntry = 'gather' | 'applyMoves';

/** Grains for each workgroup that has a cell, at least: in small packings most cells would have none. */
const GRAINS_PER_CELL = 32;

/** Workgroups of which each takes cells in turn. */
export function groupsForCells({ grains }: Sizes): number {
  return Math.min(groupsFor(grains, GRAINS_PER_CELL), MAX_COARSE_NODES);
}

/** Steps of the coarse level, behind the tests of convergence that ask for them. */
export class CoarseStage extends Stage<Entry | ApplyEntry | SplitEntry> {
  private constructor(
    kernels: Record<Entry | ApplyEntry | SplitEntry, Kernel>,
    private readonly split: boolean,
  ) {
    super(kernels);
  }

  static async create(device: GPUDevice, options: CoarseOptions, page?: number): Promise<CoarseStage> {
    const { memory, applies, momentum, split } = options;
    const remembered = memory ? ['memories'] : [];
    const moved = momentum ? ['motion', 'previousMotion'] : ['motion'];
    return new CoarseStage(
      (await createKernels<string>(device, {
        label: 'coarse',
        page,
        code: coarse(options),
        entries: {
          sumWork: ['contactPairs', 'normals', 'impulses', 'motion', 'lattice', 'targets', 'laws', ...remembered],
          respond: split
            ? ['normals0', 'normals1', 'impulses0', 'impulses1', 'coarseSides', 'coarseMembers', 'cellCouplings']
            : ['normals', 'impulses', 'motion', 'lattice', 'coarseLists', 'cellCouplings'],
          ...(split ? { gather: ['motion', 'lattice', 'coarseLists', 'coarseMembers'] } : {}),
          solveField: ['level', 'cellCouplings', 'cellMatrix', 'targets'],
          share: [
            ...['contactPairs', 'normals', 'impulses', 'motion', 'lattice', 'laws', ...remembered],
            ...(applies ? ['previousImpulses'] : []),
          ],
          judge: ['level'],
          ...(applies
            ? {
                moveGrains: [
                  ...['normals', 'impulses', 'coarseLists', 'previousImpulses'],
                  ...(split ? ['coarseSides', 'coarseMembers'] : moved),
                ],
                ...(split ? { applyMoves: ['coarseMembers', ...moved] } : {}),
                changeImpulses: ['impulses', 'previousImpulses'],
              }
            : {}),
        },
      })) as Record<Entry | ApplyEntry | SplitEntry, Kernel>,
      page !== undefined,
    );
  }

  /** What a step would change, and with that whether the sweeps may stop. */
  encodeProposal(pass: GPUComputePassEncoder, parity: number, sizes: Sizes): void {
    this.run(pass, 'sumWork', parity, sizes.teams);
    if (this.split) this.run(pass, 'gather', parity, groupsFor(Math.max(sizes.grains, MAX_COARSE_NODES + 1), WORKGROUP_SIZE));
    this.run(pass, 'respond', parity, groupsForCells(sizes));
    this.run(pass, 'solveField', parity, 1);
    this.run(pass, 'share', parity, sizes.teams);
    this.run(pass, 'judge', parity, 1);
  }

  /** Changes impulses and motion as proposed, where that is worth while. */
  encodeTurn(pass: GPUComputePassEncoder, parity: number, { grains, candidates }: Sizes): void {
    const ofGrains = groupsFor(grains, WORKGROUP_SIZE);
    this.run(pass, 'moveGrains', parity, ofGrains);
    if (this.split) this.run(pass, 'applyMoves', parity, ofGrains);
    this.run(pass, 'changeImpulses', parity, groupsFor(candidates, WORKGROUP_SIZE));
  }
}
