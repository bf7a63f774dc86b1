import { encodePolyData } from './polyData';
import { boxAround, type ParticleBox, type ParticleTable } from './table';
import { periodicFields } from './vtp';

/** Rows that are put together before they are handed on. */
const ROWS_AT_ONCE = 4096;

/** A column of a text: its names, and where its numbers are. */
interface Column {
  names: string[];
  values: ArrayLike<number>;
}

/**
 * A frame as a text in pieces. Numbers are as short as they can be and still be read back to the same bits.
 * Grains without ids get their place in the table, from 1.
 * @param contacts of each grain, of the frames of a run
 */
export function* writeText(table: ParticleTable, format: 'dump' | 'csv' | 'xyz', contacts?: Uint32Array): Generator<string> {
  const columns = columnsOf(table, format);
  if (contacts) columns.push({ names: ['contacts'], values: contacts });
  if (format === 'csv') {
    yield* writeTable(table.count, columns);
    return;
  }
  if (format === 'dump') yield dumpHeader(table, namesOf(columns));
  else yield `${table.count}\n${xyzComment(table, columns)}\n`;
  yield* rows(table.count, columns, ' ');
}

/** Columns as .csv in pieces, below a header. @param columns each has as many numbers in a row as names */
export function* writeTable(count: number, columns: readonly Column[]): Generator<string> {
  const quoted = (name: string) => (/[",\r\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);
  yield `${namesOf(columns).map(quoted).join(',')}\n`;
  yield* rows(count, columns, ',');
}

const namesOf = (columns: readonly Column[]) => columns.flatMap(({ names }) => names);

function columnsOf(
  { count, positions, radii, velocities, angularVelocities, masses, ids, types }: ParticleTable,
  format: string,
): Column[] {
  const angular = format === 'dump' ? ['omegax', 'omegay', 'omegaz'] : ['wx', 'wy', 'wz'];
  const optional = (names: string[], values: ArrayLike<number> | undefined): Column[] => (values ? [{ names, values }] : []);
  const places = { length: count } as ArrayLike<number>;
  return [
    { names: ['id'], values: ids ?? Float64Array.from(places, (_, k) => k + 1) },
    { names: ['type'], values: types ?? new Uint32Array(count).fill(1) },
    { names: ['x', 'y', 'z'], values: positions },
    { names: ['radius'], values: radii },
    ...optional(['vx', 'vy', 'vz'], velocities),
    ...optional(angular, angularVelocities),
    ...optional(['mass'], masses),
  ];
}

function* rows(count: number, columns: readonly Column[], separator: string): Generator<string> {
  for (let start = 0; start < count; start += ROWS_AT_ONCE) {
    let text = '';
    for (let row = start; row < Math.min(count, start + ROWS_AT_ONCE); row++) {
      let line = '';
      for (const { names, values } of columns) {
        for (let c = 0; c < names.length; c++)
          line += `${line === '' ? '' : separator}${shortest(values[names.length * row + c])}`;
      }
      text += `${line}\n`;
    }
    yield text;
  }
}

/** As String, but that minus zero stays so. */
const shortest = (value: number) => (value === 0 && 1 / value < 0 ? '-0' : `${value}`);

/** Of files without a box: around all grains. */
const boxOf = (table: ParticleTable): ParticleBox => table.box ?? boxAround(table);

function dumpHeader(table: ParticleTable, names: readonly string[]): string {
  const { min, max, periodic } = boxOf(table);
  const time = table.time === undefined ? '' : `ITEM: TIME\n${table.time}\n`;
  const kinds = periodic.map((axis) => (axis ? 'pp' : 'ff')).join(' ');
  const bounds = min.map((low, axis) => `${low} ${max[axis]}\n`).join('');
  return `${time}ITEM: TIMESTEP\n${table.step ?? 0}\nITEM: NUMBER OF ATOMS\n${table.count}\nITEM: BOX BOUNDS ${kinds}\n${bounds}ITEM: ATOMS ${names.join(' ')}\n`;
}

/** Names of properties as OVITO takes them. */
const PROPERTIES: Record<string, string> = {
  id: 'id:I:1',
  type: 'species:S:1',
  x: 'pos:R:3',
  radius: 'radius:R:1',
  vx: 'velo:R:3',
  wx: 'angular_velocity:R:3',
  mass: 'mass:R:1',
  contacts: 'contacts:I:1',
};

function xyzComment(table: ParticleTable, columns: readonly Column[]): string {
  const { min, max, periodic } = boxOf(table);
  const [a, b, c] = max.map((high, axis) => high - min[axis]);
  const properties = columns.map(({ names }) => PROPERTIES[names[0]]).join(':');
  const time = table.time === undefined ? '' : ` Time=${table.time}`;
  const step = table.step === undefined ? '' : ` Step=${table.step}`;
  const pbc = periodic.map((axis) => (axis ? 'T' : 'F')).join(' ');
  return `Lattice="${a} 0 0 0 ${b} 0 0 0 ${c}" Origin="${min.join(' ')}" pbc="${pbc}" Properties=${properties}${time}${step}`;
}

/** Along periodic axes, 0 along others. */
const lengthsOf = ({ min, max, periodic }: ParticleBox) =>
  periodic.map((is, axis) => (is ? max[axis] - min[axis] : 0)) as ParticleBox['min'];

/** A frame as .vtp: one point and one vertex cell per grain, all in double precision. */
export function writeVtp({
  count,
  positions,
  radii,
  velocities,
  angularVelocities,
  masses,
  ids,
  types,
  time,
  step,
  box,
}: ParticleTable): Uint8Array {
  const optional = (name: string, values: Float64Array | Uint32Array | undefined, components = 1) =>
    values ? [{ name, values, components }] : [];
  return encodePolyData({
    fieldData: periodicFields(box?.periodic.some(Boolean) ? { min: box.min, lengths: lengthsOf(box) } : undefined),
    time,
    step,
    points: positions,
    cells: { kind: 'verts', size: 1, connectivity: Int32Array.from({ length: count }, (_, k) => k) },
    pointData: [
      { name: 'id', values: ids ?? Float64Array.from({ length: count }, (_, k) => k + 1) },
      { name: 'radius', values: radii },
      ...optional('velocity', velocities, 3),
      ...optional('angularVelocity', angularVelocities, 3),
      ...optional('mass', masses),
      ...optional('material', types && Uint32Array.from(types, (type) => type - 1)),
    ],
    cellData: [],
  });
}
