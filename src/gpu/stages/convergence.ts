import { type ConvergenceOptions, convergence } from '../../../shaders/convergence';
import { createKernels } from '../kernel';
import type { Sizes } from '../sizes';
import { Stage } from '../stage';

type Entry = 'residuals' | 'decide' | 'checkStopped';

/** Tests on the GPU whether the sweeps may stop; later sweeps of the same submission then do nothing. */
export class ConvergenceStage extends Stage<Entry> {
  static async create(device: GPUDevice, options: ConvergenceOptions, page?: number): Promise<ConvergenceStage> {
    return new ConvergenceStage(
      await createKernels<Entry>(device, {
        label: 'convergence',
        page,
        code: convergence(options),
        entries: {
          residuals: [
            ...['contactPairs', 'normals', 'impulses', 'motion', 'partials', 'laws', 'memories'],
            ...(options.changes ? ['previousImpulses'] : []),
          ],
          decide: ['partials', 'level'],
          checkStopped: [],
        },
      }),
    );
  }

  encode(pass: GPUComputePassEncoder, parity: number, { teams }: Sizes): void {
    this.run(pass, 'residuals', parity, teams);
    this.run(pass, 'decide', parity, 1);
  }

  /** Halts the step where it needs more sweeps than were submitted. */
  encodeCheck(pass: GPUComputePassEncoder, parity: number): void {
    this.run(pass, 'checkStopped', parity, 1);
  }
}
