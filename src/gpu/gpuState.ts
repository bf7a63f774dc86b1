import { latticeUnits } from '../../shaders/bodies';
import { impulseRows } from '../../shaders/contactLaw';
import type { System, Units } from '../scene/system';
import { wallPoses } from '../scene/wallMotion';
import { planeAnchor, type Snapshot } from '../snapshot';
import type { Buffers } from './buffers';
import { lawOptions } from './lawOptions';

/** Where the state of a simulation lies on the GPU, for who draws it there. Buffers are to be read alone. */
export const STATE_BUFFERS = [
  /** N x (lattice point, material with the highest bit set for a fixed grain), i32 */
  'lattice',
  /** N x (remainder of the position in mean diameters, radius), f32 */
  'offsets',
  /** N x (velocity, inverse mass), in mean diameters per step */
  'velocities',
  /** N x (spin r w, -), in mean diameters per step */
  'spins',
  /** N x unit quaternion x, y, z, w */
  'orientations',
  /** C x (first, second) with the highest bit set for what does not move; from N on the second is no grain, u32 */
  'contactPairs',
] as const;

/**
 * The state between two steps as it lies in the memory of the GPU, in internal units: lengths in mean grain diameters from
 * `units.origin`, times in steps. Grains stand at places, contacts by their colours. Good until the next step begins.
 */
export interface GpuState {
  device: GPUDevice;
  buffers: Readonly<Record<(typeof STATE_BUFFERS)[number], GPUBuffer>>;
  units: Units;
  /** Unit of the lattice along each axis, in mean diameters. */
  latticeUnits: readonly [number, number, number];
  grains: number;
  /** C, candidates of the last step. */
  contacts: number;
  /** Their normals and impulses, all of them in turn: in one pair of buffers, in two where one buffer of the device does not hold them. */
  contactParts: readonly {
    /** The first contact of the part among all: its pair is that row of `buffers.contactPairs`, its normal the first row of `normals`. */
    first: number;
    /** How many there are. */
    count: number;
    /** count x (unit normal from first to second, gap), f32 */
    normals: GPUBuffer;
    /** count x `impulseRows` x 4, f32: the impulse on the second body; the fourth number is its friction or, under general laws, a law with 0.5 more where it slides */
    impulses: GPUBuffer;
  }[];
  impulseRows: 1 | 2;
  /** Whether the fourth number of an impulse is a law's index. */
  generalLaws: boolean;
  /** The number by which a user knows the grain at each place; null: its place. */
  order: Uint32Array | null;
  /** W x 7, in units of the scene: each wall's point, and how it has turned since the start (x, y, z, w). */
  walls: Float64Array;
}

/** A state in the order of the memory, its walls in internal units. @param at where the run is */
export function describeState(
  device: GPUDevice,
  buffers: Buffers,
  system: System,
  at: { step: number; contacts: number; page: number; pistons: Snapshot['pistons'] },
): GpuState {
  const law = lawOptions(system);
  return {
    device,
    buffers: Object.fromEntries(STATE_BUFFERS.map((name) => [name, buffers.get(name)])) as GpuState['buffers'],
    units: system.units,
    latticeUnits: latticeUnits(system.periods),
    grains: system.grains,
    contacts: at.contacts,
    contactParts: contactParts(buffers, at),
    impulseRows: impulseRows(law),
    generalLaws: law.general,
    order: null,
    walls: placedWalls(system, at.step, at.pistons),
  };
}

/** @param at.page contacts that the first of two buffers holds */
function contactParts(buffers: Buffers, { contacts, page }: { contacts: number; page: number }): GpuState['contactParts'] {
  const [normals, impulses] = [buffers.parts('normals'), buffers.parts('impulses')];
  return normals
    .map((part, k) => {
      const first = k === 0 ? 0 : page;
      const count = k === 0 ? Math.min(contacts, page) : contacts - page;
      return { first, count, normals: part, impulses: impulses[k] };
    })
    .filter(({ count }) => count > 0);
}

/** W x 7: where walls are, pistons where they were driven to; internal units. */
export function placedWalls({ walls, motions, turned }: System, step: number, pistons: Snapshot['pistons']): Float64Array {
  const poses = wallPoses(walls, motions, turned, step);
  for (const { wall, anchor, remainder } of pistons) {
    const start = planeAnchor(walls[wall]);
    for (let axis = 0; axis < 3; axis++) poses[7 * wall + axis] += anchor[axis] + remainder[axis] - start[axis];
  }
  return poses;
}
