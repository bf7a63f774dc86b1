import { checkArgument } from '../arguments';
import type { ContactState } from '../report';
import { checkContacts, checkDimension, LENGTH, WHOLE } from './arguments';
import { bearingContacts } from './coordination';
import type { Tensor } from './stress';

export interface Fabric {
  /** Contacts that count. */
  count: number;
  /** Mean of n_i n_j over them, 3 x 3, row by row; its trace is 1. NaN where none counts. */
  tensor: Tensor;
  /** Square root of 3/2 (in two dimensions of 2) times the norm of its deviator: 0 where all directions are alike, 1 where all are one; NaN where none counts. */
  anisotropy: number;
}

/**
 * Fabric tensor of the contacts between grains that bear more than a share `threshold` of the mean force (Satake's second-order
 * tensor of contact normals).
 * @param grains N: contacts with walls, whose normals the wall gives, are left out, and those without a normal, of centres that coincide
 * @throws TypeError naming an argument that is not what it must be
 */
export function fabric(contacts: ContactState, grains: number, dimension: 2 | 3 = 3, threshold = 1e-3): Fabric {
  checkArgument('fabric', 'grains', grains, WHOLE);
  checkContacts('fabric', contacts, grains);
  checkDimension('fabric', dimension);
  checkArgument('fabric', 'threshold', threshold, LENGTH);
  const { normals, second } = contacts;
  const bearing = bearingContacts(contacts, threshold).filter((c) => {
    return second[c] < grains && (normals[3 * c] !== 0 || normals[3 * c + 1] !== 0 || normals[3 * c + 2] !== 0);
  });
  if (bearing.length === 0) return { count: 0, tensor: new Float64Array(9).fill(Number.NaN), anisotropy: Number.NaN };
  const tensor = new Float64Array(9);
  for (const c of bearing) {
    for (let k = 0; k < 9; k++) tensor[k] += (normals[3 * c + Math.floor(k / 3)] * normals[3 * c + (k % 3)]) / bearing.length;
  }
  let square = 0;
  for (let k = 0; k < 9; k++) {
    const [i, j] = [Math.floor(k / 3), k % 3];
    const isotropic = i === j && i < dimension ? 1 / dimension : 0;
    square += (tensor[k] - isotropic) ** 2;
  }
  return { count: bearing.length, tensor, anisotropy: Math.sqrt((square * dimension) / (dimension - 1)) };
}
