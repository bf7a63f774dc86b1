import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { version } from '../../../package.json';
import { checkArgument, type Kind, OBJECT, TEXT } from '../../arguments';
import { CheckpointError } from '../../errors';
import { Schedule } from '../../events/schedule';
import type { Problem, SolverOptions } from '../../scene/problem';
import { chooseUnits } from '../../scene/units';
import type { SimulationSnapshot } from '../../simulation';
import { checkSnapshot } from '../../snapshotFault';
import { PROBLEM } from '../../toProblem';
import { contentFault } from './contents';
import { differences, type Fingerprint, fingerprint } from './fingerprint';
import { openLibrary, readAlone } from './library';
import { checkSeal, seal } from './seal';
import { readTree, type Tree, writeTree } from './tree';

/** Beyond a NUL character HDF5 would see no more of a path, and write elsewhere. */
const PATH: Kind = [
  'a path: a text that is not empty, without NUL characters',
  (path) => TEXT[1](path) && !String(path).includes('\0'),
];

const FORMAT = 'contact-dynamics/checkpoint';
/** Goes up with every change of what a Snapshot or a ScheduleState holds: an older file cannot give what it does not have. */
const FORMAT_VERSION = 3;

/** The grains of a checkpoint in the units of its scene, for other programs and for scenes that begin with them. */
export interface CheckpointGrains {
  /** N x 3 */
  positions: Float64Array;
  /** N */
  radii: Float64Array;
  /** N x 3 */
  velocities: Float64Array;
  /** N x 3, radians per time */
  angularVelocities: Float64Array;
  /** N, index into the scene's materials */
  materials: Uint32Array;
}

export interface Checkpoint {
  backend: 'webgpu' | 'cpu';
  step: number;
  time: number;
  /** Name of the program's version that wrote it. */
  program: string;
  grains: CheckpointGrains;
  /** The box of a scene in periodic space; absent in open space, and where the file is of a version that did not tell it. */
  periodic?: { min: Float64Array; lengths: Float64Array };
  /** Of the scene that was run. */
  fingerprint: Fingerprint;
  /** How its solver was set, as JSON. */
  solver: string;
  snapshot: SimulationSnapshot;
}

export interface CheckpointSource {
  /** As it was given to createSimulation, before its events. */
  problem: Problem;
  backend: 'webgpu' | 'cpu';
  snapshot: SimulationSnapshot;
}

const RUN_ON: Kind = ['"webgpu" or "cpu"', (value) => value === 'webgpu' || value === 'cpu'];

/**
 * Writes a checkpoint, HDF5, in which a run of the same scene goes on with the same bits. Not whole before it has returned:
 * write under a temporary name and rename.
 * @throws TypeError naming an argument that is not what it must be, RangeError for a snapshot of another scene
 * @throws Error with the system's code where the disk does not take it
 */
export async function writeCheckpoint(path: string, source: CheckpointSource): Promise<void> {
  checkArgument('writeCheckpoint', 'path', path, PATH);
  checkArgument('writeCheckpoint', 'source', source, OBJECT);
  const { problem, backend, snapshot } = source;
  checkArgument('writeCheckpoint', 'problem', problem, PROBLEM);
  checkArgument('writeCheckpoint', 'backend', backend, RUN_ON);
  checkSnapshot(snapshot, problem, 'The snapshot to be written');
  const { File } = await openLibrary();
  const { step } = snapshot.solver;
  const head = { format: FORMAT, version: FORMAT_VERSION, program: version, backend, step, time: step * problem.timeStep };
  try {
    const file = new File(resolve(path), 'w');
    try {
      writeTree(file, {
        ...head,
        title: problem.title,
        scene: { ...fingerprint(problem), solver: describeSolver(problem.solver) },
        grains: { ...grainsOf(problem, snapshot) },
        periodic: boxOf(problem),
        snapshot: snapshot as unknown as Tree,
      });
    } finally {
      file.close();
    }
  } catch (error) {
    throw systemError(error);
  }
  await seal(path);
}

const REASONS: Record<string, string> = {
  'no space left on device': 'ENOSPC',
  'quota exceeded': 'EDQUOT',
  'file too large': 'EFBIG',
  'permission denied': 'EACCES',
  'operation not permitted': 'EPERM',
  'read-only file system': 'EROFS',
  'no such file or directory': 'ENOENT',
  'not a directory': 'ENOTDIR',
};

/** HDF5 tells the system's reason by its words alone, deep in the list of its own functions. */
function systemError(error: unknown): Error {
  const text = String(error instanceof Error ? error.message : error);
  const reason = /error message = '([^']*)'/.exec(text)?.[1] ?? text.split('\n')[0];
  const code = REASONS[reason.toLowerCase()];
  return Object.assign(new Error(code ?? `HDF5 cannot write it: ${reason}`, { cause: error }), code && { code });
}

/**
 * Reads a checkpoint.
 * @throws CheckpointError for a file that is none, that is not whole, or that another version of the format wrote
 */
export async function readCheckpoint(path: string): Promise<Checkpoint> {
  checkArgument('readCheckpoint', 'path', path, TEXT);
  await checkSeal(path);
  const { File } = await openLibrary();
  const damaged = (reason: string) => new CheckpointError(path, `is damaged: ${reason}`);
  const { size } = await stat(path);
  let tree: Tree;
  try {
    tree = await readAlone(resolve(path), () => {
      const file = new File(resolve(path), 'r');
      try {
        return readTree(file, size);
      } finally {
        file.close();
      }
    });
  } catch (error) {
    throw damaged(error instanceof RangeError ? error.message : 'HDF5 cannot read it');
  }
  if (tree.format !== FORMAT) throw new CheckpointError(path, 'is no checkpoint of this program');
  if (tree.version !== FORMAT_VERSION) {
    const found = `has version ${tree.version} of the format (written by version ${tree.program} of the program)`;
    throw new CheckpointError(path, `${found}, and this program reads version ${FORMAT_VERSION}; read it with that program`);
  }
  const fault = contentFault(tree);
  if (fault !== undefined) throw damaged(fault);
  const { solver, ...parts } = tree.scene as Tree;
  return {
    backend: tree.backend as Checkpoint['backend'],
    step: tree.step as number,
    time: tree.time as number,
    program: tree.program as string,
    grains: tree.grains as unknown as CheckpointGrains,
    ...(tree.periodic && { periodic: tree.periodic as Checkpoint['periodic'] }),
    fingerprint: parts as Fingerprint,
    solver: solver as string,
    snapshot: tree.snapshot as unknown as SimulationSnapshot,
  };
}

/**
 * The state in a checkpoint, for the option `from` of a simulation of the problem.
 * @param problem of the scene that the checkpoint was made in
 * @throws CheckpointError also where the scene is another one
 */
export async function resumeFrom(path: string, problem: Problem): Promise<Resumption> {
  checkArgument('resumeFrom', 'problem', problem, PROBLEM);
  const checkpoint = await readCheckpoint(path);
  const changed = differences(checkpoint.fingerprint, fingerprint(problem));
  if (changed.length > 0) {
    const hint =
      'steps, output, solver and title alone may change; to begin another scene with its grains, name it as the file of a group';
    throw new CheckpointError(path, `belongs to another scene, which differs in ${changed.join(', ')}; ${hint}`);
  }
  try {
    checkSnapshot(checkpoint.snapshot, problem, 'its state');
  } catch (error) {
    if (error instanceof RangeError) throw new CheckpointError(path, `is damaged: ${error.message}`);
    throw error;
  }
  const warnings: string[] = [];
  if (checkpoint.solver !== describeSolver(problem.solver)) {
    warnings.push('The solver is set otherwise than where the checkpoint was made: the run goes on, not with the same bits.');
  }
  return { ...checkpoint, warnings };
}

export interface Resumption extends Checkpoint {
  /** What keeps the run from going on as it would have. */
  warnings: string[];
}

const describeSolver = (solver: SolverOptions) => JSON.stringify(Object.entries(solver).sort(([a], [b]) => (a < b ? -1 : 1)));

const boxOf = ({ periodic }: Problem): Checkpoint['periodic'] =>
  periodic && { min: Float64Array.from(periodic.min), lengths: Float64Array.from(periodic.lengths) };

/** What came by events is in the schedule. */
function grainsOf(problem: Problem, { solver, schedule }: SimulationSnapshot): CheckpointGrains {
  const { radii, materials } = schedule ? new Schedule(problem, schedule).problem.grains : problem.grains;
  const { length, time, origin } = chooseUnits(problem);
  const speed = length / time;
  return {
    positions: solver.positions.map((x, k) => origin[k % 3] + (x + solver.remainders[k]) * length),
    radii,
    velocities: solver.velocities.map((v) => v * speed),
    angularVelocities: solver.spins.map((s, k) => (s * speed) / radii[Math.floor(k / 3)]),
    materials,
  };
}
