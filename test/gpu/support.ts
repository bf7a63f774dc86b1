import { packBodies, predict } from '../../src/cpu/bodies';
import { longestRange, meetBonds } from '../../src/cpu/bonds';
import { CandidateList } from '../../src/cpu/candidateList';
import { CandidateFinder } from '../../src/cpu/candidates';
import { buildGrid, type Grid } from '../../src/cpu/grid';
import { longestReach } from '../../src/cpu/longestReach';
import { findReach, slowSpeed } from '../../src/cpu/reach';
import { meetCollisions } from '../../src/cpu/restitution';
import { chooseSizeLevels } from '../../src/cpu/sizeLevels';
import { CpuSolver } from '../../src/cpu/solver';
import { wallPushes, wallSteps } from '../../src/cpu/walls';
import { Pipeline } from '../../src/gpu/pipeline';
import { download } from '../../src/gpu/readback';
import { chooseSizes, type Sizes } from '../../src/gpu/sizes';
import { isPlain } from '../../src/scene/laws';
import type { PairLaw, Problem } from '../../src/scene/problem';
import type { System } from '../../src/scene/system';
import { toSystem } from '../../src/scene/units';
import { type Snapshot, startOf } from '../../src/snapshot';
import { pouring, pouringDisks } from '../support/packings';
import { cylinder } from '../support/problems';

/** Enough for the fall of these packings. */
const REACH_LIMIT = 0.4;

export const ID = 0x7fffffff;

/** What a packing is made of beside its grains. */
export interface Packing {
  solver?: Partial<System['solver']>;
  /** What the laws of all pairs have beside friction. */
  law?: Partial<PairLaw>;
}

/** A system in the middle of things: grains of two to one that were poured on a floor beside a post, some of them fixed. */
export async function settling(count: number, steps: number, packing: Packing = {}): Promise<System> {
  return inMotion(pouring({ count, radii: [0.25, 0.5], friction: 0.3 }, true), steps, packing);
}

/** The same of disks. */
export async function settlingDisks(count: number, steps: number, packing: Packing = {}): Promise<System> {
  return inMotion(pouringDisks({ count, radii: [0.25, 0.5], friction: 0.3 }, true), steps, packing);
}

/** A post is put into the problem. */
async function inMotion(problem: Problem, steps: number, packing: Packing): Promise<System> {
  problem.walls.push({ name: 'post', material: 0, shape: { ...cylinder(0.4, 'outside'), point: [-0.3, -0.3, 0] } });
  return atPresent(problem, steps, packing);
}

/** The system of a problem after so many steps, with parts of the solver's options replaced. */
export async function atPresent(problem: Problem, steps: number, { solver, law }: Packing): Promise<System> {
  problem.solver.convergence = { criterion: 'fixed', iterations: 20 };
  problem.laws = problem.laws.map((plain) => ({ ...plain, ...law }));
  const system = toSystem(problem);
  const cpu = new CpuSolver(system);
  await cpu.step(steps);
  const { positions, velocities, angularVelocities } = await cpu.read();
  const withWalls = (rows: Float64Array) => {
    const all = new Float64Array(3 * system.bodies);
    all.set(rows);
    return all;
  };
  return {
    ...system,
    positions,
    velocities: withWalls(velocities),
    spins: withWalls(angularVelocities),
    solver: { ...system.solver, ...solver },
  };
}

export interface GpuStep {
  pipeline: Pipeline;
  sizes: Sizes;
  submit(encode: (encoder: GPUCommandEncoder) => void): void;
  words(name: string): Promise<Uint32Array>;
  floats(name: string): Promise<Float32Array>;
}

/**
 * The stages over a system, ready to be encoded one by one.
 * @param notes most candidates of a grain that are noted where they are counted, if not as many as there is room for
 */
export async function gpuStep(
  device: GPUDevice,
  system: System,
  candidatesPerGrain = 8,
  colourWords = 2,
  notes = Infinity,
  from: Snapshot = startOf(system),
): Promise<GpuStep> {
  const candidates = candidatesPerGrain * system.grains;
  const chosen = chooseSizes(system, { extent: from.extent, reachLimit: REACH_LIMIT, candidates, colourWords });
  const sizes = { ...chosen, notes: Math.min(notes, chosen.notes) };
  const pipeline = await Pipeline.create(device, system, sizes, from, false);
  const read = async (name: string) => {
    const buffer = pipeline.buffers.get(name);
    return (await download(device, [{ buffer, bytes: buffer.size }]))[0];
  };
  return {
    pipeline,
    sizes,
    submit(encode) {
      const encoder = device.createCommandEncoder();
      encode(encoder);
      device.queue.submit([encoder.finish()]);
    },
    words: async (name) => new Uint32Array(await read(name)),
    floats: async (name) => new Float32Array(await read(name)),
  };
}

/** The same stages on the CPU, with the GPU's cell size. */
export function referenceStep(
  system: System,
  sizes: Sizes,
): { start: Float64Array; work: Float64Array; grid: Grid; reach: Float64Array; list: CandidateList } {
  const motion = packBodies(system.velocities, system.spins, system.inverseMasses);
  const work = motion.slice();
  predict(motion, work, system.accelerations, system.spinAccelerations);
  const grid = buildGrid(system.positions, sizes.levels, chooseSizeLevels(system).levelOf, system.periods);
  const reach = new Float64Array(system.grains);
  const longest = longestReach(system.periods, Math.max(...system.radii));
  const pushes = wallPushes(system, wallSteps(system, 0), system.positions, work);
  findReach(grid, work, new Float64Array(system.grains), reach, slowSpeed(system), longest, longestRange(system), pushes);
  const general = !system.laws.every(isPlain);
  const list = new CandidateList(system.grains, general, system.meshes.length > 0);
  new CandidateFinder(system).find(grid, reach, list, 1);
  for (const values of [list.impulses, list.torques, list.memory]) values.fill(0);
  if (general) {
    meetCollisions(system, list, motion, work);
    meetBonds(system, list);
  }
  return { start: motion, work, grid, reach, list };
}

export const pairKey = (first: number, second: number) => `${first & ID}-${second & ID}`;
