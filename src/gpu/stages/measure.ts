import { type MeasureOptions, measure } from '../../../shaders/measure';
import { createKernels } from '../kernel';
import type { Sizes } from '../sizes';
import { Stage } from '../stage';

type Entry = 'measureContacts' | 'measureBodies' | 'measureWalls' | 'writeReport';

/** Figures of the step, and whether it may be kept. */
export class MeasureStage extends Stage<Entry> {
  static async create(device: GPUDevice, options: MeasureOptions, page?: number): Promise<MeasureStage> {
    return new MeasureStage(
      await createKernels<Entry>(device, {
        label: 'measure',
        page,
        code: measure(options),
        entries: {
          measureContacts: ['contactPairs', 'lattice', 'offsets', 'motion', 'walls', 'partials', 'normals'],
          measureBodies: ['lattice', 'offsets', 'motion', 'reaches', 'partials'],
          measureWalls: ['contactPairs', 'normals', 'impulses', 'offsets', 'walls', 'lattice', 'partials'],
          writeReport: ['contactPairs', 'partials', 'report', 'schedule', ...(options.turning ? ['walls'] : [])],
        },
      }),
    );
  }

  encode(pass: GPUComputePassEncoder, parity: number, { walls, teams }: Sizes): void {
    this.run(pass, 'measureContacts', parity, teams);
    this.run(pass, 'measureBodies', parity, teams);
    if (walls > 0) {
      this.windows('measureWalls').forEach((_, window) => {
        this.use(pass, 'measureWalls', parity, window);
        pass.dispatchWorkgroups(teams, walls);
      });
    }
    this.run(pass, 'writeReport', parity, 1 + walls);
  }
}
