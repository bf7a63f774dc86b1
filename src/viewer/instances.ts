import {
  BufferAttribute,
  InstancedBufferGeometry,
  InstancedInterleavedBuffer,
  InterleavedBufferAttribute,
  type WebGPURenderer,
} from 'three/webgpu';

/** Numbers of a row, or a buffer of the GPU that holds them. */
export type RowData = Float32Array<ArrayBuffer> | GPUBuffer;

/** Rows that lie one after another, and how many of them are to be drawn. */
export interface RowPiece<Data extends RowData = RowData> {
  data: Data;
  count: number;
}

/** A square from -1 to 1 drawn once for each row; the columns of a row, of four numbers each, are attributes. */
export class Instances {
  readonly geometry: InstancedBufferGeometry;
  private readonly rows: InstancedInterleavedBuffer;

  /**
   * @param data as many rows as there may be
   * @param columns where each column begins in a row
   */
  constructor(
    renderer: WebGPURenderer,
    private readonly data: RowData,
    stride: number,
    columns: Readonly<Record<string, number>>,
  ) {
    const held = data instanceof Float32Array ? data : new Float32Array(stride);
    this.rows = new InstancedInterleavedBuffer(held, stride);
    if (!(data instanceof Float32Array)) shareBuffer(renderer, this.rows, data);
    this.geometry = new InstancedBufferGeometry();
    this.geometry.setAttribute('position', new BufferAttribute(Float32Array.of(-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0), 3));
    this.geometry.setIndex([0, 1, 2, 0, 2, 3]);
    for (const [name, start] of Object.entries(columns)) {
      this.geometry.setAttribute(name, new InterleavedBufferAttribute(this.rows, 4, start));
    }
    this.geometry.instanceCount = 0;
  }

  /** Whether these rows can take such data without being made anew. */
  fits(data: RowData): boolean {
    if (data instanceof Float32Array) return this.data instanceof Float32Array && this.data.length >= data.length;
    return this.data === data;
  }

  /** @param count rows to draw */
  set(data: RowData, count: number): void {
    if (data instanceof Float32Array) {
      if (data !== this.rows.array) this.rows.array.set(data);
      this.rows.needsUpdate = true;
    }
    this.geometry.instanceCount = count;
  }

  dispose(): void {
    this.geometry.dispose();
  }
}

/** Has three.js draw from a buffer that is ours: it keeps a GPUBuffer with each of its own, and makes none where there is one. */
function shareBuffer(renderer: WebGPURenderer, rows: InstancedInterleavedBuffer, buffer: GPUBuffer): void {
  const backend = renderer.backend as unknown as { get(object: object): { buffer?: GPUBuffer } };
  backend.get(rows).buffer = buffer;
}
