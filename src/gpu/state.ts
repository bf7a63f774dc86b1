import { latticeUnits } from '../../shaders/bodies';
import { contactStates } from '../contactStates';
import type { ContactState, State } from '../report';
import { fromZero, wrapPositions } from '../scene/periodic';
import type { System } from '../scene/system';
import type { Buffers } from './buffers';
import { FIXED } from './pack';
import { download } from './readback';

/** Everything that a user may see, in internal units; contacts in the order of the candidates. */
export async function readState(
  device: GPUDevice,
  buffers: Buffers,
  { grains, periods }: System,
  step: number,
  candidates: number,
): Promise<State> {
  const rows = (names: string[], bytes: number) => names.map((name) => ({ buffer: buffers.get(name), bytes }));
  const [lattice, offsets, velocities, spins, orientations, pairs, sequence, normals, impulses] = await download(device, [
    ...rows(['lattice', 'offsets', 'velocities', 'spins', 'orientations'], 16 * grains),
    ...rows(['contactPairs'], 8 * candidates),
    ...rows(['sequence'], 4 * candidates),
    ...rows(['normals', 'impulses'], 16 * candidates),
  ]);
  return {
    step,
    positions: unpackPositions(new Int32Array(lattice), new Float32Array(offsets), periods),
    velocities: unpackVectors(new Float32Array(velocities)),
    angularVelocities: unpackVectors(new Float32Array(spins)),
    orientations: Float64Array.from(new Float32Array(orientations)),
    contacts: unpackContacts(
      new Uint32Array(pairs),
      new Uint32Array(sequence),
      new Float32Array(normals),
      new Float32Array(impulses),
    ),
  };
}

/** N x 3, in the box along periodic axes: a point of the lattice at its lower end may have a remainder below 0. */
export function unpackPositions(lattice: Int32Array, offsets: Float32Array, periods?: System['periods']): Float64Array {
  const units = latticeUnits(periods);
  const positions = new Float64Array((3 * lattice.length) / 4);
  for (let k = 0; k < positions.length; k++) {
    const from = 4 * Math.floor(k / 3) + (k % 3);
    positions[k] = lattice[from] * units[k % 3] + offsets[from];
  }
  if (periods) wrapPositions(positions, fromZero(periods));
  return positions;
}

/** Rows of four without the fourth number. */
export function unpackVectors(rows: Float32Array): Float64Array {
  return Float64Array.from({ length: (3 * rows.length) / 4 }, (_, k) => rows[4 * Math.floor(k / 3) + (k % 3)]);
}

/** Contacts come by colour and go by first and second body, as the candidates that they were in `sequence`. */
function unpackContacts(pairs: Uint32Array, sequence: Uint32Array, normals: Float32Array, impulses: Float32Array): ContactState {
  const count = pairs.length / 2;
  const id = (k: number) => (pairs[k] & ~FIXED) >>> 0;
  const order = new Uint32Array(count);
  sequence.forEach((candidate, k) => {
    order[candidate] = k;
  });
  const rows = (values: Float32Array) =>
    Float64Array.from({ length: 3 * count }, (_, k) => values[4 * order[Math.floor(k / 3)] + (k % 3)]);
  const contactNormals = rows(normals);
  const forces = rows(impulses);
  const friction = Float64Array.from(order, (k) => impulses[4 * k + 3]);
  return {
    count,
    first: order.map((k) => id(2 * k)),
    second: order.map((k) => id(2 * k + 1)),
    normals: contactNormals,
    gaps: Float64Array.from(order, (k) => normals[4 * k + 3]),
    forces,
    torques: new Float64Array(3 * count),
    states: contactStates(contactNormals, forces, { staticFriction: friction, dynamicFriction: friction }),
  };
}
