import { balance } from '../../../shaders/balance';
import { createKernels } from '../kernel';
import type { Sizes } from '../sizes';
import { Stage } from '../stage';
import { groupsForCells } from './coarse';

type Entry = 'freeMomenta' | 'momenta';

/** Momenta of the coarse grid's cells, from which the tests of convergence tell the balance. */
export class BalanceStage extends Stage<Entry> {
  static async create(device: GPUDevice, options: { sides: boolean }): Promise<BalanceStage> {
    const buffers = ['motion', 'coarseLists', 'level'];
    return new BalanceStage(
      await createKernels<Entry>(device, {
        label: 'balance',
        code: balance(options),
        entries: { freeMomenta: buffers, momenta: buffers },
      }),
    );
  }

  /** Before the impulses of the last step act. */
  encodeFree(pass: GPUComputePassEncoder, parity: number, sizes: Sizes): void {
    this.run(pass, 'freeMomenta', parity, groupsForCells(sizes));
  }

  /** Before the first sweep and before tests. */
  encode(pass: GPUComputePassEncoder, parity: number, sizes: Sizes): void {
    this.run(pass, 'momenta', parity, groupsForCells(sizes));
  }
}
