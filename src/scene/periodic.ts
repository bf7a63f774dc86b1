import type { Periodic, Vector } from './problem';

/**
 * The difference of two coordinates along a periodic axis, by the images that are nearest to each other.
 * @param period length of the box along the axis, 0 where it is open
 */
export function nearestImage(difference: number, period: number): number {
  return period > 0 ? difference - period * Math.round(difference / period) : difference;
}

/** The image of a coordinate in the box from `min` on; the coordinate itself where the axis is open (period 0). */
export function wrapped(x: number, min: number, period: number): number {
  if (!(period > 0) || (x >= min && x < min + period)) return x;
  const beyond = (x - min) % period;
  const inside = min + (beyond < 0 ? beyond + period : beyond);
  // The sum may round to the far end, which is the near one.
  return inside < min + period ? inside : min;
}

/** Moves the coordinates along periodic axes into the box; positions N x 3. */
export function wrapPositions(positions: Float64Array | number[], { min, lengths }: Periodic): void {
  for (let axis = 0; axis < 3; axis++) {
    if (!(lengths[axis] > 0)) continue;
    for (let k = axis; k < positions.length; k += 3) positions[k] = wrapped(positions[k], min[axis], lengths[axis]);
  }
}

/** Internal coordinates along periodic axes begin at the lower end of the box. */
export function fromZero(periods: Vector): Periodic {
  return { min: [0, 0, 0], lengths: periods };
}
