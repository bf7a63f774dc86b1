import { latticeUnits } from '../../shaders/bodies';
import { CONTROL_BAD_GRAIN, CONTROL_COLD, CONTROL_STEP, CONTROL_WORDS } from '../../shaders/control';
import { NO_COLOUR } from '../cpu/colouring';
import { wallOfKey } from '../cpu/walls';
import type { System } from '../scene/system';
import { contactStarts, type Snapshot, type SnapshotContacts } from '../snapshot';
import type { Buffers } from './buffers';
import { FIXED, packPositions, packVectors, toLattice, WALL_BYTES } from './pack';
import { download } from './readback';
import { unpackVectors } from './state';

/** Fills buffers that were just made with what a step needs of the one before. */
export function restore(buffers: Buffers, system: System, from: Snapshot): void {
  restoreBodies(buffers, system, from);
  restoreContacts(buffers, system, from);
  const control = new Uint32Array(CONTROL_WORDS);
  control[CONTROL_BAD_GRAIN] = 0xffffffff;
  control[CONTROL_STEP] = from.step;
  control[CONTROL_COLD] = from.cold ? 1 : 0;
  buffers.write('control', control);
}

function restoreBodies(buffers: Buffers, system: System, from: Snapshot): void {
  const { lattice, offsets } = packPositions(system, from);
  buffers.write('lattice', lattice);
  buffers.write('offsets', offsets);
  buffers.write('velocities', packBodies(system.velocities, from.velocities, system.inverseMasses));
  const radii = new Float64Array(system.bodies);
  radii.set(system.radii);
  buffers.write('spins', packBodies(system.spins, from.spins, radii));
  buffers.write('orientations', Float32Array.from(from.orientations));
}

/** Puts pistons where they were. @param walls the buffer of that name, with the walls as the system has them */
export function restorePistons(queue: GPUQueue, walls: GPUBuffer, buffers: Buffers, system: System, from: Snapshot): void {
  const units = latticeUnits(system.periods);
  for (const { wall, anchor, remainder, velocity } of from.pistons) {
    const body = system.grains + wall;
    const lattice = new Int32Array(4);
    const fraction = new Float32Array(4);
    units.forEach((unit, axis) => {
      [lattice[axis], fraction[axis]] = toLattice(anchor[axis], remainder[axis], unit);
    });
    lattice[3] = system.materials[body];
    queue.writeBuffer(walls, WALL_BYTES * wall, lattice);
    queue.writeBuffer(walls, WALL_BYTES * wall + 16, fraction);
    queue.writeBuffer(buffers.get('velocities'), 16 * body, Float32Array.of(...velocity, 0));
  }
}

/** Walls as the system has them, grains as the snapshot does. */
function packBodies(all: Float64Array, grains: Float64Array, fourth: Float64Array): Float32Array<ArrayBuffer> {
  const packed = packVectors(all, fourth);
  packed.set(packVectors(grains, fourth));
  return packed;
}

/** Which of the paired buffers the step before the next one wrote. */
const parityBefore = (step: number) => 1 - (step % 2);

/** In the order of the candidates also what a step leaves in the order of its colours: it is only read by the host. */
function restoreContacts(buffers: Buffers, system: System, { step, contacts }: Snapshot): void {
  const { grains, inverseMasses, materials, laws, lawOf } = system;
  const { count, first, second, keys, normals, gaps, impulses, colours } = contacts;
  const kinds = Math.sqrt(lawOf.length);
  const pairs = new Uint32Array(2 * count);
  const contactPairs = new Uint32Array(2 * count);
  const friction = new Float64Array(count);
  for (let c = 0; c < count; c++) {
    [first[c], second[c]].forEach((body, side) => {
      contactPairs[2 * c + side] = inverseMasses[body] > 0 ? body : body | FIXED;
    });
    pairs[2 * c] = contactPairs[2 * c];
    pairs[2 * c + 1] = keys.length > 0 && keys[c] !== second[c] ? keys[c] | FIXED : contactPairs[2 * c + 1];
    friction[c] = laws[lawOf[materials[first[c]] * kinds + materials[second[c]]]].dynamicFriction;
  }
  const before = parityBefore(step);
  buffers.write(`starts${before}`, contactStarts(contacts, grains));
  buffers.write(`pairs${before}`, pairs);
  buffers.write(`colours${before}`, new Uint32Array(colours));
  buffers.write('lastImpulses', packVectors(impulses, friction));
  buffers.write(
    'sequence',
    Uint32Array.from({ length: count }, (_, c) => c),
  );
  buffers.write('contactPairs', contactPairs);
  buffers.write('normals', packVectors(normals, gaps));
  buffers.write('impulses', packVectors(impulses, friction));
}

/** What the last step left: its number, its candidates, and the colours there are, over 32. */
interface Left {
  step: number;
  candidates: number;
  colourWords: number;
}

/** The part of a snapshot that lies on the GPU. */
export async function capture(
  device: GPUDevice,
  buffers: Buffers,
  system: System,
  { step, candidates, colourWords }: Left,
): Promise<Pick<Snapshot, 'positions' | 'remainders' | 'velocities' | 'spins' | 'orientations' | 'contacts' | 'cold'>> {
  const { grains, periods } = system;
  const before = parityBefore(step);
  const rows = (names: string[], bytes: number) => names.map((name) => ({ buffer: buffers.get(name), bytes }));
  const parts = await download(device, [
    ...rows(['lattice', 'offsets', 'velocities', 'spins', 'orientations'], 16 * grains),
    ...rows([`pairs${before}`], 8 * candidates),
    ...rows([`colours${before}`, 'sequence'], 4 * candidates),
    ...rows(['normals', 'lastImpulses'], 16 * candidates),
    ...rows(['control'], 4 * CONTROL_WORDS),
  ]);
  const [lattice, offsets, velocities, spins, orientations, pairs, colours, sequence, normals, impulses, control] = parts;
  const points = new Int32Array(lattice);
  const units = latticeUnits(periods);
  return {
    positions: Float64Array.from({ length: 3 * grains }, (_, k) => points[4 * Math.floor(k / 3) + (k % 3)] * units[k % 3]),
    remainders: unpackVectors(new Float32Array(offsets)),
    velocities: unpackVectors(new Float32Array(velocities)),
    spins: unpackVectors(new Float32Array(spins)),
    orientations: Float64Array.from(new Float32Array(orientations)),
    contacts: unpackCandidates(system, new Uint32Array(pairs), {
      colours: new Uint32Array(colours).map((colour) => (colour < 32 * colourWords ? colour : NO_COLOUR)),
      sequence: new Uint32Array(sequence),
      normals: new Float32Array(normals),
      impulses: new Float32Array(impulses),
    }),
    cold: new Uint32Array(control)[CONTROL_COLD] === 1,
  };
}

interface CandidateParts {
  colours: Uint32Array;
  /** Candidates in the order of their colours, which is that of the normals. */
  sequence: Uint32Array;
  normals: Float32Array;
  impulses: Float32Array;
}

function unpackCandidates(
  system: System,
  pairs: Uint32Array,
  { colours, sequence, normals, impulses }: CandidateParts,
): SnapshotContacts {
  const count = colours.length;
  const ids = (side: number) => Uint32Array.from({ length: count }, (_, c) => pairs[2 * c + side] & ~FIXED);
  const keys = ids(1);
  const geometry = new Float64Array(4 * count);
  sequence.forEach((c, k) => {
    geometry.set(normals.subarray(4 * k, 4 * k + 4), 4 * c);
  });
  return {
    count,
    first: ids(0),
    second: keys.map((key) => wallOfKey(system, key)),
    keys: system.meshes.length > 0 ? keys : new Uint32Array(0),
    normals: Float64Array.from({ length: 3 * count }, (_, k) => geometry[4 * Math.floor(k / 3) + (k % 3)]),
    gaps: Float64Array.from({ length: count }, (_, c) => geometry[4 * c + 3]),
    impulses: unpackVectors(impulses),
    torques: new Float64Array(0),
    memory: new Float64Array(0),
    colours,
  };
}
