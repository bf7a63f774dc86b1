import { describe, expect, test } from 'vitest';
import type { Region } from '../../src/analysis/region';
import { diskInRectangle, sharedArea, sphereInRegion, volumeFraction } from '../../src/analysis/volumeFraction';
import type { Vector } from '../../src/index';
import { randomNumbers } from '../../src/scene/generators/randomNumbers';

const cylinder: Region = { kind: 'cylinder', point: [1, -2, -1], axis: [0, 0, 1], radius: 3, height: 5 };
const box: Region = { kind: 'box', min: [0, 0, 0], max: [4, 3, 2] };
const whole = (4 / 3) * Math.PI;
const cap = (height: number) => (Math.PI * height ** 2 * (3 - height)) / 3;

test('circles share a lens: half-way apart by the closed form, all or nothing at the ends', () => {
  expect(sharedArea(1, 1, 1)).toBeCloseTo((2 * Math.PI) / 3 - Math.sqrt(3) / 2, 12);
  expect(sharedArea(1, 3, 1.5)).toBe(Math.PI);
  expect(sharedArea(1, 3, 4)).toBe(0);
});

describe('a disk and a rectangle', () => {
  test('share halves, quarters and segments', () => {
    expect(diskInRectangle(1, 1, 1, [0, 0], [2, 2])).toBeCloseTo(Math.PI, 12);
    expect(diskInRectangle(0, 1, 1, [0, 0], [2, 2])).toBeCloseTo(Math.PI / 2, 12);
    expect(diskInRectangle(0, 0, 1, [0, 0], [2, 2])).toBeCloseTo(Math.PI / 4, 12);
    expect(diskInRectangle(-0.5, 1, 1, [0, 0], [2, 2])).toBeCloseTo(Math.PI / 3 - Math.sqrt(3) / 4, 12);
    expect(diskInRectangle(3.1, 1, 1, [0, 0], [2, 2])).toBe(0);
    expect(diskInRectangle(1, 1, 10, [0, 0], [2, 2])).toBeCloseTo(4, 12);
  });

  test('share what random points find', () => {
    const random = randomNumbers(3);
    for (let k = 0; k < 20; k++) {
      const [x, y, radius] = [3 * random() - 1, 3 * random() - 1, 0.3 + 1.5 * random()];
      let hits = 0;
      const points = 20_000;
      for (let p = 0; p < points; p++) if (Math.hypot(2 * random() - x, random() - y) < radius) hits++;
      expect(Math.abs(diskInRectangle(x, y, radius, [0, 0], [2, 1]) - (2 * hits) / points)).toBeLessThan(0.03);
    }
  });
});

describe('a sphere', () => {
  test('counts whole inside a cylinder, as a cap at its ends, not at all outside', () => {
    expect(sphereInRegion(cylinder, [1, -2, 0], 1)).toBeCloseTo(whole, 12);
    expect(sphereInRegion(cylinder, [1, -2, 4], 1)).toBeCloseTo(whole / 2, 12);
    expect(sphereInRegion(cylinder, [1, -2, -1.4], 1)).toBeCloseTo(cap(0.6), 12);
    expect(sphereInRegion(cylinder, [5.1, -2, 1], 1)).toBe(0);
  });

  test('counts by half on the curved face of a cylinder, less what the face bends away', () => {
    const share = sphereInRegion(cylinder, [4, -2, 1], 0.01) / (whole * 0.01 ** 3);
    expect(share).toBeLessThan(0.5);
    expect(share).toBeGreaterThan(0.5 - 0.01 / 3);
  });

  test('is cut by an oblique cylinder as by an upright one', () => {
    const axis: Vector = [2 / 3, 2 / 3, 1 / 3];
    const oblique: Region = { ...cylinder, axis };
    const across: Vector = [1 / Math.SQRT2, -1 / Math.SQRT2, 0];
    const centre = [0, 1, 2].map((k) => oblique.point[k] + 0.4 * axis[k] + 2.7 * across[k]) as Vector;
    expect(sphereInRegion(oblique, centre, 1)).toBeCloseTo(sphereInRegion(cylinder, [3.7, -2, -0.6], 1), 12);
  });

  test('counts as a cap on a face of a box, as a quarter on an edge, as an eighth in a corner', () => {
    expect(sphereInRegion(box, [2, 1.5, 1], 1)).toBeCloseTo(whole, 12);
    expect(sphereInRegion(box, [2, 1.5, -0.4], 1)).toBeCloseTo(cap(0.6), 12);
    expect(sphereInRegion(box, [-0.4, 1.5, 1], 1)).toBeCloseTo(cap(0.6), 4);
    expect(sphereInRegion(box, [0, 3, 1], 1)).toBeCloseTo(whole / 4, 4);
    expect(sphereInRegion(box, [4, 3, 2], 1)).toBeCloseTo(whole / 8, 4);
    expect(sphereInRegion(box, [2, 1.5, 3.2], 1)).toBe(0);
  });
});

describe('volume fraction', () => {
  /** Lattices of spheres that touch, in a periodic box of n cells a side; shifted, so that the seam cuts spheres. */
  const lattice = (basis: readonly Vector[], n: number, radius: number) => {
    const positions = Array.from({ length: n ** 3 }, (_, k) => [k % n, Math.floor(k / n) % n, Math.floor(k / n ** 2)])
      .flatMap((cell) => basis.map((place) => cell.map((c, axis) => c + place[axis] + 0.1)))
      .flat();
    const count = positions.length / 3;
    const periodic = { min: [0, 0, 0] as Vector, lengths: [n, n, n] as Vector };
    return {
      packing: { grains: { count, radii: new Float64Array(count).fill(radius) }, dimension: 3 as const, periodic },
      positions: Float64Array.from(positions),
    };
  };
  const all = (n: number): Region => ({ kind: 'box', min: [0, 0, 0], max: [n, n, n] });

  test('of simple cubic and face-centred cubic packings in periodic boxes', () => {
    const simple = lattice([[0, 0, 0]], 3, 0.5);
    expect(volumeFraction(simple.packing, simple.positions, all(3))).toBeCloseTo(Math.PI / 6, 12);
    const half = 1 / 2;
    const faces: Vector[] = [
      [0, 0, 0],
      [half, half, 0],
      [half, 0, half],
      [0, half, half],
    ];
    const dense = lattice(faces, 2, Math.SQRT2 / 4);
    expect(volumeFraction(dense.packing, dense.positions, all(2))).toBeCloseTo(Math.PI / (3 * Math.SQRT2), 12);
  });

  test('of a layer of a simple cubic packing, by the caps in it', () => {
    const { packing, positions } = lattice([[0, 0, 0]], 3, 0.5);
    const region: Region = { kind: 'box', min: [0, 0, 0.9], max: [3, 3, 1.1] };
    const slice = Math.PI * (0.25 * 0.2 - (0 - (-0.2) ** 3) / 3);
    expect(volumeFraction(packing, positions, region)).toBeCloseTo(slice / 0.2, 12);
  });

  test('of disks, by their areas', () => {
    const packing = { grains: { count: 2, radii: Float64Array.of(0.5, 0.5) }, dimension: 2 as const };
    const region: Region = { kind: 'box', min: [0, 0, 0], max: [2, 1, 0] };
    expect(volumeFraction(packing, Float64Array.of(0.5, 0.5, 0, 2, 0.5, 0), region)).toBeCloseTo((1.5 * Math.PI) / 8, 10);
  });
});
