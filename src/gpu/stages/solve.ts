import { keepsPrevious } from '../../../shaders/contactUpdate';
import { WORKGROUP_SIZE } from '../../../shaders/control';
import { hubPlaces } from '../../../shaders/hubs';
import { fusesSweeps, type SolveOptions, solve, WHOLE_SWEEPS } from '../../../shaders/solve';
import { HUB_COLOURS } from '../../settings';
import { createKernels, dispatch, type Kernel } from '../kernel';
import type { Sizes } from '../sizes';
import { groupsFor, Stage } from '../stage';
import { hubGroups } from './hubs';

type Entry = 'sweepColour' | 'sweepTail' | 'warmColour' | 'warmTail' | 'extrapolate' | 'drawOrder';
type HubEntry = 'sweepHubs' | 'warmHubs';
type HubGrainEntry = 'sweepHubColour' | 'warmHubColour';

export interface SweepPlan {
  /** Colours that get a dispatch of their own; the tail does the others. Any number is right, the result is the same. */
  largeColours: number;
  /** Contacts that the dispatch of a colour covers at once, by its place in the order, the last of these also for those that follow; a colour with more takes several rounds. */
  contactsAtOnce: readonly number[];
  /** Absent: one workgroup goes through all hubs. */
  hubs?: HubPlan;
}

/** Any numbers are right. */
interface HubPlan {
  /** Grains that are hubs. */
  grains: number;
  /** Colours of them that get a dispatch of their own, and how many hubs it covers at once. */
  colours: number;
  atOnce: number;
}

/** Bytes between two slots of a uniform buffer, as every adapter allows. */
const SLOT_STRIDE = 256;

/** Sweeps that one dispatch does at most where one workgroup does them. */
const MOST_FUSED = 32;

/** Sweeps of the shock law, colour by colour. */
export class SolveStage extends Stage<Entry | HubEntry | HubGrainEntry> {
  private constructor(
    kernels: Record<Entry | HubEntry | HubGrainEntry, Kernel>,
    private readonly options: SolveOptions,
    private readonly slotBuffer: GPUBuffer,
    private readonly slots: readonly GPUBindGroup[],
    private readonly whole: readonly GPUBindGroup[],
  ) {
    super(kernels);
  }

  static async create(device: GPUDevice, options: SolveOptions, page?: number): Promise<SolveStage> {
    const places = 32 * options.colourWords + 1;
    const values = [
      ...Array.from({ length: places }, (_, place) => place),
      ...Array.from({ length: MOST_FUSED }, (_, k) => WHOLE_SWEEPS + k + 1),
    ];
    const layout = device.createBindGroupLayout({
      label: 'colour slot',
      entries: [{ binding: 0, visibility: GPUShaderStage.COMPUTE, buffer: { type: 'uniform' } }],
    });
    const buffer = device.createBuffer({
      label: 'colour slots',
      size: SLOT_STRIDE * values.length,
      usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
    });
    const words = new Uint32Array((SLOT_STRIDE / 4) * values.length);
    values.forEach((value, slot) => {
      words[(SLOT_STRIDE / 4) * slot] = value;
    });
    device.queue.writeBuffer(buffer, 0, words);
    const slots = values.map((value, slot) =>
      device.createBindGroup({
        label: `colour slot ${value}`,
        layout,
        entries: [{ binding: 0, resource: { buffer, offset: SLOT_STRIDE * slot, size: 4 } }],
      }),
    );
    const contact = [
      ...['schedule', 'contactPairs', 'normals', 'impulses', 'motion', 'laws', 'memories'],
      ...(keepsPrevious(options) ? ['previousImpulses'] : []),
    ];
    const hubs = hubPlaces(options.hubs) > 0;
    const ofHubs = [...contact, ...(options.hubs.pistons > 0 ? ['pistons'] : [])];
    const kernels = await createKernels<string>(device, {
      label: 'solve',
      page,
      code: solve(options),
      slots: layout,
      entries: {
        sweepColour: contact,
        sweepTail: fusesSweeps(options) && options.momentum ? [...contact, 'previousMotion'] : contact,
        warmColour: contact,
        warmTail: contact,
        extrapolate: ['motion', 'previousMotion'],
        drawOrder: ['schedule'],
        ...(hubs ? { sweepHubs: ofHubs, warmHubs: ofHubs } : {}),
        ...(options.hubs.hubGrains ? { sweepHubColour: contact, warmHubColour: contact } : {}),
      },
    });
    return new SolveStage(kernels, options, buffer, slots.slice(0, places), slots.slice(places));
  }

  /** Gives bodies the impulses that contacts start with. */
  encodeWarmStart(pass: GPUComputePassEncoder, parity: number, plan: SweepPlan): void {
    this.encodeColours(pass, parity, 'warmColour', 'warmTail', plan);
    this.encodeHubs(pass, parity, 'warmHubColour', 'warmHubs', plan);
  }

  /** So many sweeps one after the other. */
  encodeSweeps(pass: GPUComputePassEncoder, parity: number, sizes: Sizes, plan: SweepPlan, count: number): void {
    if (plan.largeColours > 0 || !fusesSweeps(this.options)) {
      for (let sweep = 0; sweep < count; sweep++) this.encodeSweep(pass, parity, sizes, plan);
      return;
    }
    for (let done = 0; done < count; done += MOST_FUSED) {
      pass.setBindGroup(1, this.whole[Math.min(count - done, MOST_FUSED) - 1]);
      this.run(pass, 'sweepTail', parity, 1);
    }
  }

  private encodeSweep(pass: GPUComputePassEncoder, parity: number, { grains }: Sizes, plan: SweepPlan): void {
    pass.setBindGroup(1, this.slots[0]);
    if (this.options.momentum) this.run(pass, 'extrapolate', parity, groupsFor(grains, WORKGROUP_SIZE));
    if (this.options.randomOrder) this.run(pass, 'drawOrder', parity, 1);
    this.encodeColours(pass, parity, 'sweepColour', 'sweepTail', plan);
    this.encodeHubs(pass, parity, 'sweepHubColour', 'sweepHubs', plan);
  }

  private encodeColours(pass: GPUComputePassEncoder, parity: number, colour: Entry, tail: Entry, plan: SweepPlan): void {
    // In two buffers, all contacts of a colour come before those of the next in the order that was drawn.
    const { split, randomOrder } = this.options;
    const large = Math.min(split && randomOrder ? Infinity : plan.largeColours, this.slots.length - 1);
    const windows = this.windows(colour).length;
    for (let k = 0; k < large * windows; k++) {
      const slot = Math.floor(k / windows);
      if (k === 0 || windows > 1) this.use(pass, colour, parity, k % windows);
      pass.setBindGroup(1, this.slots[slot]);
      dispatch(pass, groupsFor(plan.contactsAtOnce[slot] ?? plan.contactsAtOnce.at(-1)!, WORKGROUP_SIZE));
    }
    pass.setBindGroup(1, this.slots[large]);
    this.run(pass, tail, parity, 1);
  }

  private encodeHubs(pass: GPUComputePassEncoder, parity: number, colour: HubGrainEntry, rest: HubEntry, plan: SweepPlan): void {
    if (hubPlaces(this.options.hubs) === 0) return;
    const { split, hubs } = this.options;
    const { colours, atOnce } = (hubs.hubGrains && plan.hubs) || { colours: 0, atOnce: 1 };
    // In two buffers, all contacts of a colour come before those of the next, and one workgroup has the hubs without colours.
    const alone = split && hubs.hubGrains ? HUB_COLOURS + 1 : colours;
    for (let slot = 0; slot < alone; slot++) {
      this.windows(colour).forEach((_, window) => {
        this.use(pass, colour, parity, window);
        pass.setBindGroup(1, this.slots[slot]);
        dispatch(pass, slot < colours ? hubGroups(atOnce) : 1);
      });
    }
    pass.setBindGroup(1, this.slots[alone]);
    this.use(pass, rest, parity);
    dispatch(pass, 1);
  }

  dispose(): void {
    this.slotBuffer.destroy();
  }
}
