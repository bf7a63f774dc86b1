import { checkArgument, OBJECT } from '../arguments';
import type { Periodic } from '../scene/problem';
import { BINS, checkDimension, checkPeriodic, checkPositions, checkRegion } from './arguments';
import { forEachPair } from './pairs';
import { grainsInside, inBox, type Region, regionVolume } from './region';

export interface RadialDistribution {
  /** bins + 1, distances */
  edges: Float64Array;
  /** bins, g(r): 1 where centres lie without regard to each other */
  density: Float64Array;
  /** Grains from whose centres it is seen. */
  grains: number;
}

/**
 * Radial distribution function g(r): number of centres at a distance, over that of a gas of the same density. Seen from the grains in
 * the region, whose neighbours elsewhere count too: where grains end at walls, keep the region `largest` away from them.
 * @param positions N x 3
 * @param largest distance, at most half of each period
 * @throws TypeError naming an argument that is not what it must be
 */
export function radialDistribution(
  scene: { dimension: 2 | 3; periodic?: Periodic },
  positions: Float64Array,
  region: Region,
  largest: number,
  bins = 100,
): RadialDistribution {
  checkArgument('radialDistribution', 'the problem', scene, OBJECT);
  const { dimension, periodic } = scene;
  checkDimension('radialDistribution', dimension);
  checkPeriodic('radialDistribution', periodic);
  const count = checkPositions('radialDistribution', positions);
  checkRegion('radialDistribution', region, dimension, periodic);
  const most = Math.min(...(periodic?.lengths ?? []).filter((length) => length > 0)) / 2;
  checkArgument('radialDistribution', 'largest', largest, [
    most < Infinity ? `above 0 and at most half of the shortest period, ${most}` : 'a finite number above 0',
    (x) => typeof x === 'number' && x > 0 && x < Infinity && x <= most,
  ]);
  checkArgument('radialDistribution', 'bins', bins, BINS);
  const inside = new Uint8Array(count);
  const counted = grainsInside(region, inBox(positions, periodic), dimension);
  for (const i of counted) inside[i] = 1;
  const width = largest / bins;
  const counts = new Float64Array(bins);
  forEachPair(positions, largest, periodic, (i, j, _x, _y, _z, distance) => {
    const seen = inside[i] + inside[j];
    if (seen > 0) counts[Math.min(bins - 1, Math.floor(distance / width))] += seen;
  });
  const grains = counted.length;
  const density = grains / regionVolume(region, dimension);
  const ball = (r: number) => (dimension === 2 ? Math.PI * r * r : (4 / 3) * Math.PI * r ** 3);
  return {
    edges: Float64Array.from({ length: bins + 1 }, (_, k) => k * width),
    density: counts.map((n, k) => (grains > 0 ? n / (grains * density * (ball((k + 1) * width) - ball(k * width))) : 0)),
    grains,
  };
}
