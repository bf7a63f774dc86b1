import { SceneError } from '../errors';
import { type Chunks, DamagedError, gunzipped, joined, type OpenFile, TooLongError } from './bytes';
import { particleFormat } from './fileNames';
import { joinTables } from './joinTables';
import { type PvdFrame, parsePvd } from './pvd';
import { readCsv } from './readCsv';
import { passDump, readDump } from './readDump';
import { readVtp } from './readVtp';
import { passXyz, readXyz } from './readXyz';
import type { Frame, ParticleTable } from './table';
import { TextLines } from './textLines';

/** How the frames of texts are read, one after the other, and how they are passed without being read. */
const TEXTS = {
  dump: { read: readDump, pass: passDump },
  xyz: { read: readXyz, pass: passXyz },
  // Of one frame.
  csv: { read: readCsv, pass: async () => false },
};

/** More than the most grains of a scene take in double precision: what is expanded, or has no end, is held no further. */
const MOST_VTP_BYTES = 2 ** 31;
/** Some 800,000 frames. */
const MOST_PVD_BYTES = 2 ** 26;

/**
 * The frames of a file of grains, one after the other, of texts row by row: beside the arrays of a frame a small piece of the file is
 * held. Of .vtp the bytes of a file are. What is compressed by gzip is expanded.
 * @param file name for messages; its ending says which format
 * @param open also opens the files that a .pvd lists
 * @throws SceneError naming file and line
 */
export async function* particleFrames(file: string, open: OpenFile): AsyncGenerator<ParticleTable> {
  for await (const frame of frames(file, open)) {
    if (frame instanceof SceneError) throw frame;
    yield frame;
  }
}

/**
 * The last frame of a file. Those before it may hold no grains, or wrong ones. A text of several frames is opened twice: to find where
 * the last begins, and to read that one.
 * @param once opens it once, and reads every frame: for what comes from afar
 * @throws SceneError naming file and line
 */
export async function lastFrame(file: string, open: OpenFile, once = false): Promise<ParticleTable> {
  const format = particleFormat(file) ?? 'dump';
  if (format === 'pvd') return frameOf(file, (await collectionOf(file, open)).at(-1)!, open);
  if (format === 'vtp') return readVtp(file, await wholeFile(file, open));
  const found = once ? 1 : await onlyOrLast(file, open, format);
  let last: Frame | undefined;
  if (typeof found !== 'number') last = found;
  else for await (const frame of textFrames(file, open, format, found)) last = frame;
  if (last instanceof SceneError) throw last;
  return last!;
}

/** The only frame of a text, else the line from which on its last one is found. */
async function onlyOrLast(file: string, open: OpenFile, format: keyof typeof TEXTS): Promise<Frame | number> {
  const { read, pass } = TEXTS[format];
  const lines = new TextLines(file, plain(file, await open(file)));
  try {
    const first = await read(lines);
    if (!first) throw new SceneError([{ path: file, message: 'is empty' }]);
    if ((await lines.peekFilled()) === undefined) return first;
    let line: number;
    do line = lines.line;
    while ((await pass(lines)) && (await lines.peekFilled()) !== undefined);
    return line;
  } finally {
    await lines.close();
  }
}

/** At least one. */
async function* frames(file: string, open: OpenFile): AsyncGenerator<Frame> {
  const format = particleFormat(file) ?? 'dump';
  if (format === 'pvd') {
    for (const frame of await collectionOf(file, open)) yield await frameOf(file, frame, open);
  } else if (format === 'vtp') yield await lastFrame(file, open);
  else yield* textFrames(file, open, format);
}

/** The frames of a text from a line on, at least one. */
async function* textFrames(file: string, open: OpenFile, format: keyof typeof TEXTS, from = 1): AsyncGenerator<Frame> {
  const { read } = TEXTS[format];
  const lines = new TextLines(file, plain(file, await open(file)));
  let found = false;
  try {
    await lines.skip(() => lines.line >= from);
    for (let frame = await read(lines); frame; frame = await read(lines)) {
      found = true;
      yield frame;
    }
  } finally {
    await lines.close();
  }
  const message = from === 1 ? 'is empty' : 'became shorter while it was read; read it again';
  if (!found) throw new SceneError([{ path: file, message }]);
}

/** What a file holds, expanded. @throws SceneError where it is damaged */
async function* plain(file: string, chunks: Chunks): Chunks {
  try {
    yield* gunzipped(chunks);
  } catch (error) {
    throw faultOf(file, error);
  }
}

/** All that a file holds, expanded. @throws SceneError where it is damaged, or more than so many bytes */
export async function wholeFile(file: string, open: OpenFile, most = MOST_VTP_BYTES): Promise<Uint8Array> {
  const chunks = plain(file, await open(file));
  return joined(chunks, most).catch((error) => {
    throw faultOf(file, error);
  });
}

const faultOf = (path: string, error: unknown) =>
  error instanceof DamagedError || error instanceof TooLongError ? new SceneError([{ path, message: error.message }]) : error;

/** The frames that a .pvd lists, by time. */
export async function collectionOf(file: string, open: OpenFile): Promise<PvdFrame[]> {
  return parsePvd(file, new TextDecoder().decode(await wholeFile(file, open, MOST_PVD_BYTES)));
}

/** The grains of the parts that a .pvd lists for a time. */
async function frameOf(file: string, { time, files }: PvdFrame, open: OpenFile): Promise<ParticleTable> {
  const parts: ParticleTable[] = [];
  for (const part of files) parts.push(await lastFrame(part, open));
  return { ...joinTables(file, parts), time };
}
