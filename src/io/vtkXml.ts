import { SceneError } from '../errors';
import { attributesOf } from './xml';

/** Part of a file, from a byte up to another. */
export interface Span {
  start: number;
  end: number;
}

/** An element of a VTK XML file. What stands between its tags is not decoded: it is a place in the bytes. */
export interface VtkElement {
  name: string;
  attributes: Record<string, string>;
  children: VtkElement[];
  /** The longest piece of text that is directly within it; VTK also puts elements there. */
  content: Span;
}

/** Tags that a file may have, and bytes of one: more is no file of grains. */
const MAX_TAGS = 200_000;
const MAX_TAG_BYTES = 65_536;
const [DASH, LESS, GREATER] = [45, 60, 62];

export const fault = (path: string, message: string) => new SceneError([{ path, message }]);

/**
 * The elements of a VTK XML file up to its appended data, whose element is the last; the bytes stay as they are.
 * @throws SceneError naming the file
 */
export function parseVtkXml(name: string, bytes: Uint8Array): VtkElement {
  const top: VtkElement = { name: '', attributes: {}, children: [], content: { start: 0, end: 0 } };
  const open = [top];
  const latin1 = new TextDecoder('latin1');
  let [at, tags] = [0, 0];
  for (;;) {
    const start = bytes.indexOf(LESS, at);
    const inner = open[open.length - 1];
    const length = (start < 0 ? bytes.length : start) - at;
    if (length > inner.content.end - inner.content.start) inner.content = { start: at, end: at + length };
    if (start < 0) return top;
    let end = bytes.indexOf(GREATER, start);
    // What looks like a tag in a comment is none.
    if (latin1.decode(bytes.subarray(start, start + 4)) === '<!--')
      while (end >= 0 && !(bytes[end - 1] === DASH && bytes[end - 2] === DASH)) end = bytes.indexOf(GREATER, end + 1);
    if (end < 0) return top;
    if (++tags > MAX_TAGS || end - start > MAX_TAG_BYTES)
      throw fault(name, 'is no file of grains: its tags are too long or too many');
    const tag = latin1.decode(bytes.subarray(start + 1, end));
    at = end + 1;
    const [, closing, tagName] = /^(\/?)([\w:]+)/.exec(tag) ?? [];
    if (tagName === undefined) continue; // The declaration, or a comment.
    if (closing) {
      if (open.length > 1) open.pop();
      continue;
    }
    const element: VtkElement = { name: tagName, attributes: attributesOf(tag), children: [], content: { start: at, end: at } };
    inner.children.push(element);
    if (tagName === 'AppendedData') {
      element.content = { start: at, end: bytes.length };
      return top;
    }
    if (!tag.endsWith('/')) open.push(element);
  }
}
