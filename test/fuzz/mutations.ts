import fc from 'fast-check';

/** A change of one part of a value as JSON holds it: what it makes of the part, or of the part's place in its parent. */
export interface Mutation {
  /** Picks the part: among all parts of the value, in the order of a walk through it, modulo their number. */
  part: number;
  kind: 'replace' | 'scale' | 'delete' | 'duplicate' | 'shorten' | 'nest' | 'reverse' | 'rename' | 'swap';
  /** What takes the part's place, where the kind is to replace it. */
  value: unknown;
  /** Factor for numbers, where it is to be scaled. */
  factor: number;
}

/** Values that a program may write by mistake, or an attacker on purpose. */
const badValues: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    ...[null, true, false, '', 'glass', 'floor', '1', '__proto__', 'constructor', {}, [], [0, 0, 0], [1e300, 1e300, 1e300]],
    ...[0, -0, -1, 0.5, 1, 2, 1e12, 1e300, -1e300, 1.7e308, 1e-12, 1e-300, 5e-324, 2 ** 32, 2 ** 53],
    ...[Number.NaN, Number.POSITIVE_INFINITY, undefined, 10n, Symbol('s'), () => 0, new Date(0), new Float64Array(3), new Map()],
  ),
  fc.double(),
  fc.string({ maxLength: 8 }),
  fc.jsonValue({ maxDepth: 2 }),
);

export const mutation: fc.Arbitrary<Mutation> = fc.record({
  part: fc.nat(),
  kind: fc.constantFrom(
    ...([
      'replace',
      'replace',
      'replace',
      'scale',
      'scale',
      'delete',
      'duplicate',
      'shorten',
      'nest',
      'reverse',
      'rename',
      'swap',
    ] as const),
  ),
  value: badValues,
  factor: fc.constantFrom(-1, 1e-6, 1e-3, 0.1, 0.5, 2, 10, 1e3, 1e6, 1e9),
});

const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** A place in a value: the object or list, and the key. */
interface Place {
  parent: Record<PropertyKey, unknown>;
  key: string;
}

function placesIn(value: unknown): Place[] {
  if (!Array.isArray(value) && !isPlainObject(value)) return [];
  const parent = value as Place['parent'];
  return Object.keys(value).flatMap((key) => [{ parent, key }, ...placesIn(parent[key])]);
}

/** Also of what no JSON could hold, such as functions. */
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copyOf(inner)]));
}

/** The value with its parts changed one after the other. */
export function mutated(value: unknown, mutations: readonly Mutation[]): unknown {
  const root = { value: structuredClone(value) };
  for (const change of mutations) {
    const places = placesIn(root);
    const place = places[change.part % places.length];
    if (place) mutate(place, change, places);
  }
  return root.value;
}

function mutate({ parent, key }: Place, { part, kind, value, factor }: Mutation, places: readonly Place[]): void {
  const before = parent[key];
  const put = (after: unknown) => {
    parent[key] = after;
  };
  if (kind === 'delete' && Array.isArray(parent)) parent.splice(Number(key), 1);
  else if (kind === 'delete') delete parent[key];
  else if (kind === 'rename' && !Array.isArray(parent)) {
    delete parent[key];
    Object.defineProperty(parent, typeof value === 'string' ? value : `${key}x`, {
      ...{ value: before, configurable: true, enumerable: true, writable: true },
    });
  } else if (kind === 'swap') {
    const other = places[(part >>> 8) % places.length];
    put(copyOf(other.parent[other.key]));
  } else if (kind === 'scale' && typeof before === 'number') put(before * factor);
  else if (kind === 'nest') put([before]);
  else if (Array.isArray(before) && kind === 'duplicate') put([...before, ...before.map(copyOf)]);
  else if (Array.isArray(before) && kind === 'shorten') put(before.slice(0, -1));
  else if (Array.isArray(before) && kind === 'reverse') put(before.reverse());
  else put(value);
}

/** A change of a text: bytes, lines or words of it go, come twice, or become something else. */
export interface TextMutation {
  at: number;
  length: number;
  kind: 'cut' | 'end' | 'repeat' | 'insert' | 'word';
  text: string;
}

export const textMutation: fc.Arbitrary<TextMutation> = fc.record({
  at: fc.nat(),
  length: fc.integer({ min: 1, max: 30 }),
  kind: fc.constantFrom('cut', 'end', 'repeat', 'insert', 'word', 'word'),
  text: fc.oneof(
    fc.constantFrom('nan', 'inf', '-1', '0', '1e400', '1e9', '-', '', '\n', '\r', ',', '0x10', '1e-320', '4294967296', '\0', '"'),
    fc.double().map(String),
    fc.string({ maxLength: 5, unit: 'binary' }),
  ),
});

export function mutatedText(text: string, mutations: readonly TextMutation[]): string {
  return mutations.reduce((now, { at, length, kind, text: piece }) => {
    if (kind === 'word') {
      const words = [...now.matchAll(/[^\s,]+/g)];
      const word = words[at % Math.max(1, words.length)];
      return word ? now.slice(0, word.index) + piece + now.slice(word.index + word[0].length) : piece;
    }
    const k = at % (now.length + 1);
    if (kind === 'end') return now.slice(0, k);
    if (kind === 'cut') return now.slice(0, k) + now.slice(k + length);
    if (kind === 'repeat') return now.slice(0, k + length) + now.slice(k);
    return now.slice(0, k) + piece + now.slice(k);
  }, text);
}

/** A change of bytes: some go, come twice, or become others. */
export interface ByteMutation {
  at: number;
  length: number;
  kind: 'cut' | 'end' | 'repeat' | 'insert' | 'replace';
  bytes: Uint8Array;
}

export const byteMutation: fc.Arbitrary<ByteMutation> = fc.record({
  at: fc.nat(),
  length: fc.integer({ min: 1, max: 30 }),
  kind: fc.constantFrom('cut', 'end', 'repeat', 'insert', 'replace', 'replace', 'replace'),
  bytes: fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 8 }),
    fc.constantFrom(0, 1, 0x7f, 0xff).chain((byte) => fc.integer({ min: 1, max: 8 }).map((n) => new Uint8Array(n).fill(byte))),
  ),
});

export function mutatedBytes(content: Uint8Array, mutations: readonly ByteMutation[]): Uint8Array {
  return mutations.reduce((now: Uint8Array, { at, length, kind, bytes }) => {
    const k = at % (now.length + 1);
    const [before, after] = [now.subarray(0, k), now.subarray(k)];
    if (kind === 'end') return before;
    if (kind === 'cut') return Buffer.concat([before, after.subarray(length)]);
    if (kind === 'repeat') return Buffer.concat([before, after.subarray(0, length), after]);
    if (kind === 'insert') return Buffer.concat([before, bytes, after]);
    return Buffer.concat([before, bytes, after.subarray(bytes.length)]);
  }, content);
}
