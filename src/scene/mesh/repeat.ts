import type { Fault } from '../../errors';
import { MAX_TRIANGLES } from '../limits';
import type { Periodic, Vector } from '../problem';
import { findFeatures } from './features';
import { groupImages, imagesOf, numberImages } from './images';
import type { MeshShape } from './read';
import { buildSceneGrid } from './triangleGrid';
import type { TriangleMesh } from './triangleMesh';
import { meshTolerance, weld } from './weld';

/**
 * How far images of a mesh go on beyond the ends of the box, in periods: less than half, so that three images of a triangle in
 * each direction are the most. A grain reaches less than a quarter of a period (longestReach).
 */
const BEYOND = 0.49;

/** A mesh of a scene, with its path. */
export interface PlacedMesh {
  path: string;
  shape: MeshShape;
}

/**
 * Meshes that go on beyond the ends of a periodic box: of each triangle all images that a grain in the box may touch. Where a
 * surface goes from end to end they are welded there, so that grains do not feel the seam.
 * @returns the shapes in their order, or what is wrong with them
 */
export function repeatMeshes(meshes: readonly PlacedMesh[], periodic: Periodic): { shapes: MeshShape[]; faults: Fault[] } {
  const faults = meshes.flatMap(({ path, shape }) => lengthFaults(path, shape.mesh, periodic));
  if (faults.length > 0) return { shapes: [], faults };
  const copies = meshes.map(({ shape }) => copyTriangles(shape.mesh, periodic));
  const total = copies.reduce((sum, { sources }) => sum + sources.length, 0);
  if (total > MAX_TRIANGLES) {
    const message = `the meshes have ${total} triangles in all with their images in the periodic box; the most that a scene can hold is ${MAX_TRIANGLES}`;
    return { shapes: [], faults: [{ path: meshes[0].path, message }] };
  }
  const grouped = copies.map(({ vertices, triangles, sources }) => {
    const welded = weld(vertices, triangles);
    const mesh = findFeatures(welded.vertices, welded.triangles, meshTolerance(welded.vertices));
    const images = groupImages(
      mesh,
      welded.kept.map((t) => sources[t]),
    );
    return { mesh, images };
  });
  const most = Math.max(...grouped.map(({ images }) => imagesOf(images)));
  const shapes = grouped.map(({ mesh, images }, m) => ({
    ...meshes[m].shape,
    mesh: numberImages(mesh, images, most),
    grid: buildSceneGrid(mesh.vertices, mesh.triangles),
  }));
  return { shapes, faults };
}

function lengthFaults(path: string, { vertices, tolerance }: TriangleMesh, { lengths }: Periodic): Fault[] {
  const [low, high] = [Math.min, Math.max].map((pick) =>
    [0, 1, 2].map((axis) => {
      let most = vertices[axis];
      for (let k = axis; k < vertices.length; k += 3) most = pick(most, vertices[k]);
      return most;
    }),
  );
  return [0, 1, 2].flatMap((axis): Fault[] => {
    const length = high[axis] - low[axis];
    if (!(lengths[axis] > 0) || length <= lengths[axis] + tolerance) return [];
    const message = `is ${length.toPrecision(4)} long in ${'xyz'[axis]}, in which space repeats itself every ${lengths[axis].toPrecision(4)}: it would run into its own images; cut it off at the ends of the box`;
    return [{ path, message }];
  });
}

/** The triangles and their images that reach into the box and what lies BEYOND it. `sources`: which triangle each is an image of. */
function copyTriangles({ vertices, triangles }: TriangleMesh, { min, lengths }: Periodic) {
  const copies: number[] = [];
  const sources: number[] = [];
  for (let t = 0; t < triangles.length / 3; t++) {
    const corners = [0, 1, 2].map((k) => Array.from(vertices.subarray(3 * triangles[3 * t + k], 3 * triangles[3 * t + k] + 3)));
    const shifts = [0, 1, 2].map((axis) => {
      const along = corners.map((corner) => corner[axis]);
      return shiftsOf(Math.min(...along), Math.max(...along), min[axis], lengths[axis]);
    });
    for (const x of shifts[0]) {
      for (const y of shifts[1]) {
        for (const z of shifts[2]) {
          const shift: Vector = [x, y, z];
          for (const corner of corners) copies.push(...corner.map((c, axis) => c + shift[axis]));
          sources.push(t);
        }
      }
    }
  }
  return {
    vertices: Float64Array.from(copies),
    triangles: Uint32Array.from({ length: copies.length / 3 }, (_, k) => k),
    sources: Uint32Array.from(sources),
  };
}

/** By how much to move what lies from `low` to `high` for its images near the box. */
function shiftsOf(low: number, high: number, min: number, length: number): number[] {
  if (!(length > 0)) return [0];
  const first = Math.ceil((min - BEYOND * length - high) / length);
  const last = Math.floor((min + (1 + BEYOND) * length - low) / length);
  return Array.from({ length: last - first + 1 }, (_, k) => (first + k) * length);
}
