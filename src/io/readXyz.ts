import { SceneError } from '../errors';
import { boxFault, type Frame, fileError, MOST_COLUMNS, type ParticleBox, readRows, stepOf } from './table';
import type { TextLines } from './textLines';

/** Columns of a property by its name, lower case, as OVITO, ASE and others call them. */
const PROPERTIES = new Map<string, string[]>(
  Object.entries({
    pos: ['x', 'y', 'z'],
    position: ['x', 'y', 'z'],
    radius: ['radius'],
    diameter: ['diameter'],
    velo: ['vx', 'vy', 'vz'],
    vel: ['vx', 'vy', 'vz'],
    velocity: ['vx', 'vy', 'vz'],
    velocities: ['vx', 'vy', 'vz'],
    angular_velocity: ['wx', 'wy', 'wz'],
    angularvelocity: ['wx', 'wy', 'wz'],
    omega: ['wx', 'wy', 'wz'],
    mass: ['mass'],
    masses: ['mass'],
    id: ['id'],
    type: ['type'],
  }),
);

/**
 * Reads the next frame of extended XYZ: the number of grains, a line with `Properties=` (and `Lattice=`, `Time=`), and a line for each.
 * Needs the properties pos and radius (or diameter). A species that is a number from 1 is the grain's type.
 * @returns the grains, or what is wrong with the frame; undefined where none is left
 * @throws SceneError naming file and line, where it is not known how the file goes on
 */
export async function readXyz(lines: TextLines): Promise<Frame | undefined> {
  const text = await lines.peekFilled();
  if (text === undefined) return undefined;
  const { file, line } = lines;
  if (!/^\d+$/.test(text)) {
    const begun = line > 1 ? ' of a further frame; the file goes on after the grains of the one before' : '';
    throw fileError(file, line, `expected the number of grains${begun}, got ${JSON.stringify(text.slice(0, 40))}`);
  }
  await lines.next();
  const count = Number(text);
  const comment = (await lines.next()) ?? '';
  if (count === 0) return fileError(file, line, 'the frame holds no grains');
  const first = lines.line;
  try {
    return await readGrains(lines, comment, { count, line });
  } catch (error) {
    if (!(error instanceof SceneError)) throw error;
    while (lines.line < first + count && (await lines.next()) !== undefined);
    return error;
  }
}

/** Passes a frame. @returns false, and passes nothing, where none begins */
export async function passXyz(lines: TextLines): Promise<boolean> {
  const count = (await lines.peek()) ?? '';
  if (!/^\d+$/.test(count)) return false;
  const after = lines.line + 2 + Number(count);
  await lines.skip(() => lines.line >= after);
  return true;
}

/** @param announced grains of the frame, and the line that tells them */
async function readGrains(lines: TextLines, comment: string, announced: { count: number; line: number }): Promise<Frame> {
  const { file } = lines;
  const { count, line } = announced;
  const keys = keysOf(comment);
  const { properties } = keys;
  if (properties === undefined) {
    throw fileError(
      file,
      line + 1,
      'has no Properties=...: expected extended XYZ with the position and the radius of each grain',
    );
  }
  const columns = columnsOf(properties, (await lines.peek()) ?? '');
  if (!columns) throw fileError(file, line + 1, `Properties=${properties}: expected name:type:columns, again and again`);
  const box = boxOf(file, line + 1, keys);
  const { table, faults } = await readRows(lines, { separator: 'blank', columns, count });
  if (table.count < count) {
    const message = `the frame ends after ${table.count} of the ${count} grains that line ${line} announces; it was cut short`;
    throw fileError(file, lines.line, message);
  }
  if (faults.length > 0) throw new SceneError(faults);
  const time = Number(keys.time);
  return {
    ...table,
    ...(keys.time !== undefined && Number.isFinite(time) ? { time } : {}),
    ...(/^\d+$/.test(keys.step ?? '') ? stepOf(Number(keys.step)) : {}),
    box,
  };
}

/** Values of a comment line by key, lower case, in quotes of either kind, braces or none. Keys are looked for where words begin: a long one is passed but once. */
function keysOf(comment: string): Record<string, string> {
  const pairs = comment.matchAll(/(?<![\w-])([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|\{([^}]*)\}|(\S+))/g);
  return Object.fromEntries(
    [...pairs].map(([, key, ...values]) => [key.toLowerCase(), values.find((value) => value !== undefined) ?? '']),
  );
}

function columnsOf(properties: string, firstRow: string): string[] | undefined {
  const parts = properties.split(':');
  if (parts.length % 3 !== 0) return undefined;
  const values = firstRow.trim().split(/\s+/);
  const columns: string[] = [];
  for (let k = 0; k < parts.length; k += 3) {
    const [name, , width] = [parts[k].toLowerCase(), parts[k + 1], Number(parts[k + 2])];
    if (!Number.isInteger(width) || width < 1 || width > MOST_COLUMNS) return undefined;
    if (columns.length > MOST_COLUMNS) return columns;
    const numbered = name === 'species' && width === 1 && /^[1-9]\d*$/.test(values[columns.length] ?? '');
    const known = numbered ? ['type'] : PROPERTIES.get(name);
    if (known?.length === width) columns.push(...known);
    else for (let c = 0; c < width; c++) columns.push(`${name}.${k}.${c}`);
  }
  return columns;
}

function boxOf(file: string, line: number, { lattice, origin, pbc }: Record<string, string>): ParticleBox | undefined {
  if (lattice === undefined) return undefined;
  const rows = lattice.trim().split(/\s+/).map(Number);
  if (rows.length !== 9 || !rows.every(Number.isFinite)) throw fileError(file, line, 'Lattice="...": expected nine numbers');
  if (rows.some((value, k) => k % 4 !== 0 && value !== 0)) {
    throw fileError(file, line, 'a triclinic box is not supported; write the file with an orthogonal box');
  }
  const min = (origin ?? '0 0 0').trim().split(/\s+/).map(Number) as ParticleBox['min'];
  if (min.length !== 3 || !min.every(Number.isFinite)) throw fileError(file, line, 'Origin="...": expected three numbers');
  const lengths = [0, 1, 2].map((axis) => rows[4 * axis]);
  // Where it does not tell, space is periodic along what has a length.
  const flags = pbc?.trim().split(/\s+/) ?? lengths.map((length) => (length === 0 ? 'F' : 'T'));
  const box: ParticleBox = {
    min,
    max: min.map((low, axis) => low + lengths[axis]) as ParticleBox['max'],
    periodic: [0, 1, 2].map((axis) => /^(t|true|1)$/i.test(flags[axis] ?? '')) as ParticleBox['periodic'],
  };
  const wrong = boxFault(box);
  if (wrong !== undefined) throw fileError(file, line, wrong);
  return box;
}
