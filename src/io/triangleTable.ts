import { SceneError } from '../errors';
import { MAX_TRIANGLES } from '../scene/limits';

/** A fault of a file as a whole. */
export const wholeFileError = (file: string, message: string) => new SceneError([{ path: file, message }]);

/** @throws SceneError where a file has more triangles than a scene can hold */
export function checkCount(file: string, count: number): void {
  if (count <= MAX_TRIANGLES) return;
  const message = `has more triangles than the ${MAX_TRIANGLES} that a scene can hold; make the mesh coarser where the size of the grains allows it`;
  throw wholeFileError(file, message);
}

/** Triangles as a file gives them, in its order and units. */
export class TriangleTable {
  private readonly coordinates: number[] = [];
  private readonly corners: number[] = [];

  /** @param file name for messages */
  constructor(private readonly file: string) {}

  addVertex(x: number, y: number, z: number): void {
    this.coordinates.push(x, y, z);
  }

  /** @throws SceneError where there are more than a scene can hold */
  addTriangle(a: number, b: number, c: number): void {
    checkCount(this.file, this.count + 1);
    this.corners.push(a, b, c);
  }

  get vertexCount(): number {
    return this.coordinates.length / 3;
  }

  get count(): number {
    return this.corners.length / 3;
  }

  vertex(index: number): number[] {
    return this.coordinates.slice(3 * index, 3 * index + 3);
  }

  /** V x 3 */
  get vertices(): Float64Array {
    return Float64Array.from(this.coordinates);
  }

  /** T x 3, indices of vertices */
  get triangles(): Uint32Array {
    return Uint32Array.from(this.corners);
  }
}
