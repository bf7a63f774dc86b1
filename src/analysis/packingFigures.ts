import { checkArgument, FUNCTION, OBJECT, SWITCH } from '../arguments';
import type { ContactState } from '../report';
import type { Periodic, Vector } from '../scene/problem';
import { checkContacts, checkPositions, checkRegion, checkScene } from './arguments';
import { coordination } from './coordination';
import { fabric } from './fabric';
import { forceChains } from './forceChains';
import { forceDistribution, mobilisation } from './forces';
import { radialDistribution } from './radialDistribution';
import { type BoxRegion, grainsInside, inBox, type Region } from './region';
import { stress } from './stress';
import { volumeFraction } from './volumeFraction';

/** What the figures are of. */
export interface PackingState {
  /** N x 3; along periodic axes any images */
  positions: Float64Array;
  /** N */
  radii: Float64Array;
  contacts: ContactState;
  dimension: 2 | 3;
  periodic?: Periodic;
  /** Contacts have forces; without them figures of forces are null. */
  hasForces: boolean;
  /** mu of contact c, 0 where it is not known; absent: friction is not known at all */
  friction?: (c: number) => number;
  /** F_c of contact c, the most that its bond pulls, by which friction may be more; absent: there is none */
  cohesion?: (c: number) => number;
}

export type PackingFigures = ReturnType<typeof packingFigures>;

/** Distances up to which g(r) is given, in mean diameters. */
const RADIAL_REACH = 4;

/** @throws TypeError naming what is not as it must be */
export function checkPacking(of: string, packing: PackingState): void {
  checkArgument(of, 'packing', packing, OBJECT);
  const { positions, radii, contacts, dimension, periodic, hasForces, friction, cohesion } = packing;
  checkScene(of, { grains: { count: radii?.length, radii }, dimension, periodic });
  checkPositions(of, positions, radii.length);
  checkContacts(of, contacts, radii.length);
  checkArgument(of, 'contacts.gaps', contacts.gaps, ['a Float64Array', (gaps) => gaps instanceof Float64Array]);
  checkArgument(of, 'hasForces', hasForces, SWITCH);
  if (friction !== undefined) checkArgument(of, 'friction', friction, FUNCTION);
  if (cohesion !== undefined) checkArgument(of, 'cohesion', cohesion, FUNCTION);
}

/**
 * The figures of a packing in one object of plain numbers and lists, as the command `analyse` gives them. Those of contacts are of
 * the contacts of grains whose centres lie in the region.
 * @throws TypeError naming an argument that is not what it must be
 */
export function packingFigures(packing: PackingState, region: Region) {
  checkPacking('packingFigures', packing);
  const { radii, dimension, periodic, hasForces, friction, cohesion } = packing;
  const positions = inBox(packing.positions, periodic);
  checkRegion('packingFigures', region, dimension, periodic);
  const count = radii.length;
  const scene = { grains: { count, radii }, dimension, periodic };
  const diameter = (2 * radii.reduce((sum, radius) => sum + radius, 0)) / count;
  const { mean, withoutRattlers, rattlers } = coordination(packing.contacts, positions, { region, dimension });
  const counted = grainsInside(region, positions, dimension);
  const tensors = hasForces ? stress(scene, { positions, contacts: packing.contacts }, region) : null;
  const ids = contactsOf(counted, packing.contacts, count);
  const contacts = pick(packing.contacts, ids);
  const distribution = hasForces ? forceDistribution(contacts) : null;
  const bonds = cohesion && ((c: number) => cohesion(ids[c]));
  const used = hasForces && friction ? mobilisation(contacts, (c) => friction(ids[c]), undefined, bonds) : null;
  const chains = hasForces ? forceChains(contacts, count) : null;
  const directions = fabric(contacts, count, dimension);
  const shortest = Math.min(...(periodic?.lengths ?? []).filter((length) => length > 0), Number.POSITIVE_INFINITY);
  const radial = radialDistribution(scene, positions, region, Math.min(RADIAL_REACH * diameter, shortest / 2));
  const { gaps } = contacts;
  const overlaps = gaps.filter((gap) => gap < 1e-3 * diameter).map((gap) => Math.max(0, -gap) / diameter);
  return {
    grains: count,
    diameter: { mean: diameter, min: 2 * extreme(radii, Math.min), max: 2 * extreme(radii, Math.max) },
    region,
    /** Grains whose centres lie in it. */
    inside: counted.length,
    volumeFraction: volumeFraction(scene, positions, region),
    contacts: hasForces ? distribution!.count : contacts.count,
    coordination: { mean, withoutRattlers, rattlers: counted.filter((i) => rattlers[i] === 1).length },
    overlap: {
      mean: overlaps.reduce((a, b) => a + b, 0) / Math.max(1, overlaps.length),
      max: overlaps.reduce((a, b) => Math.max(a, b), 0),
    },
    // Without a contact there is no direction.
    fabric: directions.count > 0 ? { tensor: [...directions.tensor], anisotropy: directions.anisotropy } : null,
    stress: tensors && { total: [...tensors.total], compressive: [...tensors.compressive], tensile: [...tensors.tensile] },
    forces: distribution && {
      mean: distribution.mean,
      edges: [...distribution.edges],
      density: [...distribution.density],
      // Where no force is above the mean there is no tail.
      tail: Number.isFinite(distribution.tail.beta) ? distribution.tail : null,
    },
    mobilisation: used && {
      contacts: used.length,
      mean: used.reduce((a, b) => a + b, 0) / Math.max(1, used.length),
      full: used.filter((share) => share > 1 - 1e-6).length / Math.max(1, used.length),
    },
    forceChains: chains && {
      contacts: chains.contacts,
      share: chains.share,
      networks: chains.sizes.length,
      largest: chains.sizes[0] ?? 0,
    },
    radialDistribution: { edges: [...radial.edges], density: [...radial.density] },
  };
}

/** Contacts that any of these grains has. */
function contactsOf(grains: readonly number[], { count, first, second }: ContactState, all: number): number[] {
  const inside = new Uint8Array(all);
  for (const i of grains) inside[i] = 1;
  const ids: number[] = [];
  for (let c = 0; c < count; c++) if (inside[first[c]] || (second[c] < all && inside[second[c]])) ids.push(c);
  return ids;
}

/** These contacts alone. */
function pick(contacts: ContactState, ids: readonly number[]): ContactState {
  const scalars = <T extends Uint32Array | Uint8Array | Float64Array>(values: T) => {
    const picked = values.slice(0, ids.length) as T;
    for (const [k, c] of ids.entries()) picked[k] = values[c];
    return picked;
  };
  const vectors = (values: Float64Array) =>
    Float64Array.from({ length: 3 * ids.length }, (_, k) => values[3 * ids[Math.floor(k / 3)] + (k % 3)]);
  const { first, second, gaps, states, normals, forces, torques } = contacts;
  return {
    count: ids.length,
    ...{ first: scalars(first), second: scalars(second), gaps: scalars(gaps), states: scalars(states) },
    ...{ normals: vectors(normals), forces: vectors(forces), torques: vectors(torques) },
  };
}

/** The box around all centres; along periodic axes the periodic box. */
export function wholeRegion(positions: Float64Array, periodic?: Periodic): BoxRegion {
  const min: Vector = [Infinity, Infinity, Infinity];
  const max: Vector = [-Infinity, -Infinity, -Infinity];
  for (let k = 0; k < positions.length; k++) {
    min[k % 3] = Math.min(min[k % 3], positions[k]);
    max[k % 3] = Math.max(max[k % 3], positions[k]);
  }
  for (let axis = 0; periodic && axis < 3; axis++) {
    if (periodic.lengths[axis] === 0) continue;
    min[axis] = periodic.min[axis];
    max[axis] = periodic.min[axis] + periodic.lengths[axis];
  }
  return { kind: 'box', min, max };
}

const extreme = (values: Float64Array, pick: (a: number, b: number) => number) => values.reduce((a, b) => pick(a, b));
