import { SceneError } from '../errors';
import { boxFault, type Frame, fileError, type ParticleBox, type ParticleTable, readRows, stepOf } from './table';
import type { TextLines } from './textLines';

/** Names that dumps use for what the reader calls otherwise. */
const ALIASES = new Map(Object.entries({ omegax: 'wx', omegay: 'wy', omegaz: 'wz' }));
/** Coordinates that count on beyond periodic faces. */
const UNWRAPPED = new Map(Object.entries({ xu: 'x', yu: 'y', zu: 'z' }));

/** What a frame may begin with. */
const BEGINNING = /^ITEM: (TIMESTEP|TIME|UNITS)\b/;

/**
 * Reads the next frame of a LAMMPS or LIGGGHTS text dump: columns in the order that ITEM: ATOMS names, grains in the order of the
 * file. Needs x, y, z (else xu, yu, zu) and radius (or diameter); takes vx, vy, vz, omegax, omegay, omegaz and mass where they are;
 * the box bounds and other columns say nothing about rigid grains and are passed over.
 * @returns the grains, or what is wrong with the frame; undefined where none is left
 * @throws SceneError naming file and line, for a file that is no dump
 */
export async function readDump(lines: TextLines): Promise<Frame | undefined> {
  const first = await lines.peekFilled();
  if (first === undefined) return undefined;
  if (!first.startsWith('ITEM:')) throw fileError(lines.file, lines.line, 'is not a text dump: it has no "ITEM: TIMESTEP"');
  const begin = lines.line;
  try {
    const frame = await readFrame(lines);
    const after = await lines.peekFilled();
    if (after !== undefined && !after.startsWith('ITEM:')) throw goesOn(lines, frame);
    return frame.table;
  } catch (error) {
    if (!(error instanceof SceneError)) throw error;
    // The next frame begins where a frame can, but not where this one does.
    for (let line = await lines.peek(); line !== undefined; line = await lines.peek()) {
      if (lines.line > begin && BEGINNING.test(line)) break;
      await lines.next();
    }
    return error;
  }
}

/** Passes a frame, or several where one is broken. @returns true: frames begin where nothing but a frame can */
export async function passDump(lines: TextLines): Promise<boolean> {
  let inGrains = false;
  while (await lines.skip(() => lines.text.startsWith('ITEM:', lines.at))) {
    const item = (await lines.peek())!;
    if (inGrains && BEGINNING.test(item)) break;
    inGrains ||= item.startsWith('ITEM: ATOMS');
    await lines.next();
  }
  return true;
}

interface Announced {
  count: number;
  /** Of the file, where that stands. */
  line: number;
}

const goesOn = ({ file, line }: TextLines, { announced }: { announced: Announced }) =>
  fileError(file, line, `goes on after the ${announced.count} grains that line ${announced.line} announces`);

async function readFrame(lines: TextLines): Promise<{ table: ParticleTable; announced: Announced }> {
  const { file } = lines;
  const frame: Pick<ParticleTable, 'step' | 'time' | 'box'> = {};
  let [announced, stepped]: [Announced | undefined, boolean] = [undefined, false];
  for (;;) {
    const header = await expected(lines, '"ITEM: ATOMS" and the grains');
    const { line } = lines;
    if (!header.startsWith('ITEM:'))
      throw fileError(file, line - 1, `expected a line that begins with "ITEM:", got ${JSON.stringify(header.slice(0, 40))}`);
    if (header.startsWith('ITEM: NUMBER OF ATOMS')) announced = { count: await atomCount(lines), line };
    else if (header.startsWith('ITEM: BOX BOUNDS')) frame.box = await readBounds(lines, header);
    else if (header.startsWith('ITEM: ATOMS')) {
      if (!announced) throw fileError(file, line - 1, 'comes before "ITEM: NUMBER OF ATOMS"');
      if (!stepped) throw fileError(file, line - 1, 'is not a text dump: it has no "ITEM: TIMESTEP"');
      return { table: { ...(await readAtoms(lines, header, announced)), ...frame }, announced };
    } else {
      const value = await expected(lines, 'the value of this item');
      const isStep = header.startsWith('ITEM: TIMESTEP');
      if (isStep) stepped = true;
      if (isStep && /^\d+$/.test(value)) Object.assign(frame, stepOf(Number(value)));
      else if (/^ITEM: TIME$/.test(header) && Number.isFinite(Number(value))) frame.time = Number(value);
    }
  }
}

async function expected(lines: TextLines, what: string): Promise<string> {
  const line = await lines.next();
  if (line === undefined) throw fileError(lines.file, lines.line, `the file ends here: expected ${what}; it was cut short`);
  return line;
}

async function atomCount(lines: TextLines): Promise<number> {
  const text = await expected(lines, 'the number of atoms');
  if (!/^\d+$/.test(text)) {
    throw fileError(lines.file, lines.line - 1, `expected the number of atoms, got ${JSON.stringify(text.slice(0, 40))}`);
  }
  if (Number(text) === 0) throw fileError(lines.file, lines.line - 1, 'the frame holds no grains');
  return Number(text);
}

/** Undefined where the bounds are no numbers: rigid grains do not need them. */
async function readBounds(lines: TextLines, header: string): Promise<ParticleBox | undefined> {
  if (/\bxy\s+xz\s+yz\b|\babc\b/.test(header)) {
    throw fileError(lines.file, lines.line - 1, 'a triclinic box is not supported; write the dump with an orthogonal box');
  }
  const bounds: number[][] = [];
  for (let axis = 0; axis < 3; axis++) {
    bounds.push((await expected(lines, 'the bounds of the box')).split(/\s+/, 3).map(Number));
  }
  if (!bounds.every(([low, high]) => Number.isFinite(low) && Number.isFinite(high))) return undefined;
  const kinds = header.slice('ITEM: BOX BOUNDS'.length).trim().split(/\s+/);
  const box: ParticleBox = {
    min: bounds.map(([low]) => low) as ParticleBox['min'],
    max: bounds.map(([, high]) => high) as ParticleBox['max'],
    periodic: [0, 1, 2].map((axis) => kinds[axis] === 'pp') as ParticleBox['periodic'],
  };
  const wrong = boxFault(box);
  if (wrong !== undefined) throw fileError(lines.file, lines.line - 4, wrong);
  return box;
}

async function readAtoms(lines: TextLines, header: string, { count, line }: Announced): Promise<ParticleTable> {
  const names = header.slice('ITEM: ATOMS'.length).trim().toLowerCase().split(/\s+/);
  const { table, faults } = await readRows(lines, { separator: 'blank', columns: readerColumns(names), count });
  if (table.count < count) {
    const message = `the frame ends after ${table.count} of the ${count} grains that line ${line} announces; it was cut short`;
    throw fileError(lines.file, lines.line, message);
  }
  if (faults.length > 0) throw new SceneError(faults);
  return table;
}

/** Unwrapped coordinates are taken all three, where x, y and z are not all there: those of one kind belong together. */
function readerColumns(names: readonly string[]): string[] {
  const wrapped = ['x', 'y', 'z'].every((name) => names.includes(name));
  return names.map((name) => ALIASES.get(name) ?? (wrapped ? name : (UNWRAPPED.get(name) ?? name)));
}
