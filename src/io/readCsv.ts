import { SceneError } from '../errors';
import { nearest } from '../scene/faults';
import { DECIMAL, type Frame, fileError, MOST_COLUMNS, readRows } from './table';
import type { TextLines } from './textLines';

/** As the dumps of LAMMPS call them. */
const ALIASES = new Map(Object.entries({ omegax: 'wx', omegay: 'wy', omegaz: 'wz' }));
/** An empty one is that of row numbers, as pandas writes it. */
const COLUMNS = ['x', 'y', 'z', 'radius', 'diameter', 'vx', 'vy', 'vz', 'wx', 'wy', 'wz', 'mass', 'id', 'type', ''];

/**
 * Reads a table of grains: the first line names the columns, in any order: x, y, z and radius (or diameter), and where
 * wanted vx, vy, vz, wx (or omegax), wy, wz, mass, id, type. A column without a name is passed over.
 * @returns undefined where nothing is left
 * @throws SceneError naming file and line
 */
export async function readCsv(lines: TextLines): Promise<Frame | undefined> {
  const { file } = lines;
  if ((await lines.peekFilled()) === undefined) return undefined;
  const headerLine = lines.line;
  const names = (await lines.next())!.replace(/^\uFEFF/, '').split(',');
  const columns = names.map((name) => {
    const plain = name
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .toLowerCase();
    return ALIASES.get(plain) ?? plain;
  });
  const header = 'the first line must name the columns, such as x,y,z,radius';
  if (names[0].trimStart().startsWith('#'))
    throw fileError(file, headerLine, `begins with #; ${header}: take the # or the line out`);
  if (columns.every((name) => DECIMAL.test(name)))
    throw fileError(file, headerLine, `has numbers alone; ${header}: add that line`);
  // Of a table of far too many readRows tells.
  const unknown = columns.length > MOST_COLUMNS ? undefined : columns.find((name) => !COLUMNS.includes(name));
  if (unknown !== undefined) {
    const meant = unknown.length > 2 && nearest(unknown, COLUMNS);
    const known = `rename it or take it out: the columns are ${COLUMNS.filter(Boolean).join(', ')}`;
    const hint = meant ? `did you mean ${meant}?` : /[;\t]/.test(unknown) ? 'put commas between the columns' : known;
    throw fileError(file, headerLine, `has the unknown column ${JSON.stringify(unknown)}; ${hint}`);
  }
  const { table, faults } = await readRows(lines, { separator: 'comma', columns });
  const end = lines.line;
  if ((await lines.peekFilled()) !== undefined) throw fileError(file, end, 'is blank, and grains follow; remove it');
  if (faults.length > 0) throw new SceneError(faults);
  if (table.count === 0) throw fileError(file, headerLine, 'is followed by no grains');
  return table;
}
