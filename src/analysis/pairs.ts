import { nearestImage } from '../scene/periodic';
import type { Periodic } from '../scene/problem';

/**
 * Calls `visit` for every pair of points nearer than `reach` (by their nearest images), i < j, with the way from i to j.
 * @param positions N x 3
 * @param reach at most half of each period
 */
export function forEachPair(
  positions: Float64Array,
  reach: number,
  periodic: Periodic | undefined,
  visit: (i: number, j: number, x: number, y: number, z: number, distance: number) => void,
): void {
  const count = positions.length / 3;
  const lengths = periodic?.lengths ?? [0, 0, 0];
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let k = 0; k < positions.length; k++) {
    low[k % 3] = Math.min(low[k % 3], positions[k]);
    high[k % 3] = Math.max(high[k % 3], positions[k]);
  }
  const most = Math.max(1, Math.cbrt(8 * count));
  const cells = [0, 1, 2].map((axis) => {
    const extent = lengths[axis] > 0 ? lengths[axis] : high[axis] - low[axis];
    return Math.max(1, Math.min(Math.floor(extent / reach), Math.floor(most)));
  });
  const cellOf = (i: number) => {
    const place = [0, 1, 2].map((axis) => {
      const extent = lengths[axis] > 0 ? lengths[axis] : Math.max(high[axis] - low[axis], Number.MIN_VALUE);
      const from = lengths[axis] > 0 ? periodic!.min[axis] : low[axis];
      const c = Math.floor(((positions[3 * i + axis] - from) / extent) * cells[axis]);
      return lengths[axis] > 0 ? ((c % cells[axis]) + cells[axis]) % cells[axis] : Math.max(0, Math.min(cells[axis] - 1, c));
    });
    return (place[2] * cells[1] + place[1]) * cells[0] + place[0];
  };
  const heads = new Int32Array(cells[0] * cells[1] * cells[2]).fill(-1);
  const next = new Int32Array(count);
  const own = new Int32Array(count);
  for (let i = count - 1; i >= 0; i--) {
    own[i] = cellOf(i);
    next[i] = heads[own[i]];
    heads[own[i]] = i;
  }
  const neighbours = (cell: number): Set<number> => {
    const place = [cell % cells[0], Math.floor(cell / cells[0]) % cells[1], Math.floor(cell / (cells[0] * cells[1]))];
    const around = place.map((p, axis) => {
      const all = [p - 1, p, p + 1];
      return lengths[axis] > 0 ? all.map((q) => (q + cells[axis]) % cells[axis]) : all.filter((q) => q >= 0 && q < cells[axis]);
    });
    return new Set(around[2].flatMap((z) => around[1].flatMap((y) => around[0].map((x) => (z * cells[1] + y) * cells[0] + x))));
  };
  for (let cell = 0; cell < heads.length; cell++) {
    if (heads[cell] < 0) continue;
    const near = neighbours(cell);
    for (let i = heads[cell]; i >= 0; i = next[i]) {
      for (const other of near) {
        for (let j = heads[other]; j >= 0; j = next[j]) {
          if (j <= i) continue;
          const x = nearestImage(positions[3 * j] - positions[3 * i], lengths[0]);
          const y = nearestImage(positions[3 * j + 1] - positions[3 * i + 1], lengths[1]);
          const z = nearestImage(positions[3 * j + 2] - positions[3 * i + 2], lengths[2]);
          const distance = Math.sqrt(x * x + y * y + z * z);
          if (distance < reach) visit(i, j, x, y, z, distance);
        }
      }
    }
  }
}
