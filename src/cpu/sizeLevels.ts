import type { System } from '../scene/system';
import { DISK_INERTIA_FACTOR, INITIAL_REACH_LIMIT, MAX_SIZE_LEVELS, SIZE_BINS_PER_DOUBLING, STRETCH_COST } from '../settings';

/** Grains by size, the small ones first: each level has linked cells of its own, as large as its largest grains need. */
export interface SizeLevels {
  /** L, the largest radius of each level, ascending, in single precision as the GPU compares */
  largestRadii: readonly number[];
  /** L, of each level's grains, 0 where there are none */
  meanRadii: readonly number[];
  /** L, grains in each */
  counts: readonly number[];
  /** N, the level of each grain */
  levelOf: Uint8Array;
}

/** Share of space that grains fill in a dense packing: spheres, and disks. */
const PACKED = { spheres: 0.6, disks: 0.82 } as const;

/** Grains of nearly one size. */
interface SizeBin {
  radius: number;
  count: number;
}

/**
 * The levels with which the search for pairs takes least, by an estimate for a dense packing of these grains: how many stretches
 * of cells and how many grains each grain has to look at in its own level and in those of larger grains. Grains of one size
 * have one level, and no grains (they are still to come) one of points. It goes by the radii alone, so that runs that go on from
 * a snapshot have the same levels.
 */
export function chooseSizeLevels(system: Pick<System, 'radii' | 'inertiaFactor'>): SizeLevels {
  const bins = sizeBins(Float32Array.from(system.radii));
  if (bins.length === 0) return sortIntoLevels(system.radii, [0]);
  const ends = cheapestEnds(bins, system.inertiaFactor === DISK_INERTIA_FACTOR ? 2 : 3);
  return sortIntoLevels(
    system.radii,
    ends.map((end) => bins[end - 1].radius),
  );
}

/** @param largestRadii L, see SizeLevels; the last is the largest radius of all */
export function sortIntoLevels(radii: Float64Array, largestRadii: readonly number[]): SizeLevels {
  const levelOf = Uint8Array.from(radii, (radius) => largestRadii.findIndex((largest) => Math.fround(radius) <= largest));
  const counts = largestRadii.map(() => 0);
  const sums = largestRadii.map(() => 0);
  levelOf.forEach((level, i) => {
    counts[level]++;
    sums[level] += radii[i];
  });
  return { largestRadii, meanRadii: sums.map((sum, level) => sum / Math.max(1, counts[level])), counts, levelOf };
}

export function largestRadius({ radii }: { radii: ArrayLike<number> }): number {
  let largest = 0;
  for (let i = 0; i < radii.length; i++) largest = Math.max(largest, radii[i]);
  return largest;
}

/** Sizes in bins of a part of a doubling, ascending, each under its largest radius. */
function sizeBins(radii: Float32Array): SizeBin[] {
  const largest = largestRadius({ radii });
  const bins = new Map<number, SizeBin>();
  for (const radius of radii) {
    const key = Math.min(MAX_SIZE_BINS, Math.floor(SIZE_BINS_PER_DOUBLING * Math.log2(largest / radius)));
    const bin = bins.get(key);
    if (!bin) bins.set(key, { radius, count: 1 });
    else {
      bin.radius = Math.max(bin.radius, radius);
      bin.count++;
    }
  }
  return [...bins.values()].sort((a, b) => a.radius - b.radius);
}

/** Sizes below that of the last bin are all in it. */
const MAX_SIZE_BINS = 24 * SIZE_BINS_PER_DOUBLING;

/** Where the levels end among the bins, by dynamic programming: the last level ends with the last bin. */
function cheapestEnds(bins: readonly SizeBin[], dimension: 2 | 3): number[] {
  const volume = bins.reduce((sum, { radius, count }) => sum + count * grainContent(radius, dimension), 0);
  const space = volume / (dimension === 2 ? PACKED.disks : PACKED.spheres);
  // least[l][end]: cost of the first `end` bins in l + 1 levels, and where the last of them begins.
  const least: { cost: number; begin: number }[][] = [];
  for (let level = 0; level < Math.min(MAX_SIZE_LEVELS, bins.length); level++) {
    least.push([]);
    for (let end = 0; end <= bins.length; end++) {
      let best = { cost: Infinity, begin: 0 };
      for (let begin = level; begin < (level === 0 ? 1 : end); begin++) {
        const before = level === 0 ? 0 : least[level - 1][begin].cost;
        const cost = end === 0 ? Infinity : before + levelCost(bins, begin, end, space, dimension);
        if (cost < best.cost) best = { cost, begin };
      }
      least[level].push(best);
    }
  }
  const last = least.reduce((best, costs, level) => (costs[bins.length].cost < least[best][bins.length].cost ? level : best), 0);
  const ends: number[] = [];
  for (let level = last, end = bins.length; level >= 0; end = least[level--][end].begin) ends.unshift(end);
  return ends;
}

function grainContent(radius: number, dimension: 2 | 3): number {
  return dimension === 2 ? Math.PI * radius ** 2 : (4 / 3) * Math.PI * radius ** 3;
}

/** What it takes all grains of the level and of those below to look for their partners in it, in distance tests. */
function levelCost(bins: readonly SizeBin[], begin: number, end: number, space: number, dimension: 2 | 3): number {
  const largest = bins[end - 1].radius;
  const edge = 2 * (largest + INITIAL_REACH_LIMIT);
  let members = 0;
  for (let k = begin; k < end; k++) members += bins[k].count;
  let cost = 0;
  for (let k = 0; k < end; k++) {
    // Cells on both sides of the grain's as far as its partners may be: on the mean so long a way along each axis.
    const way = edge + 2 * Math.min(edge, bins[k].radius + largest + 2 * INITIAL_REACH_LIMIT);
    const stretches = (way / edge) ** (dimension - 1);
    cost += bins[k].count * (STRETCH_COST * stretches + (members / space) * way ** dimension);
  }
  return cost;
}
