import { type Fault, SceneError } from '../errors';
import { FaultList, formatValue } from '../scene/faults';
import { MAX_GRAINS } from '../scene/limits';
import { Column, type ColumnKey, GrainRows } from './grainRows';
import { repeatedIds } from './repeatedIds';
import type { TextLines } from './textLines';

/** Grains as a file gives them, in the file's order and units. */
export interface ParticleTable {
  count: number;
  /** N x 3 */
  positions: Float64Array;
  /** N */
  radii: Float64Array;
  /** N x 3, where the file has them */
  velocities?: Float64Array;
  /** N x 3, radians per time, where the file has them */
  angularVelocities?: Float64Array;
  /** N, where the file has them */
  masses?: Float64Array;
  /** N, whole numbers, where the file has them */
  ids?: Float64Array;
  /** N, from 1, where the file has them */
  types?: Uint32Array;
  /** Of the frame, where the file tells it: steps done, a whole number from 0, and the time. */
  step?: number;
  time?: number;
  box?: ParticleBox;
  /** Line of the first grain, the others follow line by line; absent for files without lines. */
  firstLine?: number;
}

/** The box that a file gives with its grains. */
export interface ParticleBox {
  min: [number, number, number];
  max: [number, number, number];
  periodic: [boolean, boolean, boolean];
}

/** The step of a frame, where a file's number can be one. */
export const stepOf = (value: number | undefined): Pick<ParticleTable, 'step'> =>
  Number.isSafeInteger(value) && value! >= 0 ? { step: value } : {};

/** What is wrong with a box; undefined where nothing is. Along open axes it may be flat. */
export function boxFault({ min, max, periodic }: ParticleBox): string | undefined {
  const isEndless = (axis: number) => !Number.isFinite(max[axis] - min[axis]);
  const isGood = (axis: number) => max[axis] > min[axis] || (max[axis] === min[axis] && !periodic[axis]);
  const bad = [0, 1, 2].find((axis) => isEndless(axis) || !isGood(axis));
  if (bad === undefined) return undefined;
  const rule = isEndless(bad) ? 'that is longer than a number can be' : 'its upper end must lie above the lower one';
  return `the box reaches from ${min[bad]} to ${max[bad]} in ${'xyz'[bad]}; ${rule}`;
}

/** The box around all grains, open on all sides. */
export function boxAround({ positions, radii }: Pick<ParticleTable, 'positions' | 'radii'>): ParticleBox {
  const [min, max] = [Infinity, -Infinity].map((end) => [end, end, end] as ParticleBox['min']);
  for (let k = 0; k < positions.length; k++) {
    const radius = radii[Math.floor(k / 3)];
    min[k % 3] = Math.min(min[k % 3], positions[k] - radius);
    max[k % 3] = Math.max(max[k % 3], positions[k] + radius);
  }
  return { min, max, periodic: [false, false, false] };
}

/** The box of a packing of which the ends of periodic axes are known: of the others it is as long as what is around the grains. @param lengths 0 along open axes */
export function periodicBox(around: ParticleBox, low: ArrayLike<number>, lengths: ArrayLike<number>): ParticleBox {
  const axes = [0, 1, 2] as const;
  const periodic = axes.map((axis) => lengths[axis] > 0) as ParticleBox['periodic'];
  return {
    min: axes.map((axis) => (periodic[axis] ? low[axis] : around.min[axis])) as ParticleBox['min'],
    max: axes.map((axis) => (periodic[axis] ? low[axis] + lengths[axis] : around.max[axis])) as ParticleBox['max'],
    periodic,
  };
}

/** A frame of a file: its grains, or what is wrong with it where those after it can be read all the same. */
export type Frame = ParticleTable | SceneError;

/** How rows of numbers are written. */
export interface RowFormat {
  separator: 'blank' | 'comma';
  /** Names of the columns, lower case: x, y, z, radius or diameter, vx, vy, vz, wx, wy, wz, mass, id, type; others are passed over. */
  columns: readonly string[];
  /** Rows that there should be; absent where the file does not tell. */
  count?: number;
}

const TRIPLES = { positions: ['x', 'y', 'z'], velocities: ['vx', 'vy', 'vz'], angularVelocities: ['wx', 'wy', 'wz'] } as const;

/** What Number() takes beside, such as 0x10, is more likely a slip than a number. */
export const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Where a fault in a file lies. */
export const atLine = (file: string, line: number): string => `${file} line ${line}`;

/**
 * Reads rows of numbers into arrays, until there are as many as announced, or a blank line or a line that begins with "ITEM:" comes.
 * @returns the rows and what is wrong with them
 * @throws SceneError for columns that cannot be read, and for more grains than a scene can hold
 */
export async function readRows(lines: TextLines, format: RowFormat): Promise<{ table: ParticleTable; faults: readonly Fault[] }> {
  const { columns, count = Infinity, separator } = format;
  const { file, line: firstLine } = lines;
  const headerFaults = columnFaults(columns).map((message) => ({ path: atLine(file, firstLine - 1), message }));
  if (headerFaults.length > 0) throw new SceneError(headerFaults);
  if (count < Infinity) checkCount(file, count);

  const { rows, targets } = makeRows(columns);
  const faults = new FaultList(`in ${file}`);
  const values = new Array<string>(columns.length);
  while (rows.count < count) {
    const end = lines.endOfLine();
    if (end < 0) {
      if (await lines.more()) continue;
      break;
    }
    const { text, at, line } = lines;
    const found = splitRow(text, at, end, separator, values);
    if (found === 0 || isBlank(text, at, end) || text.startsWith('ITEM:', at)) break;
    const place = rows.add();
    if (count === Infinity) checkCount(file, rows.count);
    const fault = (message: string) => faults.add(() => ({ path: atLine(file, line), message }));
    if (found !== columns.length) fault(`has ${found} values where the header names ${columns.length}`);
    else storeRow(targets, columns, values, place, fault);
    lines.pass(end);
  }
  const table: ParticleTable = { ...rows.table(), firstLine };
  const repeated = table.ids ? repeatedIds(file, table.ids, (k) => `line ${firstLine + k}`) : [];
  return { table, faults: faults.faults.length > 0 ? faults.faults : repeated };
}

/** @throws SceneError */
function checkCount(file: string, count: number): void {
  if (count <= MAX_GRAINS) return;
  const known = count === MAX_GRAINS + 1 ? `more than ${MAX_GRAINS}` : String(count);
  throw new SceneError([{ path: file, message: `holds ${known} grains; the most that one scene can hold is ${MAX_GRAINS}` }]);
}

const isBlank = (text: string, start: number, end: number): boolean => {
  for (let k = start; k < end; k++) if (text.charCodeAt(k) > 32) return false;
  return true;
};

/** More columns are no table of grains. */
export const MOST_COLUMNS = 1000;

function columnFaults(columns: readonly string[]): string[] {
  if (columns.length > MOST_COLUMNS) return [`names ${columns.length} columns; the most that are read are ${MOST_COLUMNS}`];
  const faults: string[] = [];
  for (const names of Object.values(TRIPLES)) {
    const missing = names.filter((name) => !columns.includes(name));
    if (missing.length > 0 && (names === TRIPLES.positions || missing.length < 3)) {
      const scaled = columns.find((name) => /^[xyz]su?$/.test(name));
      const mend = scaled ? `${scaled} is scaled by a box: write plain coordinates` : `all of ${names.join(', ')} are needed`;
      faults.push(`has no column ${missing.join(', ')}; ${mend}`);
    }
  }
  if (columns.includes('radius') && columns.includes('diameter')) {
    faults.push('has both columns radius and diameter; keep one');
  }
  if (!columns.includes('radius') && !columns.includes('diameter')) {
    faults.push('has no column radius (nor diameter); write the file again with the radius of each grain');
  }
  return faults;
}

/** What the values of a column may be. */
interface Limits {
  /** Zero and below are refused. */
  positive?: boolean;
  /** Of whole numbers: the least and the largest. */
  whole?: readonly [number, number];
}

interface Target extends Limits {
  column: Column;
  component: number;
  scale: number;
  /** A column before it that has its name, and must have its values. */
  same?: number;
}

/** What a finite value should be instead; undefined where it can be what it is. */
export function limitFault(value: number, { positive, whole }: Limits): string | undefined {
  if (whole && !(Number.isInteger(value) && value >= whole[0] && value <= whole[1]))
    return `expected a whole number from ${whole[0]} to ${whole[1]}`;
  return positive && value <= 0 ? 'it must be above 0' : undefined;
}

/** Where the values of a column go and what they may be, by its name, the triples apart. */
export const SINGLES = {
  radius: { key: 'radii', scale: 1, positive: true },
  diameter: { key: 'radii', scale: 0.5, positive: true },
  mass: { key: 'masses', scale: 1, positive: true },
  id: { key: 'ids', scale: 1, whole: [0, Number.MAX_SAFE_INTEGER] },
  type: { key: 'types', scale: 1, whole: [1, 2 ** 31] },
} as const satisfies Record<string, Omit<Target, 'column' | 'component'> & { key: ColumnKey }>;

/** The arrays of a table with such columns, and where each column goes; undefined for those that are passed over. */
function makeRows(names: readonly string[]): { rows: GrainRows; targets: (Target | undefined)[] } {
  const columns = new Map<ColumnKey, Column>();
  const columnOf = (key: ColumnKey) => {
    const column = columns.get(key) ?? new Column(key);
    columns.set(key, column);
    return column;
  };
  const targetOf = (name: string): Target | undefined => {
    for (const [key, triple] of Object.entries(TRIPLES)) {
      const component = (triple as readonly string[]).indexOf(name);
      if (component >= 0) return { column: columnOf(key as ColumnKey), component, scale: 1 };
    }
    if (!Object.hasOwn(SINGLES, name)) return undefined;
    const { key, ...single } = SINGLES[name as keyof typeof SINGLES];
    return { ...single, column: columnOf(key), component: 0 };
  };
  const targets = names.map((name, k): Target | undefined => {
    const target = targetOf(name);
    const first = names.indexOf(name);
    return target && first < k ? { ...target, same: first } : target;
  });
  return { rows: new GrainRows([...columns.values()]), targets };
}

function storeRow(
  targets: readonly (Target | undefined)[],
  columns: readonly string[],
  values: readonly string[],
  row: number,
  fault: (message: string) => void,
): void {
  for (let k = 0; k < targets.length; k++) {
    const target = targets[k];
    if (!target) continue;
    const value = DECIMAL.test(values[k]) ? Number(values[k]) : Number.NaN;
    if (!Number.isFinite(value)) {
      fault(`${columns[k]} is ${formatValue(values[k])}; expected a finite number`);
      continue;
    }
    const { same } = target;
    if (same !== undefined && value !== Number(values[same])) {
      fault(`has ${columns[k]} twice, as ${formatValue(values[same])} and ${formatValue(values[k])}; keep one`);
      continue;
    }
    const wrong = limitFault(value, target);
    if (wrong !== undefined) fault(`${columns[k]} is ${values[k]}; ${wrong}`);
    else target.column.array[target.column.width * row + target.component] = target.scale * value;
  }
}

/** Cuts a row into its values without making a list for each row. @returns how many there are */
function splitRow(text: string, start: number, end: number, separator: RowFormat['separator'], values: string[]): number {
  let found = 0;
  let at = start;
  if (separator === 'comma') {
    while (at <= end) {
      let comma = text.indexOf(',', at);
      if (comma < 0 || comma > end) comma = end;
      if (found < values.length) values[found] = text.slice(at, comma).trim();
      found++;
      at = comma + 1;
    }
    return found;
  }
  while (at < end) {
    while (at < end && text.charCodeAt(at) <= 32) at++;
    const begin = at;
    while (at < end && text.charCodeAt(at) > 32) at++;
    if (at === begin) break;
    if (found < values.length) values[found] = text.slice(begin, at);
    found++;
  }
  return found;
}

/** One fault in a file. */
export function fileError(file: string, line: number, message: string): SceneError {
  const fault: Fault = { path: atLine(file, line), message };
  return new SceneError([fault]);
}
