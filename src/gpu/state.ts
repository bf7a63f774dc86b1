import { latticeUnits } from '../../shaders/bodies';
import { AIM_ROWS, impulseRows } from '../../shaders/contactLaw';
import { PULL_PLACE } from '../../shaders/memories';
import { contactStates } from '../contactStates';
import { reducedRadius } from '../cpu/contacts';
import type { ContactState, State } from '../report';
import { fromZero, wrapPositions } from '../scene/periodic';
import type { System } from '../scene/system';
import type { Buffers } from './buffers';
import { lawOptions } from './lawOptions';
import { FIXED } from './pack';
import { turningWalls } from './packWalls';
import { download } from './readback';

/** Everything that a user may see but the walls, in internal units; contacts in the order of the candidates. */
export async function readState(
  device: GPUDevice,
  buffers: Buffers,
  system: System,
  step: number,
  candidates: number,
): Promise<Omit<State, 'walls'>> {
  const { grains, periods } = system;
  const law = lawOptions(system);
  const rows = (names: string[], bytes: number) => names.map((name) => ({ buffer: buffers.parts(name), bytes }));
  const parts = await download(device, [
    ...rows(['lattice', 'offsets', 'velocities', 'spins', 'orientations'], 16 * grains),
    ...rows(['contactPairs'], 8 * candidates),
    ...rows(['sequence'], 4 * candidates),
    ...rows(['normals'], 16 * candidates),
    ...rows(['impulses'], 16 * impulseRows(law) * candidates),
    ...rows(law.memory ? ['memories'] : [], 16 * AIM_ROWS * candidates),
  ]);
  const [lattice, offsets, velocities, spins, orientations, pairs, sequence, normals, impulses, memories] = parts;
  return {
    step,
    positions: unpackPositions(new Int32Array(lattice), new Float32Array(offsets), periods),
    velocities: unpackVectors(new Float32Array(velocities)),
    angularVelocities: unpackVectors(new Float32Array(spins)),
    orientations: Float64Array.from(new Float32Array(orientations)),
    contacts: unpackContacts(system, {
      pairs: wallsOfSurfaces(system, new Uint32Array(pairs)),
      sequence: new Uint32Array(sequence),
      normals: new Float32Array(normals),
      impulses: new Float32Array(impulses),
      memories: memories && new Float32Array(memories),
    }),
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

/** Pairs of bodies; what stands for the surface of a wall that turns gives way to the wall. */
function wallsOfSurfaces(system: System, pairs: Uint32Array): Uint32Array {
  const turning = turningWalls(system);
  return pairs.map((pair) => {
    const body = (pair & ~FIXED) >>> 0;
    return body < system.bodies ? pair : system.grains + turning[Math.floor((body - system.bodies) / system.grains)];
  });
}

/** Contacts as they lie on the GPU, in the order of their colours. */
interface ContactParts {
  pairs: Uint32Array;
  /** The candidates that they were. */
  sequence: Uint32Array;
  normals: Float32Array;
  impulses: Float32Array;
  /** Absent where contacts remember nothing. */
  memories?: Float32Array;
}

/** Contacts come by colour and go by first and second body, as the candidates that they were in `sequence`. */
function unpackContacts(system: System, { pairs, sequence, normals, impulses, memories }: ContactParts): ContactState {
  const count = pairs.length / 2;
  const { general, torques } = lawOptions(system);
  const rows = impulseRows({ torques });
  const id = (k: number) => (pairs[k] & ~FIXED) >>> 0;
  const order = new Uint32Array(count);
  sequence.forEach((candidate, k) => {
    order[candidate] = k;
  });
  const vectors = (values: Float32Array, stride: number, row = 0) =>
    Float64Array.from({ length: 3 * count }, (_, k) => values[4 * (stride * order[Math.floor(k / 3)] + row) + (k % 3)]);
  const contactNormals = vectors(normals, 1);
  const forces = vectors(impulses, rows);
  const [first, second] = [0, 1].map((side) => order.map((k) => id(2 * k + side)));
  // The fourth number of an impulse is the friction, or the index of the law that has it (and a half where it slides).
  const fourth = Float64Array.from(order, (k) => impulses[4 * rows * k + 3]);
  const coefficients = (key: 'staticFriction' | 'dynamicFriction') =>
    general ? fourth.map((mark) => system.laws[Math.floor(mark)][key]) : fourth;
  return {
    count,
    first,
    second,
    normals: contactNormals,
    gaps: Float64Array.from(order, (k) => normals[4 * k + 3]),
    forces,
    torques: torques
      ? vectors(impulses, rows, 1).map((tau, k) => {
          const c = Math.floor(k / 3);
          return reducedRadius(system, first[c], second[c]) * tau;
        })
      : new Float64Array(3 * count),
    states: contactStates(contactNormals, forces, {
      staticFriction: coefficients('staticFriction'),
      dynamicFriction: coefficients('dynamicFriction'),
      pulls: memories && Float64Array.from(order, (k) => memories[4 * AIM_ROWS * k + PULL_PLACE]),
    }),
  };
}
