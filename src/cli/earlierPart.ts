import { createReadStream } from 'node:fs';
import { realpath, rename, rm, truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UsageError } from './exit';

/** What the folder of a run has of it, where the run goes on there from one of its checkpoints. */
export interface EarlierPart {
  /** That of the checkpoint. */
  step: number;
  /** Of series.csv, if there is one: bytes up to the end of the row of that step, and the step of the last row up to there. */
  series?: { bytes: number; lastRow?: number };
  /** Names of the frames up to that step, by their steps. */
  frames: readonly string[];
  /** Names of the results of later steps, which the run makes anew. */
  later: readonly string[];
  /** Names of files that were being written when the run was killed. */
  halves: readonly string[];
  /** Name of the last checkpoint. */
  lastCheckpoint?: string;
}

/** The file that grows by a row per step. */
export const SERIES = 'series.csv';
/** Files that tell of a whole run: kept under names with the step at which it goes on. */
const OF_RUN = ['summary', 'scene'];

/** Whether a checkpoint lies in the folder for the results itself, so that the run goes on there. */
export async function liesIn(out: string, checkpoint: string): Promise<boolean> {
  const real = (path: string) => realpath(path).catch(() => undefined);
  const folder = await real(out);
  return folder !== undefined && folder === (await real(dirname(checkpoint)));
}

/**
 * Looks what a folder has; changes nothing.
 * @param names of the results in it, those in folders of their own being frames
 * @param step of the checkpoint
 * @param header of series.csv as this run writes it
 * @throws UsageError where series.csv is that of another scene
 */
export async function findEarlier(out: string, names: readonly string[], step: number, header: string): Promise<EarlierPart> {
  const isHalf = (name: string) => name.endsWith('.tmp');
  const isFrame = (name: string) => dirname(name) !== '.';
  const stepOf = (name: string) => Number(/-(\d{6,})\.\w+$/.exec(name)?.[1] ?? 0);
  const whole = names.filter((name) => !isHalf(name)).sort((a, b) => stepOf(a) - stepOf(b));
  const { more = false, ...series } = whole.includes(SERIES) ? await rowsUpTo(join(out, SERIES), step, header) : { bytes: 0 };
  const later = whole.filter((name) => stepOf(name) > step);
  // A list of frames is made anew with what is left of them.
  const lists = later.some(isFrame) ? whole.filter((name) => name.endsWith('.pvd')) : [];
  return {
    step,
    ...(whole.includes(SERIES) ? { series } : {}),
    frames: whole.filter((name) => isFrame(name) && stepOf(name) <= step),
    later: [...(more ? [SERIES] : []), ...later, ...lists],
    halves: names.filter(isHalf),
    lastCheckpoint: whole.findLast((name) => name.endsWith('.h5')),
  };
}

/** @throws UsageError where the run would do steps again whose results are there */
export function refuseLater(out: string, { later, step, lastCheckpoint }: EarlierPart): void {
  if (later.length === 0) return;
  const others = later.length === 1 ? '' : ` and ${later.length - 1} more`;
  const newer = lastCheckpoint !== undefined && later.includes(lastCheckpoint);
  throw new UsageError(
    `${out} has results of steps after ${step}, the step of the checkpoint (${later[0]}${others}). ` +
      `${newer ? `Go on from ${join(out, lastCheckpoint)}, choose` : 'Choose'} another folder for --out, or give --force to do these steps again and replace their results.`,
  );
}

/** Takes away what is made anew, and keeps under names with the step what tells of the run so far. @param names as for findEarlier */
export async function cutBack(
  out: string,
  names: readonly string[],
  { step, series, later, halves }: EarlierPart,
): Promise<void> {
  if (series) await truncate(join(out, SERIES), series.bytes);
  for (const name of [...later, ...halves]) if (name !== SERIES) await rm(join(out, name), { force: true });
  for (const name of OF_RUN) {
    const kept = `${name}-${String(step).padStart(6, '0')}.json`;
    // One that is kept from before tells of the steps up to here; the other of those that are done again.
    if (names.includes(`${name}.json`) && !names.includes(kept)) await rename(join(out, `${name}.json`), join(out, kept));
  }
}

/** Bytes of whole rows up to a step, the step of the last of them, and whether whole rows of later steps follow. */
async function rowsUpTo(path: string, step: number, header: string) {
  let [bytes, rest, row] = [0, '', ''];
  let lastRow: number | undefined;
  // One character for each byte, whatever is in it.
  for await (const chunk of createReadStream(path, 'latin1')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      row += `${line}\n`;
      // A name of a wall may have line feeds in it, in quotes.
      if ((row.split('"').length - 1) % 2 === 1) continue;
      if (bytes === 0 && row !== Buffer.from(header).toString('latin1')) {
        const why = 'it is that of another scene, or of another version of this program';
        throw new UsageError(`${path} has other columns than this run: ${why}. Choose another folder for --out.`);
      }
      const at = bytes === 0 ? undefined : Number.parseInt(row, 10);
      if (at !== undefined && at > step) return { bytes, lastRow, more: true };
      lastRow = at;
      bytes += row.length;
      row = '';
    }
  }
  return { bytes, lastRow, more: false };
}
