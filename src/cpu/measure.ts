import { nearestImage } from '../scene/periodic';
import type { System } from '../scene/system';
import { isAbove, type WallContact, wallContact } from '../scene/wallContact';
import type { WallStep } from '../scene/wallMotion';
import { TOUCHING_GAP } from '../settings';
import { BODY_STRIDE, INVERSE_MASS, SPIN } from './bodies';
import type { CandidateList } from './candidateList';
import { CONTACT_STRIDE, type ContactBlock, IMPULSE, reducedRadius } from './contacts';
import { boundaryContactAfter } from './walls';

/** Mean magnitude over all contacts, of the impulses (offset IMPULSE) or of those before the last sweep (PREVIOUS_IMPULSE). */
export function meanImpulse({ count, data }: ContactBlock, offset: number): number {
  let sum = 0;
  for (let slot = 0; slot < count; slot++) {
    const p = CONTACT_STRIDE * slot + offset;
    sum += Math.sqrt(data[p] * data[p] + data[p + 1] * data[p + 1] + data[p + 2] * data[p + 2]);
  }
  return count > 0 ? sum / count : 0;
}

/** Contacts that bear: P_n > 0. */
export function countBearing({ count, data }: ContactBlock): number {
  let bearing = 0;
  for (let slot = 0; slot < count; slot++) {
    const k = CONTACT_STRIDE * slot;
    if (data[k] * data[k + IMPULSE] + data[k + 1] * data[k + IMPULSE + 1] + data[k + 2] * data[k + IMPULSE + 2] > 0) bearing++;
  }
  return bearing;
}

export interface BodyMeasures {
  /** Of translation, m v^2/2, and rotation, m s^2/(2 kappa). */
  kineticEnergy: number;
  momentum: [number, number, number];
  /** The grain that moves farthest in this step, in its own diameters. */
  fastestGrain: number;
  fastestDisplacement: number;
}

export function measureBodies(motion: Float64Array, { grains, radii, inertiaFactor }: System): BodyMeasures {
  const momentum: [number, number, number] = [0, 0, 0];
  let [kineticEnergy, fastestGrain, fastestDisplacement] = [0, 0, 0];
  for (let i = 0, body = 0; i < grains; i++, body += BODY_STRIDE) {
    if (motion[body + INVERSE_MASS] === 0) continue;
    const mass = 1 / motion[body + INVERSE_MASS];
    const speedSquare = motion[body] ** 2 + motion[body + 1] ** 2 + motion[body + 2] ** 2;
    const spinSquare = motion[body + SPIN] ** 2 + motion[body + SPIN + 1] ** 2 + motion[body + SPIN + 2] ** 2;
    kineticEnergy += 0.5 * mass * (speedSquare + spinSquare / inertiaFactor);
    for (let axis = 0; axis < 3; axis++) momentum[axis] += mass * motion[body + axis];
    const displacement = Math.sqrt(speedSquare) / (2 * radii[i]);
    if (displacement > fastestDisplacement) {
      fastestDisplacement = displacement;
      fastestGrain = i;
    }
  }
  return { kineticEnergy, momentum, fastestGrain, fastestDisplacement };
}

/**
 * Impulse of the grains on each wall and its moment about the wall's point, taken where the grain's arm r n ends, with the contacts' torques.
 * @param positions N x 3, at the start of the step
 * @returns W x 6
 */
export function measureWallLoads(
  system: System,
  walls: readonly WallStep[],
  positions: Float64Array,
  list: CandidateList,
): Float64Array {
  const { grains, radii } = system;
  const loads = new Float64Array(6 * walls.length);
  const { count, first, second, normals, impulses } = list;
  for (let c = 0; c < count; c++) {
    const wall = second[c] - grains;
    if (wall < 0) continue;
    const i = first[c];
    const { point } = walls[wall].start;
    const px = impulses[3 * c];
    const py = impulses[3 * c + 1];
    const pz = impulses[3 * c + 2];
    const ax = positions[3 * i] + radii[i] * normals[3 * c] - point[0];
    const ay = positions[3 * i + 1] + radii[i] * normals[3 * c + 1] - point[1];
    const az = positions[3 * i + 2] + radii[i] * normals[3 * c + 2] - point[2];
    const reduced = list.general ? reducedRadius(system, i, second[c]) : 0;
    const k = 6 * wall;
    loads[k] += px;
    loads[k + 1] += py;
    loads[k + 2] += pz;
    loads[k + 3] += ay * pz - az * py + (list.general ? reduced * list.torques[3 * c] : 0);
    loads[k + 4] += az * px - ax * pz + (list.general ? reduced * list.torques[3 * c + 1] : 0);
    loads[k + 5] += ax * py - ay * px + (list.general ? reduced * list.torques[3 * c + 2] : 0);
  }
  return loads;
}

/** Position of each wall's point after the step, and its velocity in it: W x 6. */
export function measureWallMotions({ grains }: System, walls: readonly WallStep[], motion: Float64Array): Float64Array {
  return Float64Array.from(
    walls.flatMap(({ end }, w) => {
      const body = BODY_STRIDE * (grains + w);
      return [...end.point, ...motion.subarray(body, body + 3)];
    }),
  );
}

export interface Penetration {
  mean: number;
  max: number;
}

/**
 * Overlaps after the move over the candidates with gap below TOUCHING_GAP; those that do not overlap count as 0.
 * @param positions N x 3, at the end of the step, along periodic axes going on from where they were before it
 * @param motion bodies with the velocities of the step, for meshes that move in periodic space
 */
export function measurePenetration(
  system: System,
  walls: readonly WallStep[],
  positions: Float64Array,
  list: CandidateList,
  motion?: Float64Array,
): Penetration {
  const { grains, radii, periods = [0, 0, 0] } = system;
  const touch: WallContact = { gap: 0, normal: [0, 0, 0] };
  let [touching, sum, max] = [0, 0, 0];
  for (let c = 0; c < list.count; c++) {
    const i = 3 * list.first[c];
    const radius = radii[list.first[c]];
    const second = list.second[c];
    if (second >= grains && list.keys[c] === second) {
      const { start, end } = walls[second - grains];
      const above = isAbove(start, list.normals[3 * c], list.normals[3 * c + 1], list.normals[3 * c + 2]);
      wallContact(end, positions[i], positions[i + 1], positions[i + 2], radius, touch, above);
    } else if (second >= grains) {
      const normal = list.normals.subarray(3 * c, 3 * c + 3);
      const place = positions.subarray(i, i + 3);
      const body = BODY_STRIDE * list.first[c];
      const moves = motion && walls[second - grains].poses;
      const before = moves ? place.map((x, axis) => x - motion[body + axis]) : place;
      boundaryContactAfter(system, walls, list.keys[c], place, before, radius, normal, touch);
    } else {
      const dx = nearestImage(positions[3 * second] - positions[i], periods[0]);
      const dy = nearestImage(positions[3 * second + 1] - positions[i + 1], periods[1]);
      const dz = nearestImage(positions[3 * second + 2] - positions[i + 2], periods[2]);
      touch.gap = Math.sqrt(dx * dx + dy * dy + dz * dz) - radius - radii[second];
    }
    if (touch.gap >= TOUCHING_GAP) continue;
    touching++;
    const overlap = Math.max(-touch.gap, 0);
    sum += overlap;
    if (overlap > max) max = overlap;
  }
  return { mean: touching > 0 ? sum / touching : 0, max };
}
