import type { Vector, WallShape } from './scene/problem';
import type { System } from './scene/system';
import { INITIAL_COLOUR_WORDS, INITIAL_REACH_LIMIT } from './settings';

/**
 * Everything that a backend needs to go on from a step with the same bits as if it had not stopped, beside the System; in
 * internal units. What single precision holds is exact in these arrays, and comes back to the same bits on the GPU.
 */
export interface Snapshot {
  /** Steps done. */
  step: number;
  /** N x 3: on the GPU lattice points, on the CPU the positions themselves */
  positions: Float64Array;
  /** N x 3, to be added to the positions: on the GPU the remainders, which would lose bits in the sum; 0 on the CPU */
  remainders: Float64Array;
  /** N x 3 */
  velocities: Float64Array;
  /** N x 3, spins r w */
  spins: Float64Array;
  /** N x 4, unit quaternions x, y, z, w */
  orientations: Float64Array;
  /** Where pistons are, in the order of the system's. */
  pistons: readonly SnapshotPiston[];
  /** The candidates of the last step by first and second body: their impulses start the next one, which keeps their colours. */
  contacts: SnapshotContacts;
  /** The last step was so long that its impulses tell nothing about the next. */
  cold: boolean;
  /** Many contacts of the next step have no colour yet, as at the start: the GPU takes more rounds to colour them. */
  fresh: boolean;
  /** Reach that the linked cells allow for, in mean diameters. Cells decide which grains' speeds a grain reckons with. */
  reachLimit: number;
  /** Lengths of the box that the cells are laid out for. */
  extent: Vector;
  /** Colours that the GPU has room for, over 32. */
  colourWords: number;
  /** N, the order in which the GPU had the grains; empty: by their ids */
  order: Uint32Array;
}

export interface SnapshotPiston {
  /** Index of its wall. */
  wall: number;
  /** The point of its plane that was nearest the origin at the start, see planeAnchor; on the GPU the lattice point. */
  anchor: Vector;
  /** To be added to the anchor: on the GPU the remainder, 0 on the CPU. */
  remainder: Vector;
  /** Along its normal. */
  velocity: Vector;
}

export interface SnapshotContacts {
  count: number;
  /** C, grain id */
  first: Uint32Array;
  /** C, grain id, or N + index of the wall */
  second: Uint32Array;
  /** C, CandidateList.keys; empty where there are no meshes */
  keys: Uint32Array;
  /** C x 3, unit, from first to second; as the gaps only for a state that is read before the next step */
  normals: Float64Array;
  /** C */
  gaps: Float64Array;
  /** C x 3, on the second body */
  impulses: Float64Array;
  /** C x 3, torques over the reduced radius, as impulses; empty where the laws know no torques */
  torques: Float64Array;
  /** C x MEMORY_STRIDE, what contacts remember of collisions and bonds (cpu/memory.ts); empty where the laws know no such thing */
  memory: Float64Array;
  /** C, colour of the last step, NO_COLOUR where there was none left */
  colours: Uint32Array;
}

/** A system before its first step. */
export function startOf({ grains, positions, velocities, spins, pistons, walls }: System): Snapshot {
  return {
    step: 0,
    positions,
    remainders: new Float64Array(3 * grains),
    velocities: velocities.subarray(0, 3 * grains),
    spins: spins.subarray(0, 3 * grains),
    orientations: uprightOrientations(grains),
    pistons: pistons.map(({ wall }) => ({ wall, anchor: planeAnchor(walls[wall]), remainder: [0, 0, 0], velocity: [0, 0, 0] })),
    contacts: noContacts(),
    cold: false,
    fresh: true,
    reachLimit: INITIAL_REACH_LIMIT,
    extent: extentOf(positions),
    colourWords: INITIAL_COLOUR_WORDS,
    order: new Uint32Array(0),
  };
}

/** The point of a plane nearest the origin. @throws Error for other walls */
export function planeAnchor(shape: WallShape): Vector {
  if (shape.kind !== 'plane') throw new Error('Only planes can be pistons');
  const { point, normal } = shape;
  const along = point[0] * normal[0] + point[1] * normal[1] + point[2] * normal[2];
  return normal.map((component) => along * component) as Vector;
}

/** Orientations of grains that have not turned yet, count x 4. */
export function uprightOrientations(count: number): Float64Array {
  return Float64Array.from({ length: 4 * count }, (_, k) => (k % 4 === 3 ? 1 : 0));
}

function noContacts(): SnapshotContacts {
  const none = new Float64Array(0);
  const ids = new Uint32Array(0);
  return {
    count: 0,
    first: ids,
    second: ids,
    keys: ids,
    normals: none,
    gaps: none,
    impulses: none,
    torques: none,
    memory: none,
    colours: ids,
  };
}

/** Share of the grains beyond either end of an axis that do not count for the extent, and how many are looked at. */
const STRAYS = 0.05;
const SAMPLE = 10_000;

/**
 * Along each axis the length that the grains spread over, 0 where they do not: from where the middle ones are, so that a few that
 * lie far away count for nothing; exact where all are spread evenly.
 * @param positions N x 3
 */
export function extentOf(positions: Float64Array): Vector {
  const grains = positions.length / 3;
  const every = Math.max(1, Math.floor(grains / SAMPLE));
  return [0, 1, 2].map((axis) => {
    const places = Float64Array.from({ length: Math.floor(grains / every) }, (_, k) => positions[3 * every * k + axis]).sort();
    const strays = Math.floor(STRAYS * places.length);
    const [low, high] = [places[strays], places[places.length - 1 - strays]];
    return places.length > 0 ? (high - low) / (1 - 2 * STRAYS) : 0;
  }) as Vector;
}

/** Where the contacts of each first body begin, grains + 1; contacts are sorted by it. */
export function contactStarts({ count, first }: SnapshotContacts, grains: number): Uint32Array<ArrayBuffer> {
  const starts = new Uint32Array(grains + 1);
  for (let c = 0; c < count; c++) starts[first[c] + 1]++;
  for (let i = 1; i < starts.length; i++) starts[i] += starts[i - 1];
  return starts;
}
