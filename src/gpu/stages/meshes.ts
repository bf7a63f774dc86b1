import { WORKGROUP_SIZE } from '../../../shaders/control';
import { meshes } from '../../../shaders/meshes';
import type { MeshOptions } from '../../../shaders/meshFeatures';
import { createKernels, type NamedBuffers } from '../kernel';
import type { Sizes } from '../sizes';
import { groupsFor, Stage } from '../stage';

type Entry = 'count' | 'fill' | 'place';

/** Candidates at the facets, edges and corners of meshes, and their geometry; between the entries of other stages. */
export class MeshesStage extends Stage<Entry> {
  static async create(device: GPUDevice, options: MeshOptions, page?: number): Promise<MeshesStage> {
    const poses = options.moving ? ['poses'] : [];
    const search = ['lattice', 'offsets', 'reaches', 'features', 'meshData', 'starts', ...poses];
    return new MeshesStage(
      await createKernels<Entry>(device, {
        label: 'meshes',
        page,
        code: meshes(options),
        entries: {
          count: [...search, 'noted'],
          fill: [...search, 'pairs'],
          place: ['lattice', 'offsets', 'features', 'pairs', 'sequence', 'contactPairs', 'normals', ...poses],
        },
      }),
    );
  }

  override bind(views: readonly NamedBuffers[]): void {
    super.bind(views);
    this.bindEntry(
      'count',
      views.map((view) => ({ ...view, starts: view.candidateCounts })),
    );
  }

  /** Adds to the numbers of candidates. */
  encodeCount(pass: GPUComputePassEncoder, parity: number, { grains }: Sizes): void {
    this.run(pass, 'count', parity, groupsFor(grains, WORKGROUP_SIZE));
  }

  encodeFill(pass: GPUComputePassEncoder, parity: number, { grains }: Sizes): void {
    this.run(pass, 'fill', parity, groupsFor(grains, WORKGROUP_SIZE));
  }

  encodePlace(pass: GPUComputePassEncoder, parity: number, { candidates }: Sizes): void {
    this.run(pass, 'place', parity, groupsFor(candidates, WORKGROUP_SIZE));
  }
}
