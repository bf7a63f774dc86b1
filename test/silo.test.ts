import { expect, test } from 'vitest';
import { packingDensity, sharedArea, volumeInCore } from '../bench/silo/density';

const core = { centre: [1, -2], radius: 3, low: -1, high: 4 } as const;

test('circles share a lens: half-way apart by the closed form, all or nothing at the ends', () => {
  expect(sharedArea(1, 1, 1)).toBeCloseTo((2 * Math.PI) / 3 - Math.sqrt(3) / 2, 12);
  expect(sharedArea(1, 3, 1.5)).toBe(Math.PI);
  expect(sharedArea(1, 3, 4)).toBe(0);
});

test('a sphere counts whole inside, as a cap at the lower face, half on the upper one, not at all outside', () => {
  const whole = (4 / 3) * Math.PI;
  expect(volumeInCore(core, [1, -2, 0], 1)).toBeCloseTo(whole, 12);
  expect(volumeInCore(core, [1, -2, 4], 1)).toBeCloseTo(whole / 2, 6);
  expect(volumeInCore(core, [1, -2, -1.4], 1)).toBeCloseTo((Math.PI * 0.6 ** 2 * (3 - 0.6)) / 3, 6);
  expect(volumeInCore(core, [5.1, -2, 1], 1)).toBe(0);
});

test('a small sphere on the curved face counts by half, less what the face bends away', () => {
  const radius = 0.01;
  const share = volumeInCore(core, [4, -2, 1], radius) / ((4 / 3) * Math.PI * radius ** 3);
  expect(share).toBeLessThan(0.5);
  expect(share).toBeGreaterThan(0.5 - radius / core.radius);
});

test('a simple cubic packing fills pi / 6 of the region', () => {
  const [spacing, cells] = [0.25, 30];
  const positions = Float64Array.from({ length: 3 * cells ** 3 }, (_, k) => {
    const grain = Math.floor(k / 3);
    const cell = [grain % cells, Math.floor(grain / cells) % cells, Math.floor(grain / cells ** 2)][k % 3];
    return [1, -2, 1.5][k % 3] + spacing * (cell - cells / 2 + 0.37);
  });
  const density = packingDensity(core, positions, new Float64Array(cells ** 3).fill(spacing / 2));
  expect(density / (Math.PI / 6)).toBeCloseTo(1, 2);
});
