import { latticeUnits } from '../../shaders/bodies';
import { CLOCKWISE, FEATURE_KINDS, MESH_WORDS, SHARED_FACET, TRIANGLE_WORDS, VERTEX_WORDS } from '../../shaders/meshFeatures';
import { POSE_BYTES } from '../../shaders/meshPoses';
import { CELL_PARTS } from '../cpu/grid';
import { longestWay, wallSteps } from '../cpu/walls';
import { BackendError } from '../errors';
import { boxCorners, outOfFrame } from '../scene/mesh/pose';
import { at, cross, dot, subtract } from '../scene/mesh/topology';
import type { Vector } from '../scene/problem';
import type { System, SystemMesh } from '../scene/system';
import { meshPose } from '../scene/wallMotion';
import { splitDirection, toLattice } from './pack';

const FEATURE_BYTES = 64;
/** How far a vertex may be from the middle of the packing, in mean diameters: products of whole diameters stay exact. */
const MAX_DISTANCE = 2048;

/**
 * Planes, lines and places of all features, in the order of their numbers.
 * @throws BackendError for a mesh that reaches so far that single precision does not resolve its gaps
 */
export function packFeatures({ meshes, grains, units, periods }: System): ArrayBuffer {
  const lattice = latticeUnits(periods);
  const features = meshes.flatMap((mesh, index) => {
    const farthest = mesh.mesh.vertices.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
    if (farthest > MAX_DISTANCE) {
      const most = (MAX_DISTANCE * units.length).toPrecision(3);
      throw new BackendError(`The GPU takes meshes that reach up to ${most} from the grains here: use the CPU backend`);
    }
    return featuresOf(mesh).map((feature) => ({ ...feature, index, body: grains + mesh.wall }));
  });
  const packed = new ArrayBuffer(FEATURE_BYTES * features.length);
  features.forEach(({ kind, point, direction, index, body }, k) => {
    const anchor = new Int32Array(packed, FEATURE_BYTES * k, 4);
    const [fraction, high, low] = [1, 2, 3].map((row) => new Float32Array(packed, FEATURE_BYTES * k + 16 * row, 4));
    for (let axis = 0; axis < 3; axis++) {
      [anchor[axis], fraction[axis]] = toLattice(point[axis], 0, lattice[axis]);
      [high[axis], low[axis]] = splitDirection(direction[axis]);
    }
    anchor[3] = body;
    fraction[3] = index;
    high[3] = FEATURE_KINDS[kind];
  });
  return packed;
}

/** Whether some mesh moves, or is not where it was read. */
export function haveMeshesPoses({ meshes, walls, motions, turned }: System): boolean {
  return meshes.some(({ wall }) => meshPose(walls[wall], motions[wall], turned[wall], 0));
}

/** Meshes that the uniform block of poses holds on every adapter. */
const MOST_MOVING = 200;
/** Lattice point beyond which no mesh is placed: nothing comes so far, and differences must fit into 32 bits. */
const FARTHEST = 2 ** 30;

/**
 * Where the meshes are before a step, then where they are after it, turned about their middles.
 * @param step steps done before it
 * @throws BackendError where there are more than the GPU takes
 */
export function packPoses(system: System, step: number): ArrayBuffer {
  const { meshes } = system;
  if (meshes.length > MOST_MOVING) {
    throw new BackendError(
      `The GPU takes up to ${MOST_MOVING} meshes where some move, the scene has ${meshes.length}: use the CPU backend`,
    );
  }
  const packed = new ArrayBuffer(2 * POSE_BYTES * meshes.length);
  const steps = wallSteps(system, step);
  const lattice = latticeUnits(system.periods);
  for (const end of [0, 1] as const) {
    meshes.forEach(({ wall, grid }, m) => {
      const start = POSE_BYTES * (end * meshes.length + m);
      const whole = new Int32Array(packed, start, POSE_BYTES / 4);
      const rest = new Float32Array(packed, start, POSE_BYTES / 4);
      const pose = steps[wall].poses?.[end];
      const corners = boxCorners(grid);
      const middle = corners[0].map((x, axis) => (x + corners[7][axis]) / 2) as Vector;
      const now = pose ? outOfFrame(pose, ...middle) : middle;
      for (let axis = 0; axis < 3; axis++) {
        [whole[axis], rest[4 + axis]] = toLattice(middle[axis], 0, lattice[axis]);
        const most = FARTHEST * lattice[axis];
        [whole[8 + axis], rest[12 + axis]] = toLattice(Math.max(-most, Math.min(most, now[axis])), 0, lattice[axis]);
        for (let column = 0; column < 3; column++) {
          const entry = pose?.rotation?.[3 * axis + column] ?? (axis === column ? 1 : 0);
          [rest[16 + 4 * axis + column], rest[28 + 4 * axis + column]] = splitDirection(entry);
        }
      }
      whole[11] = pose?.rotation ? 1 : 0;
      rest[15] = longestWay(steps[wall], grid);
    });
  }
  return packed;
}

interface FeatureShape {
  kind: keyof typeof FEATURE_KINDS;
  point: Vector;
  direction: Vector;
}

function featuresOf({ mesh: { facets, edges, corners, vertices } }: SystemMesh): FeatureShape[] {
  const at = (vertex: number) => Array.from(vertices.subarray(3 * vertex, 3 * vertex + 3)) as Vector;
  const result: FeatureShape[] = [];
  for (let k = 0; k < facets.length; k += 6) {
    const [x, y, z, nx, ny, nz] = facets.subarray(k, k + 6);
    result.push({ kind: 'facet', point: [x, y, z], direction: [nx, ny, nz] });
  }
  for (let k = 0; k < edges.length; k += 2) {
    const [start, end] = [at(edges[k]), at(edges[k + 1])];
    const side = end.map((x, axis) => x - start[axis]);
    const length = Math.hypot(...side);
    result.push({ kind: 'edge', point: start, direction: side.map((x) => x / length) as Vector });
  }
  for (const corner of corners) result.push({ kind: 'corner', point: at(corner), direction: [0, 0, 0] });
  return result;
}

/** The words of `meshData`: a head for each mesh, the vertices of all, then cells, triangles and surroundings mesh by mesh. */
export function packMeshData({ meshes, periods }: System): Uint32Array<ArrayBuffer> {
  const vertices = meshes.map(({ mesh }) => mesh.vertices.length / 3);
  const firstVertices = vertices.map((_, m) => vertices.slice(0, m).reduce((sum, count) => sum + count, 0));
  const parts = meshes.map(({ mesh, grid }, m) => [
    grid.starts,
    grid.items,
    packTriangles({ mesh, grid }, firstVertices[m]),
    mesh.aroundStarts,
    mesh.around.map((vertex) => vertex + firstVertices[m]),
  ]);
  const heads = MESH_WORDS * meshes.length;
  const vertexWords = VERTEX_WORDS * vertices.reduce((sum, count) => sum + count, 0);
  const words = new Uint32Array(heads + vertexWords + parts.flat().reduce((sum, part) => sum + part.length, 0));
  let end = heads + vertexWords;
  meshes.forEach(({ wall, firstFeature, mesh, grid }, m) => {
    const [cells, items, triangles, aroundStarts, around] = parts[m].map((part) => {
      words.set(part, end);
      end += part.length;
      return end - part.length;
    });
    const { origin, cellSize, dims } = grid;
    const inLattice = [...origin, cellSize].map((x) => Math.round(x * CELL_PARTS));
    const counts = [wall, firstFeature, mesh.facets.length / 6, mesh.edges.length / 2];
    words.set([...counts, ...inLattice, ...dims, cells, items, triangles, aroundStarts, around], MESH_WORDS * m);
    packVertices(mesh.vertices, periods, words, heads + VERTEX_WORDS * firstVertices[m]);
  });
  return words;
}

function packVertices(vertices: Float64Array, periods: Vector | undefined, words: Uint32Array<ArrayBuffer>, start: number): void {
  const lattice = latticeUnits(periods);
  const whole = new Int32Array(words.buffer);
  const rest = new Float32Array(words.buffer);
  vertices.forEach((x, k) => {
    const place = start + VERTEX_WORDS * Math.floor(k / 3) + (k % 3);
    [whole[place], rest[place + 4]] = toLattice(x, 0, lattice[k % 3]);
  });
}

/** TRIANGLE_WORDS each: vertices, facet, owned edges, first cell in ten bits each, owned corners, rising edges. */
function packTriangles({ mesh, grid }: Pick<SystemMesh, 'mesh' | 'grid'>, firstVertex: number): Uint32Array {
  const { vertices, triangles, facetOf, facets, ownedEdges, ownedCorners, rising } = mesh;
  const sizes = new Uint32Array(facets.length / 6);
  for (const facet of facetOf) sizes[facet]++;
  const words = new Uint32Array(TRIANGLE_WORDS * facetOf.length);
  facetOf.forEach((facet, t) => {
    const three = (array: Uint32Array) => array.subarray(3 * t, 3 * t + 3);
    const [x, y, z] = three(grid.first);
    const [a, b, c] = Array.from(three(triangles), (vertex) => at(vertices, vertex));
    const isClockwise = dot(cross(subtract(b, a), subtract(c, a)), at(facets, 2 * facet + 1)) < 0;
    const bits = rising[t] | (sizes[facet] > 1 ? SHARED_FACET : 0) | (isClockwise ? CLOCKWISE : 0);
    const corners = three(triangles).map((vertex) => vertex + firstVertex);
    const row = [...corners, facet, ...three(ownedEdges), x | (y << 10) | (z << 20), ...three(ownedCorners), bits];
    words.set(row, TRIANGLE_WORDS * t);
  });
  return words;
}
