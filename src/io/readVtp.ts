import { SceneError } from '../errors';
import { MAX_GRAINS } from '../scene/limits';
import { expand, joined, oneChunk } from './bytes';
import type { ParticleTable } from './table';

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

export interface DataArray {
  attributes: Record<string, string>;
  /** What stands between its tags. */
  content: string;
}

export interface VtpFile {
  name: string;
  bytes: Uint8Array;
  littleEndian: boolean;
  /** Bytes of the lengths before the data. */
  headerBytes: 4 | 8;
  compressed: boolean;
  /** Where the appended bytes begin, and whether they are base64. */
  appended?: { start: number; base64: boolean };
}

/**
 * Reads the points of a VTK PolyData file (.vtp): ASCII, inline binary or appended (raw or base64), compressed by zlib or not, either
 * byte order. Needs point data `radius` (or `diameter`); takes velocity, angularVelocity, mass, id, and material (from 0) or type (from 1).
 * @throws SceneError naming the file
 */
export async function readVtp(name: string, bytes: Uint8Array): Promise<ParticleTable> {
  const { file, head } = parseVtp(name, bytes);
  return readPiece(file, head);
}

/** The head of a file and what is needed to decode its arrays. @throws SceneError naming the file */
export function parseVtp(name: string, bytes: Uint8Array): { file: VtpFile; head: string } {
  const text = new TextDecoder('latin1').decode(bytes);
  const root = /<VTKFile\b([^>]*)>/.exec(text.slice(0, 4096));
  if (!root) throw fault(name, 'is not a VTK XML file: it has no <VTKFile>');
  const attributes = attributesOf(root[1]);
  if (attributes.type !== 'PolyData')
    throw fault(name, `holds ${attributes.type ?? 'no type'}; only PolyData (.vtp) can be read`);
  const { compressor } = attributes;
  if (compressor !== undefined && compressor !== 'vtkZLibDataCompressor') {
    throw fault(name, `is compressed by ${compressor}, which is not supported; write it with zlib or uncompressed`);
  }
  const appendedTag = /<AppendedData\b([^>]*)>\s*_/.exec(text);
  const file: VtpFile = {
    name,
    bytes,
    littleEndian: attributes.byte_order !== 'BigEndian',
    headerBytes: attributes.header_type === 'UInt64' ? 8 : 4,
    compressed: compressor !== undefined,
    ...(appendedTag && {
      appended: {
        start: appendedTag.index + appendedTag[0].length,
        base64: attributesOf(appendedTag[1]).encoding === 'base64',
      },
    }),
  };
  return { file, head: text.slice(0, appendedTag?.index) };
}

async function readPiece(file: VtpFile, head: string): Promise<ParticleTable> {
  const pieces = [...head.matchAll(/<Piece\b([^>]*)>/g)];
  if (pieces.length !== 1) throw fault(file.name, `has ${pieces.length} pieces; only files of one can be read`);
  const count = Number(attributesOf(pieces[0][1]).NumberOfPoints);
  if (!Number.isSafeInteger(count) || count < 1) throw fault(file.name, 'holds no points');
  if (count > MAX_GRAINS) throw fault(file.name, `holds ${count} points; the most that one scene can hold is ${MAX_GRAINS}`);

  const section = (tag: string) => sectionOf(head, tag);
  const points = section('Points')[0];
  if (!points) throw fault(file.name, 'has no points');
  const data = section('PointData');
  const named = (what: string) => data.find(({ attributes }) => NAMES[what].includes((attributes.Name ?? '').toLowerCase()));
  const values = async (what: string, components: number) => {
    const array = named(what);
    return array && decode(file, array, count * components, what);
  };
  const radii = await values('radius', 1);
  const diameters = radii ? undefined : await values('diameter', 1);
  if (!radii && !diameters)
    throw fault(file.name, 'has no point data "radius" (nor "diameter"); write it with the radius of each grain');
  const types = await values('type', 1);
  const materials = types ? undefined : await values('material', 1);
  const time = arraysOf(/<FieldData\b[^>]*>([\s\S]*?)<\/FieldData>/.exec(head)?.[1] ?? '').find(
    ({ attributes }) => attributes.Name === 'TimeValue',
  );
  const table: ParticleTable = {
    count,
    positions: await decode(file, points, 3 * count, 'Points'),
    radii: radii ?? diameters!.map((diameter) => diameter / 2),
    velocities: await values('velocity', 3),
    angularVelocities: await values('angularVelocity', 3),
    masses: await values('mass', 1),
    ids: await values('id', 1),
    types: types ? Uint32Array.from(types) : materials && Uint32Array.from(materials, (material) => material + 1),
    ...(time && { time: (await decode(file, time, 1, 'TimeValue'))[0] }),
  };
  const small = table.radii.findIndex((radius) => !(radius > 0));
  if (small >= 0) throw fault(file.name, `point ${small}: the radius is ${table.radii[small]}; it must be above 0`);
  return table;
}

/** The arrays between the tags of a name. */
export const sectionOf = (head: string, tag: string) =>
  arraysOf(new RegExp(`<${tag}\\b[^>]*>([\\s\\S]*?)</${tag}>`).exec(head)?.[1] ?? '');

function arraysOf(section: string): DataArray[] {
  return [...section.matchAll(/<DataArray\b([^>]*?)(?:\/>|>([\s\S]*?)<\/DataArray>)/g)].map(([, attributes, content = '']) => ({
    attributes: attributesOf(attributes),
    content,
  }));
}

export const attributesOf = (tag: string): Record<string, string> =>
  Object.fromEntries([...tag.matchAll(/([\w]+)\s*=\s*"([^"]*)"/g)].map(([, key, value]) => [key, value]));

const TYPES: Record<string, [bytes: number, read: (view: DataView, at: number, little: boolean) => number]> = {
  Float64: [8, (view, at, little) => view.getFloat64(at, little)],
  Float32: [4, (view, at, little) => view.getFloat32(at, little)],
  Int8: [1, (view, at) => view.getInt8(at)],
  UInt8: [1, (view, at) => view.getUint8(at)],
  Int16: [2, (view, at, little) => view.getInt16(at, little)],
  UInt16: [2, (view, at, little) => view.getUint16(at, little)],
  Int32: [4, (view, at, little) => view.getInt32(at, little)],
  UInt32: [4, (view, at, little) => view.getUint32(at, little)],
  Int64: [8, (view, at, little) => Number(view.getBigInt64(at, little))],
  UInt64: [8, (view, at, little) => Number(view.getBigUint64(at, little))],
};

/** @param what for messages */
export async function decode(
  file: VtpFile,
  { attributes, content }: DataArray,
  length: number,
  what: string,
): Promise<Float64Array> {
  const short = (found: number) => fault(file.name, `${what} has ${found} values where ${length} belong; it was cut short`);
  let values: Float64Array;
  if (attributes.format === 'ascii') {
    const words = content.trim().split(/\s+/);
    if (words.length !== length) throw short(words.length);
    values = Float64Array.from(words, Number);
  } else {
    const type = TYPES[attributes.type];
    if (!type) throw fault(file.name, `${what} is of the type ${attributes.type}, which is not supported`);
    const [size, read] = type;
    const bytes = await binary(file, attributes, content, size * length, what);
    if (bytes.length !== size * length) throw short(bytes.length / size);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    values = new Float64Array(length);
    for (let k = 0; k < length; k++) values[k] = read(view, k * size, file.littleEndian);
  }
  const bad = values.findIndex((value) => !Number.isFinite(value));
  if (bad >= 0) throw fault(file.name, `${what}: value ${bad} is not a finite number`);
  return values;
}

/** The bytes of an array, without what stands before them. @param most that are expected */
async function binary(
  file: VtpFile,
  { format, offset }: Record<string, string>,
  content: string,
  most: number,
  what: string,
): Promise<Uint8Array> {
  const { appended, bytes, headerBytes } = file;
  if (format === 'binary') return unpack(file, base64Reader(file, content.trim(), what), most, what);
  const start = (appended?.start ?? 0) + Number(offset);
  if (format !== 'appended' || !appended || !Number.isSafeInteger(start) || start + headerBytes > bytes.length) {
    throw fault(file.name, `${what} leads nowhere: its format is ${format}, its offset ${offset}; the file was cut short`);
  }
  if (appended.base64) {
    const end = bytes.indexOf(60, start); // "<", where the section ends
    const text = new TextDecoder('latin1').decode(bytes.subarray(start, end < 0 ? undefined : end));
    return unpack(file, base64Reader(file, text.trim(), what), most, what);
  }
  return unpack(file, (from, length) => bytes.subarray(start + from, start + from + length), most, what);
}

/** Gives bytes by their place from the header on; fewer where there are no more. */
type ByteReader = (from: number, length: number, part: 'header' | 'data') => Uint8Array;

/**
 * Base64 in two parts, the header and the data, each with its own padding where compressed; else one.
 */
function base64Reader(file: VtpFile, text: string, what: string): ByteReader {
  const decodePart = (part: string) => {
    try {
      return Uint8Array.from(atob(part), (letter) => letter.charCodeAt(0));
    } catch {
      throw fault(file.name, `${what} is no base64`);
    }
  };
  const lettersOf = (length: number) => 4 * Math.ceil(length / 3);
  let headerLength = 0;
  return (from, length, part) => {
    if (!file.compressed) {
      const [first, skip] = [Math.floor(from / 3), from % 3];
      return decodePart(text.slice(4 * first, 4 * first + lettersOf(skip + length))).subarray(skip, skip + length);
    }
    if (part === 'header') {
      headerLength = from + length;
      return decodePart(text.slice(0, lettersOf(headerLength))).subarray(from, from + length);
    }
    const at = from - headerLength;
    const [first, skip] = [Math.floor(at / 3), at % 3];
    const start = lettersOf(headerLength) + 4 * first;
    return decodePart(text.slice(start, start + lettersOf(skip + length))).subarray(skip, skip + length);
  };
}

async function unpack(file: VtpFile, read: ByteReader, most: number, what: string): Promise<Uint8Array> {
  const { headerBytes, littleEndian } = file;
  const numbers = (count: number): number[] => {
    const bytes = read(0, count * headerBytes, 'header');
    if (bytes.length < count * headerBytes) throw fault(file.name, `${what} ends before its data; the file was cut short`);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    return Array.from({ length: count }, (_, k) =>
      headerBytes === 8 ? Number(view.getBigUint64(8 * k, littleEndian)) : view.getUint32(4 * k, littleEndian),
    );
  };
  if (!file.compressed) {
    const [length] = numbers(1);
    return read(headerBytes, Math.min(length, most + 1), 'data');
  }
  const [blocks, blockSize, lastSize] = numbers(3);
  if (blocks > most + 1 || (blocks > 0 && (blocks - 1) * blockSize + lastSize > most + blockSize)) {
    throw fault(file.name, `${what} announces more data than it can have; the file is damaged`);
  }
  const sizes = numbers(3 + blocks).slice(3);
  let at = headerBytes * (3 + blocks);
  const result = new Uint8Array(most);
  let filled = 0;
  // Reading the header once more tells readers of base64 where the data begin.
  read(0, at, 'header');
  for (const size of sizes) {
    let block: Uint8Array;
    try {
      block = await joined(expand(oneChunk(read(at, size, 'data')), 'deflate'));
    } catch {
      throw fault(file.name, `${what} cannot be decompressed; the file is damaged or was cut short`);
    }
    if (filled + block.length > most) throw fault(file.name, `${what} has more values than belong there`);
    result.set(block, filled);
    filled += block.length;
    at += size;
  }
  return result.subarray(0, filled);
}

export const fault = (path: string, message: string) => new SceneError([{ path, message }]);
