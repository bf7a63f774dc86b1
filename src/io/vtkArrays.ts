import { formatValue } from '../scene/faults';
import { expand, joined, oneChunk } from './bytes';
import { expandLz4 } from './lz4';
import { DECIMAL } from './table';
import { fault, type Span, type VtkElement } from './vtkXml';

/** What is needed of a file to decode its arrays. */
export interface VtkFile {
  name: string;
  bytes: Uint8Array;
  littleEndian: boolean;
  /** Bytes of the lengths before the data. */
  headerBytes: 4 | 8;
  /** Expands a block to so many bytes; absent where the data are not compressed. */
  expandBlock?: (block: Uint8Array, length: number) => Uint8Array | Promise<Uint8Array>;
  /** Where the appended bytes begin, and whether they are base64. */
  appended?: { start: number; base64: boolean };
}

/** Compressors by the names that files give them. */
export const COMPRESSORS = new Map<string | undefined, NonNullable<VtkFile['expandBlock']>>([
  ['vtkZLibDataCompressor', (block, length) => joined(expand(oneChunk(block), 'deflate'), length)],
  ['vtkLZ4DataCompressor', expandLz4],
]);

/** What to do about a file that contradicts itself. */
const DAMAGED = 'the file is damaged or was cut short: write it again';

/** No compressor makes less of anything: what claims to is damaged. */
const MOST_COMPRESSED = 1100;
/** Bytes of a text that are decoded at once. */
const TEXT_BYTES = 65_536;

type Type = [bytes: number, read: (view: DataView, at: number, little: boolean) => number];
const TYPES = new Map<string | undefined, Type>(
  Object.entries<Type>({
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
  }),
);

/**
 * The numbers of an array.
 * @param length how many belong there
 * @param what for messages
 * @throws SceneError naming the file
 */
export async function decode(file: VtkFile, array: VtkElement, length: number, what: string): Promise<Float64Array> {
  const values = array.attributes.format === 'ascii' ? words(file, array, length, what) : await binary(file, array, length, what);
  const bad = values.findIndex((value) => !Number.isFinite(value));
  if (bad >= 0) throw fault(file.name, `${what}: value ${bad} is not a finite number`);
  return values;
}

const tooFew = ({ name }: VtkFile, what: string, found: number, length: number) =>
  fault(name, `${what} has ${found} values where ${length} belong; it was cut short: write it again`);

/** Numbers that are written out. */
function words(file: VtkFile, { content: { start, end } }: VtkElement, length: number, what: string): Float64Array {
  // Each takes a letter and a blank at least: nothing is made for more than that.
  if (2 * length > end - start + 1) throw tooFew(file, what, Math.floor((end - start + 1) / 2), length);
  const values = new Float64Array(length);
  const latin1 = new TextDecoder('latin1');
  let [count, held] = [0, ''];
  for (let at = start; at < end; at += TEXT_BYTES) {
    const last = at + TEXT_BYTES >= end;
    const parts = (held + latin1.decode(file.bytes.subarray(at, Math.min(end, at + TEXT_BYTES)))).split(/\s+/);
    held = last ? '' : parts.pop()!;
    for (const word of parts) {
      if (word === '') continue;
      if (!DECIMAL.test(word)) throw fault(file.name, `${what}: value ${count} is not a finite number but ${formatValue(word)}`);
      values[count++] = Number(word);
    }
    if (held.length > TEXT_BYTES)
      throw fault(file.name, `${what}: value ${count} has more than ${TEXT_BYTES} letters; ${DAMAGED}`);
  }
  if (count !== length) throw tooFew(file, what, count, length);
  return values;
}

async function binary(file: VtkFile, array: VtkElement, length: number, what: string): Promise<Float64Array> {
  const type = TYPES.get(array.attributes.type);
  if (!type) throw fault(file.name, `${what} is of the type ${array.attributes.type ?? 'none'}, which is not supported`);
  const [size, read] = type;
  const bytes = await unpack(file, readerOf(file, array, what), size * length, what);
  if (bytes.length !== size * length) throw tooFew(file, what, bytes.length / size, length);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const values = new Float64Array(length);
  for (let k = 0; k < length; k++) values[k] = read(view, k * size, file.littleEndian);
  return values;
}

/** Gives bytes by their place from the header on; fewer where there are no more. */
type ByteReader = (from: number, length: number, part: 'header' | 'data') => Uint8Array;

function readerOf(file: VtkFile, { attributes: { format, offset }, content }: VtkElement, what: string): ByteReader {
  const { appended, bytes, headerBytes } = file;
  if (format === 'binary') return base64Reader(file, content, what);
  const start = (appended?.start ?? 0) + Number(offset);
  if (format !== 'appended' || !appended || !Number.isSafeInteger(start) || start + headerBytes > bytes.length) {
    throw fault(
      file.name,
      `${what} leads nowhere: its format is ${format ?? 'none'}, its offset ${offset ?? 'none'}; ${DAMAGED}`,
    );
  }
  if (!appended.base64) return (from, length) => bytes.subarray(start + from, start + from + length);
  return base64Reader(file, { start, end: bytes.length }, what);
}

/** Base64 in two parts, the header and the data, each with its own padding, where compressed; else one. */
function base64Reader({ name, bytes, expandBlock }: VtkFile, { start, end }: Span, what: string): ByteReader {
  let first = start;
  while (first < end && bytes[first] <= 32) first++;
  const latin1 = new TextDecoder('latin1');
  /** Bytes of a text that begins at a letter of the file. */
  const decodeAt = (letter: number, from: number, length: number): Uint8Array => {
    const skip = from % 3;
    const groups = Math.min(Math.ceil((skip + length) / 3), Math.ceil((end - letter) / 4));
    const result = new Uint8Array(Math.max(0, 3 * groups));
    let filled = 0;
    for (let group = 0; group < groups; group += TEXT_BYTES / 4) {
      const at = letter + 4 * (Math.floor(from / 3) + group);
      const text = latin1.decode(bytes.subarray(at, Math.min(end, at + 4 * Math.min(TEXT_BYTES / 4, groups - group))));
      // The text may end before: with a blank, or the next tag.
      const [letters] = /^[A-Za-z0-9+/=]*/.exec(text)!;
      if (letters.length < text.length && !/^[\s<]/.test(text.slice(letters.length)))
        throw fault(name, `${what} is no base64; ${DAMAGED}`);
      try {
        const part = atob(letters);
        for (let k = 0; k < part.length; k++) result[filled++] = part.charCodeAt(k);
      } catch {
        throw fault(name, `${what} is no base64; ${DAMAGED}`);
      }
      if (letters.length < text.length) break;
    }
    return result.subarray(skip, Math.max(skip, Math.min(filled, skip + length)));
  };
  let headerLength = 0;
  return (from, length, part) => {
    if (!expandBlock) return decodeAt(first, from, length);
    if (part === 'data') return decodeAt(first + 4 * Math.ceil(headerLength / 3), from - headerLength, length);
    headerLength = from + length;
    return decodeAt(first, from, length);
  };
}

/** @param most bytes that are expected */
async function unpack(file: VtkFile, read: ByteReader, most: number, what: string): Promise<Uint8Array> {
  const { headerBytes, littleEndian, expandBlock } = file;
  const numbers = (count: number): number[] => {
    const bytes = read(0, count * headerBytes, 'header');
    if (bytes.length < count * headerBytes) throw fault(file.name, `${what} ends before its data; ${DAMAGED}`);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    return Array.from({ length: count }, (_, k) =>
      headerBytes === 8 ? Number(view.getBigUint64(8 * k, littleEndian)) : view.getUint32(4 * k, littleEndian),
    );
  };
  if (!expandBlock) {
    const [length] = numbers(1);
    if (length > most) throw fault(file.name, `${what} announces ${length} bytes where ${most} belong; ${DAMAGED}`);
    return read(headerBytes, length, 'data');
  }
  const [blocks, blockSize, lastSize] = numbers(3);
  const size = blocks === 0 ? 0 : lastSize > 0 ? (blocks - 1) * blockSize + lastSize : blocks * blockSize;
  if (
    blocks * headerBytes > file.bytes.length ||
    size > Math.min(most, MOST_COMPRESSED * file.bytes.length) ||
    lastSize > blockSize
  ) {
    throw fault(file.name, `${what} announces more data than it can have; ${DAMAGED}`);
  }
  const sizes = numbers(3 + blocks).slice(3);
  let at = headerBytes * (3 + blocks);
  const result = new Uint8Array(size);
  let filled = 0;
  for (const compressed of sizes) {
    const length = Math.min(blockSize, size - filled);
    try {
      const block = read(at, compressed, 'data');
      const expanded = await expandBlock(block, length);
      if (block.length < compressed || expanded.length < length) throw new RangeError('Less than was announced');
      result.set(expanded, filled);
    } catch {
      throw fault(file.name, `${what} cannot be decompressed; ${DAMAGED}`);
    }
    filled += length;
    at += compressed;
  }
  return result;
}
