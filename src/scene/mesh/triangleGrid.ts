import type { Vector } from '../problem';
import { at } from './topology';

/** Cells of a grid that each know the triangles whose boxes reach into them; in the mesh's own frame. Fixed once the mesh is read. */
export interface TriangleGrid {
  /** Lowest corner of the grid. */
  origin: Vector;
  cellSize: number;
  dims: [number, number, number];
  /** cells + 1: where each cell's triangles begin */
  starts: Uint32Array;
  /** Triangles by cell, ascending within a cell */
  items: Uint32Array;
  /** T x 3, the first cell along each axis that the triangle's box reaches into */
  first: Uint32Array;
}

/** Cells per triangle at most, beside some that are always allowed; and entries of triangles in cells. */
const CELLS_PER_TRIANGLE = 8;
const ENTRIES_PER_TRIANGLE = 16;
const ALLOWED = 4096;
/** Cells along an axis: what ten bits hold. */
const MAX_CELLS = 1023;
/** By how much the cells grow until they are few enough. */
const GROWTH = 1.3;

/**
 * Cells as small as triangles and grains let them be: no smaller than `least` (what looks for triangles spans a few cells
 * then), and so large that neither cells nor entries are out of proportion to the triangles.
 * @param quantum cells are a multiple of this
 */
export function buildTriangleGrid(vertices: Float64Array, triangles: Uint32Array, least: number, quantum: number): TriangleGrid {
  const boxes = triangleBoxes(vertices, triangles);
  const count = triangles.length / 3;
  const low = [0, 1, 2].map((axis) => extreme(boxes, axis, Math.min));
  const high = [3, 4, 5].map((place) => extreme(boxes, place, Math.max));
  // A margin, so that rounding does not put a vertex outside; whole quanta, which are the same on the GPU.
  const origin = low.map((x) => (Math.floor(x / quantum) - 1) * quantum) as Vector;
  for (let size = least; ; size *= GROWTH) {
    const cellSize = Math.ceil(size / quantum) * quantum;
    const dims = high.map((x, axis) => Math.floor((x + quantum - origin[axis]) / cellSize) + 1) as Vector;
    if (Math.max(...dims) > MAX_CELLS || dims[0] * dims[1] * dims[2] > CELLS_PER_TRIANGLE * count + ALLOWED) continue;
    const spans = boxes.map((x, k) => Math.floor((x - origin[k % 3]) / cellSize));
    let entries = 0;
    for (let t = 0; t < count; t++) entries += cellsOf(spans, t);
    if (entries <= ENTRIES_PER_TRIANGLE * count + ALLOWED) return fillGrid(origin, cellSize, dims, spans, entries);
  }
}

/** Cells along the longest side of a mesh by which distances to it are looked up. */
const SCENE_CELLS = 64;

/** The grid by which the scene's checks and fills look up distances to a mesh. */
export function buildSceneGrid(vertices: Float64Array, triangles: Uint32Array): TriangleGrid {
  const size = extent(vertices);
  return buildTriangleGrid(vertices, triangles, size / SCENE_CELLS, size / 2 ** 20);
}

/** Longest side of the box around the vertices. */
function extent(vertices: Float64Array): number {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  vertices.forEach((x, k) => {
    low[k % 3] = Math.min(low[k % 3], x);
    high[k % 3] = Math.max(high[k % 3], x);
  });
  return Math.max(...high.map((x, axis) => x - low[axis]));
}

function cellsOf(spans: Float64Array, t: number): number {
  const [x, y, z] = [0, 1, 2].map((axis) => spans[6 * t + 3 + axis] - spans[6 * t + axis] + 1);
  return x * y * z;
}

/** T x 6, lowest and highest corner */
function triangleBoxes(vertices: Float64Array, triangles: Uint32Array): Float64Array {
  const boxes = new Float64Array(2 * triangles.length);
  for (let t = 0; t < triangles.length / 3; t++) {
    const corners = [0, 1, 2].map((k) => at(vertices, triangles[3 * t + k]));
    for (let axis = 0; axis < 3; axis++) {
      boxes[6 * t + axis] = Math.min(...corners.map((corner) => corner[axis]));
      boxes[6 * t + 3 + axis] = Math.max(...corners.map((corner) => corner[axis]));
    }
  }
  return boxes;
}

function extreme(boxes: Float64Array, place: number, pick: (a: number, b: number) => number): number {
  let result = boxes[place];
  for (let k = place; k < boxes.length; k += 6) result = pick(result, boxes[k]);
  return result;
}

function fillGrid(origin: Vector, cellSize: number, dims: Vector, spans: Float64Array, entries: number): TriangleGrid {
  const count = spans.length / 6;
  const starts = new Uint32Array(dims[0] * dims[1] * dims[2] + 1);
  const first = new Uint32Array(3 * count);
  const visit = (t: number, use: (cell: number) => void) => {
    for (let z = spans[6 * t + 2]; z <= spans[6 * t + 5]; z++) {
      for (let y = spans[6 * t + 1]; y <= spans[6 * t + 4]; y++) {
        for (let x = spans[6 * t]; x <= spans[6 * t + 3]; x++) use((z * dims[1] + y) * dims[0] + x);
      }
    }
  };
  for (let t = 0; t < count; t++) {
    first.set(spans.subarray(6 * t, 6 * t + 3), 3 * t);
    visit(t, (cell) => starts[cell + 1]++);
  }
  for (let cell = 1; cell < starts.length; cell++) starts[cell] += starts[cell - 1];
  const cursors = starts.slice();
  const items = new Uint32Array(entries);
  for (let t = 0; t < count; t++) {
    visit(t, (cell) => {
      items[cursors[cell]++] = t;
    });
  }
  return { origin, cellSize, dims, starts, items, first };
}
