/** A region between two heights and inside a vertical cylinder. */
export interface Core {
  centre: readonly [number, number];
  radius: number;
  low: number;
  high: number;
}

/** Intervals of Simpson's rule across a sphere that the region's surface cuts; the error is below 1e-5 of its volume. */
const INTERVALS = 64;

/** Area that two circles share, their centres `distance` apart. */
export function sharedArea(a: number, b: number, distance: number): number {
  if (distance >= a + b) return 0;
  if (distance <= Math.abs(a - b)) return Math.PI * Math.min(a, b) ** 2;
  const segment = (radius: number, other: number) => {
    const toChord = (distance ** 2 + radius ** 2 - other ** 2) / (2 * distance);
    const cosine = Math.min(1, Math.max(-1, toChord / radius));
    return radius ** 2 * (Math.acos(cosine) - cosine * Math.sqrt(1 - cosine ** 2));
  };
  return segment(a, b) + segment(b, a);
}

/** Volume of the part of a sphere inside the region: the areas that its disks share with the cylinder, integrated over the height. */
export function volumeInCore(core: Core, [x, y, z]: ArrayLike<number> & Iterable<number>, radius: number): number {
  const distance = Math.hypot(x - core.centre[0], y - core.centre[1]);
  const from = Math.max(core.low, z - radius);
  const to = Math.min(core.high, z + radius);
  if (from >= to || distance >= core.radius + radius) return 0;
  if (distance + radius <= core.radius && to - from === 2 * radius) return (4 / 3) * Math.PI * radius ** 3;
  // z = centre + radius sin(t): smooth where the disks shrink to a point.
  const angle = (height: number) => Math.asin(Math.min(1, Math.max(-1, (height - z) / radius)));
  const [start, end] = [angle(from), angle(to)];
  const step = (end - start) / INTERVALS;
  let sum = 0;
  for (let k = 0; k <= INTERVALS; k++) {
    const disk = radius * Math.cos(start + k * step);
    const weight = k === 0 || k === INTERVALS ? 1 : k % 2 === 1 ? 4 : 2;
    sum += weight * sharedArea(disk, core.radius, distance) * disk;
  }
  return (sum * step) / 3;
}

/** Share of the region's volume that the grains fill; what overlaps counts twice. */
export function packingDensity(core: Core, positions: Float64Array, radii: Float64Array): number {
  let filled = 0;
  for (let i = 0; i < radii.length; i++) filled += volumeInCore(core, positions.subarray(3 * i, 3 * i + 3), radii[i]);
  return filled / (Math.PI * core.radius ** 2 * (core.high - core.low));
}
