/** VTK XML PolyData (.vtp): arrays appended as raw little-endian bytes, each behind its length as UInt64. */

type VtkArray = Float64Array | Float32Array | Int32Array | Uint32Array | Uint8Array;

export interface NamedArray {
  name: string;
  values: VtkArray;
  /** Values per point or cell; default 1. */
  components?: number;
}

export interface PolyData {
  /** Physical time that viewers show with the frame; absent where it is not known. */
  time?: number;
  /** Steps done until then; absent where that is not known. */
  step?: number;
  /** Values of the frame as a whole, `components` each */
  fieldData?: readonly NamedArray[];
  /** P x 3 */
  points: Float64Array;
  /** Each C cells of `size` points, as C x size indices into the points. */
  cells: { kind: 'verts' | 'lines'; size: number; connectivity: Int32Array };
  /** P x components each */
  pointData: readonly NamedArray[];
  /** C x components each */
  cellData: readonly NamedArray[];
}

const TYPE_NAMES = new Map<unknown, string>([
  [Float64Array, 'Float64'],
  [Float32Array, 'Float32'],
  [Int32Array, 'Int32'],
  [Uint32Array, 'UInt32'],
  [Uint8Array, 'UInt8'],
]);

const LENGTH_BYTES = 8;

/** The appended section: hands out offsets while the XML is written, then its bytes. */
class Appended {
  private readonly arrays: VtkArray[] = [];
  bytes = 0;

  add(values: VtkArray): number {
    const offset = this.bytes;
    this.arrays.push(values);
    this.bytes += LENGTH_BYTES + values.byteLength;
    return offset;
  }

  writeTo(target: Uint8Array, start: number): void {
    const view = new DataView(target.buffer, target.byteOffset);
    let at = start;
    for (const values of this.arrays) {
      view.setBigUint64(at, BigInt(values.byteLength), true);
      target.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), at + LENGTH_BYTES);
      at += LENGTH_BYTES + values.byteLength;
    }
  }
}

/** A .vtp file that ParaView and VTK read. */
export function encodePolyData({ time, step, fieldData = [], points, cells, pointData, cellData }: PolyData): Uint8Array {
  const appended = new Appended();
  const element = ({ name, values, components = 1 }: NamedArray, extra = '') =>
    `<DataArray type="${TYPE_NAMES.get(values.constructor)}" Name="${name}" NumberOfComponents="${components}"${extra}` +
    ` format="appended" offset="${appended.add(values)}"/>\n`;
  const section = (tag: string, arrays: readonly NamedArray[]) =>
    `<${tag}>\n${arrays.map((array) => element(array)).join('')}</${tag}>\n`;

  const single = (name: string, value: number | undefined): NamedArray[] =>
    value === undefined ? [] : [{ name, values: Float64Array.of(value) }];
  const ofFrame = [...single('TimeValue', time), ...single('step', step), ...fieldData];
  const count = cells.connectivity.length / cells.size;
  const offsets = Int32Array.from({ length: count }, (_, k) => cells.size * (k + 1));
  const [verts, lines] = cells.kind === 'verts' ? [count, 0] : [0, count];
  const head =
    '<?xml version="1.0"?>\n<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64">\n<PolyData>\n' +
    `<FieldData>\n${ofFrame.map((array) => element(array, ' NumberOfTuples="1"')).join('')}</FieldData>\n` +
    `<Piece NumberOfPoints="${points.length / 3}" NumberOfVerts="${verts}" NumberOfLines="${lines}" NumberOfStrips="0" NumberOfPolys="0">\n` +
    section('PointData', pointData) +
    section('CellData', cellData) +
    section('Points', [{ name: 'Points', values: points, components: 3 }]) +
    section(cells.kind === 'verts' ? 'Verts' : 'Lines', [
      { name: 'connectivity', values: cells.connectivity },
      { name: 'offsets', values: offsets },
    ]) +
    '</Piece>\n</PolyData>\n<AppendedData encoding="raw">\n_';
  const tail = '\n</AppendedData>\n</VTKFile>\n';

  const encoder = new TextEncoder();
  const [first, last] = [encoder.encode(head), encoder.encode(tail)];
  const file = new Uint8Array(first.length + appended.bytes + last.length);
  file.set(first);
  appended.writeTo(file, first.length);
  file.set(last, first.length + appended.bytes);
  return file;
}
