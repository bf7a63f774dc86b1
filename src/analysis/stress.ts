import { checkArgument, OBJECT } from '../arguments';
import type { State } from '../report';
import type { Periodic, Vector } from '../scene/problem';
import { checkContacts, checkPositions, checkRegion, checkScene } from './arguments';
import { branch, forEachImage, inBox, type Region, regionVolume, shareInside } from './region';

/** 3 x 3, row by row; compression is positive. */
export type Tensor = Float64Array;

export interface Stress {
  total: Tensor;
  /** Of the contacts that press. */
  compressive: Tensor;
  /** Of those that pull. */
  tensile: Tensor;
}

export interface StressScene {
  grains: { count: number; radii: Float64Array };
  dimension: 2 | 3;
  periodic?: Periodic;
}

/**
 * Mean stress in a region (thesis, eq. (2.2), with compression positive): sigma_ij = (1/V) sum over contacts of F_i l_j, with F
 * the force on the second body and l the branch from the first centre to the second, or to the contact with a wall. A branch
 * counts by the share of it that lies in the region.
 * @throws TypeError naming an argument that is not what it must be
 */
export function stress(scene: StressScene, state: Pick<State, 'positions' | 'contacts'>, region: Region): Stress {
  checkScene('stress', scene);
  checkArgument('stress', 'state', state, OBJECT);
  const { grains, dimension, periodic } = scene;
  const { positions, contacts } = state;
  checkPositions('stress', positions, grains.count);
  checkContacts('stress', contacts, grains.count);
  checkRegion('stress', region, dimension, periodic);
  const result: Stress = { total: new Float64Array(9), compressive: new Float64Array(9), tensile: new Float64Array(9) };
  const volume = regionVolume(region, dimension);
  const places = inBox(positions, periodic);
  const at = (i: number) => [...places.subarray(3 * i, 3 * i + 3)] as Vector;
  for (let c = 0; c < contacts.count; c++) {
    const force = contacts.forces.subarray(3 * c, 3 * c + 3);
    const normal = contacts.normals.subarray(3 * c, 3 * c + 3);
    if (force.every((component) => component === 0)) continue;
    const [i, j] = [contacts.first[c], contacts.second[c]];
    const from = at(i);
    const way = j < grains.count ? branch(periodic, from, at(j)) : (Array.from(normal, (n) => grains.radii[i] * n) as Vector);
    let share = 0;
    forEachImage(periodic, (shift) => {
      const start = from.map((x, axis) => x + shift[axis]) as Vector;
      share += shareInside(region, start, start.map((x, axis) => x + way[axis]) as Vector, dimension);
    });
    const part = force[0] * normal[0] + force[1] * normal[1] + force[2] * normal[2] >= 0 ? result.compressive : result.tensile;
    for (let k = 0; k < 9; k++) {
      const value = (share * force[Math.floor(k / 3)] * way[k % 3]) / volume;
      part[k] += value;
      result.total[k] += value;
    }
  }
  return result;
}
