/** A reader of .vtp files with a raw appended section, written from the format's description alone. */
export interface ReadVtp {
  attributes: Record<string, string>;
  piece: Record<string, string>;
  /** By `section/name`, e.g. `PointData/radius`. */
  arrays: Record<string, { type: string; components: number; values: number[] }>;
}

const READERS: Record<string, [number, (view: DataView, at: number) => number]> = {
  Float64: [8, (view, at) => view.getFloat64(at, true)],
  Float32: [4, (view, at) => view.getFloat32(at, true)],
  Int32: [4, (view, at) => view.getInt32(at, true)],
  UInt32: [4, (view, at) => view.getUint32(at, true)],
  UInt8: [1, (view, at) => view.getUint8(at)],
};

function attributesOf(tag: string): Record<string, string> {
  return Object.fromEntries([...tag.matchAll(/([\w]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
}

export function readVtp(file: Uint8Array): ReadVtp {
  const text = Buffer.from(file).toString('latin1');
  const marker = text.indexOf('_', text.indexOf('<AppendedData encoding="raw">'));
  const view = new DataView(file.buffer, file.byteOffset + marker + 1);
  const head = text.slice(0, marker);
  const arrays: ReadVtp['arrays'] = {};
  let section = '';
  let end = 0;
  for (const [tag, name] of head.matchAll(/<(\w+)[^>]*>/g)) {
    if (name !== 'DataArray') {
      section = name;
      continue;
    }
    const { type, Name, NumberOfComponents, offset } = attributesOf(tag);
    const [size, read] = READERS[type];
    const length = Number(view.getBigUint64(Number(offset), true));
    const values = Array.from({ length: length / size }, (_, k) => read(view, Number(offset) + 8 + k * size));
    arrays[`${section}/${Name}`] = { type, components: Number(NumberOfComponents), values };
    end = Number(offset) + 8 + length;
  }
  const tail = text.slice(marker + 1 + end);
  if (!/^\s*<\/AppendedData>\s*<\/VTKFile>\s*$/.test(tail))
    throw new Error('The appended section does not end where its last array does');
  return {
    attributes: attributesOf(/<VTKFile[^>]*>/.exec(head)?.[0] ?? ''),
    piece: attributesOf(/<Piece[^>]*>/.exec(head)?.[0] ?? ''),
    arrays,
  };
}
