import type { z } from 'zod';
import type { Fault } from '../errors';

/** Faults of one kind that are named one by one; the rest is counted. */
const FAULTS_NAMED = 10;

/** Writes a path as `grains[0].list[3].radius`; keys that are no plain words are quoted. */
export function formatPath(path: readonly PropertyKey[]): string {
  let text = '';
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`;
    else if (!/^[A-Za-z_$][\w$]*$/.test(String(key))) text += `[${JSON.stringify(String(key))}]`;
    else text += text ? `.${String(key)}` : String(key);
  }
  return text;
}

/** A value as the user wrote it, cut to one short line. */
export function formatValue(value: unknown): string {
  const text = typeof value === 'number' || typeof value === 'bigint' ? String(value) : (asJson(value) ?? typeof value);
  return text.length > 40 ? `${text.slice(0, 37)}...` : text;
}

/** Undefined for what JSON has no text for, such as a function or what contains itself. */
function asJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner));
  } catch {
    return undefined;
  }
}

/** `"a", "b" or "c"` */
export function formatChoices(choices: readonly unknown[]): string {
  const texts = choices.map(formatValue);
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} or ${texts[texts.length - 1]}`;
}

/** The candidate that `word` most likely stands for, if one is near enough to be a slip of the pen. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let least = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const above = row;
    row = [i];
    for (let j = 1; j <= b.length; j++) {
      row[j] = Math.min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
  }
  return row[b.length];
}

/** What to say of a key that an object does not have. */
export function unknownKey(key: string, known: readonly string[]): string {
  const meant = nearest(key, known);
  return `is not a known key${meant ? ` (did you mean "${meant}"?)` : ''}; the keys here are ${known.join(', ')}`;
}

/** Names the first few of many faults of one kind and counts the rest. */
export class FaultList {
  private readonly named: Fault[] = [];
  private total = 0;
  constructor(private readonly kind: string) {}

  add(makeFault: () => Fault): void {
    this.total++;
    if (this.total <= FAULTS_NAMED) this.named.push(makeFault());
  }

  get faults(): Fault[] {
    const more = this.total - this.named.length;
    return more > 0 ? [...this.named, { path: '', message: `and ${more} more: ${this.kind}` }] : this.named;
  }
}

/** What texts that are alike but for numbers have in common. */
export const kindOf = (text: string): string => text.replace(/-?\d[\d.]*(e[+-]?\d+)?/g, '');

const EXPECTED: Record<string, string> = {
  number: 'a finite number',
  int: 'a whole number',
  tuple: 'a list of numbers such as [0, 0, 1]',
  array: 'a list [ ... ]',
  object: 'an object { ... }',
  record: 'an object { ... }',
  string: 'a text',
  boolean: 'true or false',
};

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];

/** The message of a fault that the definition of the scene found: what was expected, and what was there. */
export function describeIssue(issue: RawIssue): string | undefined {
  const got = `got ${formatValue(issue.input)}`;
  if (issue.input === undefined && issue.code === 'invalid_value') return `is missing: expected ${formatChoices(issue.values)}`;
  switch (issue.code) {
    case 'invalid_type': {
      const expected = EXPECTED[issue.expected] ?? issue.expected;
      return issue.input === undefined ? `is missing: expected ${expected}` : `expected ${expected}, ${got}`;
    }
    case 'invalid_value':
      return `expected ${formatChoices(issue.values)}, ${got}`;
    case 'too_small':
      if (issue.origin === 'string') return 'must not be empty';
      if (issue.origin === 'array') return `expected at least ${issue.minimum} entries, got ${entries(issue.input)}`;
      return `must be ${issue.inclusive ? 'at least' : 'above'} ${issue.minimum}, ${got}`;
    case 'too_big':
      if (issue.origin === 'array') return `expected at most ${issue.maximum} entries, got ${entries(issue.input)}`;
      return `must be ${issue.inclusive ? 'at most' : 'below'} ${issue.maximum}, ${got}`;
    case 'invalid_key':
      return 'a name must not be empty';
    default:
      return undefined;
  }
}

function entries(value: unknown): number | string {
  return Array.isArray(value) ? value.length : formatValue(value);
}

/** Turns the issues of the definition into faults, one for each unknown key. */
export function issueFaults(issues: readonly z.core.$ZodIssue[], prefix: readonly PropertyKey[] = []): Fault[] {
  return issues.flatMap((issue, k): Fault[] => {
    // Out of the range of whole numbers is out of a narrower one, which comes next.
    const next = issues[k + 1];
    if (next && /^too_/.test(issue.code) && next.code === issue.code && String(next.path) === String(issue.path)) return [];
    const path = [...prefix, ...issue.path];
    if (issue.code === 'unrecognized_keys') {
      const messages = issue.message.split('\n');
      return issue.keys.map((key, k) => ({ path: formatPath([...path, key]), message: messages[k] }));
    }
    if (issue.code === 'invalid_union' && issue.errors.length > 0) {
      // The alternatives differ in type: the one whose type fits tells what is wrong inside it.
      const fitting = issue.errors.find(
        (branch) => !branch.some(({ code, path }) => code === 'invalid_type' && path.length === 0),
      );
      if (fitting) return issueFaults(fitting, path);
    }
    return [{ path: formatPath(path), message: issue.message }];
  });
}
