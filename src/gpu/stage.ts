import { dispatch, type Kernel, type NamedBuffers } from './kernel';

/**
 * A stage owns pipelines and borrows buffers: bind groups are made once for each set of buffers. There are two sets, for even
 * and for odd steps, in which the candidates of this step and of the last one have changed places.
 */
export class Stage<Entry extends string> {
  /** For each window and view. */
  private readonly groups = new Map<Entry, GPUBindGroup[][]>();

  constructor(protected readonly kernels: Record<Entry, Kernel>) {}

  /** @param views the buffers by name, for even and for odd steps */
  bind(views: readonly NamedBuffers[]): void {
    for (const entry of Object.keys(this.kernels) as Entry[]) this.bindEntry(entry, views);
  }

  protected bindEntry(entry: Entry, views: readonly NamedBuffers[]): void {
    this.groups.set(
      entry,
      this.windows(entry).map(({ bind }) => views.map(bind)),
    );
  }

  /** The kernels that an entry runs as: one, or one for each buffer of its contacts. */
  protected windows(entry: Entry): readonly Kernel[] {
    return this.kernels[entry].windows ?? [this.kernels[entry]];
  }

  protected run(pass: GPUComputePassEncoder, entry: Entry, parity: number, workgroups: number): void {
    this.windows(entry).forEach((_, window) => {
      this.use(pass, entry, parity, window);
      dispatch(pass, workgroups);
    });
  }

  protected use(pass: GPUComputePassEncoder, entry: Entry, parity: number, window = 0): void {
    pass.setPipeline(this.windows(entry)[window].pipeline);
    pass.setBindGroup(0, this.groups.get(entry)![window][parity]);
  }
}

/** Workgroups that cover so many items. */
export function groupsFor(items: number, size: number): number {
  return Math.max(1, Math.ceil(items / size));
}
