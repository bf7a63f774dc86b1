import { swellingStep } from '../cpu/coarseSchedule';
import { wallSteps } from '../cpu/walls';
import type { System } from '../scene/system';
import type { Snapshot } from '../snapshot';
import { Buffers } from './buffers';
import { createConstants } from './constants';
import { createStages, disposeStages, type Stages } from './createStages';
import type { NamedBuffers } from './kernel';
import { packLevels, packLoads, packParams } from './pack';
import { packPoses } from './packMeshes';
import { packWalls, WALL_BYTES } from './packWalls';
import { Profiler } from './profiler';
import { restore, restorePistons } from './restart';
import { isSplit, type Sizes } from './sizes';
import type { SweepPlan } from './stages/solve';
import { type Stop, TestSchedule } from './testSchedule';

/** Timed passes of one submission at most. */
const PASSES = 8;

/** The stages of a step over one set of buffers: encodes, and knows nothing of when and how often. */
export class Pipeline {
  private readonly schedule: TestSchedule;

  private constructor(
    private readonly device: GPUDevice,
    private system: System,
    private sizes: Sizes,
    readonly buffers: Buffers,
    private stages: Stages,
    private readonly constants: Record<string, GPUBuffer>,
    readonly profiler: Profiler | undefined,
    private readonly swellingStep: number,
  ) {
    this.schedule = new TestSchedule(system.solver);
    this.setSizes();
  }

  /** @param from what the grains and contacts start as */
  static async create(device: GPUDevice, system: System, sizes: Sizes, from: Snapshot, profile: boolean): Promise<Pipeline> {
    const { loads } = packLoads(system);
    // A packing that does not fit is told before time goes into compiling.
    const buffers = await Buffers.create(device, sizes);
    const stages = await createStages(device, system, sizes, loads !== undefined).catch((error) => {
      buffers.dispose();
      throw error;
    });
    const pipeline = new Pipeline(
      device,
      system,
      sizes,
      buffers,
      stages,
      createConstants(device, system, sizes, loads),
      profile ? Profiler.create(device, PASSES) : undefined,
      swellingStep(system, from),
    );
    pipeline.restore(from);
    return pipeline;
  }

  private restore(from: Snapshot): void {
    restore(this.buffers, this.system, from);
    restorePistons(this.device.queue, this.constants.walls, this.buffers, this.system, from);
  }

  /** The same grains in another order, between submissions. */
  reload(system: System, from: Snapshot): void {
    this.system = system;
    const { loads } = packLoads(system);
    if (loads) this.device.queue.writeBuffer(this.constants.loads, 0, loads);
    this.restore(from);
  }

  get bytes(): number {
    return this.buffers.bytes + Object.values(this.constants).reduce((sum, { size }) => sum + size, 0);
  }

  /** Makes room for what a step needs; between submissions only. What the last step left is kept. */
  async resize(sizes: Sizes): Promise<void> {
    await this.buffers.resize(sizes);
    if (sizes.colourWords !== this.sizes.colourWords || isSplit(sizes) !== isSplit(this.sizes)) {
      disposeStages(this.stages);
      this.stages = await createStages(this.device, this.system, sizes, this.constants.loads !== undefined);
    }
    this.sizes = sizes;
    this.setSizes();
  }

  private setSizes(): void {
    const { queue } = this.device;
    queue.writeBuffer(
      this.constants.params,
      0,
      packParams(this.system, this.sizes, packLoads(this.system).gravity, this.swellingStep),
    );
    queue.writeBuffer(this.constants.levels, 0, packLevels(this.sizes.levels));
    const views = [0, 1].map((parity): NamedBuffers => this.buffers.view(parity, this.constants));
    for (const stage of Object.values(this.stages)) stage?.bind(views);
    const { grid, candidates, colouring, coarseLists } = this.stages;
    for (const stage of [grid, candidates, colouring, coarseLists, this.stages.hubs]) stage?.setSizes(queue, this.sizes);
  }

  /**
   * Puts the walls where they are in a step, behind what was submitted and ahead of what comes; does nothing where none moves.
   * @param step steps done before it
   */
  placeWalls(step: number): void {
    const { motions, grains, walls } = this.system;
    if (motions.every((motion) => !motion)) return;
    const { queue } = this.device;
    if (this.constants.poses) queue.writeBuffer(this.constants.poses, 0, packPoses(this.system, step));
    const packed = packWalls(this.system, step);
    wallSteps(this.system, step).forEach(({ way }, w) => {
      // Those of pistons lie on the GPU alone.
      if (!motions[w]) return;
      for (const at of [w, walls.length + w]) {
        queue.writeBuffer(this.constants.walls, WALL_BYTES * at, packed, WALL_BYTES * at, WALL_BYTES);
      }
      queue.writeBuffer(this.buffers.get('velocities'), 16 * (grains + w), new Float32Array([...way, 0]));
    });
  }

  /** From the end of the last step to its candidates. */
  encodeSearch(encoder: GPUCommandEncoder, parity: number): void {
    const { stages, sizes } = this;
    for (const name of ['cellCounts', 'cellSpeeds']) encoder.clearBuffer(this.buffers.get(name));
    this.pass(encoder, 'grid', (pass) => {
      stages.predict.encode(pass, parity, sizes);
      stages.pistons?.encodeFree(pass, parity, sizes);
      stages.grid.encode(pass, parity, sizes);
    });
    encoder.clearBuffer(this.buffers.get('coarseLists'), 0, 4 * sizes.grains);
    this.pass(encoder, 'candidates', (pass) => stages.candidates.encode(pass, parity, sizes, stages.meshes));
  }

  /** From the end of the last step to contacts that are ready for sweeps. */
  encodeContacts(encoder: GPUCommandEncoder, parity: number, rounds: number, plan: SweepPlan): void {
    const { stages, sizes } = this;
    this.encodeSearch(encoder, parity);
    for (const name of ['masks', ...(stages.hubs ? ['hubOf', 'hubCounts', 'hubMasks'] : [])])
      encoder.clearBuffer(this.buffers.get(name));
    this.pass(encoder, 'colouring', (pass) => {
      stages.hubs?.encode(pass, parity, sizes, plan);
      stages.colouring.encode(pass, parity, sizes, rounds);
      stages.hubs?.encodeOrder(pass, parity, plan);
    });
    this.pass(encoder, 'contacts', (pass) => {
      stages.contacts.encode(pass, parity, sizes, stages.meshes);
      stages.memories?.encode(pass, parity, sizes);
    });
    this.pass(encoder, 'balance', (pass) => {
      stages.coarseLists.encode(pass, parity, sizes);
      stages.balance.encodeFree(pass, parity, sizes);
      stages.solve.encodeWarmStart(pass, parity, plan);
      stages.balance.encode(pass, parity, sizes);
    });
  }

  /** Sweeps number `first` + 1 to `first` + `count` of a step, with tests of convergence among them. */
  encodeSweeps(encoder: GPUCommandEncoder, parity: number, first: number, count: number, plan: SweepPlan): void {
    const { stages, sizes, schedule } = this;
    this.pass(encoder, 'solve', (pass) => {
      for (let done = first; done < first + count; ) {
        const stop = schedule.after(done);
        const next = Math.min(stop.sweeps, first + count);
        stages.solve.encodeSweeps(pass, parity, sizes, plan, next - done);
        if (next === stop.sweeps) this.encodeStop(pass, parity, stop);
        done = next;
      }
    });
  }

  private encodeStop(pass: GPUComputePassEncoder, parity: number, { records, tests, turn }: Stop): void {
    const { stages, sizes } = this;
    if (records) stages.balance.encode(pass, parity, sizes);
    if (!tests) return;
    stages.convergence.encode(pass, parity, sizes);
    stages.coarse?.encodeProposal(pass, parity, sizes);
    if (turn) stages.coarse?.encodeTurn(pass, parity, sizes);
  }

  /** Measures, moves the grains if the step may be kept, and writes the report. */
  encodeEnd(encoder: GPUCommandEncoder, parity: number): void {
    const { stages, sizes } = this;
    this.pass(encoder, 'measure', (pass) => {
      stages.convergence.encodeCheck(pass, parity);
      stages.pistons?.encodeCheck(pass, parity);
      stages.measure.encode(pass, parity, sizes);
    });
    const rebounds = this.system.laws.some(({ normalRestitution }) => normalRestitution > 0);
    this.pass(encoder, 'integrate', (pass) => {
      if (rebounds) stages.memories?.encodeStop(pass, parity, sizes);
      if (this.system.laws.some(({ tangentialRestitution }) => tangentialRestitution > 0)) {
        stages.memories?.encodeWeigh(pass, parity, sizes);
      }
      stages.integrate.encode(pass, parity, sizes);
      stages.contacts.encodeKeep(pass, parity, sizes);
      stages.memories?.encodeKeep(pass, parity, sizes);
      stages.pistons?.encodeAdvance(pass, parity);
      stages.integrate.encodeAdvance(pass, parity);
    });
    if (rebounds) encoder.clearBuffer(this.buffers.get('claims'));
  }

  private pass(encoder: GPUCommandEncoder, label: string, encode: (pass: GPUComputePassEncoder) => void): void {
    const pass = encoder.beginComputePass(this.profiler?.describe(label) ?? { label });
    encode(pass);
    pass.end();
  }

  dispose(): void {
    disposeStages(this.stages);
    this.buffers.dispose();
    this.profiler?.dispose();
    for (const buffer of Object.values(this.constants)) buffer.destroy();
  }
}
