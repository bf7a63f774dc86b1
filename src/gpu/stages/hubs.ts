import { WORKGROUP_SIZE } from '../../../shaders/control';
import { type HubOptions, hubs } from '../../../shaders/hubs';
import { HUB_COLOURING_ROUNDS } from '../../settings';
import { createKernels, dispatch, type Kernel, type NamedBuffers } from '../kernel';
import type { Sizes } from '../sizes';
import { groupsFor, Stage } from '../stage';
import { ScanStage } from './scan';
import type { SweepPlan } from './solve';

type GrainEntry = 'countDegrees' | 'flag' | 'list' | 'gather' | 'propose' | 'commit' | 'finish' | 'order' | 'sort';
type Entry = 'choosePistons' | 'mark' | GrainEntry;

/** Of the buffers that are scanned: hubs among the grains, then contacts of the hubs. */
interface Scans {
  places: ScanStage;
  contacts: ScanStage;
}

/** Chooses the bodies whose contacts leave the colouring. `hubOf`, `hubCounts` and `hubMasks` must be zero before; `claims` is, and is left so. */
export class HubsStage extends Stage<Entry> {
  private constructor(
    kernels: Record<Entry, Kernel>,
    private readonly options: HubOptions,
    private readonly scans: Scans | undefined,
  ) {
    super(kernels);
  }

  static async create(device: GPUDevice, options: HubOptions & { colourWords: number }): Promise<HubsStage> {
    const rounds = ['pairs', 'hubs', 'hubSums', 'hubContacts', 'claims'];
    const ofGrains: Record<GrainEntry, string[]> = {
      countDegrees: ['pairs', 'hubOf'],
      flag: ['hubOf', 'lattice'],
      list: ['hubOf', 'hubs', 'hubSums'],
      gather: ['pairs', 'hubOf', 'hubSums', 'hubCounts', 'hubContacts', 'offsets'],
      propose: rounds,
      commit: [...rounds, 'hubMasks'],
      finish: [...rounds, 'hubMasks'],
      order: ['hubs', 'hubSums', 'schedule'],
      sort: ['hubs', 'hubSums', 'hubContacts', 'schedule', 'sequence'],
    };
    const kernels = await createKernels<Entry>(device, {
      label: 'hubs',
      code: hubs(options),
      entries: {
        mark: ['pairs', 'hubOf', 'colours', ...(options.hubGrains ? ['hubCounts', 'offsets'] : [])],
        ...((options.pistons > 0 ? { choosePistons: ['hubOf', 'pistons'] } : {}) as { choosePistons: string[] }),
        ...((options.hubGrains ? ofGrains : {}) as typeof ofGrains),
      },
    });
    if (!options.hubGrains) return new HubsStage(kernels, options, undefined);
    const places = await ScanStage.create(device, 'hubOf', 'hubSums');
    return new HubsStage(kernels, options, { places, contacts: await ScanStage.create(device, 'hubCounts', 'hubSums') });
  }

  override bind(views: readonly NamedBuffers[]): void {
    super.bind(views);
    this.scans?.places.bind(views);
    this.scans?.contacts.bind(views);
  }

  setSizes(queue: GPUQueue, { grains, hubGrains }: Sizes): void {
    this.scans?.places.setCount(queue, grains);
    this.scans?.contacts.setCount(queue, hubGrains);
  }

  encode(pass: GPUComputePassEncoder, parity: number, { candidates, grains }: Sizes, { hubs }: SweepPlan): void {
    const [ofGrains, ofContacts] = [groupsFor(grains, WORKGROUP_SIZE), groupsFor(candidates, WORKGROUP_SIZE)];
    if (this.scans) {
      this.run(pass, 'countDegrees', parity, ofContacts);
      this.run(pass, 'flag', parity, ofGrains);
      this.scans.places.encode(pass, parity);
      this.run(pass, 'list', parity, ofGrains);
    }
    if (this.options.pistons > 0) this.run(pass, 'choosePistons', parity, 1);
    this.run(pass, 'mark', parity, ofContacts);
    if (!this.scans) return;
    this.scans.contacts.encode(pass, parity);
    this.run(pass, 'gather', parity, ofContacts);
    for (let round = 0; round < HUB_COLOURING_ROUNDS; round++) {
      this.runHubs(pass, 'propose', parity, hubs?.grains);
      this.runHubs(pass, 'commit', parity, hubs?.grains);
    }
    this.runHubs(pass, 'finish', parity, hubs?.grains);
  }

  /** Once contacts are sorted by colour: hubs by colour, and the contacts of each. */
  encodeOrder(pass: GPUComputePassEncoder, parity: number, { hubs }: SweepPlan): void {
    if (!this.scans) return;
    this.run(pass, 'order', parity, 1);
    this.runHubs(pass, 'sort', parity, hubs?.grains);
  }

  /** One workgroup for each hub. */
  private runHubs(pass: GPUComputePassEncoder, entry: Entry, parity: number, hubs = 1): void {
    this.use(pass, entry, parity);
    dispatch(pass, hubGroups(hubs));
  }

  dispose(): void {
    this.scans?.places.dispose();
    this.scans?.contacts.dispose();
  }
}

/** Workgroups for so many hubs; where there are more, each has several in turn. */
export function hubGroups(hubs: number): number {
  return Math.min(Math.max(hubs, 1), 65535);
}
