import { nearest } from '../scene/faults';
import { fileError, type ParticleTable, readRows } from './table';

const COLUMNS = ['x', 'y', 'z', 'radius', 'diameter', 'vx', 'vy', 'vz', 'wx', 'wy', 'wz', 'mass', 'id', 'type'];

/**
 * Reads a table of grains: the first line names the columns, in any order: x, y, z and radius (or diameter), and where
 * wanted vx, vy, vz, wx, wy, wz, mass, id, type.
 * @throws SceneError naming file and line
 */
export function readCsv(file: string, text: string): ParticleTable {
  const body = text.trimEnd();
  const headerEnd = body.indexOf('\n') < 0 ? body.length : body.indexOf('\n');
  const columns = body
    .slice(0, headerEnd)
    .replace(/^\uFEFF/, '')
    .split(',')
    .map((name) =>
      name
        .trim()
        .replace(/^"(.*)"$/, '$1')
        .toLowerCase(),
    );
  const unknown = columns.find((name) => !COLUMNS.includes(name));
  if (unknown !== undefined) {
    const meant = nearest(unknown, COLUMNS);
    const hint = meant ? `did you mean ${meant}?` : `expected a header such as x,y,z,radius,vx,vy,vz`;
    throw fileError(file, 1, `has the unknown column ${JSON.stringify(unknown)}; ${hint}`);
  }
  const count = countLines(body, headerEnd + 1);
  if (count === 0) throw fileError(file, 1, 'is followed by no grains');
  return readRows({ file, text: body, offset: headerEnd + 1, line: 2, count, separator: 'comma', columns });
}

function countLines(text: string, offset: number): number {
  if (offset >= text.length) return 0;
  let lines = 1;
  for (let at = text.indexOf('\n', offset); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
