import { formatChoices, nearest } from '../../src/scene/faults';

export const BACKENDS = ['cpu', 'webgpu'] as const;
export type BackendName = (typeof BACKENDS)[number];

export const COARSE_CHOICES = ['off', 'on', 'auto'] as const;
export type Coarse = (typeof COARSE_CHOICES)[number];

/**
 * Names divided by commas.
 * @throws RangeError for one that there is not
 */
export function readNames<T extends string>(known: readonly T[], text: string): T[] {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  if (names.length === 0) throw new RangeError(`expected one of ${formatChoices(known)}`);
  for (const name of names) {
    if (known.some((one) => one === name)) continue;
    const meant = nearest(name, known);
    throw new RangeError(
      `there is no "${name}"${meant ? ` (did you mean "${meant}"?)` : ''}: choose from ${formatChoices(known)}`,
    );
  }
  return known.filter((one) => names.includes(one));
}

/**
 * A whole number above 0, also as 1e5.
 * @throws RangeError for anything else
 */
export function readCount(text: string): number {
  const count = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isSafeInteger(count) || count < 1) throw new RangeError(`expected a whole number above 0, got "${text}"`);
  return count;
}

/** Whole numbers above 0, divided by commas, each once and in order. */
export const readCounts = (text: string): number[] => [...new Set(text.split(',').map(readCount))].sort((a, b) => a - b);
