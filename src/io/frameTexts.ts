import type { Chunks } from './bytes';

/** A frame of a text file, uncut. */
export interface FrameText {
  text: string;
  /** Of the file, with which the text begins; from 1. */
  line: number;
}

/**
 * Cuts a text that comes in pieces into its frames, of which one at a time is held.
 * @param endOf the end of the first frame of a text, undefined where it is not there yet; searches from `from` on
 */
export async function* frameTexts(
  chunks: Chunks,
  endOf: (text: string, from: number) => number | undefined,
): AsyncGenerator<FrameText> {
  const decoder = new TextDecoder();
  let [held, searched, line] = ['', 0, 1];
  for await (const chunk of chunks) {
    held += decoder.decode(chunk, { stream: true });
    for (let end = endOf(held, searched); end !== undefined; end = endOf(held, 0)) {
      const text = held.slice(0, end);
      yield { text, line };
      line += countLines(text);
      held = held.slice(end);
    }
    searched = held.length;
  }
  held += decoder.decode();
  if (held.trim() !== '') yield { text: held, line };
}

const ATOMS = 'ITEM: ATOMS';
const NEXT_ITEM = '\nITEM:';

/** A dump's frame ends where, after its atoms, the next item begins. */
export function dumpEnd(): (text: string, from: number) => number | undefined {
  // Where the search goes on, in a text that only grows until a frame is cut from it.
  let atoms = -1;
  return (text, from) => {
    if (from === 0) atoms = -1;
    if (atoms < 0) atoms = text.indexOf(ATOMS, Math.max(0, from - ATOMS.length));
    if (atoms < 0) return undefined;
    const end = text.indexOf(NEXT_ITEM, Math.max(atoms, from - NEXT_ITEM.length));
    return end < 0 ? undefined : end + 1;
  };
}

/** A frame of XYZ has as many lines as its first tells, and two. */
export function xyzEnd(): (text: string, from: number) => number | undefined {
  let [lines, at] = [0, 0];
  return (text, from) => {
    if (from === 0) [lines, at] = [0, 0];
    const first = text.indexOf('\n');
    const count = first < 0 ? Number.NaN : Number(text.slice(0, first).trim() || Number.NaN);
    if (!Number.isFinite(count)) return undefined;
    for (let next = text.indexOf('\n', at); next >= 0; next = text.indexOf('\n', at)) {
      lines++;
      at = next + 1;
      if (lines === count + 2) return at;
    }
    return undefined;
  };
}

/** All is one frame. */
export const noEnd = () => undefined;

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
