import { type Fault, SceneError } from '../errors';
import { FaultList, formatValue } from '../scene/faults';
import { MAX_GRAINS } from '../scene/limits';

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
  /** Of the frame, where the file tells it. */
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

/** Rows of numbers in a text. */
export interface Rows {
  file: string;
  text: string;
  /** Where the first row begins, and its line, counted from 1. */
  offset: number;
  line: number;
  count: number;
  separator: 'blank' | 'comma';
  /** Names of the columns, lower case: x, y, z, radius or diameter, vx, vy, vz, wx, wy, wz, mass, id, type; others are passed over. */
  columns: readonly string[];
}

const TRIPLES = { positions: ['x', 'y', 'z'], velocities: ['vx', 'vy', 'vz'], angularVelocities: ['wx', 'wy', 'wz'] } as const;

/** What Number() takes beside, such as 0x10, is more likely a slip than a number. */
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Where a fault in a file lies. */
export const atLine = (file: string, line: number): string => `${file} line ${line}`;

/**
 * Reads rows of numbers into arrays.
 * @throws SceneError naming file and line of every row at fault
 */
export function readRows(rows: Rows): ParticleTable {
  const { file, columns, count, line } = rows;
  const headerFaults = columnFaults(columns).map((message) => ({ path: atLine(file, line - 1), message }));
  if (count > MAX_GRAINS)
    headerFaults.push({ path: file, message: `holds ${count} grains; the most that one scene can hold is ${MAX_GRAINS}` });
  if (headerFaults.length > 0) throw new SceneError(headerFaults);

  const table: ParticleTable = { count, positions: new Float64Array(3 * count), radii: new Float64Array(count), firstLine: line };
  if (columns.includes('vx')) table.velocities = new Float64Array(3 * count);
  if (columns.includes('wx')) table.angularVelocities = new Float64Array(3 * count);
  if (columns.includes('mass')) table.masses = new Float64Array(count);
  if (columns.includes('id')) table.ids = new Float64Array(count);
  if (columns.includes('type')) table.types = new Uint32Array(count);
  const faults = new FaultList(`in ${file}`);
  const targets = columns.map((name) => columnTarget(table, name));
  const values = new Array<string>(columns.length);

  let offset = rows.offset;
  for (let row = 0; row < count; row++) {
    let end = rows.text.indexOf('\n', offset);
    if (end < 0) end = rows.text.length;
    const found = splitRow(rows.text, offset, end, rows.separator, values);
    offset = end + 1;
    const at = (message: string) => faults.add(() => ({ path: atLine(file, line + row), message }));
    if (found !== columns.length) at(`has ${found} values where the header names ${columns.length}`);
    else storeRow(targets, columns, values, row, at);
  }
  if (faults.faults.length > 0) throw new SceneError(faults.faults);
  return table;
}

function columnFaults(columns: readonly string[]): string[] {
  const faults: string[] = [];
  for (const [index, name] of columns.entries()) {
    if (columns.indexOf(name) < index) faults.push(`names the column ${formatValue(name)} twice`);
  }
  for (const names of Object.values(TRIPLES)) {
    const missing = names.filter((name) => !columns.includes(name));
    if (missing.length > 0 && (names === TRIPLES.positions || missing.length < 3)) {
      faults.push(`has no column ${missing.join(', ')}; all of ${names.join(', ')} are needed`);
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

interface Target {
  array: Float64Array | Uint32Array;
  stride: number;
  component: number;
  scale: number;
  /** Zero and below are refused. */
  positive: boolean;
  /** Of whole numbers: the least and the largest. */
  whole?: readonly [number, number];
}

/** Where the values of a column go; undefined for columns that are passed over. */
function columnTarget(table: ParticleTable, name: string): Target | undefined {
  for (const [key, names] of Object.entries(TRIPLES)) {
    const component = (names as readonly string[]).indexOf(name);
    if (component >= 0) return { array: table[key as keyof typeof TRIPLES]!, stride: 3, component, scale: 1, positive: false };
  }
  if (name === 'radius') return { array: table.radii, stride: 1, component: 0, scale: 1, positive: true };
  if (name === 'diameter') return { array: table.radii, stride: 1, component: 0, scale: 0.5, positive: true };
  if (name === 'mass') return { array: table.masses!, stride: 1, component: 0, scale: 1, positive: true };
  if (name === 'id')
    return { array: table.ids!, stride: 1, component: 0, scale: 1, positive: false, whole: [0, Number.MAX_SAFE_INTEGER] };
  if (name === 'type') return { array: table.types!, stride: 1, component: 0, scale: 1, positive: false, whole: [1, 2 ** 31] };
  return undefined;
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
    if (!Number.isFinite(value)) fault(`${columns[k]} is ${formatValue(values[k])}; expected a finite number`);
    else if (target.whole && !(Number.isInteger(value) && value >= target.whole[0] && value <= target.whole[1]))
      fault(`${columns[k]} is ${values[k]}; expected a whole number from ${target.whole[0]}`);
    else if (target.positive && value <= 0) fault(`${columns[k]} is ${values[k]}; it must be above 0`);
    else target.array[target.stride * row + target.component] = target.scale * value;
  }
}

/** Cuts a row into its values without making a list for each row. @returns how many there are */
function splitRow(text: string, start: number, end: number, separator: Rows['separator'], values: string[]): number {
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

/** Counts lines up to `offset`: the line that holds it, from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** One fault in a file. */
export function fileError(file: string, line: number, message: string): SceneError {
  const fault: Fault = { path: atLine(file, line), message };
  return new SceneError([fault]);
}
