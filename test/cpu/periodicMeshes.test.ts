import { describe, expect, test } from 'vitest';
import { featureContact } from '../../src/cpu/featureContact';
import { MeshSearch } from '../../src/cpu/meshSearch';
import type { Vector } from '../../src/index';
import { randomNumbers } from '../../src/scene/generators/randomNumbers';
import { meshDistance } from '../../src/scene/mesh/distance';
import { repeatMeshes } from '../../src/scene/mesh/repeat';
import { buildTriangleGrid } from '../../src/scene/mesh/triangleGrid';
import type { Periodic } from '../../src/scene/problem';
import type { WallContact } from '../../src/scene/wallContact';
import { boxSurface, floor, meshWall, periodicMeshes, quad, shifted, type Triangle } from '../support/meshes';

const periodic: Periodic = { min: [-2, 1, 0], lengths: [6, 7, 0] };
const REACH = 0.05;

const hills = floor(1, 8, (x, y) => 0.5 * Math.sin(2 * Math.PI * x) * Math.cos(2 * Math.PI * y)).map(
  (corners) => corners.map(([x, y, z]) => [6 * x + 1, 7 * y + 4.5, z]) as Triangle,
);

const search = (triangles: readonly Triangle[]) => {
  const [{ mesh }] = periodicMeshes(periodic, triangles as Triangle[]);
  return { mesh, finder: new MeshSearch(mesh, buildTriangleGrid(mesh.vertices, mesh.triangles, 1, 1 / 256)) };
};

describe('a mesh in periodic space', () => {
  test.each<[string, Triangle[]]>([
    ['hills from end to end', hills],
    ['a box inside', boxSurface([0, 2, -1], [2, 5, 0.5])],
    ['a box across a corner', boxSurface([3, 6.5, -1], [5, 9, 0.5])],
    ['a box somewhere else', boxSurface([21, -30, -1], [23, -28, 0.5])],
  ])('is touched as its nearest image is: %s', (_, triangles) => {
    const { mesh, grid } = meshWall(triangles);
    const { mesh: repeated, finder } = search(triangles);
    const random = randomNumbers(3);
    let met = 0;
    for (let k = 0; k < 100; k++) {
      const place: Vector = [6 * random() - 2, 7 * random() + 1, 2.4 * (random() - 0.5)];
      const radius = 0.2 + 0.6 * random();
      let nearest = 2;
      for (const x of [-1, 0, 1, 3, 4]) {
        for (const y of [-6, -5, -4, -1, 0, 1]) {
          nearest = meshDistance(mesh, grid, [place[0] + 6 * x, place[1] + 7 * y, place[2]], nearest);
        }
      }
      finder.find(...place, radius, REACH);
      const gaps = finder.found.map((feature) => {
        const touch: WallContact = { gap: 0, normal: [0, 0, 0] };
        featureContact(repeated, feature, ...place, radius, touch);
        return touch.gap;
      });
      if (nearest > radius + REACH) expect(gaps).toEqual([]);
      else expect(Math.abs(Math.min(...gaps) - (nearest - radius))).toBeLessThan(1e-9);
      met += gaps.length > 0 ? 1 : 0;
    }
    expect(met).toBeGreaterThan(10);
  });

  test('has one name for what is touched, on either side of the seam', () => {
    const { mesh, finder } = search(boxSurface([3, 2, -1], [5, 5, 0]));
    const touched = (place: Vector) => {
      finder.find(...place, 0.5, REACH);
      return finder.found.map((feature) => Math.floor(feature / mesh.images));
    };
    // Its top, a side of it, and a corner.
    for (const [x, y, z, count] of [
      [4, 3.5, 0.5, 1],
      [4, 1.6, -0.5, 1],
      [5.2, 1.8, 0.3, 1],
    ]) {
      const found = touched([x > 4 ? x - 6 : x - 1e-9, y, z]);
      expect(found).toHaveLength(count);
      expect(touched([x > 4 ? x - 6 + 1e-9 : x - 6, y, z])).toEqual(found);
    }
    expect(touched([3.9, 3.5, 0.5])).not.toEqual(touched([3.9, 1.6, -0.5]));
  });

  test('is one facet where a floor goes through the box, with no seam', () => {
    const level = floor(1, 3).map((corners) => corners.map(([x, y]) => [6 * x + 1, 7 * y + 4.5, 0]) as Triangle);
    const { mesh, finder } = search(level);
    expect(new Set(mesh.facetOf).size).toBe(1);
    for (const place of [
      [-2, 1, 0.5],
      [3.999, 4, 0.5],
      [1, 7.999, 0.5],
    ] as Vector[]) {
      finder.find(...place, 0.5, 0.2);
      expect(finder.found).toEqual([mesh.facetOf[0]]);
    }
  });

  test('is refused where it is longer than the box, or has too many triangles with its images', () => {
    const strip = quad([0, 2, 0], [6.1, 2, 0], [6.1, 3, 0], [0, 3, 0]);
    expect(() => periodicMeshes(periodic, strip)).toThrow(/is 6\.100 long in x.*every 6\.000.*its own images/);
    const sheet = meshWall(shifted(floor(6, 50), [1, 4.5, 0]));
    const fine = Array.from({ length: 14 }, () => ({ path: 'mesh', shape: sheet }));
    expect(repeatMeshes(fine, periodic).faults[0].message).toMatch(/triangles in all with their images/);
  });
});
