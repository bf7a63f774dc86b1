import { type ContactsOptions, contacts } from '../../../shaders/contacts';
import { WORKGROUP_SIZE } from '../../../shaders/control';
import { createKernels } from '../kernel';
import type { Sizes } from '../sizes';
import { groupsFor, Stage } from '../stage';
import type { MeshesStage } from './meshes';

type Entry = 'place' | 'placeAtWalls' | 'recall' | 'keep';

/** Contacts in the order of their colours, with the impulses of the last step; and those impulses kept after this one. */
export class ContactsStage extends Stage<Entry> {
  static async create(device: GPUDevice, options: ContactsOptions, page?: number): Promise<ContactsStage> {
    return new ContactsStage(
      await createKernels<Entry>(device, {
        label: 'contacts',
        page,
        code: contacts(options),
        entries: {
          place: ['sequence', 'pairs', 'lattice', 'offsets', 'contactPairs', 'normals'],
          placeAtWalls: ['contactPairs', 'lattice', 'offsets', 'walls', 'motion', 'normals'],
          recall: ['sequence', 'contactPairs', 'lattice', 'walls', 'lastIndices', 'lastImpulses', 'impulses', 'lawOf', 'laws'],
          keep: ['sequence', 'lastImpulses', 'impulses'],
        },
      }),
    );
  }

  encode(pass: GPUComputePassEncoder, parity: number, sizes: Sizes, meshes?: MeshesStage): void {
    const { candidates, walls } = sizes;
    this.run(pass, 'place', parity, groupsFor(candidates, WORKGROUP_SIZE));
    meshes?.encodePlace(pass, parity, sizes);
    if (walls > 0) this.run(pass, 'placeAtWalls', parity, groupsFor(candidates, WORKGROUP_SIZE));
    this.run(pass, 'recall', parity, groupsFor(candidates, WORKGROUP_SIZE));
  }

  encodeKeep(pass: GPUComputePassEncoder, parity: number, { candidates }: Sizes): void {
    this.run(pass, 'keep', parity, groupsFor(candidates, WORKGROUP_SIZE));
  }
}
