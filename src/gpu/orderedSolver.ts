import type { Backend, State, StepReport } from '../report';
import type { System } from '../scene/system';
import { REORDER_INTERVAL, REORDER_LEAST_GRAINS } from '../settings';
import { type Snapshot, startOf } from '../snapshot';
import type { GpuState } from './gpuState';
import { inverse, mortonOrder, reorderSnapshot, reorderState, reorderSystem } from './grainOrder';
import { GpuSolver, type GpuSolverOptions } from './solver';

export interface OrderedSolverOptions extends GpuSolverOptions {
  /** Grains from which on they are put in order, and steps between two times. */
  reorder?: { least: number; interval: number };
}

/** A solver on the GPU, which keeps large packings in an order that suits its caches. See OrderedSolver. */
export function createGpuSolver(
  device: GPUDevice,
  system: System,
  options: OrderedSolverOptions = {},
): Promise<GpuSolver | OrderedSolver> {
  const { least = REORDER_LEAST_GRAINS } = options.reorder ?? {};
  return system.grains < least ? GpuSolver.create(device, system, options) : OrderedSolver.create(device, system, options);
}

/**
 * Every so many steps grains are put along a curve through space in the memory of the GPU. Who uses this solver sees them by
 * their own numbers. The order follows from where the grains are, and a snapshot has it.
 */
export class OrderedSolver implements Backend {
  private reordering = false;
  private disposed = false;

  private constructor(
    private readonly system: System,
    private readonly inner: GpuSolver,
    private order: Uint32Array,
    private orderedAt: number,
    private readonly interval: number,
  ) {
    this.setOrder(order);
  }

  /** @throws CapacityError, ShaderError as GpuSolver.create */
  static async create(device: GPUDevice, system: System, options: OrderedSolverOptions): Promise<OrderedSolver> {
    const { from = startOf(system) } = options;
    const kept = from.order.length === system.grains;
    // At first the scene's own: in another order contacts have other colours, and steps that do not converge end elsewhere than the CPU's.
    const order = kept ? from.order : Uint32Array.from({ length: system.grains }, (_, i) => i);
    const ordered = reorderSystem(system, order);
    const inner = await GpuSolver.create(device, ordered, { ...options, from: reorderSnapshot(from, order, ordered.radii) });
    const { interval = REORDER_INTERVAL } = options.reorder ?? {};
    return new OrderedSolver(system, inner, order, kept ? -1 : from.step, interval);
  }

  get steps(): number {
    return this.inner.steps;
  }

  get gpuMemoryBytes(): number {
    return this.inner.gpuMemoryBytes;
  }

  stageTimes(): Promise<Record<string, number> | undefined> {
    return this.inner.stageTimes();
  }

  async step(count: number, onReport?: (report: StepReport) => void, signal?: AbortSignal): Promise<void> {
    const last = this.steps + count;
    while (this.steps < last && !signal?.aborted) {
      if (this.steps % this.interval === 0 && this.steps !== this.orderedAt) await this.reorder();
      const untilNext = this.interval - (this.steps % this.interval);
      await this.inner.step(Math.min(last - this.steps, untilNext), onReport, signal);
    }
  }

  async read(): Promise<State> {
    return reorderState(await this.inner.read(), inverse(this.order), this.system.radii);
  }

  gpuState(): GpuState {
    return { ...this.inner.gpuState(), order: this.order };
  }

  async capture(): Promise<Snapshot> {
    const held = await this.inner.capture();
    return { ...reorderSnapshot(held, inverse(this.order), this.system.radii), order: this.order };
  }

  /** Nothing is in flight between steps: what the grains and contacts have goes over the host, and the memory of the GPU stays. */
  private async reorder(): Promise<void> {
    this.reordering = true;
    try {
      const held = await this.capture();
      if (this.disposed) throw new Error('The simulation was disposed in mid-step');
      const order = mortonOrder(placesOf(held));
      this.orderedAt = held.step;
      if (order.every((grain, place) => grain === this.order[place])) return;
      const ordered = reorderSystem(this.system, order);
      this.inner.reload(ordered, reorderSnapshot(held, order, ordered.radii));
      this.setOrder(order);
    } finally {
      this.reordering = false;
      if (this.disposed) this.inner.dispose();
    }
  }

  private setOrder(order: Uint32Array): void {
    this.order = order;
    this.inner.grainAt = (place) => order[place];
  }

  dispose(): void {
    this.disposed = true;
    if (!this.reordering) this.inner.dispose();
  }
}

const placesOf = ({ positions, remainders }: Snapshot): Float64Array => positions.map((x, k) => x + remainders[k]);
