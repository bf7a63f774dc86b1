import { Box3, Vector3 } from 'three/webgpu';
import { WORKGROUP_SIZE } from '../../shaders/control';
import { ENDS_START, HISTOGRAM_START, SUM_START, SUM_WORDS, VIEW_BYTES, viewContacts } from '../../shaders/viewContacts';
import { viewGrains } from '../../shaders/viewGrains';
import { largestBuffer } from '../gpu/adapter';
import type { GpuState } from '../gpu/gpuState';
import { createKernels, dispatch, type Kernel, type NamedBuffers } from '../gpu/kernel';
import type { RowPiece } from './instances';
import { BINS, CHAIN_ROW, GRAIN_ROW, HISTOGRAMS, type Survey } from './rows';

/** Room beyond what is needed, so that growing contacts do not make new buffers each time. */
const HEADROOM = 1.3;

const HISTOGRAM_BYTES = 4 * BINS * HISTOGRAMS.length;

/** The number whose place among whole numbers the shader gives; what is below all of them where there was none. */
function fromOrdered(word: number): number {
  if (word === 0) return Number.NEGATIVE_INFINITY;
  return new Float32Array(Uint32Array.of(word >>> 31 ? word & 0x7fffffff : ~word).buffer)[0];
}

/** Grains or contacts whose rows lie in one buffer: as many, from which of all on, and how many are before it in the buffers read. */
interface Piece {
  first: number;
  count: number;
  before: number;
}

/** Makes on the GPU what is drawn of a state that lies there; see rows.ts. Nothing of it is read back but counts of figures. */
export class GpuRows {
  /** GRAIN_ROW numbers for each grain, by its place; in several buffers where one does not hold them. */
  grains: readonly RowPiece<GPUBuffer>[] = [];
  /** CHAIN_ROW numbers for each contact. */
  chains: readonly RowPiece<GPUBuffer>[] = [];
  private buffers: Record<string, GPUBuffer> = {};
  private order: Uint32Array | null | undefined;
  private groups: Uint32Array | undefined;
  private reading: Promise<void> | undefined;
  /** Who wants to know what was found in the last update, and has not been told yet. */
  private asking: ((found: Survey) => void) | undefined;

  private constructor(
    readonly device: GPUDevice,
    private readonly kernels: { contacts: Record<'largest' | 'addUp' | 'draw', Kernel>; grains: Record<'draw', Kernel> },
    private readonly mostBytes: number,
  ) {}

  /**
   * @param mostBytes of a buffer of rows
   * @throws ShaderError where a kernel does not compile
   */
  static async create(device: GPUDevice, mostBytes = largestBuffer(device)): Promise<GpuRows> {
    const contacts = ['contactPairs', 'normals', 'impulses'];
    const [contactKernels, grainKernels] = await Promise.all([
      createKernels(device, {
        label: 'view contacts',
        code: viewContacts(),
        entries: {
          largest: ['view', 'sums', 'normals', 'impulses'],
          addUp: ['view', 'sums', ...contacts],
          draw: ['view', 'sums', ...contacts, 'lattice', 'offsets', 'chains'],
        },
      }),
      createKernels(device, {
        label: 'view grains',
        code: viewGrains(),
        entries: {
          draw: ['view', 'sums', 'lattice', 'offsets', 'velocities', 'spins', 'orientations', 'groupNumbers', 'rows'],
        },
      }),
    ]);
    return new GpuRows(device, { contacts: contactKernels, grains: grainKernels }, mostBytes);
  }

  /** Makes the rows of a state anew. @param groups N, by the grains' numbers */
  update(state: GpuState, groups: Uint32Array, withChains: boolean): void {
    const { device, kernels } = this;
    this.fit(state);
    this.placeGroups(state, groups);
    const encoder = device.createCommandEncoder({ label: 'view' });
    encoder.clearBuffer(this.buffers.sums);
    const pass = encoder.beginComputePass({ label: 'view' });
    const run = (kernel: Kernel, { count }: Piece, bound: NamedBuffers) => {
      pass.setPipeline(kernel.pipeline);
      pass.setBindGroup(0, kernel.bind(bound));
      dispatch(pass, Math.ceil(count / WORKGROUP_SIZE));
    };
    const common: NamedBuffers = { ...state.buffers, ...this.buffers };
    const contacts = state.contactParts
      .flatMap(({ first, count, normals, impulses }) =>
        this.split(count, CHAIN_ROW).map((piece) => ({ piece: { ...piece, first: first + piece.before }, normals, impulses })),
      )
      .map(({ piece, normals, impulses }, k) => {
        const view = this.describe(`contacts ${k}`, state, piece);
        const bound: NamedBuffers = { ...common, normals, impulses, view };
        return { piece, bound: withChains ? { ...bound, chains: this.roomFor('chains', k, CHAIN_ROW, piece) } : bound };
      });
    const grains = this.split(state.grains, GRAIN_ROW).map((piece, k) => ({
      piece,
      bound: { ...common, rows: this.roomFor('rows', k, GRAIN_ROW, piece), view: this.describe(`grains ${k}`, state, piece) },
    }));
    for (const { piece, bound } of contacts) run(kernels.contacts.largest, piece, bound);
    for (const { piece, bound } of contacts) run(kernels.contacts.addUp, piece, bound);
    if (withChains) for (const { piece, bound } of contacts) run(kernels.contacts.draw, piece, bound);
    for (const { piece, bound } of grains) run(kernels.grains.draw, piece, bound);
    pass.end();
    device.queue.submit([encoder.finish()]);
    this.grains = grains.map(({ piece, bound }) => ({ data: bound.rows, count: piece.count }));
    if (withChains) this.chains = contacts.map(({ piece, bound }) => ({ data: bound.chains, count: piece.count }));
  }

  /** So many rows in pieces that a buffer holds. */
  private split(count: number, stride: number): Piece[] {
    const most = Math.floor(this.mostBytes / (4 * stride));
    return Array.from({ length: Math.ceil(count / most) }, (_, k) => {
      const before = k * most;
      return { first: before, before, count: Math.min(most, count - before) };
    });
  }

  private roomFor(name: string, piece: number, stride: number, { count }: Piece): GPUBuffer {
    const { STORAGE, VERTEX, COPY_SRC, COPY_DST } = GPUBufferUsage;
    const label = `${name} ${piece}`;
    this.ensure(label, 4 * stride * count, STORAGE | VERTEX | COPY_SRC | COPY_DST);
    return this.buffers[label];
  }

  /** The uniform block `view`. */
  private describe(name: string, state: GpuState, { first, count, before }: Piece): GPUBuffer {
    const label = `view of ${name}`;
    this.ensure(label, VIEW_BYTES, GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST);
    const view = new ArrayBuffer(VIEW_BYTES);
    new Float32Array(view, 0, 3).set(state.latticeUnits);
    new Uint32Array(view, 12, 6).set([state.grains, state.impulseRows, state.generalLaws ? 1 : 0, first, count, before]);
    this.device.queue.writeBuffer(this.buffers[label], 0, view);
    return this.buffers[label];
  }

  /**
   * Tells what was found of all grains in the last update. One answer at a time is on its way: of those who ask meanwhile the last is
   * told, so that what was found last is always told at the end.
   * @returns once nobody waits any more
   */
  survey(tell: (found: Survey) => void): Promise<void> {
    this.asking = tell;
    this.reading ??= this.answer().finally(() => {
      this.reading = undefined;
    });
    return this.reading;
  }

  private async answer(): Promise<void> {
    while (this.asking) {
      const tell = this.asking;
      this.asking = undefined;
      const words = await this.download(this.buffers.sums, 0, 4 * HISTOGRAM_START + HISTOGRAM_BYTES);
      const ends = Array.from(new Uint32Array(words, 4 * ENDS_START, 6), fromOrdered);
      const box = new Box3(new Vector3(-ends[3], -ends[4], -ends[5]), new Vector3(ends[0], ends[1], ends[2]));
      tell({ box: box.isEmpty() ? new Box3() : box, histograms: new Uint32Array(words, 4 * HISTOGRAM_START) });
    }
  }

  /** The row of the grain at a place. */
  async row(place: number): Promise<Float32Array> {
    let row = place;
    for (const { data, count } of this.grains) {
      if (row < count) return new Float32Array(await this.download(data, 4 * GRAIN_ROW * row, 4 * GRAIN_ROW));
      row -= count;
    }
    throw new RangeError(`There is no grain at place ${place}`);
  }

  private async download(buffer: GPUBuffer, offset: number, size: number): Promise<ArrayBuffer> {
    const { device } = this;
    const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
    const staging = device.createBuffer({ label: 'view readback', size, usage });
    const encoder = device.createCommandEncoder({ label: 'view readback' });
    encoder.copyBufferToBuffer(buffer, offset, staging, 0, size);
    device.queue.submit([encoder.finish()]);
    try {
      await staging.mapAsync(GPUMapMode.READ);
      return staging.getMappedRange().slice(0);
    } finally {
      staging.destroy();
    }
  }

  private fit({ grains }: GpuState): void {
    const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
    this.ensure('sums', 4 * (SUM_START + SUM_WORDS * grains), STORAGE | COPY_DST | COPY_SRC);
    if (this.ensure('groupNumbers', 4 * grains, STORAGE | COPY_DST)) this.order = undefined;
  }

  /** @returns whether the buffer was made anew */
  private ensure(label: string, bytes: number, usage: number): boolean {
    const old = this.buffers[label];
    if (old && old.size >= bytes) return false;
    old?.destroy();
    const roomy = old ? Math.min(4 * Math.ceil((HEADROOM * bytes) / 4), this.mostBytes) : 64;
    const size = Math.max(bytes, roomy);
    this.buffers[label] = this.device.createBuffer({ label: `view ${label}`, size, usage });
    return true;
  }

  private placeGroups({ order, grains }: GpuState, groups: Uint32Array): void {
    if (order === this.order && groups === this.groups) return;
    [this.order, this.groups] = [order, groups];
    const placed = new Uint32Array(grains);
    for (let place = 0; place < grains; place++) placed[place] = groups[order ? order[place] : place];
    this.device.queue.writeBuffer(this.buffers.groupNumbers, 0, placed);
  }

  dispose(): void {
    this.asking = undefined;
    for (const buffer of Object.values(this.buffers)) buffer.destroy();
  }
}
