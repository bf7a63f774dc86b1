import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { SceneError } from '../../errors';
import type { Chunks, OpenFile } from '../../io/bytes';
import { CHECKPOINT_NAME, particleFormat, READABLE, WRITABLE } from '../../io/fileNames';
import { collectionOf, particleFrames, wholeFile } from '../../io/particleFile';
import { encodePvd, type PvdEntry } from '../../io/pvd';
import { contactTable } from '../../io/readContactFrame';
import { ContactFrameError } from '../../io/readVtp';
import { boxAround, boxFault, type ParticleTable } from '../../io/table';
import { writeTable, writeText, writeVtp } from '../../io/writeParticles';
import { checkpointTable, openGrains } from '../../node/particleFiles';
import { EXIT, OutputError, UsageError } from '../exit';
import { withInterrupt } from '../interrupt';
import { type Add, refuseExisting, refuseReplacing, writeTogether } from '../outputFile';
import { lastGrains } from '../packing';
import { withReadProgress } from '../readProgress';

export interface ConvertOptions {
  force?: boolean;
  quiet?: boolean;
}

/**
 * Writes the grains of one file in the format that the name of the other asks for, the contacts of a contact frame as a table; one
 * frame is held at a time.
 */
export async function convertCommand(
  input: string,
  output: string,
  { force = false, quiet = false }: ConvertOptions,
): Promise<number> {
  const format = particleFormat(output);
  if (!format || (/\.gz$/i.test(output) && (format === 'vtp' || format === 'pvd'))) {
    throw new UsageError(`${output}: the name must end in ${WRITABLE}.`);
  }
  if (!particleFormat(input) && !CHECKPOINT_NAME.test(input)) {
    await refuseFolder(input);
    throw new UsageError(`${input}: the name must end in ${READABLE}.`);
  }
  await refuseExisting(output, force);
  await refuseReplacing([input], [output]);
  const write = (signal: AbortSignal, work: (open: OpenFile, add: Add) => Promise<Written>) =>
    withReadProgress(quiet, (onRead) =>
      writeTogether(async (add) => {
        const inputs: string[] = [];
        const open = openGrains(onRead);
        const opened: OpenFile = async (path) => {
          inputs.push(path);
          return untilInterrupted(await open(path), signal);
        };
        const written = await work(opened, add);
        await refuseReplacing(inputs, written.files);
        signal.throwIfAborted();
        return written;
      }),
    );
  const grains = (open: OpenFile, add: Add) => {
    const frames = framesOf(input, open);
    return format === 'pvd'
      ? writeCollection(input, output, frames, force, add)
      : writeFrames(input, output, format, frames, add);
  };
  const contacts = (open: OpenFile, add: Add) => writeContacts(input, output, open, add);
  const convert = (signal: AbortSignal) =>
    write(signal, grains)
      .catch((error) => {
        if (!(error instanceof ContactFrameError && format === 'csv')) throw error;
        return write(signal, contacts);
      })
      .catch((error) => {
        if (!signal.aborted) throw error;
      });
  const written = await withInterrupt(quiet, convert, 'nothing is written');
  if (!written) return EXIT.interrupted;
  const { what, rows, count } = written;
  const takesOne = format === 'csv' || format === 'vtp';
  if (count > 1 && takesOne && !quiet) {
    const others = what === 'grains' ? ' Formats of several frames: .dump, .xyz, .pvd.' : '';
    process.stderr.write(`${input} has ${count} frames; ${output} has the last of them.${others}\n`);
  }
  process.stdout.write(`${output}: ${rows} ${what}${count > 1 && !takesOne ? `, ${count} frames` : ''}\n`);
  return EXIT.done;
}

/** Ends where the user wants no more: what is written by then is removed as after any failure. */
async function* untilInterrupted(chunks: Chunks, signal: AbortSignal): Chunks {
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    yield chunk;
  }
}

async function* framesOf(input: string, open: OpenFile): AsyncGenerator<ParticleTable> {
  if (CHECKPOINT_NAME.test(input)) yield await checkpointTable(input);
  else yield* particleFrames(input, open);
}

interface Written {
  what: 'grains' | 'contacts';
  /** Frames. */
  count: number;
  /** Of the last frame. */
  rows: number;
  files: string[];
}

/** All frames in a .dump or .xyz, the last one elsewhere. */
async function writeFrames(
  input: string,
  output: string,
  format: 'dump' | 'csv' | 'xyz' | 'vtp',
  frames: AsyncGenerator<ParticleTable>,
  add: Add,
): Promise<Written> {
  const written: Written = { what: 'grains', count: 0, rows: 0, files: [output] };
  const counted = (frame: ParticleTable) => {
    written.count++;
    written.rows = frame.count;
    return frame;
  };
  const fill = async (temporary: string) => {
    if (format === 'csv' || format === 'vtp') {
      let last: ParticleTable | undefined;
      for await (const frame of frames) last = counted(frame);
      if (format === 'vtp') await toDisk(output, writeFile(temporary, writeVtp(last!)));
      else await stream(output, temporary, [writeText(last!, 'csv')]);
      return;
    }
    const texts = (async function* () {
      for await (const frame of frames) {
        checkBox(input, frame);
        // A dump has to give each frame a step: where that is not known it is the frame's number.
        const number = format === 'dump' ? { step: written.count } : {};
        yield writeText({ ...number, ...counted(frame) }, format);
      }
    })();
    await stream(output, temporary, texts);
  };
  await add(output, fill, isNoFault);
  return written;
}

/** @throws SceneError for grains about which a file that tells a box could not be read again */
function checkBox(path: string, frame: ParticleTable): void {
  const wrong = boxFault(frame.box ?? boxAround(frame));
  if (wrong === undefined) return;
  const message = `${wrong}; choose .csv, .vtp or .pvd, which need no box, or mend the grains that lie farthest out`;
  throw new SceneError([{ path, message }]);
}

/** @throws UsageError for a folder, naming the file in it that tells the grains of a run */
async function refuseFolder(input: string): Promise<void> {
  if (!(await stat(input).catch(() => undefined))?.isDirectory()) return;
  const frames = join(input, 'grains.pvd');
  const isThere = await stat(frames).catch(() => undefined);
  const last = isThere ? frames : await lastGrains(input).catch(() => undefined);
  throw new UsageError(`${input} is a folder. Give ${last ?? 'a file of grains in it, such as a checkpoint'}.`);
}

/** The contacts of a contact frame, of a collection of them those of the last one. */
async function writeContacts(input: string, output: string, open: OpenFile, add: Add): Promise<Written> {
  const frames = particleFormat(input) === 'pvd' ? await collectionOf(input, open) : [{ files: [input] }];
  const { files } = frames.at(-1)!;
  if (files.length > 1) throw new UsageError(`${input} has contacts in ${files.length} parts of one time; convert each part.`);
  const { count: rows, columns } = await contactTable(files[0], await wholeFile(files[0], open));
  await add(output, (temporary) => stream(output, temporary, [writeTable(rows, columns)]));
  return { what: 'contacts', count: frames.length, rows, files: [output] };
}

/** What is wrong with the input is told as it is. */
const isNoFault = (error: unknown) => !(error as NodeJS.ErrnoException).syscall;

async function stream(
  output: string,
  temporary: string,
  texts: Iterable<Iterable<string>> | AsyncIterable<Iterable<string>>,
): Promise<void> {
  const file = createWriteStream(temporary);
  const target = /\.gz$/i.test(output) ? createGzip() : file;
  if (target !== file) target.pipe(file);
  const done = finished(file);
  // A disk that is full is told by the await below, not as an error that nobody caught.
  let broken: unknown;
  done.catch((error) => {
    broken = error;
    target.destroy();
  });
  try {
    for await (const text of texts) {
      for (const part of text) if (!target.write(part)) await Promise.race([once(target, 'drain'), done]);
    }
    target.end();
  } catch (error) {
    target.destroy();
    file.destroy();
    // What is wrong with the input is no fault of the disk.
    throw broken === undefined ? error : new OutputError(output, broken);
  }
  await toDisk(output, done);
}

/** A collection, with a .vtp beside it for each frame. */
async function writeCollection(
  input: string,
  output: string,
  frames: AsyncGenerator<ParticleTable>,
  force: boolean,
  add: Add,
): Promise<Written> {
  const stem = basename(output).replace(/\.pvd$/i, '');
  const entries: PvdEntry[] = [];
  const files: string[] = [];
  const times = new Set<number>();
  let rows = 0;
  for await (const frame of frames) {
    const file = `${stem}-${String(entries.length).padStart(6, '0')}.vtp`;
    const path = join(dirname(output), file);
    const time = frame.time ?? frame.step ?? entries.length;
    if (times.has(time)) throw repeated(input, time);
    times.add(time);
    await refuseExisting(path, force);
    await add(path, writeVtp({ ...frame, time }));
    files.push(path);
    entries.push({ time, file });
    rows = frame.count;
  }
  await add(output, encodePvd(entries));
  return { what: 'grains', count: entries.length, rows, files: [...files, output] };
}

/** What has one time is one frame in ParaView. */
const repeated = (input: string, time: number) =>
  new UsageError(
    `${input} has two frames of the time ${time}; in a .pvd each needs its own. Take .dump or .xyz, or leave one out.`,
  );

async function toDisk<T>(path: string, work: Promise<T>): Promise<T> {
  return work.catch((error) => {
    throw new OutputError(path, error);
  });
}
