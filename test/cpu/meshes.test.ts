import { describe, expect, test } from 'vitest';
import { featureContact } from '../../src/cpu/featureContact';
import { MeshSearch } from '../../src/cpu/meshSearch';
import type { Vector } from '../../src/index';
import { randomNumbers } from '../../src/scene/generators/randomNumbers';
import { meshDistance } from '../../src/scene/mesh/distance';
import { buildTriangleGrid } from '../../src/scene/mesh/triangleGrid';
import type { TriangleMesh } from '../../src/scene/mesh/triangleMesh';
import type { WallContact } from '../../src/scene/wallContact';
import { boxSurface, floor, meshWall, quad, type Triangle, tube } from '../support/meshes';

const REACH = 0.01;

const search = (mesh: TriangleMesh, cell = 1) =>
  new MeshSearch(mesh, buildTriangleGrid(mesh.vertices, mesh.triangles, cell, 1 / 256));

function contactsAt(mesh: TriangleMesh, finder: MeshSearch, place: Vector, radius: number, reach = REACH) {
  finder.find(...place, radius, reach);
  return finder.found.map((feature) => {
    const touch: WallContact = { gap: 0, normal: [0, 0, 0] };
    featureContact(mesh, feature, ...place, radius, touch);
    return { feature, gap: touch.gap, normal: [...touch.normal] as Vector };
  });
}

const hills = floor(10, 12, (x, y) => 0.6 * Math.sin(1.3 * x) * Math.cos(1.1 * y), 0.3);
const shapes: [string, Triangle[]][] = [
  ['hills', hills],
  ['a box', boxSurface([-3, -2, -1], [2, 3, 2])],
  ['a tube', tube(2, -3, 3, 24)],
];

describe('what a sphere can touch of a mesh', () => {
  test.each(shapes)('holds the point nearest to the centre, as found by looking at all triangles: %s', (_, triangles) => {
    const { mesh, grid } = meshWall(triangles);
    const finder = search(mesh);
    const random = randomNumbers(5);
    const kinds = [0, 0, 0];
    for (let k = 0; k < 300; k++) {
      const place = [0, 1, 2].map(() => 8 * (random() - 0.5)) as Vector;
      const radius = 0.2 + 0.6 * random();
      const nearest = meshDistance(mesh, grid, place, 2);
      const found = contactsAt(mesh, finder, place, radius);
      if (nearest > radius + REACH) {
        expect(found).toEqual([]);
        continue;
      }
      const least = found.reduce((a, b) => (b.gap < a.gap ? b : a));
      expect(Math.abs(least.gap + radius - nearest)).toBeLessThan(1e-9);
      const [facets, edges] = [mesh.facets.length / 6, mesh.edges.length / 2];
      kinds[least.feature < facets ? 0 : least.feature < facets + edges ? 1 : 2]++;
    }
    expect(Math.min(...kinds.slice(0, 2))).toBeGreaterThan(2);
  });

  test.each(shapes)('does not depend on the cells: %s', (_, triangles) => {
    const { mesh } = meshWall(triangles);
    const [fine, whole] = [search(mesh, 0.3), search(mesh, 1000)];
    const random = randomNumbers(9);
    let met = 0;
    for (let k = 0; k < 1000; k++) {
      const place = [0, 1, 2].map(() => 8 * (random() - 0.5)) as Vector;
      const radius = 0.2 + random();
      fine.find(...place, radius, 0.3);
      whole.find(...place, radius, 0.3);
      expect(fine.found).toEqual(whole.found);
      met += fine.found.length;
    }
    expect(met).toBeGreaterThan(100);
  });

  test('is one plane over a floor, however it is divided', () => {
    const { mesh } = meshWall(floor(6, 5, () => 0, 0.3));
    expect(mesh.facets.length).toBe(6);
    const finder = search(mesh);
    for (const x of [0, 0.6, 1.2, -0.61]) {
      const [only, ...others] = contactsAt(mesh, finder, [x, 0.6, 0.5], 0.5);
      expect(others).toEqual([]);
      expect(only.gap).toBeCloseTo(0, 12);
      expect(only.normal).toEqual([expect.closeTo(0, 12), expect.closeTo(0, 12), -1]);
    }
    expect(contactsAt(mesh, finder, [0, 0, -0.5], 0.5)[0].normal[2]).toBe(1);
  });

  test('is a slope alone on either side of a flat ridge, and the ridge between', () => {
    const { mesh } = meshWall(floor(8, 2, (x) => -0.1 * Math.abs(x)));
    const finder = search(mesh);
    const up = [0.1, 1].map((x) => x / Math.hypot(0.1, 1));
    for (const x of [-1e-3, 1e-3]) {
      const place: Vector = [x + Math.sign(x) * 0.5 * up[0], 0.3, -0.1 * Math.abs(x) + 0.5 * up[1]];
      const found = contactsAt(mesh, finder, place, 0.5, 0.1);
      expect(found.map(({ feature }) => feature)).toEqual([expect.any(Number)]);
      expect(found[0].gap).toBeCloseTo(0, 9);
      expect(found[0].feature).toBeLessThan(2);
    }
    const over = contactsAt(mesh, finder, [0.01, 0.3, 0.5], 0.5, 0.1);
    expect(over).toHaveLength(1);
    expect(over[0].feature).toBeGreaterThanOrEqual(2);
    expect(over[0].gap).toBeCloseTo(Math.hypot(0.01, 0.5) - 0.5, 12);
  });

  test('is both sides of a valley that the sphere may come to in this step, before it is over the second', () => {
    const { mesh } = meshWall(floor(8, 2, (x) => 0.1 * Math.abs(x)));
    const finder = search(mesh);
    const place = (x: number): Vector => [x - 0.05 / Math.hypot(1, 0.1), 0.3, 0.1 * x + 0.5 / Math.hypot(1, 0.1)];
    expect(contactsAt(mesh, finder, place(0.12), 0.5, 0.2)).toHaveLength(2);
    expect(contactsAt(mesh, finder, place(0.5), 0.5, 0.2)).toHaveLength(1);
  });

  test('is not what lies behind: the second face of a sharp fold, the far side of a thin plate', () => {
    const fold = meshWall([
      ...quad([0, -3, 0], [0, 3, 0], [4, 3, 0], [4, -3, 0]),
      ...quad([0, -3, 0], [0, 3, 0], [4, 3, -1], [4, -3, -1]),
    ]).mesh;
    const [only, ...others] = contactsAt(fold, search(fold), [0.05, 0, 0.5], 0.5);
    expect(others).toEqual([]);
    expect(only.normal[2]).toBe(-1);
    const plate = meshWall(boxSurface([-3, -3, -0.1], [3, 3, 0])).mesh;
    expect(contactsAt(plate, search(plate), [0.4, 0.2, 0.45], 0.5, 0.2)).toHaveLength(1);
  });

  test('is no border of pieces that lie flush, nor a vertex on the edge of another triangle', () => {
    const pieces = meshWall([
      ...quad([-4, -4, 0], [0, -4, 0], [0, 4, 0], [-4, 4, 0]),
      ...quad([0, -4, 0], [4, -4, 0], [4, 1, 0], [0, 1, 0]),
      ...quad([0, 1, 0], [4, 1, 0], [4, 4, 0], [0, 4, 0]),
    ]).mesh;
    const finder = search(pieces);
    for (const x of [-0.02, 0, 0.02]) {
      for (const y of [0.3, 0.99, 1, 1.01]) {
        const found = contactsAt(pieces, finder, [x, y, 0.5], 0.5, 0.1);
        for (const { normal, gap } of found) {
          expect(normal[2]).toBeCloseTo(-1, 9);
          expect(gap).toBeCloseTo(0, 9);
        }
        expect(found.length).toBeGreaterThan(0);
      }
    }
  });
});
