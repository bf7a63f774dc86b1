import { WORKGROUP_SIZE } from '../../../shaders/control';
import { type PredictOptions, predict } from '../../../shaders/predict';
import { createKernels } from '../kernel';
import type { Sizes } from '../sizes';
import { groupsFor, Stage } from '../stage';

type Entry = 'begin' | 'predict';

/** First stage of a step: free velocities. */
export class PredictStage extends Stage<Entry> {
  static async create(device: GPUDevice, options: PredictOptions): Promise<PredictStage> {
    const buffers = ['velocities', 'spins', 'motion', 'reaches'];
    return new PredictStage(
      await createKernels<Entry>(device, {
        label: 'predict',
        code: predict(options),
        entries: { begin: [], predict: options.loads ? [...buffers, 'loads'] : buffers },
      }),
    );
  }

  encode(pass: GPUComputePassEncoder, parity: number, { bodies }: Sizes): void {
    this.run(pass, 'begin', parity, 1);
    this.run(pass, 'predict', parity, groupsFor(bodies, WORKGROUP_SIZE));
  }
}
