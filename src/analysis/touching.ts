import { checkArgument } from '../arguments';
import type { ContactState } from '../report';
import type { Periodic } from '../scene/problem';
import { checkPeriodic, checkPositions, checkRadii, LENGTH } from './arguments';
import { forEachPair } from './pairs';

/**
 * Contacts of grains as their places alone tell them: pairs whose gap is at most `tolerance` mean diameters, each with a force of one
 * along its normal, which says nothing but that it is there. Walls are not known. Centres that coincide have no normal: theirs is zero,
 * so that no figure of directions has them, and their force is one along x, so that they count.
 * @param positions N x 3
 * @param radii N
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
  const largest = radii.reduce((most, radius) => Math.max(most, radius), 0);
  const slack = (tolerance * 2 * radii.reduce((sum, radius) => sum + radius, 0)) / radii.length;
  const [first, second, gaps, normals, forces]: number[][] = [[], [], [], [], []];
  forEachPair(positions, 2 * largest + slack * (1 + 1e-12) + Number.MIN_VALUE, periodic, (i, j, x, y, z, distance) => {
    const gap = distance - radii[i] - radii[j];
    if (gap > slack) return;
    first.push(i);
    second.push(j);
    gaps.push(gap);
    const normal = distance > 0 ? [x / distance, y / distance, z / distance] : [0, 0, 0];
    normals.push(...normal);
    forces.push(...(distance > 0 ? normal : [1, 0, 0]));
  });
  const count = first.length;
  return {
    count,
    first: Uint32Array.from(first),
    second: Uint32Array.from(second),
    normals: Float64Array.from(normals),
    gaps: Float64Array.from(gaps),
    forces: Float64Array.from(forces),
    torques: new Float64Array(3 * count),
    states: new Uint8Array(count).fill(1),
  };
}
