import { SceneError } from '../errors';
import { MAX_GRAINS } from '../scene/limits';
import { concatenated } from './joinTables';
import { repeatedIds } from './repeatedIds';
import { boxAround, boxFault, limitFault, type ParticleTable, periodicBox, SINGLES, stepOf } from './table';
import { COMPRESSORS, decode, type VtkFile } from './vtkArrays';
import { fault, parseVtkXml, type VtkElement } from './vtkXml';

/** Of points, and of lines, in a piece: VTK's indices reach as far in files of 32 bits. */
const MOST_COUNT = 2 ** 31;

/** Names of point data, lower case, that say the same. */
const NAMES: Record<string, readonly string[]> = {
  radius: ['radius', 'radii'],
  diameter: ['diameter'],
  velocity: ['velocity', 'velocities', 'v'],
  angularVelocity: ['angularvelocity', 'angular velocity', 'omega'],
  mass: ['mass'],
  id: ['id', 'ids'],
  material: ['material'],
  type: ['type'],
};

/** What point data may be, as in texts; a material is a type less one. */
const LIMITS = { ...SINGLES, material: { whole: SINGLES.type.whole.map((end) => end - 1) as [number, number] } };

/** @throws SceneError naming the point */
function checkValues(name: string, what: keyof typeof LIMITS, values: Float64Array): void {
  const wrong = (value: number) => limitFault(value, LIMITS[what]);
  const bad = values.findIndex((value) => wrong(value) !== undefined);
  if (bad >= 0) throw fault(name, `point ${bad}: the ${what} is ${values[bad]}; ${wrong(values[bad])}`);
}

/** Part of a file, with points and cells of its own. */
export interface VtpPiece {
  points: number;
  lines: number;
  /** Polygons and strips of triangles. */
  faces: number;
  /** The arrays of a section such as `PointData`. */
  section(name: string): readonly VtkElement[];
}

/** Whether it is of a contact frame of a run, which has a line per contact and no figures of grains. */
export const isContactPiece = ({ section }: VtpPiece): boolean =>
  ['first', 'second'].every((key) => section('CellData').some(({ attributes }) => attributes.Name === key));

/** A contact frame where grains are wanted. */
export class ContactFrameError extends SceneError {
  constructor(path: string) {
    const message =
      'holds the contacts of a run, not its grains: take the grain frame of its step (grains-...), or write it by `convert` as .csv';
    super([{ path, message }]);
  }
}

/**
 * Reads the points of a VTK PolyData file (.vtp): ASCII, inline binary or appended (raw or base64), compressed by zlib, LZ4 or not,
 * either byte order, pieces one after the other. Needs point data `radius` (or `diameter`, not both); takes velocity, angularVelocity, mass, id,
 * and material (from 0) or type (from 1), or both where they agree.
 * @throws SceneError naming the file
 */
export async function readVtp(name: string, bytes: Uint8Array): Promise<ParticleTable> {
  const { file, pieces, fieldData } = parseVtp(name, bytes);
  const filled = pieces.filter(({ points }) => points > 0);
  const count = filled.reduce((sum, { points }) => sum + points, 0);
  if (pieces.length > 0 && pieces.every(isContactPiece)) throw new ContactFrameError(name);
  if (count < 1) throw fault(name, 'holds no points');
  if (pieces.some(({ faces }) => faces > 0))
    throw fault(
      name,
      'holds a surface, as glyphs are, whose points are no centres of grains; write the points without the glyphs',
    );
  if (count > MAX_GRAINS) throw fault(name, `holds ${count} points; the most that one scene can hold is ${MAX_GRAINS}`);

  const values = async (what: string, components: number) => {
    const arrays = filled.map((piece) => named(name, piece, what));
    if (!arrays.includes(undefined)) {
      const all = await joinPieces(file, filled, arrays as VtkElement[], components, what);
      if (what in LIMITS) checkValues(name, what as keyof typeof LIMITS, all);
      return all;
    }
    if (arrays.some((array) => array !== undefined))
      throw fault(name, `has no ${what} in one of its pieces; all or none must have it`);
    return undefined;
  };
  const radii = await values('radius', 1);
  const diameters = await values('diameter', 1);
  if (radii && diameters) throw fault(name, 'has both point data "radius" and "diameter"; keep one');
  if (!radii && !diameters)
    throw fault(name, 'has no point data "radius" (nor "diameter"); write it with the radius of each grain');
  const places = filled.map((piece) => piece.section('Points')[0]);
  if (!places.every(Boolean)) throw fault(name, 'has no points');
  const types = await values('type', 1);
  const materials = await values('material', 1);
  if (types && materials?.some((material, k) => material + 1 !== types[k]))
    throw fault(name, 'has point data "type" and "material" that differ: a type is a material plus one; keep one of them');
  const field = async (what: string, components: number) => {
    const array = fieldData.find(({ attributes }) => attributes.Name === what);
    return array && decode(file, array, components, what);
  };
  const ids = await values('id', 1);
  const repeated = ids ? repeatedIds(name, ids) : [];
  if (repeated.length > 0) throw new SceneError(repeated);
  const [time, step] = [await field('TimeValue', 1), await field('step', 1)];
  const [low, lengths] = [await field('periodicMin', 3), await field('periodicLengths', 3)];
  const table: ParticleTable = {
    count,
    positions: await joinPieces(file, filled, places, 3, 'Points'),
    radii: radii ?? diameters!.map((diameter) => diameter / 2),
    velocities: await values('velocity', 3),
    angularVelocities: await values('angularVelocity', 3),
    masses: await values('mass', 1),
    ids,
    types: types ? Uint32Array.from(types) : materials && Uint32Array.from(materials, (material) => material + 1),
    ...(time && { time: time[0] }),
    ...stepOf(step?.[0]),
  };
  if (low && lengths) {
    table.box = periodicBox(boxAround(table), low, lengths);
    const wrong = lengths.some((length) => length < 0) ? `the periodic lengths are ${lengths.join(', ')}` : boxFault(table.box);
    if (wrong !== undefined) throw fault(name, `${wrong}; periodicLengths are above 0, or 0 along axes that are open`);
  }
  return table;
}

/** @throws SceneError where there are two: which is meant is anyone's guess */
function named(name: string, piece: VtpPiece, what: string): VtkElement | undefined {
  const found = piece
    .section('PointData')
    .filter(({ attributes }) => NAMES[what].includes((attributes.Name ?? '').toLowerCase()));
  if (found.length < 2) return found[0];
  const names = found.map(({ attributes }) => JSON.stringify(attributes.Name)).join(' and ');
  throw fault(name, `has the point data ${names}, which are the same; keep one`);
}

/** An array of each piece, one after the other. */
async function joinPieces(
  file: VtkFile,
  pieces: readonly VtpPiece[],
  arrays: readonly VtkElement[],
  components: number,
  what: string,
): Promise<Float64Array> {
  const parts: Float64Array[] = [];
  for (const [k, array] of arrays.entries()) parts.push(await decode(file, array, components * pieces[k].points, what));
  return parts.length === 1 ? parts[0] : concatenated(parts);
}

/** The pieces of a file and what is needed to decode their arrays. @throws SceneError naming the file */
export function parseVtp(
  name: string,
  bytes: Uint8Array,
): { file: VtkFile; pieces: VtpPiece[]; fieldData: readonly VtkElement[] } {
  const root = parseVtkXml(name, bytes).children.find((element) => element.name === 'VTKFile');
  if (!root) throw fault(name, 'is not a VTK XML file: it has no <VTKFile>');
  const { type, compressor, byte_order, header_type } = root.attributes;
  if (type !== 'PolyData') throw fault(name, `holds ${type ?? 'no type'}; only PolyData (.vtp) can be read`);
  const expandBlock = compressor === undefined ? undefined : COMPRESSORS.get(compressor);
  if (compressor !== undefined && !expandBlock) {
    throw fault(
      name,
      `is compressed by ${compressor}, which is not supported; write it with zlib, LZ4 or uncompressed (in VTK: writer.SetCompressorTypeToZLib())`,
    );
  }
  const child = ({ children }: VtkElement, tag: string) => children.filter((element) => element.name === tag);
  const arrays = (parent: VtkElement, section: string) => child(parent, section).flatMap((found) => child(found, 'DataArray'));
  const count = ({ attributes }: VtkElement, key: string) => {
    const text = attributes[key] ?? '0';
    if (/^\d+$/.test(text) && Number(text) <= MOST_COUNT) return Number(text);
    const message = `has a piece with ${key}="${text.slice(0, 40)}"; expected a whole number from 0 to ${MOST_COUNT}: the file is damaged, write it again`;
    throw fault(name, message);
  };
  const [data] = child(root, 'PolyData');
  if (!data) throw fault(name, 'holds no <PolyData>; it was cut short');
  const pieces = child(data, 'Piece').map(
    (piece): VtpPiece => ({
      points: count(piece, 'NumberOfPoints'),
      lines: count(piece, 'NumberOfLines'),
      faces: count(piece, 'NumberOfPolys') + count(piece, 'NumberOfStrips'),
      section: (section) => arrays(piece, section),
    }),
  );
  const [appended] = child(root, 'AppendedData');
  const mark = appended ? bytes.indexOf(95, appended.content.start) : -1; // "_", before the first byte
  return {
    file: {
      name,
      bytes,
      littleEndian: byte_order !== 'BigEndian',
      headerBytes: header_type === 'UInt64' ? 8 : 4,
      ...(expandBlock && { expandBlock }),
      ...(mark >= 0 && { appended: { start: mark + 1, base64: appended.attributes.encoding === 'base64' } }),
    },
    pieces,
    fieldData: arrays(data, 'FieldData'),
  };
}
