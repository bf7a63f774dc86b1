import { latticeUnits } from '../../shaders/bodies';
import { AIM_ROWS, impulseRows, MEMORY_ROWS } from '../../shaders/contactLaw';
import { CONTROL_BAD_GRAIN, CONTROL_COLD, CONTROL_STEP, CONTROL_WORDS } from '../../shaders/control';
import { PULL_PLACE } from '../../shaders/memories';
import type { LawOptions } from '../../shaders/shockLaw';
import { pullOf } from '../cpu/bonds';
import { NO_COLOUR } from '../cpu/colouring';
import { APPROACH, BOND, MEMORY_STRIDE, PHASE, SLIP, SLIP_LOSS, WORK } from '../cpu/memory';
import { wallOfKey } from '../cpu/walls';
import type { System } from '../scene/system';
import { contactStarts, type Snapshot, type SnapshotContacts } from '../snapshot';
import type { Buffers } from './buffers';
import { lawOptions } from './lawOptions';
import { FIXED, packPositions, packVectors, toLattice } from './pack';
import { WALL_BYTES } from './packWalls';
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
  const { grains, inverseMasses } = system;
  const { count, first, second, keys, normals, gaps, colours } = contacts;
  const pairs = new Uint32Array(2 * count);
  const contactPairs = new Uint32Array(2 * count);
  for (let c = 0; c < count; c++) {
    [first[c], second[c]].forEach((body, side) => {
      contactPairs[2 * c + side] = inverseMasses[body] > 0 ? body : body | FIXED;
    });
    pairs[2 * c] = contactPairs[2 * c];
    pairs[2 * c + 1] = keys.length > 0 && keys[c] !== second[c] ? keys[c] | FIXED : contactPairs[2 * c + 1];
  }
  const before = parityBefore(step);
  buffers.write(`starts${before}`, contactStarts(contacts, grains));
  buffers.write(`pairs${before}`, pairs);
  buffers.write(`colours${before}`, new Uint32Array(colours));
  buffers.write(
    'sequence',
    Uint32Array.from({ length: count }, (_, c) => c),
  );
  buffers.write('contactPairs', contactPairs);
  buffers.write('normals', packVectors(normals, gaps));
  const impulses = packImpulses(system, contacts);
  for (const name of ['lastImpulses', 'impulses']) buffers.write(name, impulses);
  if (!lawOptions(system).memory) return;
  const { last, aims } = packMemories(system, contacts);
  buffers.write('lastMemories', last);
  buffers.write('memories', aims);
}

const lawIndex = ({ materials, lawOf }: System, { first, second }: SnapshotContacts, c: number) =>
  lawOf[materials[first[c]] * Math.sqrt(lawOf.length) + materials[second[c]]];

/** C x rows x 4: impulses with the friction or the law's index, and torques over r* where there are some. */
function packImpulses(system: System, contacts: SnapshotContacts): Float32Array<ArrayBuffer> {
  const { count, impulses, torques } = contacts;
  const law = lawOptions(system);
  const rows = impulseRows(law);
  const packed = new Float32Array(4 * rows * count);
  for (let c = 0; c < count; c++) {
    const index = lawIndex(system, contacts, c);
    packed.set(impulses.subarray(3 * c, 3 * c + 3), 4 * rows * c);
    packed[4 * rows * c + 3] = law.general ? index : system.laws[index].dynamicFriction;
    if (law.torques) packed.set(torques.subarray(3 * c, 3 * c + 3), 4 * rows * c + 4);
  }
  return packed;
}

/** Places in a contact's memory of what the rows of shaders/memories.ts hold, four numbers each. */
const MEMORY_PLACES = [PHASE, APPROACH, WORK, BOND, SLIP, SLIP + 1, SLIP + 2, SLIP_LOSS];

/** What contacts remember, and of what they aimed at the pulls alone, which the host reads. */
function packMemories(system: System, contacts: SnapshotContacts) {
  const { count, memory } = contacts;
  const last = new Float32Array(4 * MEMORY_ROWS * count);
  const aims = new Float32Array(4 * AIM_ROWS * count);
  for (let c = 0; c < count; c++) {
    MEMORY_PLACES.forEach((place, k) => {
      last[4 * MEMORY_ROWS * c + k] = memory[MEMORY_STRIDE * c + place];
    });
    aims[4 * AIM_ROWS * c + PULL_PLACE] = pullOf(memory, c, system.laws[lawIndex(system, contacts, c)].cohesionForce);
  }
  return { last, aims };
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
  const law = lawOptions(system);
  const before = parityBefore(step);
  const rows = (names: string[], bytes: number) => names.map((name) => ({ buffer: buffers.parts(name), bytes }));
  const parts = await download(device, [
    ...rows(['lattice', 'offsets', 'velocities', 'spins', 'orientations'], 16 * grains),
    ...rows([`pairs${before}`], 8 * candidates),
    ...rows([`colours${before}`, 'sequence'], 4 * candidates),
    ...rows(['normals'], 16 * candidates),
    ...rows(['lastImpulses'], 16 * impulseRows(law) * candidates),
    ...rows(['control'], 4 * CONTROL_WORDS),
    ...rows(law.memory ? ['lastMemories'] : [], 16 * MEMORY_ROWS * candidates),
  ]);
  const [lattice, offsets, velocities, spins, orientations, pairs, colours, sequence, normals, impulses, control, memories] =
    parts;
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
      memories: memories && new Float32Array(memories),
      law,
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
  /** Absent where contacts remember nothing. */
  memories?: Float32Array;
  law: LawOptions;
}

function unpackCandidates(system: System, pairs: Uint32Array, parts: CandidateParts): SnapshotContacts {
  const { colours, sequence, normals, impulses, memories, law } = parts;
  const rows = impulseRows(law);
  const vectors = (row: number) =>
    Float64Array.from({ length: 3 * count }, (_, k) => impulses[4 * (rows * Math.floor(k / 3) + row) + (k % 3)]);
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
    impulses: vectors(0),
    torques: law.torques ? vectors(1) : new Float64Array(law.general ? 3 * count : 0),
    memory: unpackMemories(memories, law.general ? count : 0),
    colours,
  };
}

/** C x MEMORY_STRIDE; all 0 where the laws at hand remember nothing. */
function unpackMemories(memories: Float32Array | undefined, count: number): Float64Array {
  const memory = new Float64Array(MEMORY_STRIDE * count);
  for (let c = 0; memories && c < count; c++) {
    MEMORY_PLACES.forEach((place, k) => {
      memory[MEMORY_STRIDE * c + place] = memories[4 * MEMORY_ROWS * c + k];
    });
  }
  return memory;
}
