import { dispatch, type Kernel, type NamedBuffers } from './kernel';

/**
 * A stage owns pipelines and borrows buffers: bind groups are made once for each set of buffers. There are two sets, for even
 * and for odd steps, in which the candidates of this step and of the last one have changed places.
 */
export class Stage<Entry extends string> {
  private readonly groups = new Map<Entry, GPUBindGroup[]>();

  constructor(protected readonly kernels: Record<Entry, Kernel>) {}

  /** @param views the buffers by name, for even and for odd steps */
  bind(views: readonly NamedBuffers[]): void {
    for (const entry of Object.keys(this.kernels) as Entry[]) this.bindEntry(entry, views);
  }

  protected bindEntry(entry: Entry, views: readonly NamedBuffers[]): void {
    this.groups.set(
      entry,
      views.map((view) => this.kernels[entry].bind(view)),
    );
  }

  protected run(pass: GPUComputePassEncoder, entry: Entry, parity: number, workgroups: number): void {
    this.use(pass, entry, parity);
    dispatch(pass, workgroups);
  }

  protected use(pass: GPUComputePassEncoder, entry: Entry, parity: number): void {
    pass.setPipeline(this.kernels[entry].pipeline);
    pass.setBindGroup(0, this.groups.get(entry)![parity]);
  }
}

/** Workgroups that cover so many items. */
export function groupsFor(items: number, size: number): number {
  return Math.max(1, Math.ceil(items / size));
}
