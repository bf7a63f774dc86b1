import { Box3, Vector3 } from 'three/webgpu';
import { WORKGROUP_SIZE } from '../../shaders/control';
import { ENDS_START, HISTOGRAM_START, SUM_START, SUM_WORDS, VIEW_BYTES, viewContacts } from '../../shaders/viewContacts';
import { viewGrains } from '../../shaders/viewGrains';
import type { GpuState } from '../gpu/gpuState';
import { createKernels, dispatch, type Kernel, type NamedBuffers } from '../gpu/kernel';
import { BINS, CHAIN_ROW, GRAIN_ROW, HISTOGRAMS, type Survey } from './rows';

/** Room beyond what is needed, so that growing contacts do not make new buffers each time. */
const HEADROOM = 1.3;

const HISTOGRAM_BYTES = 4 * BINS * HISTOGRAMS.length;

/** The number whose place among whole numbers the shader gives; what is below all of them where there was none. */
function fromOrdered(word: number): number {
  if (word === 0) return Number.NEGATIVE_INFINITY;
  return new Float32Array(Uint32Array.of(word >>> 31 ? word & 0x7fffffff : ~word).buffer)[0];
}

/** Makes on the GPU what is drawn of a state that lies there; see rows.ts. Nothing of it is read back but counts of figures. */
export class GpuRows {
  private buffers: Record<string, GPUBuffer> = {};
  private order: Uint32Array | null | undefined;
  private groups: Uint32Array | undefined;
  private reading: Promise<void> | undefined;
  /** Who wants to know what was found in the last update, and has not been told yet. */
  private asking: ((found: Survey) => void) | undefined;

  private constructor(
    readonly device: GPUDevice,
    private readonly kernels: { contacts: Record<'largest' | 'addUp' | 'draw', Kernel>; grains: Record<'draw', Kernel> },
  ) {}

  /** @throws ShaderError where a kernel does not compile */
  static async create(device: GPUDevice): Promise<GpuRows> {
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
    return new GpuRows(device, { contacts: contactKernels, grains: grainKernels });
  }

  /** GRAIN_ROW numbers for each grain, by its place. */
  get grains(): GPUBuffer {
    return this.buffers.rows;
  }

  /** CHAIN_ROW numbers for each contact. */
  get chains(): GPUBuffer | undefined {
    return this.buffers.chains;
  }

  /** Makes the rows of a state anew. @param groups N, by the grains' numbers */
  update(state: GpuState, groups: Uint32Array, withChains: boolean): void {
    const { device, kernels } = this;
    const { grains, contacts } = state;
    this.fit(state, withChains);
    this.placeGroups(state, groups);
    const view = new ArrayBuffer(VIEW_BYTES);
    new Float32Array(view, 0, 3).set(state.latticeUnits);
    new Uint32Array(view, 12, 4).set([grains, contacts, state.impulseRows, state.generalLaws ? 1 : 0]);
    device.queue.writeBuffer(this.buffers.view, 0, view);
    const bound: NamedBuffers = { ...state.buffers, ...this.buffers };
    const encoder = device.createCommandEncoder({ label: 'view' });
    encoder.clearBuffer(this.buffers.sums);
    const pass = encoder.beginComputePass({ label: 'view' });
    const run = (kernel: Kernel, count: number) => {
      if (count === 0) return;
      pass.setPipeline(kernel.pipeline);
      pass.setBindGroup(0, kernel.bind(bound));
      dispatch(pass, Math.ceil(count / WORKGROUP_SIZE));
    };
    run(kernels.contacts.largest, contacts);
    run(kernels.contacts.addUp, contacts);
    if (withChains) run(kernels.contacts.draw, contacts);
    run(kernels.grains.draw, grains);
    pass.end();
    device.queue.submit([encoder.finish()]);
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
    return new Float32Array(await this.download(this.buffers.rows, 4 * GRAIN_ROW * place, 4 * GRAIN_ROW));
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

  private fit({ grains, contacts }: GpuState, withChains: boolean): void {
    const { STORAGE, UNIFORM, VERTEX, COPY_SRC, COPY_DST } = GPUBufferUsage;
    this.ensure('view', VIEW_BYTES, UNIFORM | COPY_DST);
    this.ensure('sums', 4 * (SUM_START + SUM_WORDS * grains), STORAGE | COPY_DST | COPY_SRC);
    if (this.ensure('groupNumbers', 4 * grains, STORAGE | COPY_DST)) this.order = undefined;
    this.ensure('rows', 4 * GRAIN_ROW * grains, STORAGE | VERTEX | COPY_SRC | COPY_DST);
    if (withChains) this.ensure('chains', 4 * CHAIN_ROW * contacts, STORAGE | VERTEX | COPY_SRC | COPY_DST);
  }

  /** @returns whether the buffer was made anew */
  private ensure(label: string, bytes: number, usage: number): boolean {
    const old = this.buffers[label];
    if (old && old.size >= bytes) return false;
    old?.destroy();
    const size = old ? 4 * Math.ceil((HEADROOM * bytes) / 4) : Math.max(bytes, 64);
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
