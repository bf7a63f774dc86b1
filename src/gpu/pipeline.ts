import { hubPlaces } from '../../shaders/hubs';
import { longestRange } from '../cpu/bonds';
import { asksForBalance } from '../cpu/coarseSchedule';
import { largestRadius } from '../cpu/sizeLevels';
import { featureImages, wallSteps } from '../cpu/walls';
import type { System } from '../scene/system';
import type { Snapshot } from '../snapshot';
import { loneWorkgroupSize } from './adapter';
import { Buffers, withinMemory } from './buffers';
import type { NamedBuffers } from './kernel';
import { lawOptions } from './lawOptions';
import { PARAMS_BYTES, packLevels, packLoads, packParams, packPistons } from './pack';
import { packLawOf, packLaws } from './packLaws';
import { haveMeshesPoses, packFeatures, packMeshData, packPoses } from './packMeshes';
import { packWalls, turningWalls, WALL_BYTES } from './packWalls';
import { Profiler } from './profiler';
import { restore, restorePistons } from './restart';
import { coarseUse, hubOptions, looksAtChanges, type Sizes } from './sizes';
import { BalanceStage } from './stages/balance';
import { CandidatesStage } from './stages/candidates';
import { CoarseStage } from './stages/coarse';
import { CoarseListsStage } from './stages/coarseLists';
import { ColouringStage } from './stages/colouring';
import { ContactsStage } from './stages/contacts';
import { ConvergenceStage } from './stages/convergence';
import { GridStage } from './stages/grid';
import { HubsStage } from './stages/hubs';
import { IntegrateStage } from './stages/integrate';
import { MeasureStage } from './stages/measure';
import { MemoriesStage } from './stages/memories';
import { MeshesStage } from './stages/meshes';
import { PistonsStage } from './stages/pistons';
import { PredictStage } from './stages/predict';
import { SolveStage, type SweepPlan } from './stages/solve';
import { type Stop, TestSchedule } from './testSchedule';

/** Timed passes of one submission at most. */
const PASSES = 8;

interface Stages {
  predict: PredictStage;
  grid: GridStage;
  candidates: CandidatesStage;
  colouring: ColouringStage;
  contacts: ContactsStage;
  memories?: MemoriesStage;
  solve: SolveStage;
  convergence: ConvergenceStage;
  coarseLists: CoarseListsStage;
  balance: BalanceStage;
  coarse?: CoarseStage;
  measure: MeasureStage;
  integrate: IntegrateStage;
  hubs?: HubsStage;
  pistons?: PistonsStage;
  meshes?: MeshesStage;
}

async function createStages(device: GPUDevice, system: System, sizes: Sizes, loads: boolean): Promise<Stages> {
  const { periods, solver } = system;
  const { colourWords } = sizes;
  const levels = sizes.levels.length;
  const walls = { moving: system.motions.some((motion) => motion), turning: turningWalls(system).length > 0 };
  const law = lawOptions(system);
  const hubs = hubOptions(system);
  const hubCount = hubPlaces(hubs);
  const changes = looksAtChanges(system);
  const { proposes, applies } = coarseUse(system);
  const tailSize = loneWorkgroupSize(device);
  const momentum = solver.momentum > 0;
  const solve = {
    // A step of the coarse level changes the impulses of the sweep before too.
    ...{ ...law, colourWords, hubs, changes: changes || applies, tailSize },
    ...{ momentum, randomOrder: solver.order === 'random' },
  };
  const [
    predict,
    grid,
    candidates,
    colouring,
    contacts,
    solveStage,
    convergence,
    coarseLists,
    balance,
    measure,
    integrate,
    hubsStage,
    pistons,
    meshes,
    memories,
    coarse,
  ] = await Promise.all([
    PredictStage.create(device, { loads }),
    GridStage.create(device, {
      periods,
      levels,
      largestRadius: largestRadius(system),
      range: longestRange(system),
      moving: walls.moving,
    }),
    CandidatesStage.create(device, { periods, levels, ...walls }),
    ColouringStage.create(device, { colourWords, hubs: hubCount, features: featureImages(system) }),
    ContactsStage.create(device, { periods, ...walls, ...law }),
    SolveStage.create(device, solve),
    ConvergenceStage.create(device, { ...law, changes, proposes, balanced: asksForBalance(solver.convergence) }),
    CoarseListsStage.create(device, { periods, colourWords, sides: proposes }),
    BalanceStage.create(device, { sides: proposes }),
    MeasureStage.create(device, { periods, ...walls, ...law, meshes: system.meshes.length > 0 }),
    IntegrateStage.create(device, { periods }),
    hubCount > 0 ? HubsStage.create(device, hubs) : undefined,
    hubs.pistons > 0 ? PistonsStage.create(device, { periods, pistons: hubs.pistons }) : undefined,
    system.meshes.length > 0
      ? MeshesStage.create(device, { periods, meshes: system.meshes.length, moving: haveMeshesPoses(system) })
      : undefined,
    law.memory ? MemoriesStage.create(device, law) : undefined,
    proposes ? CoarseStage.create(device, { ...law, periods, momentum, applies, solverSize: tailSize }) : undefined,
  ]);
  const wanted = {
    ...(hubsStage ? { hubs: hubsStage } : {}),
    ...(pistons ? { pistons } : {}),
    ...(meshes ? { meshes } : {}),
    ...(memories ? { memories } : {}),
    ...(coarse ? { coarse } : {}),
  };
  const sweeping = { contacts, solve: solveStage, convergence, coarseLists, balance };
  return { ...wanted, ...sweeping, predict, grid, candidates, colouring, measure, integrate };
}

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
  ) {
    this.schedule = new TestSchedule(system.solver);
    this.setSizes();
  }

  /** @param from what the grains and contacts start as */
  static async create(device: GPUDevice, system: System, sizes: Sizes, from: Snapshot, profile: boolean): Promise<Pipeline> {
    const { loads } = packLoads(system);
    const stages = await createStages(device, system, sizes, loads !== undefined);
    const buffers = await withinMemory(device, sizes, () => new Buffers(device, sizes));
    const pipeline = new Pipeline(
      device,
      system,
      sizes,
      buffers,
      stages,
      createConstants(device, system, sizes, loads),
      profile ? Profiler.create(device, PASSES) : undefined,
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
    await withinMemory(this.device, sizes, () => this.buffers.resize(sizes));
    if (sizes.colourWords !== this.sizes.colourWords) {
      disposeStages(this.stages);
      this.stages = await createStages(this.device, this.system, sizes, this.constants.loads !== undefined);
    }
    this.sizes = sizes;
    this.setSizes();
  }

  private setSizes(): void {
    const { queue } = this.device;
    queue.writeBuffer(this.constants.params, 0, packParams(this.system, this.sizes, packLoads(this.system).gravity));
    queue.writeBuffer(this.constants.levels, 0, packLevels(this.sizes.levels));
    const views = [0, 1].map((parity): NamedBuffers => this.buffers.view(parity, this.constants));
    for (const stage of Object.values(this.stages)) stage?.bind(views);
    const { grid, candidates, colouring, coarseLists } = this.stages;
    for (const stage of [grid, candidates, colouring, coarseLists]) stage.setSizes(queue, this.sizes);
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

  /** From the end of the last step to contacts that are ready for sweeps. */
  encodeContacts(encoder: GPUCommandEncoder, parity: number, rounds: number, plan: SweepPlan): void {
    const { stages, sizes } = this;
    for (const name of ['cellCounts', 'cellSpeeds', 'masks', ...(stages.hubs ? ['hubOf', 'hubs'] : [])])
      encoder.clearBuffer(this.buffers.get(name));
    this.pass(encoder, 'grid', (pass) => {
      stages.predict.encode(pass, parity, sizes);
      stages.pistons?.encodeFree(pass, parity, sizes);
      stages.grid.encode(pass, parity, sizes);
    });
    this.pass(encoder, 'candidates', (pass) => stages.candidates.encode(pass, parity, sizes, stages.meshes));
    this.pass(encoder, 'colouring', (pass) => {
      stages.hubs?.encode(pass, parity, sizes);
      stages.colouring.encode(pass, parity, sizes, rounds);
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
    this.pass(encoder, 'integrate', (pass) => {
      stages.integrate.encode(pass, parity, sizes);
      stages.contacts.encodeKeep(pass, parity, sizes);
      stages.memories?.encodeKeep(pass, parity, sizes);
      stages.pistons?.encodeAdvance(pass, parity);
      stages.integrate.encodeAdvance(pass, parity);
    });
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

function disposeStages({ grid, candidates, colouring, coarseLists, solve }: Stages): void {
  for (const stage of [grid, candidates, colouring, coarseLists, solve]) stage.dispose();
}

/** Buffers that hold what does not change in a run, or only with the sizes. */
function createConstants(
  device: GPUDevice,
  system: System,
  { levels }: Sizes,
  loads?: Float32Array<ArrayBuffer>,
): Record<string, GPUBuffer> {
  const { UNIFORM, STORAGE, COPY_DST } = GPUBufferUsage;
  const create = (label: string, usage: number, data: ArrayBuffer | Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>) => {
    const buffer = device.createBuffer({ label, size: data.byteLength, usage: usage | COPY_DST });
    device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  };
  return {
    params: create('params', UNIFORM, new ArrayBuffer(PARAMS_BYTES)),
    levels: create('levels', UNIFORM, packLevels(levels)),
    lawOf: create('lawOf', UNIFORM, packLawOf(system)),
    laws: create('laws', UNIFORM, packLaws(system)),
    walls: create('walls', STORAGE, packWalls(system, 0)),
    ...(system.meshes.length > 0
      ? {
          features: create('features', STORAGE, packFeatures(system)),
          meshData: create('meshData', STORAGE, packMeshData(system)),
          ...(haveMeshesPoses(system) ? { poses: create('poses', UNIFORM, packPoses(system, 0)) } : {}),
        }
      : {}),
    ...(system.pistons.length > 0 ? { pistons: create('pistons', UNIFORM, packPistons(system)) } : {}),
    ...(loads ? { loads: create('loads', STORAGE, loads) } : {}),
  };
}
