import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { SceneError } from '../errors';
import { CHECKPOINT_NAME, particleFormat, READABLE } from '../io/fileNames';
import { collectionOf, wholeFile } from '../io/particleFile';
import { readContactFrame } from '../io/readContactFrame';
import { atLine, type ParticleTable } from '../io/table';
import { type OnRead, openGrains, readGrains, statFile } from '../node/particleFiles';
import type { ContactState } from '../report';
import { parseJson } from '../scene/jsonText';
import { wrapPositions } from '../scene/periodic';
import { toPeriodic } from '../scene/periodicScene';
import type { Periodic } from '../scene/problem';
import { parseScene, type Scene } from '../scene/schema';
import { UsageError } from './exit';
import { FRAMES } from './outputFolder';

/** What a run calls its files. */
const FRAME_FILE = /^grains-\d+\.(vtp|xyz|dump)$/;
const CHECKPOINT_FILE = /^checkpoint-\d+\.h5$/;

/** A packing as files tell it. */
export interface PackingFiles {
  grains: string;
  table: ParticleTable;
  /** Absent where there is no contact frame. */
  contacts?: ContactState;
  /** The scene of the run, where its folder was given or holds the frame or the checkpoint. */
  scene?: Scene;
  /** Where that scene lies. */
  sceneFile: string;
  dimension: 2 | 3;
  periodic?: Periodic;
}

/** @param path folder of a run, whose last state is taken, or a file of grains; its contact frame lies beside it */
export async function readPacking(path: string, onRead?: OnRead): Promise<PackingFiles> {
  const grains = (await isFolder(path)) ? await lastGrains(path) : await frameOf(path);
  if (!particleFormat(grains) && !CHECKPOINT_NAME.test(grains)) {
    throw new UsageError(`${path}: give the folder of a run, or a file of grains whose name ends in ${READABLE}.`);
  }
  const table = await readGrains(grains, onRead);
  const run = runOf(grains);
  const sceneFile = join(run ?? dirname(grains), 'scene.json');
  const scene = run === undefined ? undefined : await sceneOf(sceneFile);
  const beside = join(
    dirname(grains),
    basename(grains)
      .replace(/^grains-/, 'contacts-')
      .replace(/\.(xyz|dump)$/, '.vtp'),
  );
  const isThere = /^grains-/.test(basename(grains)) && (await stat(beside).catch(() => undefined));
  const dimension = scene?.dimension ?? dimensionOf(table);
  const periodic = scene ? toPeriodic(scene) : periodicBox(table, dimension);
  checkSizes(grains, table, periodic);
  checkNarrow(grains, table, periodic);
  // Dumps may have counted on beyond the faces.
  if (periodic) wrapPositions(table.positions, periodic);
  return {
    grains,
    table,
    ...(isThere ? { contacts: await readContactFrame(beside, await wholeFile(beside, openGrains()), table) } : {}),
    ...(scene ? { scene } : {}),
    sceneFile,
    dimension,
    periodic,
  };
}

/** The frame that a collection of a run lists last, so that what lies beside it is found; of any other file, the file. */
async function frameOf(path: string): Promise<string> {
  if (particleFormat(path) !== 'pvd') return path;
  const { files } = (await collectionOf(path, openGrains())).at(-1)!;
  return files.length === 1 && runOf(files[0]) !== undefined ? files[0] : path;
}

/**
 * The folder of the run that a frame or a checkpoint is of, told by where it lies and what it is called: a scene that lies near any other
 * file of grains may be that of another packing.
 */
function runOf(grains: string): string | undefined {
  const folder = dirname(grains);
  if (CHECKPOINT_FILE.test(basename(grains))) return folder;
  return FRAME_FILE.test(basename(grains)) && basename(resolve(folder)) === FRAMES ? join(folder, '..') : undefined;
}

/** Files do not tell; disks lie at z = 0. */
const dimensionOf = ({ positions }: ParticleTable) => (positions.every((x, k) => k % 3 < 2 || x === 0) ? 2 : 3);

/** Dumps of disks are periodic in z too. */
function periodicBox({ box }: ParticleTable, dimension: 2 | 3): Periodic | undefined {
  if (!box?.periodic.slice(0, dimension).some(Boolean)) return undefined;
  const lengthOf = (axis: number) => (box.periodic[axis] && axis < dimension ? box.max[axis] - box.min[axis] : 0);
  return { min: box.min, lengths: [0, 1, 2].map(lengthOf) as Periodic['lengths'] };
}

/** Lengths that figures can be made of: the smallest grain in the largest region still has a share that is a number. */
export const LENGTHS = { least: 1e-40, most: 1e40 } as const;

/** @throws SceneError for grains, or a periodic box, whose volumes would be no numbers */
function checkSizes(path: string, { positions, radii, firstLine }: ParticleTable, periodic: Periodic | undefined): void {
  const { least, most } = LENGTHS;
  const refuse = (place: string, message: string) => {
    throw new SceneError([{ path: place, message: `${message}; take units in which lengths are nearer to 1, or mend it` }]);
  };
  const placeOf = (i: number) => (firstLine === undefined ? `${path} grain ${i}` : atLine(path, firstLine + i));
  const size = radii.findIndex((radius) => !(radius >= least && radius <= most));
  if (size >= 0) refuse(placeOf(size), `the radius is ${radii[size]}, and figures can be made of radii from ${least} to ${most}`);
  const far = positions.findIndex((x) => !(Math.abs(x) <= most));
  if (far >= 0)
    refuse(
      placeOf(Math.floor(far / 3)),
      `${'xyz'[far % 3]} is ${positions[far]}, and figures can be made of positions from ${-most} to ${most}`,
    );
  const long = [0, 1, 2].find((axis) => periodic && !(Math.max(Math.abs(periodic.min[axis]), periodic.lengths[axis]) <= most));
  if (long !== undefined)
    refuse(path, `the periodic box reaches farther than ${most} in ${'xyz'[long]}, and figures cannot be made of that`);
}

/** @throws SceneError for a box in which a grain overlaps with its own images: no figure of it would mean anything */
function checkNarrow(path: string, { radii }: ParticleTable, periodic: Periodic | undefined): void {
  const largest = 2 * radii.reduce((most, radius) => Math.max(most, radius), 0);
  const narrow = periodic?.lengths.findIndex((length) => length > 0 && length < largest) ?? -1;
  if (narrow < 0) return;
  const length = periodic!.lengths[narrow];
  const message = `the periodic box is ${length} long in ${'xyz'[narrow]}, shorter than the largest grain, whose diameter is ${largest}`;
  throw new SceneError([{ path, message }]);
}

async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(unlessAbsent(path));
  if (!found) throw new UsageError(`${path}: there is no such file or folder.`);
  return found.isDirectory();
}

/** What is there and may not be looked at is no reason to give other figures. @throws UsageError */
const unlessAbsent = (path: string) => (error: NodeJS.ErrnoException) => {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR')
    throw new UsageError(
      `${path} cannot be read${error.code === 'EACCES' ? ': permission denied (EACCES)' : `: ${error.message}`}`,
    );
  return undefined;
};

/** The last frame of grains that a run has left, else its last checkpoint. @throws UsageError where the folder has neither */
export async function lastGrains(folder: string): Promise<string> {
  const names = async (path: string, pattern: RegExp) => {
    const all = (await readdir(path).catch(unlessAbsent(path))) ?? [];
    return all.filter((name) => pattern.test(name)).sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  };
  const frame = (await names(join(folder, FRAMES), FRAME_FILE)).at(-1);
  if (frame) return join(folder, FRAMES, frame);
  const checkpoint = (await names(folder, CHECKPOINT_FILE)).at(-1);
  if (checkpoint) return join(folder, checkpoint);
  throw new UsageError(`${folder} holds neither frames of grains nor checkpoints of a run.`);
}

async function sceneOf(path: string): Promise<Scene | undefined> {
  const text = await statFile(path)
    .then(() => readFile(path, 'utf8'))
    .catch(unlessAbsent(path));
  return text === undefined ? undefined : parseScene(parseJson(path, text));
}
