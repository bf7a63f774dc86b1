import { SceneError } from '../../errors';
import type { TriangleTable } from '../../io/triangleTable';
import { formatValue } from '../faults';
import type { Found } from '../laterFaults';
import { MAX_TRIANGLES } from '../limits';
import type { WallShape } from '../problem';
import type { SceneWall } from '../schema';
import { findFeatures } from './features';
import { buildSceneGrid } from './triangleGrid';
import { meshTolerance, weld } from './weld';

export type MeshShape = Extract<WallShape, { kind: 'mesh' }>;

/** The meshes of a scene by the index of their wall, and what to know of them. */
export interface ReadMeshes {
  /** Where the scene lists the walls. */
  list: string;
  shapes: Map<number, MeshShape>;
  warnings: string[];
}

/**
 * Reads the files of walls that are meshes.
 * @param list where the scene lists the walls
 * @param found gets the faults of all files
 */
export async function readMeshes(
  walls: readonly SceneWall[],
  readBytes: (path: string) => Promise<Uint8Array>,
  { faults, entries }: Found,
  list = 'walls',
): Promise<ReadMeshes> {
  const result: ReadMeshes = { list, shapes: new Map(), warnings: [] };
  let total = 0;
  for (const [w, { mesh }] of walls.entries()) {
    if (!mesh) continue;
    const path = `${list}[${w}].mesh`;
    try {
      const bytes = await fileBytes(mesh.file, readBytes, `${path}.file`);
      const { trianglesOf } = await import('../../io/triangles');
      const table = trianglesOf(mesh.file, bytes, `${path}.file`);
      total += table.count;
      const { shape, dropped } = makeShape(table, mesh.scale, path, mesh.file);
      result.shapes.set(w, shape);
      if (dropped > 0) {
        result.warnings.push(`${mesh.file}: ${dropped} of ${table.count} triangles have no area or come twice, and are left out`);
      }
    } catch (error) {
      if (!(error instanceof SceneError)) throw error;
      faults.push(...error.faults);
      entries.push(`${list}[${w}]`);
    }
  }
  if (total > MAX_TRIANGLES) {
    faults.push({
      path: list,
      message: `the meshes have ${total} triangles; the most that a scene can hold is ${MAX_TRIANGLES}`,
    });
  }
  return result;
}

function makeShape(table: TriangleTable, scale: number, path: string, file: string): { shape: MeshShape; dropped: number } {
  const scaled = table.vertices.map((x) => scale * x);
  if (!scaled.every(Number.isFinite)) {
    throw new SceneError([{ path: `${path}.scale`, message: `takes ${file} out of the range of numbers; change it` }]);
  }
  const { vertices, triangles, kept } = weld(scaled, table.triangles);
  if (triangles.length === 0)
    throw new SceneError([{ path: `${path}.file`, message: `${file}: has no triangle with an area; export it anew` }]);
  return {
    shape: {
      kind: 'mesh',
      point: [0, 0, 0],
      home: [0, 0, 0],
      mesh: findFeatures(vertices, triangles, meshTolerance(vertices)),
      grid: buildSceneGrid(vertices, triangles),
    },
    dropped: table.count - kept.length,
  };
}

/** @param path of the file's name in the scene, for faults */
async function fileBytes(file: string, readBytes: (path: string) => Promise<Uint8Array>, path: string): Promise<Uint8Array> {
  const fault = (reason: string) => new SceneError([{ path, message: `cannot read ${formatValue(file)}: ${reason}` }]);
  let bytes: unknown;
  try {
    bytes = await readBytes(file);
  } catch (error) {
    throw fault(error instanceof Error ? error.message : String(error));
  }
  if (!(bytes instanceof Uint8Array)) throw fault(`readBytes gave ${formatValue(bytes)}; it must give the bytes of the file`);
  return bytes;
}
