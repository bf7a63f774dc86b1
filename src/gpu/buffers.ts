import { MOMENTA_FLOATS } from '../../shaders/balance';
import { COUPLINGS_FLOATS, LEVEL_FLOATS, MATRIX_FLOATS } from '../../shaders/coarse';
import { coarseCounts } from '../../shaders/coarseGrid';
import { AIM_ROWS, MEMORY_ROWS } from '../../shaders/contactLaw';
import { CONTROL_WORDS, TEAM_SIZE } from '../../shaders/control';
import { hubTableWords } from '../../shaders/hubs';
import { REPORT_WORDS } from '../../shaders/measure';
import { isPaged } from '../../shaders/pages';
import { PISTON_WORDS } from '../../shaders/pistons';
import { SCAN_BLOCK } from '../../shaders/scan';
import { CapacityError } from '../errors';
import { MAX_COARSE_NODES } from '../settings';
import { largestBuffer } from './adapter';
import type { NamedBuffers } from './kernel';
import { isSplit, type Sizes } from './sizes';

/** Bytes of every buffer but the constants, by the name that shaders give it. A trailing 0 or 1: one for even, one for odd steps. */
function bufferBytes(s: Sizes): Record<string, number> {
  const coarse = coarseBytes(s);
  const split = isSplit(s);
  const contacts = split ? s.page : s.candidates;
  const rest = s.candidates - contacts;
  const perGrain = {
    lattice: 16 * s.grains,
    offsets: 16 * s.grains,
    orientations: 16 * s.grains,
    previousMotion: s.momentum ? 32 * s.grains : 0,
    starts0: 4 * (s.grains + 1),
    starts1: 4 * (s.grains + 1),
    masks: 4 * s.colourWords * s.grains,
    claims: 4 * s.grains,
  };
  const perBody = {
    velocities: 16 * s.bodies,
    spins: 16 * s.bodies,
    motion: 32 * (s.bodies + s.surfaces),
    reaches: 8 * s.bodies,
    hubOf: s.hubs > 0 ? 4 * s.bodies : 0,
    hubMasks: s.hubGrains > 0 ? 4 * s.grains : 0,
    hubSums: s.hubGrains > 0 ? 4 * (s.grains + 1) : 0,
    hubCounts: 4 * s.hubGrains,
    hubs: 8 * s.hubGrains,
  };
  const perCell = {
    cellCounts: 4 * s.cells,
    cellSpeeds: 4 * ((s.levels.length > 1 ? 2 : 1) * s.cells + s.levels.length),
    linked: 4 * (s.cells + 1 + s.grains),
  };
  const perCandidate = {
    pairs0: 8 * s.candidates,
    pairs1: 8 * s.candidates,
    colours0: 4 * s.candidates,
    colours1: 4 * s.candidates,
    lastIndices: s.previous ? 0 : Math.max(4 * s.candidates, coarse.counts),
    lastImpulses: 16 * s.impulseRows * contacts,
    sequence: 4 * s.candidates,
    contactPairs: 8 * s.candidates,
    normals: 16 * contacts,
    impulses: 16 * Math.max(s.impulseRows * contacts, s.grains),
    previousImpulses: s.previous ? Math.max(16 * s.impulseRows * contacts, 4 * s.candidates, coarse.counts) : 0,
    ...(s.memory ? { memories: 16 * AIM_ROWS * contacts, lastMemories: 16 * MEMORY_ROWS * contacts } : {}),
  };
  const inTwo = {
    normals1: 16 * rest,
    impulses1: 16 * s.impulseRows * rest,
    lastImpulses1: 16 * s.impulseRows * rest,
    previousImpulses1: s.previous ? 16 * s.impulseRows * rest : 0,
    ...(s.memory ? { memories1: 16 * AIM_ROWS * rest, lastMemories1: 16 * MEMORY_ROWS * rest } : {}),
    coarseSides: coarse.sides,
    coarseMembers: s.proposes ? 16 * (2 * s.grains + MAX_COARSE_NODES + 1) : 0,
  };
  const bucketed = s.blocks * (32 * s.colourWords + 1 + s.hubs);
  const longestScan = Math.max(s.cells, s.grains, bucketed, coarse.counts / 4);
  return {
    ...perGrain,
    ...perBody,
    ...perCell,
    ...perCandidate,
    ...(split ? inTwo : {}),
    // Contacts are sorted by colour before their normals and impulses are known.
    blockCounts: beyond(16 * contacts, 4 * bucketed),
    blockStarts: beyond(16 * contacts, 4 * (bucketed + 1)),
    blockSums: 4 * Math.ceil(longestScan / SCAN_BLOCK),
    schedule: 4 * (64 * s.colourWords + 2 + s.hubs + hubTableWords(s.hubGrains)),
    coarseLists: coarse.lists,
    level: 4 * (s.proposes ? LEVEL_FLOATS : MOMENTA_FLOATS),
    // The colours that grains have taken and the cells that they are in are needed no more when sweeps begin.
    cellCouplings: s.proposes ? beyond(perGrain.masks, 4 * COUPLINGS_FLOATS) : 0,
    cellMatrix: s.proposes ? beyond(perCell.linked, 4 * MATRIX_FLOATS) : 0,
    targets: s.proposes ? 4 * MAX_COARSE_NODES : 0,
    nearest: 4 * s.pistons,
    partials: 16 * s.teams * (4 + 2 * s.walls),
    report: 4 * (REPORT_WORDS + 6 * s.walls + PISTON_WORDS * s.pistons),
    // With what is carried from one buffer of contacts to the other behind it.
    control: 4 * CONTROL_WORDS + (split ? 16 * s.teams * TEAM_SIZE * Math.max(3, 2 * s.walls) : 0) + 32,
  };
}

/** Of the lists by coarse cell, see shaders/coarseGrid.ts, and of what is counted for them. */
function coarseBytes(sizes: Sizes): { counts: number; lists: number; sides: number } {
  const { grains, candidates, proposes } = sizes;
  const counted = coarseCounts(grains, proposes);
  const [lists, sides] = [4 * (counted + 1 + grains), proposes ? 8 * candidates : 0];
  return { counts: 4 * counted, ...(isSplit(sizes) ? { lists, sides } : { lists: lists + sides, sides: 0 }) };
}

/** Bytes of a buffer of its own, where another that is idle does not suffice. */
const beyond = (idle: number, bytes: number) => (bytes > idle ? bytes : 0);

const larger = (a: GPUBuffer, b: GPUBuffer) => (a.size > b.size ? a : b);

/** The least that a binding may have, and whole words. */
const padded = (bytes: number) => Math.max(16, Math.ceil(bytes / 4) * 4);

/** What a step needs of the one before: kept when buffers are made anew. */
const KEPT = [
  'lattice',
  'offsets',
  'orientations',
  'reaches',
  'velocities',
  'spins',
  'starts',
  'pairs',
  'colours',
  'lastImpulses',
  'lastMemories',
  'control',
];

/** Owns the GPU memory of one packing. */
export class Buffers {
  private buffers: Record<string, GPUBuffer> = {};
  /** Bytes held, the constants not counted. */
  bytes = 0;

  private constructor(private readonly device: GPUDevice) {}

  /** @throws CapacityError where the device cannot hold them */
  static async create(device: GPUDevice, sizes: Sizes): Promise<Buffers> {
    const buffers = new Buffers(device);
    await buffers.resize(sizes);
    return buffers;
  }

  /**
   * Makes the buffers whose size has changed anew, with what a step needs of the one before.
   * @throws CapacityError where the device cannot hold one; the old buffers stay as they were
   */
  async resize(sizes: Sizes): Promise<void> {
    const { device } = this;
    const bytes = bufferBytes(sizes);
    checkLimits(device, bytes, sizes);
    const changed = Object.entries(bytes)
      .map(([name, size]): [string, number] => [name, padded(size)])
      .filter(([name, size]) => this.buffers[name]?.size !== size);
    const made = await makeWithinMemory(device, changed, { grains: sizes.grains, held: this.bytes });
    const encoder = device.createCommandEncoder({ label: 'resize' });
    const outgrown: GPUBuffer[] = [];
    for (const [name, buffer] of Object.entries(made)) {
      const old = this.buffers[name];
      this.buffers[name] = buffer;
      if (!old) continue;
      if (KEPT.includes(name.replace(/[01]$/, '')))
        encoder.copyBufferToBuffer(old, 0, buffer, 0, Math.min(old.size, buffer.size));
      outgrown.push(old);
    }
    device.queue.submit([encoder.finish()]);
    for (const buffer of outgrown) buffer.destroy();
    this.bytes = Object.values(this.buffers).reduce((sum, { size }) => sum + size, 0);
  }

  get(name: string): GPUBuffer {
    return this.buffers[name];
  }

  /** The one or two buffers that an array lies in. */
  parts(name: string): GPUBuffer[] {
    const second = this.buffers[`${name}1`];
    return second && isPaged(name) ? [this.buffers[name], second] : [this.buffers[name]];
  }

  /** The buffers as an even (0) or odd (1) step sees them: its own candidates, and those of the step before. */
  view(parity: number, constants: NamedBuffers): NamedBuffers {
    const names = {
      starts: parity,
      lastStarts: 1 - parity,
      pairs: parity,
      lastPairs: 1 - parity,
      colours: parity,
      lastColours: 1 - parity,
    };
    const paired = Object.entries(names).map(([name, which]) => {
      const base = name.replace(/^last(.)/, (_, letter: string) => letter.toLowerCase());
      return [name, this.buffers[base + which]];
    });
    // Where contacts were in the last step is known no more when the lists of the coarse level are made, and then the sweeps begin.
    const { previousImpulses, lastIndices, coarseLists, normals, impulses, masks, linked, ...own } = this.buffers;
    const scratch = larger(previousImpulses, lastIndices);
    // What the search for candidates counts and notes, it needs no longer when these lists are made, and impulses are known.
    const counts = {
      lastIndices: scratch,
      coarseCounts: scratch,
      unsorted: coarseLists,
      candidateCounts: coarseLists,
      noted: impulses,
    };
    // Hubs are chosen before contacts are put in the order of their colours.
    const hubContacts = this.buffers.contactPairs;
    return {
      ...{ ...this.buffers, ...constants, ...Object.fromEntries(paired), ...counts, hubContacts },
      ...{ normals0: normals, impulses0: impulses },
      ...{
        blockCounts: larger(own.blockCounts, impulses),
        blockStarts: larger(own.blockStarts, normals),
        cellCouplings: larger(own.cellCouplings, masks),
        cellMatrix: larger(own.cellMatrix, linked),
      },
    };
  }

  write(name: string, { buffer, byteOffset, byteLength }: ArrayBufferView<ArrayBuffer>): void {
    let begin = 0;
    for (const part of this.parts(name)) {
      const length = Math.min(part.size, byteLength - begin);
      if (length > 0) this.device.queue.writeBuffer(part, 0, buffer, byteOffset + begin, length);
      begin += length;
    }
  }

  /** Bytes of all buffers of that size, the constants not counted. */
  static bytes(sizes: Sizes): number {
    return Object.values(bufferBytes(sizes)).reduce((sum, bytes) => sum + padded(bytes), 0);
  }

  dispose(): void {
    destroy(this.buffers);
  }
}

const USAGE = 0x80 | 0x4 | 0x8; // STORAGE | COPY_SRC | COPY_DST; the global of that name is not there before a device is

/** Names of buffers and their bytes. */
type Wanted = readonly (readonly [name: string, bytes: number])[];

/** Least share of the buffers that did not fit for which is tried whether it would. */
const LEAST_SHARE = 1 / 1024;

/**
 * Makes all of the buffers or none.
 * @param held bytes of the same packing that the device holds meanwhile
 * @throws CapacityError where the memory of the GPU does not suffice; tells what does
 */
async function makeWithinMemory(device: GPUDevice, wanted: Wanted, { grains, held }: { grains: number; held: number }) {
  const { buffers, reason } = await tryToMake(device, wanted);
  if (reason === undefined) return buffers;
  const bytes = held + wanted.reduce((sum, [, size]) => sum + size, 0);
  const fits = Math.floor((grains * (held + (await freeBytes(device, wanted)))) / bytes);
  throw new CapacityError(
    `The memory of the GPU does not hold ${grains} grains, which take ${bytes} bytes: about ${fits} grains would fit (${reason})`,
  );
}

/** Bytes that buffers in these proportions can have: found by halves. */
async function freeBytes(device: GPUDevice, wanted: Wanted): Promise<number> {
  for (let share = 0.5; share >= LEAST_SHARE; share /= 2) {
    const smaller = wanted.map(([name, size]) => [name, padded(share * size)] as const);
    const { buffers, reason } = await tryToMake(device, smaller);
    destroy(buffers);
    if (reason === undefined) return smaller.reduce((sum, [, size]) => sum + size, 0);
  }
  return 0;
}

/** @returns the buffers; none of them, and why, where the memory of the GPU does not hold them all */
async function tryToMake(device: GPUDevice, wanted: Wanted): Promise<{ buffers: Record<string, GPUBuffer>; reason?: string }> {
  const buffers: Record<string, GPUBuffer> = {};
  let refused: unknown;
  device.pushErrorScope('out-of-memory');
  try {
    for (const [name, size] of wanted) buffers[name] = device.createBuffer({ label: name, size, usage: USAGE });
  } catch (error) {
    refused = error;
  }
  const error = await device.popErrorScope();
  if (!error && refused === undefined) return { buffers };
  destroy(buffers);
  // So browsers tell of a buffer that cannot even be asked for.
  if (refused !== undefined && !(refused instanceof RangeError)) throw refused;
  return { buffers: {}, reason: (error ?? (refused as RangeError)).message };
}

function destroy(buffers: Record<string, GPUBuffer>): void {
  for (const buffer of Object.values(buffers)) buffer.destroy();
}

function checkLimits(device: GPUDevice, bytes: Record<string, number>, { grains }: Sizes): void {
  const most = largestBuffer(device);
  // Of two buffers the first is full: what fits follows from both.
  const [name, size] = Object.entries(bytes)
    .map(([name, size]) =>
      bytes[`${name}1`] > most ? ([name, (size + bytes[`${name}1`]) / 2] as const) : ([name, size] as const),
    )
    .filter(([name]) => !isPaged(name.slice(0, -1)))
    .reduce((a, b) => (b[1] > a[1] ? b : a));
  if (size <= most) return;
  const fits = Math.floor((grains * most) / size);
  throw new CapacityError(
    `The buffer "${name}" of ${grains} grains takes ${size} bytes, the device allows ${most}: about ${fits} grains would fit`,
  );
}
