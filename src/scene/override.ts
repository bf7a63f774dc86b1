import { type Fault, SceneError } from '../errors';

/** `path=value` entries, or values by path. */
export type Overrides = readonly string[] | Readonly<Record<string, string>>;

type Container = Record<string | number, unknown>;

/**
 * Sets values in a scene before it is validated, as `solver.order=random` or `grains[0].list[2].radius=0.1`. A value is JSON
 * where it parses, else a text. Objects on the way that are absent are made, so that a wrong path is found by the validation.
 * @returns a copy with the values set
 * @throws SceneError for entries that make no sense
 */
export function applyOverrides(scene: unknown, overrides: Overrides): unknown {
  const faults: Fault[] = [];
  const root = { scene: structuredClone(scene) };
  for (const [path, text] of entries(overrides, faults)) {
    const keys = parsePath(path);
    if (!keys) {
      faults.push({ path, message: 'is no path; write it as solver.order or grains[0].list[2].radius' });
      continue;
    }
    const message = setValue(root, ['scene', ...keys], parseValue(text));
    if (message) faults.push({ path, message });
  }
  if (faults.length > 0) throw new SceneError(faults);
  return root.scene;
}

function entries(overrides: Overrides, faults: Fault[]): [string, string][] {
  if (!Array.isArray(overrides)) return Object.entries(overrides);
  return overrides.flatMap((entry: string): [string, string][] => {
    const equals = entry.indexOf('=');
    if (equals > 0) return [[entry.slice(0, equals).trim(), entry.slice(equals + 1)]];
    faults.push({ path: entry, message: 'gives no value; write it as path=value' });
    return [];
  });
}

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const KEY = /\.?([^.[\]"=]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y;

/** `grains[0].radius`, `grains.0.radius`, `materials["fine sand"].density`; undefined where it is none of these. */
function parsePath(path: string): (string | number)[] | undefined {
  const keys: (string | number)[] = [];
  KEY.lastIndex = 0;
  while (KEY.lastIndex < path.length) {
    if (KEY.lastIndex === 0 && path[0] === '.') return undefined;
    const found = KEY.exec(path);
    if (!found) return undefined;
    const [, word, index, quoted] = found;
    if (quoted !== undefined) {
      const key = parseValue(quoted);
      // Text in quotes that JSON does not take comes back as it is, with the quotes.
      if (key === quoted) return undefined;
      keys.push(key as string);
    } else keys.push(index !== undefined || /^\d+$/.test(word) ? Number(index ?? word) : word);
  }
  return keys.length > 0 ? keys : undefined;
}

/** @returns what is wrong with the path, if anything */
function setValue(root: Container, keys: readonly (string | number)[], value: unknown): string | undefined {
  let container = root;
  for (const [depth, key] of keys.entries()) {
    if (Array.isArray(container)) {
      if (typeof key !== 'number') return `"${key}" is no place in a list; give a number from 0 in square brackets`;
      if (key > container.length) return `the list has ${container.length} entries; the next would be [${container.length}]`;
    }
    if (depth === keys.length - 1) {
      define(container, key, value);
      return undefined;
    }
    if (!Object.hasOwn(container, key)) define(container, key, typeof keys[depth + 1] === 'number' ? [] : {});
    const inner = container[key];
    if (typeof inner !== 'object' || inner === null) return `"${key}" is ${JSON.stringify(inner)}, which has nothing inside`;
    container = inner as Container;
  }
  return undefined;
}

/** An own property whatever the name, "__proto__" too. */
function define(container: Container, key: string | number, value: unknown): void {
  Object.defineProperty(container, key, { value, configurable: true, enumerable: true, writable: true });
}
