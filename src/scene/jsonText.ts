import { SceneError } from '../errors';
import { formatValue } from './faults';
import { MAX_DEPTH, TOO_DEEP } from './nesting';

/**
 * Parses the text of a scene file.
 * @param file its name, for messages
 * @throws SceneError with line and column where the text is no JSON, or where an object has one key twice
 */
export function parseJson(file: string, text: string): unknown {
  const body = text.replace(/^\uFEFF/, '');
  const fault = findFault(body);
  if (fault) {
    const before = body.slice(0, fault.offset).split('\n');
    const place = `${file} line ${before.length}, column ${before[before.length - 1].length + 1}`;
    throw new SceneError([{ path: place, message: fault.message }]);
  }
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new SceneError([{ path: file, message: `is no JSON: ${(error as Error).message}` }]);
  }
}

interface TextFault {
  offset: number;
  message: string;
}

const SPACE = /[ \t\r\n]*/y;
/** Rarer control characters than these are left to JSON.parse. */
const STRING = /"(?:[^"\\\t\r\n]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const LITERAL = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;

/** An object or a list that is open where the scan is. */
interface Container {
  close: '}' | ']';
  keys: Set<string>;
}

/**
 * Walks over the text by the grammar of JSON. JSON.parse says that something is wrong, but not always where, and takes the
 * last of two equal keys without a word.
 */
function findFault(text: string): TextFault | undefined {
  let at = 0;
  const open: Container[] = [];
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  const fault = (expected: string): TextFault => ({ offset: at, message: describe(text, at, expected, open) });

  for (;;) {
    // A value is due here, in an object its key first; an object or a list may also end at once.
    match(SPACE);
    const container = open.at(-1);
    if (container?.close === '}') {
      const start = at;
      const key = match(STRING);
      if (key === undefined) return fault('a key in double quotes');
      const decoded = decode(key);
      if (container.keys.has(decoded)) {
        return { offset: start, message: `the key ${formatValue(decoded)} is given twice in one object; keep one` };
      }
      container.keys.add(decoded);
      match(SPACE);
      if (text[at] !== ':') return fault('":" after the key');
      at++;
      match(SPACE);
    }
    if (text[at] === '{' || text[at] === '[') {
      if (open.length === MAX_DEPTH) return { offset: at, message: TOO_DEEP };
      const inner: Container = { close: text[at] === '{' ? '}' : ']', keys: new Set() };
      at++;
      match(SPACE);
      if (text[at] !== inner.close) {
        open.push(inner);
        continue;
      }
      at++;
    } else if (match(STRING) === undefined && match(LITERAL) === undefined) return fault('a value');

    // A value is complete: what it lies in ends, or goes on after a comma.
    for (match(SPACE); open.length > 0 && text[at] === open.at(-1)!.close; match(SPACE)) {
      open.pop();
      at++;
    }
    if (open.length === 0) return at < text.length ? fault('the end of the file') : undefined;
    if (text[at] !== ',') return fault(`"," or "${open.at(-1)!.close}"`);
    at++;
  }
}

/** A text without its quotes and escapes; as it is where JSON.parse refuses it, which then refuses the whole. */
function decode(quoted: string): string {
  try {
    return JSON.parse(quoted);
  } catch {
    return quoted;
  }
}

function describe(text: string, at: number, expected: string, open: readonly Container[]): string {
  if (at >= text.length) {
    const missing = open.map(({ close }) => close).reverse();
    return `the file ends here and expected is ${expected}${missing.length ? `: ${missing.join(' ')} still to be closed` : ''}; was it cut short?`;
  }
  if (text.startsWith('//', at) || text.startsWith('/*', at)) return 'comments are not allowed; remove it';
  if (text[at] === '}' || text[at] === ']')
    return `expected ${expected}, got ${text[at]}; remove the comma before it, if there is one`;
  if (text[at] === '"')
    return `expected ${expected}, got ${formatValue(text.slice(at, at + 30).split('\n')[0])}; is the text closed, and free of line breaks?`;
  return `expected ${expected}, got ${formatValue(/^(?:[\w.+-]+|[\s\S])/.exec(text.slice(at, at + 30))![0])}`;
}
