import { SceneError } from '../errors';
import { fileError } from './table';
import { attributesOf, escapeXml, withoutComments } from './xml';

export interface PvdEntry {
  time: number;
  /** Relative to the collection's own file, with forward slashes. */
  file: string;
}

/** A frame of a collection: its time and the files of its parts, with paths from where the collection is named. */
export interface PvdFrame {
  time: number;
  files: string[];
}

/** A ParaView collection (.pvd): the frames of a run with their times. */
export function encodePvd(entries: readonly PvdEntry[]): string {
  const sets = entries.map(
    ({ time, file }) => `    <DataSet timestep="${time}" group="" part="0" file="${escapeAttribute(file)}"/>\n`,
  );
  return (
    '<?xml version="1.0"?>\n<VTKFile type="Collection" version="1.0" byte_order="LittleEndian">\n  <Collection>\n' +
    `${sets.join('')}  </Collection>\n</VTKFile>\n`
  );
}

/** Line breaks in an attribute would be read as blanks. */
const escapeAttribute = (text: string) => escapeXml(text).replace(/[\t\n\r]/g, (blank) => `&#${blank.charCodeAt(0)};`);

/** A data set up to what ends it; the last group is empty where that is not ">", or far away. */
const DATA_SET = /<DataSet\b((?:[^<>"']|"[^"<]*"|'[^'<]*'){0,10000})(>?)/g;

/**
 * The frames that a .pvd lists, by time, at least one.
 * @param file its path
 * @throws SceneError naming file and line
 */
export function parsePvd(file: string, content: string): PvdFrame[] {
  const text = withoutComments(content);
  const folder = file.slice(0, Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1);
  const frames = new Map<number, Map<string, string>>();
  let [line, counted] = [1, 0];
  for (const { 1: tag, 2: end, index } of text.matchAll(DATA_SET)) {
    for (; counted < index; counted++) if (text[counted] === '\n') line++;
    const fault = (message: string) => fileError(file, line, message);
    if (!end) throw fault('has a <DataSet that does not end; expected <DataSet timestep="..." file="..."/>');
    const { file: name = '', timestep = '', group = '', part = '0' } = attributesOf(tag);
    const listed = `lists ${JSON.stringify(name.slice(0, 200))}`;
    if (!/\.vtp(\.gz)?$/i.test(name)) throw fault(`${listed}; expected file="..." with the name of a .vtp file`);
    if (timestep.trim() === '' || !Number.isFinite(Number(timestep)))
      throw fault(`${listed} with timestep="${timestep.slice(0, 40)}"; expected the time of the frame, a finite number`);
    // What a list names stays beside it: a file from elsewhere cannot have others read.
    if (/^([a-z]+:|[/\\])/i.test(name) || name.split(/[/\\]/).includes('..'))
      throw fault(`${listed}, which leads out of its folder; put the file into the folder of the list`);
    const time = Number(timestep);
    const parts = frames.get(time) ?? new Map<string, string>();
    const key = JSON.stringify([group, part]);
    if (parts.has(key)) {
      const other = JSON.stringify(parts.get(key)!.slice(folder.length, folder.length + 200));
      throw fault(`${listed} for the time ${time}, as ${other} is; give each its own time, or its own part="..." of one frame`);
    }
    frames.set(time, parts.set(key, folder + name));
  }
  if (frames.size === 0) {
    const message = 'lists no frames: expected a ParaView collection with <DataSet timestep="..." file="..."/>';
    throw new SceneError([{ path: file, message }]);
  }
  return [...frames].map(([time, parts]) => ({ time, files: [...parts.values()] })).sort((a, b) => a.time - b.time);
}
