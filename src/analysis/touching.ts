import { checkArgument, type Kind } from '../arguments';
import type { ContactState } from '../report';
import { nearestImage } from '../scene/periodic';
import type { Periodic } from '../scene/problem';
import { checkPeriodic, checkPositions, checkRadii, LENGTH } from './arguments';
import { forEachPair } from './pairs';

/** Gap up to which grains count as touching. */
const slackOf = (radii: Float64Array, tolerance: number) =>
  (tolerance * 2 * radii.reduce((sum, radius) => sum + radius, 0)) / radii.length;

/** Distance of centres within which the largest grains of a packing touch. @param tolerance in mean diameters */
export const touchingReach = (radii: Float64Array, tolerance: number): number =>
  2 * radii.reduce((most, radius) => Math.max(most, radius), 0) + slackOf(radii, tolerance);

/** The axis, from 0, along which a box is so narrow that a grain could touch another, or itself, from two sides; -1 for none. */
export function narrowAxis(reach: number, periodic: Periodic | undefined): number {
  return periodic?.lengths.findIndex((length) => length > 0 && !(length > 2 * reach)) ?? -1;
}

/**
 * Contacts of grains as their places alone tell them: pairs whose gap is at most `tolerance` mean diameters, each with a force of one
 * along its normal, which says nothing but that it is there. Walls are not known. Centres that coincide have no normal: theirs is zero,
 * so that no figure of directions has them, and their force is one along x, so that they count.
 * @param positions N x 3
 * @param radii N
 * @param periodic box, so wide that no two grains touch from two sides: at least twice the reach of the largest ones
 * @throws TypeError naming an argument that is not what it must be
 */
export function touchingContacts(
  positions: Float64Array,
  radii: Float64Array,
  tolerance = 1e-3,
  periodic?: Periodic,
): ContactState {
  checkRadii('touchingContacts', radii);
  checkPositions('touchingContacts', positions, radii.length);
  checkArgument('touchingContacts', 'tolerance', tolerance, LENGTH);
  checkPeriodic('touchingContacts', periodic);
  const slack = slackOf(radii, tolerance);
  const reach = touchingReach(radii, tolerance);
  const wide: Kind = [
    `0 or above ${2 * reach} each: pairs in a narrower box touch from two sides`,
    () => narrowAxis(reach, periodic) < 0,
  ];
  checkArgument('touchingContacts', 'periodic.lengths', periodic?.lengths, wide);
  const [firsts, seconds]: number[][] = [[], []];
  forEachPair(positions, reach * (1 + 1e-12) + Number.MIN_VALUE, periodic, (i, j, _x, _y, _z, distance) => {
    if (distance - radii[i] - radii[j] > slack) return;
    firsts.push(i);
    seconds.push(j);
  });
  // Of a million grains three million touch: their figures go into arrays of the size that is known now.
  const count = firsts.length;
  const [first, second] = [new Uint32Array(firsts), new Uint32Array(seconds)];
  const [normals, forces] = [new Float64Array(3 * count), new Float64Array(3 * count)];
  const gaps = new Float64Array(count);
  for (let c = 0; c < count; c++) {
    const [i, j] = [first[c], second[c]];
    const way = [0, 1, 2].map((k) => nearestImage(positions[3 * j + k] - positions[3 * i + k], periodic?.lengths[k] ?? 0));
    const distance = Math.sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
    gaps[c] = distance - radii[i] - radii[j];
    for (let k = 0; distance > 0 && k < 3; k++) normals[3 * c + k] = forces[3 * c + k] = way[k] / distance;
    if (distance === 0) forces[3 * c] = 1;
  }
  return {
    count,
    first,
    second,
    normals,
    gaps,
    forces,
    torques: new Float64Array(3 * count),
    states: new Uint8Array(count).fill(1),
  };
}
