import type { Fault } from '../errors';

/** Entries of a list that are looked at where all together have more faults than can be told. */
const FIRST = 1000;
const CUT: Fault = {
  path: '',
  message: `there are too many faults to tell: of each list the first ${FIRST} entries were looked at`,
};

/**
 * Parses JSON by a schema, of which the library takes each fault of a list as an argument of a call: there can be some 100,000.
 * @returns what came of it, and a fault to add where it is of the first entries of lists alone
 */
export function parseBounded<T>(parse: (json: unknown) => T, json: unknown): { parsed: T; cut: Fault[] } {
  try {
    return { parsed: parse(json), cut: [] };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { parsed: parse(shortened(json)), cut: [CUT] };
  }
}

function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, FIRST).map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shortened(inner)]));
}
