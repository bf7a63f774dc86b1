import type { ContactState } from '../report';
import { parseVtp } from './readVtp';
import { type ParticleTable, stepOf } from './table';
import { decode } from './vtkArrays';
import { fault } from './vtkXml';

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
  const { file, pieces, fieldData } = parseVtp(name, bytes);
  if (pieces.length !== 1) throw fault(name, `is no contact frame of a run: it has ${pieces.length} pieces`);
  const [{ points, lines: count, section }] = pieces;
  const array = (tag: string, key: string) => section(tag).find(({ attributes }) => attributes.Name === key);
  const values = async (key: string, components: number) => {
    const data = array('CellData', key);
    if (!data) throw fault(name, `is no contact frame of a run: it has no cell data "${key}"`);
    return decode(file, data, components * count, key);
  };
  const told = fieldData.find(({ attributes }) => attributes.Name === 'step');
  const { step } = stepOf(told && (await decode(file, told, 1, 'step'))[0]);
  if (step !== undefined && grains.step !== undefined && step !== grains.step)
    throw fault(name, `is of step ${step}, its grain frame of step ${grains.step}: put frames of one step beside each other`);
  const [places, lines] = [array('Points', 'Points'), array('Lines', 'connectivity')];
  if (!places || !lines) throw fault(name, 'is no contact frame of a run: it has no points or no lines');
  const at = await decode(file, places, 3 * points, 'Points');
  const ends = await decode(file, lines, 2 * count, 'connectivity');
  const [first, second] = [await values('first', 1), await values('second', 1)];
  if (first.some((i) => !(i >= 0 && i < grains.count)) || ends.some((k) => !(k >= 0 && k < points))) {
    throw fault(name, `names grains that are not among the ${grains.count} of its grain frame`);
  }
  const normals = new Float64Array(3 * count);
  for (let c = 0; c < count; c++) {
    const way = [0, 1, 2].map((axis) => at[3 * ends[2 * c + 1] + axis] - at[3 * ends[2 * c] + axis]);
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
    torques: new Float64Array(3 * count),
    states: Uint8Array.from(await values('state', 1)),
  };
}
