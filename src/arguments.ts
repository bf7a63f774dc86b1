import { formatValue, unknownKey } from './scene/faults';

/** What a value must be: words for it, and how it is told. */
export type Kind = readonly [words: string, is: (value: unknown) => boolean];

/** An object that has a function of this name, wherever its class comes from. */
export const having = (words: string, name: string): Kind => [
  words,
  (value) => typeof (value as Record<string, unknown> | null | undefined)?.[name] === 'function',
];

export const FUNCTION: Kind = ['a function', (value) => typeof value === 'function'];
export const SWITCH: Kind = ['true or false', (value) => typeof value === 'boolean'];
export const OBJECT: Kind = [
  'an object { ... }',
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value),
];
export const TEXT: Kind = ['a text that is not empty', (value) => typeof value === 'string' && value !== ''];
/** Infinity among them. */
export const AMOUNT: Kind = ['a number above 0', (value) => typeof value === 'number' && value > 0];
export const COUNT: Kind = ['a whole number from 1', (value) => Number.isSafeInteger(value) && (value as number) > 0];
/** Infinity among them. */
export const LIMIT: Kind = ['a number from 0', (value) => typeof value === 'number' && value >= 0];
export const SIGNAL = having('an AbortSignal', 'addEventListener');
export const DEVICE = having('a GPUDevice', 'createBuffer');
/** What is looked at where it is used. */
export const ANYTHING: Kind = ['', () => true];

/** @throws TypeError that names an argument of a function where it is not what it must be */
export function checkArgument(of: string, name: string, value: unknown, [words, is]: Kind): void {
  if (!is(value)) throw new TypeError(`${of}: ${name} must be ${words}, got ${formatValue(value)}`);
}

/** Options of files that a scene names, and of every simulation. */
export const FILE_OPTIONS = { readText: FUNCTION, readBytes: FUNCTION };
export const WORKER_OPTIONS = { ...FILE_OPTIONS, signal: SIGNAL, onCheckpoint: FUNCTION, from: ANYTHING };
export const SIMULATION_OPTIONS = {
  ...WORKER_OPTIONS,
  backend: ANYTHING,
  profile: SWITCH,
  device: DEVICE,
  gpu: having('a GPU such as navigator.gpu', 'requestAdapter'),
};

/**
 * What is null or undefined counts as not given.
 * @throws TypeError that names an option of a function which it does not have, or which is not what it must be
 */
export function checkOptions(of: string, options: unknown, kinds: Readonly<Record<string, Kind>>): void {
  checkArgument(of, 'options', options, OBJECT);
  for (const [name, value] of Object.entries(options as object)) {
    if (!Object.hasOwn(kinds, name)) throw new TypeError(`${of}: option ${name} ${unknownKey(name, Object.keys(kinds))}`);
    if (value !== undefined && value !== null) checkArgument(of, `option ${name}`, value, kinds[name]);
  }
}
