import { fileError, lineAt, type ParticleBox, type ParticleTable, readRows } from './table';

/** Names that dumps use for what the reader calls otherwise. */
const ALIASES: Record<string, string> = { omegax: 'wx', omegay: 'wy', omegaz: 'wz' };
/** Coordinates that count on beyond periodic faces. */
const UNWRAPPED: Record<string, string> = { xu: 'x', yu: 'y', zu: 'z' };

/**
 * Reads a LAMMPS or LIGGGHTS text dump: columns in the order that ITEM: ATOMS names, grains in the order of the file. Of
 * several frames the last is taken. Needs x, y, z (else xu, yu, zu) and radius (or diameter); takes vx, vy, vz, omegax, omegay, omegaz and
 * mass where they are; the box bounds and other columns say nothing about rigid grains and are passed over.
 * @param line of the file with which the text begins
 * @throws SceneError naming file and line
 */
export function readDump(file: string, text: string, line = 1): ParticleTable {
  const start = text.lastIndexOf('ITEM: TIMESTEP');
  if (start < 0) throw fileError(file, line, 'is not a text dump: it has no "ITEM: TIMESTEP"');
  const lines = new Lines(file, text, start, line);
  const frame: Pick<ParticleTable, 'step' | 'time' | 'box'> = {};
  const time = /ITEM: TIME\s+(\S+)\s*$/.exec(text.slice(Math.max(0, start - 200), start))?.[1];
  if (time !== undefined && Number.isFinite(Number(time))) frame.time = Number(time);
  let announced: { count: number; line: number } | undefined;
  for (;;) {
    const header = lines.next('"ITEM: ATOMS" and the grains');
    if (!header.startsWith('ITEM:'))
      throw fileError(
        file,
        lines.line - 1,
        `expected a line that begins with "ITEM:", got ${JSON.stringify(header.slice(0, 40))}`,
      );
    if (header.startsWith('ITEM: NUMBER OF ATOMS')) announced = { count: atomCount(lines), line: lines.line - 1 };
    else if (header.startsWith('ITEM: BOX BOUNDS')) frame.box = readBounds(lines, header);
    else if (header.startsWith('ITEM: ATOMS')) {
      if (!announced) throw fileError(file, lines.line - 1, 'comes before "ITEM: NUMBER OF ATOMS"');
      return { ...readAtoms(lines, header, announced), ...frame };
    } else {
      const value = lines.next('the value of this item');
      if (header.startsWith('ITEM: TIMESTEP') && /^\d+$/.test(value)) frame.step = Number(value);
    }
  }
}

/** The header of a frame, line by line. */
class Lines {
  offset: number;
  /** The line that comes next, from 1. */
  line: number;

  constructor(
    readonly file: string,
    readonly text: string,
    start: number,
    firstLine: number,
  ) {
    this.offset = start;
    this.line = firstLine - 1 + lineAt(text, start);
  }

  next(expected: string): string {
    if (this.offset >= this.text.length)
      throw fileError(this.file, this.line, `the file ends here: expected ${expected}; it was cut short`);
    let end = this.text.indexOf('\n', this.offset);
    if (end < 0) end = this.text.length;
    const line = this.text.slice(this.offset, end).trim();
    this.offset = end + 1;
    this.line++;
    return line;
  }
}

function atomCount(lines: Lines): number {
  const text = lines.next('the number of atoms');
  const count = Number(text);
  if (!/^\d+$/.test(text)) {
    throw fileError(lines.file, lines.line - 1, `expected the number of atoms, got ${JSON.stringify(text)}`);
  }
  if (count === 0) throw fileError(lines.file, lines.line - 1, 'the frame holds no grains');
  return count;
}

/** Undefined where the bounds are no numbers: rigid grains do not need them. */
function readBounds(lines: Lines, header: string): ParticleBox | undefined {
  if (/\bxy\s+xz\s+yz\b|\babc\b/.test(header)) {
    throw fileError(lines.file, lines.line - 1, 'a triclinic box is not supported; write the dump with an orthogonal box');
  }
  const bounds = [0, 1, 2].map(() => lines.next('the bounds of the box').split(/\s+/).map(Number));
  if (!bounds.every(([low, high]) => Number.isFinite(low) && Number.isFinite(high))) return undefined;
  const kinds = header.slice('ITEM: BOX BOUNDS'.length).trim().split(/\s+/);
  return {
    min: bounds.map(([low]) => low) as ParticleBox['min'],
    max: bounds.map(([, high]) => high) as ParticleBox['max'],
    periodic: [0, 1, 2].map((axis) => kinds[axis] === 'pp') as ParticleBox['periodic'],
  };
}

function readAtoms(lines: Lines, header: string, announced: { count: number; line: number }): ParticleTable {
  const { file, text, offset, line } = lines;
  const names = header.slice('ITEM: ATOMS'.length).trim().toLowerCase().split(/\s+/);
  const columns = readerColumns(names);
  const rows = countRows(text, offset, announced.count + 1);
  if (rows < announced.count) {
    throw fileError(
      file,
      line + rows,
      `the file ends after ${rows} of the ${announced.count} grains that line ${announced.line} announces; it was cut short`,
    );
  }
  if (rows > announced.count) {
    throw fileError(
      file,
      line + announced.count,
      `goes on after the ${announced.count} grains that line ${announced.line} announces`,
    );
  }
  return readRows({ file, text, offset, line, count: announced.count, separator: 'blank', columns });
}

/** Unwrapped coordinates are taken all three, where x, y and z are not all there: those of one kind belong together. */
function readerColumns(names: readonly string[]): string[] {
  const wrapped = ['x', 'y', 'z'].every((name) => names.includes(name));
  return names.map((name) => ALIASES[name] ?? (wrapped ? name : (UNWRAPPED[name] ?? name)));
}

/** Lines with something on them from `offset` on, counted up to `most`; a blank line ends them. */
function countRows(text: string, offset: number, most: number): number {
  let rows = 0;
  let at = offset;
  while (rows < most && at < text.length) {
    let end = text.indexOf('\n', at);
    if (end < 0) end = text.length;
    let character = at;
    while (character < end && text.charCodeAt(character) <= 32) character++;
    if (character === end) break;
    rows++;
    at = end + 1;
  }
  return rows;
}
