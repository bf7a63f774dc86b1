import { SceneError } from '../errors';
import { type Chunks, gunzipped, joined, type OpenFile } from './bytes';
import { dumpEnd, type FrameText, frameTexts, noEnd, xyzEnd } from './frameTexts';
import { readCsv } from './readCsv';
import { readDump } from './readDump';
import { readVtp } from './readVtp';
import { readXyz } from './readXyz';
import type { ParticleTable } from './table';

/** Formats of grains that can be read, by the endings of their names (`.gz` apart). */
export type ParticleFormat = 'dump' | 'csv' | 'xyz' | 'vtp' | 'pvd';
const ENDINGS: Record<ParticleFormat, RegExp> = {
  dump: /\.(particles|dump|lammpstrj)$/i,
  csv: /\.csv$/i,
  xyz: /\.(xyz|extxyz)$/i,
  vtp: /\.vtp$/i,
  pvd: /\.pvd$/i,
};

/** Checkpoints are not read here: that takes HDF5. */
export const CHECKPOINT_NAME = /\.h5$/i;

/** The format that a name stands for; undefined for one that is not known. */
export function particleFormat(file: string): ParticleFormat | undefined {
  const plain = file.replace(/\.gz$/i, '');
  return (Object.keys(ENDINGS) as ParticleFormat[]).find((format) => ENDINGS[format].test(plain));
}

const TEXTS = {
  dump: { end: dumpEnd, read: readDump },
  xyz: { end: xyzEnd, read: readXyz },
  csv: { end: () => noEnd, read: (file: string, text: string) => readCsv(file, text) },
};

/**
 * The frames of a file of grains, one after the other; one of a text, uncut, is held at a time. What is compressed by gzip is expanded.
 * @param file name for messages; its ending says which format
 * @param open also opens the files that a .pvd lists
 * @throws SceneError naming file and line
 */
export async function* particleFrames(file: string, open: OpenFile): AsyncGenerator<ParticleTable> {
  const format = particleFormat(file);
  if (format === 'pvd') {
    for (const entry of await collectionOf(file, open)) yield { ...(await lastFrame(entry.file, open)), time: entry.time };
  } else if (format === 'vtp') {
    yield await readVtp(file, await joined(gunzipped(await open(file))));
  } else {
    const { read } = TEXTS[format ?? 'dump'];
    for await (const { text, line } of texts(file, await open(file))) yield read(file, text, line);
  }
}

/** The last frame of a file; those before it are passed over unread. @throws SceneError naming file and line */
export async function lastFrame(file: string, open: OpenFile): Promise<ParticleTable> {
  const format = particleFormat(file);
  if (format === 'pvd') {
    const { file: last, time } = (await collectionOf(file, open)).at(-1)!;
    return { ...(await lastFrame(last, open)), time };
  }
  let last: FrameText | undefined;
  if (format === 'vtp') return readVtp(file, await joined(gunzipped(await open(file))));
  for await (const frame of texts(file, await open(file))) last = frame;
  return TEXTS[format ?? 'dump'].read(file, last!.text, last!.line);
}

async function* texts(file: string, chunks: Chunks): AsyncGenerator<FrameText> {
  const { end } = TEXTS[(particleFormat(file) ?? 'dump') as keyof typeof TEXTS];
  let found = false;
  try {
    for await (const frame of frameTexts(gunzipped(chunks), end())) {
      found = true;
      yield frame;
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const message = 'has a frame that is too large for one text (some 500 million letters); split it, or write it as .vtp';
    throw new SceneError([{ path: file, message }]);
  }
  if (!found) throw new SceneError([{ path: file, message: 'is empty' }]);
}

/** The frames that a .pvd lists, by time, with paths from where the .pvd is named. */
async function collectionOf(file: string, open: OpenFile): Promise<{ time: number; file: string }[]> {
  const text = new TextDecoder().decode(await joined(gunzipped(await open(file))));
  const folder = file.slice(0, Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1);
  const entries = [...text.matchAll(/<DataSet\b([^>]*)>/g)].map(([, tag]) => {
    const value = (key: string) => new RegExp(`\\b${key}\\s*=\\s*"([^"]*)"`).exec(tag)?.[1];
    return { time: Number(value('timestep') ?? Number.NaN), file: value('file') ?? '' };
  });
  const fault = (message: string) => new SceneError([{ path: file, message }]);
  if (entries.length === 0)
    throw fault('lists no frames: expected a ParaView collection with <DataSet timestep="..." file="..."/>');
  for (const { time, file: name } of entries) {
    if (!Number.isFinite(time) || !/\.vtp(\.gz)?$/i.test(name))
      throw fault(`lists ${JSON.stringify(name)}; expected .vtp files with their times`);
    // What a list names stays beside it: a file from elsewhere cannot have others read.
    if (/^([a-z]+:|[/\\])/i.test(name) || name.split(/[/\\]/).includes('..'))
      throw fault(`lists ${JSON.stringify(name)}, which leads out of its folder`);
  }
  return entries.sort((a, b) => a.time - b.time).map(({ time, file: name }) => ({ time, file: folder + name }));
}
