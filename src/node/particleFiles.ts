import { createReadStream, fstatSync, type Stats } from 'node:fs';
import { open as openHandle, stat } from 'node:fs/promises';
import { SceneError } from '../errors';
import type { Chunks, OpenFile } from '../io/bytes';
import { CHECKPOINT_NAME } from '../io/fileNames';
import { lastFrame } from '../io/particleFile';
import { boxAround, type ParticleTable, periodicBox } from '../io/table';
import { readCheckpoint } from './checkpoint/checkpoint';

const CHUNK_BYTES = 1 << 20;

/** Hears how far the reading of a file is: its path, the bytes that were read so far, and those of the whole file. */
export type OnRead = (path: string, bytes: number, size: number) => void;

/** What the system tells of a file. @throws Error for what is none */
export async function statFile(path: string): Promise<Stats> {
  const found = await stat(path);
  if (found.isDirectory()) throw Object.assign(new Error('it is a folder'), { code: 'EISDIR' });
  // A pipe that nobody writes to is not even opened, a device may have no end.
  if (!found.isFile() && !isInput(found)) throw new Error('it is a pipe or a device; give a file');
  return found;
}

/** Opens a file to be read piece by piece. @throws Error for what is no file */
export async function openFile(path: string, onRead?: OnRead): Promise<Chunks> {
  const { size } = await statFile(path);
  // What cannot be opened is told here, not in the midst of reading.
  await (await openHandle(path, 'r')).close();
  return read(path, (bytes) => onRead?.(path, bytes, size));
}

/** Whether something is what this program gets as its input. */
function isInput({ dev, ino }: Stats): boolean {
  try {
    const input = fstatSync(0);
    return input.dev === dev && input.ino === ino;
  } catch {
    return false; // It gets none.
  }
}

/** Opens a file of grains, or one that it lists. What keeps it from being read, at once or later, is a fault of that file. */
export function openGrains(onRead?: OnRead): OpenFile {
  return async (path) => {
    const unreadable = (error: unknown) =>
      new SceneError([{ path, message: `cannot be read: ${error instanceof Error ? error.message : error}` }]);
    const chunks = await openFile(path, onRead).catch((error) => {
      throw unreadable(error);
    });
    return (async function* () {
      try {
        yield* chunks;
      } catch (error) {
        throw unreadable(error);
      }
    })();
  };
}

async function* read(path: string, onBytes: (read: number) => void): Chunks {
  let bytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
    bytes += (chunk as Uint8Array).length;
    onBytes(bytes);
    yield chunk as Uint8Array;
  }
}

/** The grains of a file, of its last frame, or of a checkpoint. */
export async function readGrains(path: string, onRead?: OnRead): Promise<ParticleTable> {
  return CHECKPOINT_NAME.test(path) ? checkpointTable(path) : lastFrame(path, openGrains(onRead));
}

/** @throws CheckpointError */
export async function checkpointTable(path: string): Promise<ParticleTable> {
  const { step, time, grains, periodic } = await readCheckpoint(path);
  const { positions, radii, velocities, angularVelocities, materials } = grains;
  return {
    count: radii.length,
    step,
    time,
    positions,
    radii,
    velocities,
    angularVelocities,
    types: materials.map((material) => material + 1),
    ids: Float64Array.from(radii, (_, k) => k),
    ...(periodic && { box: periodicBox(boxAround({ positions, radii }), periodic.min, periodic.lengths) }),
  };
}
