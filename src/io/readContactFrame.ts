import type { ContactState } from '../report';
import { isContactPiece, parseVtp } from './readVtp';
import { type ParticleTable, stepOf } from './table';
import { decode } from './vtkArrays';
import { fault, type VtkElement } from './vtkXml';

/** What a contact frame gives, column by column: the data of its lines as they are named in it, and where the lines end. */
export interface ContactTable {
  count: number;
  columns: { names: string[]; values: Float64Array }[];
}

/**
 * Reads a contact frame that a run has left (.vtp with a line per contact): forces, gaps and states, and normals along the lines.
 * @param grains its grain frame
 * @throws SceneError naming the file
 */
export async function readContactFrame(
  name: string,
  bytes: Uint8Array,
  grains: Pick<ParticleTable, 'count' | 'step'>,
): Promise<ContactState> {
  const frame = openFrame(name, bytes);
  const { count } = frame;
  const values = async (key: string, components: number) => {
    const data = frame.data.find(({ attributes }) => attributes.Name === key);
    if (!data) throw fault(name, `is no contact frame of a run: it has no cell data "${key}"`);
    return decode(frame.file, data, components * count, key);
  };
  const told = frame.fieldData.find(({ attributes }) => attributes.Name === 'step');
  const { step } = stepOf(told && (await decode(frame.file, told, 1, 'step'))[0]);
  if (step !== undefined && grains.step !== undefined && step !== grains.step)
    throw fault(name, `is of step ${step}, its grain frame of step ${grains.step}: put frames of one step beside each other`);
  const [first, second] = [await values('first', 1), await values('second', 1)];
  if (first.some((i) => !(i >= 0 && i < grains.count)))
    throw fault(name, `names grains that are not among the ${grains.count} of its grain frame`);
  const [from, to] = await frame.ends();
  const normals = new Float64Array(3 * count);
  for (let c = 0; c < count; c++) {
    const way = [0, 1, 2].map((axis) => to[3 * c + axis] - from[3 * c + axis]);
    const length = Math.hypot(...way) || 1;
    normals.set(
      way.map((x) => x / length),
      3 * c,
    );
  }
  return {
    count,
    first: Uint32Array.from(first),
    second: Uint32Array.from(second),
    normals,
    gaps: await values('gap', 1),
    forces: await values('force', 3),
    torques: frame.data.some(({ attributes }) => attributes.Name === 'torque')
      ? await values('torque', 3)
      : new Float64Array(3 * count),
    states: Uint8Array.from(await values('state', 1)),
  };
}

/**
 * Reads all that a contact frame tells: a vector gives three columns, whose names end in X, Y and Z.
 * @throws SceneError naming the file
 */
export async function contactTable(name: string, bytes: Uint8Array): Promise<ContactTable> {
  const { file, data, count, ends } = openFrame(name, bytes);
  const columns: ContactTable['columns'] = [];
  for (const array of data) {
    const { Name: key = '', NumberOfComponents: told = '1' } = array.attributes;
    const components = Number(told);
    if (components !== 1 && components !== 3)
      throw fault(name, `the cell data "${key}" have ${told} components; expected 1, or the 3 of a vector`);
    columns.push({
      names: components === 1 ? [key] : alongAxes(key),
      values: await decode(file, array, components * count, key),
    });
  }
  const [from, to] = await ends();
  return { count, columns: [...columns, { names: alongAxes('from'), values: from }, { names: alongAxes('to'), values: to }] };
}

const alongAxes = (key: string) => ['X', 'Y', 'Z'].map((axis) => `${key}${axis}`);

/** A contact frame: the data of its lines, and both ends of each, C x 3. @throws SceneError for any other file */
function openFrame(name: string, bytes: Uint8Array) {
  const { file, pieces, fieldData } = parseVtp(name, bytes);
  if (pieces.length !== 1) throw fault(name, `is no contact frame of a run: it has ${pieces.length} pieces`);
  const [piece] = pieces;
  if (!isContactPiece(piece)) throw fault(name, 'is no contact frame of a run: it has no cell data "first" and "second"');
  const { points, lines: count, section } = piece;
  const arrayOf = (tag: string, key: string): VtkElement | undefined =>
    section(tag).find(({ attributes }) => attributes.Name === key);
  const ends = async () => {
    const [places, lines] = [arrayOf('Points', 'Points') ?? section('Points')[0], arrayOf('Lines', 'connectivity')];
    if (!places || !lines) throw fault(name, 'is no contact frame of a run: it has no points or no lines');
    const at = await decode(file, places, 3 * points, 'Points');
    const corners = await decode(file, lines, 2 * count, 'connectivity');
    if (corners.some((k) => !(k >= 0 && k < points))) throw fault(name, `has lines that end at none of its ${points} points`);
    return [0, 1].map((end) =>
      Float64Array.from({ length: 3 * count }, (_, k) => at[3 * corners[2 * Math.floor(k / 3) + end] + (k % 3)]),
    );
  };
  return { file, fieldData, count, data: section('CellData'), ends };
}
