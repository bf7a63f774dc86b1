import { FARTHEST_POINT, latticeUnits, MOST_PERIOD_UNITS } from '../../shaders/bodies';
import { CRITERIA } from '../../shaders/control';
import { externalLoad } from '../cpu/balance';
import { CoarseSchedule, coarseExtent, swellingPerDiameter } from '../cpu/coarseSchedule';
import { CELL_PARTS, type GridLevel, looksAt, periodParts, rowsLookedDown } from '../cpu/grid';
import { slowSpeed } from '../cpu/reach';
import { BackendError } from '../errors';
import type { Vector } from '../scene/problem';
import type { System } from '../scene/system';
import { FARTHEST_ON_GPU, ROWS_PER_LOOKER } from '../settings';
import type { Snapshot } from '../snapshot';
import type { Sizes } from './sizes';

/** Bit that marks a body which never moves, beside its material or id. */
export const FIXED = 0x80000000;

/** Leading bits of a direction that go into its first part. */
const LEADING = 4096;

/** Integer part (units of the lattice) and the rest (diameters) of a coordinate, whose `remainder` may have bits below those of x. */
export function toLattice(x: number, remainder: number, unit: number): [whole: number, rest: number] {
  const whole = Math.round(x / unit);
  return [whole, x - whole * unit + remainder];
}

/** Leading bits of a component of a direction, and the rest. */
export function splitDirection(component: number): [high: number, low: number] {
  const high = Math.round(component * LEADING) / LEADING;
  return [high, component - high];
}

/** @throws BackendError for a periodic box so long that 32 bits do not number its lattice */
function checkPeriods({ periods, units }: System): void {
  if (!periods?.some((period) => periodParts(period) > MOST_PERIOD_UNITS)) return;
  const most = ((MOST_PERIOD_UNITS / CELL_PARTS) * units.length).toPrecision(3);
  throw new BackendError(`The GPU takes periodic boxes up to ${most} long here: use the CPU backend`);
}

function checkPlace(grain: number, { units }: System, point: number): void {
  if (Math.abs(point) <= FARTHEST_POINT) return;
  const most = (FARTHEST_ON_GPU * units.length).toPrecision(3);
  throw new BackendError(
    `The GPU takes grains up to ${most} from the middle of the scene, grain ${grain} is farther: use the CPU backend`,
  );
}

/**
 * N x 4 lattice points with the material, and N x 4 remainders with the radius.
 * @throws BackendError for a periodic box that is too long, or a grain that is too far away
 */
export function packPositions(
  system: System,
  { positions, remainders }: Pick<Snapshot, 'positions' | 'remainders'>,
): { lattice: Int32Array<ArrayBuffer>; offsets: Float32Array<ArrayBuffer> } {
  const { grains, radii, materials, inverseMasses, periods = [0, 0, 0] } = system;
  checkPeriods(system);
  const lattice = new Int32Array(4 * grains);
  const offsets = new Float32Array(4 * grains);
  const units = latticeUnits(periods);
  for (let i = 0; i < grains; i++) {
    for (let axis = 0; axis < 3; axis++) {
      const [whole, rest] = toLattice(positions[3 * i + axis], remainders[3 * i + axis], units[axis]);
      checkPlace(i, system, whole);
      lattice[4 * i + axis] = periods[axis] > 0 ? whole % periodParts(periods[axis]) : whole;
      offsets[4 * i + axis] = rest;
    }
    lattice[4 * i + 3] = inverseMasses[i] > 0 ? materials[i] : materials[i] | FIXED;
    offsets[4 * i + 3] = radii[i];
  }
  return { lattice, offsets };
}

/** Interleaves rows of three with a fourth number. */
export function packVectors(rows: Float64Array, fourth: ArrayLike<number>): Float32Array<ArrayBuffer> {
  const count = rows.length / 3;
  const packed = new Float32Array(4 * count);
  for (let i = 0; i < count; i++) {
    packed.set([rows[3 * i], rows[3 * i + 1], rows[3 * i + 2], fourth[i]], 4 * i);
  }
  return packed;
}

/** What a grain gains per step: from gravity alone where all gain the same, else N x 2 x 4 of velocity and spin. */
export function packLoads({ grains, inverseMasses, accelerations, spinAccelerations }: System): {
  gravity: Vector;
  loads?: Float32Array<ArrayBuffer>;
} {
  const mover = inverseMasses.findIndex((inverse, i) => inverse > 0 && i < grains);
  if (mover < 0) return { gravity: [0, 0, 0] };
  const gravity = [0, 1, 2].map((axis) => accelerations[3 * mover + axis]) as Vector;
  const alike = accelerations.every((a, k) => inverseMasses[Math.floor(k / 3)] === 0 || a === gravity[k % 3]);
  if (alike && spinAccelerations.every((a) => a === 0)) return { gravity };
  const loads = new Float32Array(8 * grains);
  for (let i = 0; i < grains; i++) {
    loads.set(accelerations.subarray(3 * i, 3 * i + 3), 8 * i);
    loads.set(spinAccelerations.subarray(3 * i, 3 * i + 3), 8 * i + 4);
  }
  return { gravity, loads };
}

/** A balance that any packing has, an extent that none has. */
const NO_BOUND = 3e38;

/** Bytes of the uniform block `params`. */
export const PARAMS_BYTES = 112;

/**
 * The uniform block `params`, field by field as the shader declares it.
 * @param swellingStep see src/cpu/coarseSchedule.ts
 */
export function packParams(system: System, sizes: Sizes, gravity: Vector, swellingStep: number): ArrayBuffer {
  const { convergence, momentum, warmStart, seed } = system.solver;
  const packed = new ArrayBuffer(PARAMS_BYTES);
  const u = new Uint32Array(packed);
  const f = new Float32Array(packed);
  u.set([sizes.grains, sizes.bodies, sizes.walls, sizes.cells], 0);
  f.set([...gravity, sizes.reachLimit], 4);
  u.set([sizes.candidates, sizes.blocks, Math.sqrt(system.lawOf.length), seed], 8);
  const maxIterations = convergence.criterion === 'fixed' ? convergence.iterations : convergence.maxIterations;
  u.set([CRITERIA.indexOf(convergence.criterion), maxIterations, warmStart ? 1 : 0, sizes.teams], 12);
  const tolerance = convergence.criterion === 'residual' ? convergence.tolerance : 0;
  const epsilon = convergence.criterion === 'local' || convergence.criterion === 'global' ? convergence.epsilon : 0;
  f.set([momentum, tolerance, epsilon, convergence.criterion === 'local' ? convergence.delta : 0], 16);
  const balance = convergence.criterion === 'residual' ? convergence.balance : null;
  const coarse = new CoarseSchedule(system.solver, Infinity);
  const extent = system.solver.coarse === 'on' ? 0 : coarseExtent(system);
  f.set([balance ?? NO_BOUND, externalLoad(system), coarse.hasTurns ? extent : NO_BOUND], 20);
  u[23] = Math.min(coarse.last, 0xffffffff);
  f[24] = swellingPerDiameter(system);
  u[25] = swellingStep;
  u[26] = sizes.notes;
  f[27] = slowSpeed(system);
  return packed;
}

/** Invocations that look for the partners of one grain in finer levels together. */
export function lookersOf(levels: readonly GridLevel[], level: number): number {
  return Math.ceil(rowsLookedDown(levels, level) / ROWS_PER_LOOKER);
}

/** Bytes of a level in the uniform block `levels`. */
const LEVEL_BYTES = 32;

/** The uniform block `levels`, as shaders/grid.ts declares it. */
export function packLevels(levels: readonly GridLevel[]): ArrayBuffer {
  const packed = new ArrayBuffer(LEVEL_BYTES * levels.length);
  levels.forEach((level, l) => {
    const { dims, cellParts, firstCell, largestRadius } = level;
    const looksDown = levels.slice(0, l).reduce((bits, finer, k) => (looksAt(level, finer) ? bits + 2 ** k : bits), 0);
    new Uint32Array(packed, LEVEL_BYTES * l, 8).set([...dims, cellParts, firstCell, 0, looksDown, lookersOf(levels, l)]);
    new Float32Array(packed, LEVEL_BYTES * l + 20, 1)[0] = largestRadius;
  });
  return packed;
}

/** Bytes of a piston in the uniform block `pistons`. */
const PISTON_BYTES = 32;

/** The uniform block `pistons`, as shaders/pistons.ts declares it. */
export function packPistons({ pistons, walls, grains }: System): ArrayBuffer {
  const packed = new ArrayBuffer(PISTON_BYTES * pistons.length);
  pistons.forEach(({ wall, mass, force }, p) => {
    const shape = walls[wall];
    if (shape.kind !== 'plane') throw new Error('Only planes can be pistons');
    new Float32Array(packed, PISTON_BYTES * p, 3).set(shape.normal);
    new Uint32Array(packed, PISTON_BYTES * p + 12, 1)[0] = grains + wall;
    new Float32Array(packed, PISTON_BYTES * p + 16, 2).set([mass, force]);
  });
  return packed;
}
