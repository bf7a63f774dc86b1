import { AMOUNT, checkArgument, having, type Kind, OBJECT } from '../arguments';
import { type CameraPlace, COLOURINGS, type ViewOptions } from './types';

export const DEFAULTS: ViewOptions = {
  colourBy: 'speed',
  forceChains: false,
  theme: 'auto',
  quality: 'medium',
  walls: true,
  clip: null,
  turntable: false,
};

const isSwitch = (value: unknown) => typeof value === 'boolean';
const isVector = (value: unknown) => Array.isArray(value) && value.length === 3 && value.every(Number.isFinite);

/** What each option may be, with words for it. */
const ALLOWED: Record<keyof ViewOptions, readonly [test: (value: unknown) => boolean, words: string]> = {
  colourBy: oneOf(COLOURINGS),
  forceChains: [isSwitch, 'true or false'],
  theme: oneOf(['light', 'dark', 'auto']),
  quality: oneOf(['low', 'medium', 'high']),
  walls: [isSwitch, 'true or false'],
  clip: [isClip, 'null, or { point, normal } of three numbers each, the normal not zero'],
  turntable: [isSwitch, 'true or false'],
};

function oneOf(names: readonly string[]): readonly [(value: unknown) => boolean, string] {
  return [(value) => names.includes(value as string), `one of ${names.join(', ')}`];
}

function isClip(value: unknown): boolean {
  if (value === null) return true;
  const { point, normal } = (value ?? {}) as Record<string, unknown>;
  return isVector(point) && isVector(normal) && (normal as number[]).some((x) => x !== 0);
}

/**
 * Options with some changed.
 * @throws TypeError for what is no object
 * @throws RangeError naming an option that is none, or a value that it cannot have
 */
export function changed(options: ViewOptions, changes: Partial<ViewOptions>): ViewOptions {
  checkArgument('The viewer', 'options', changes, OBJECT);
  for (const [name, value] of Object.entries(changes)) {
    if (!Object.hasOwn(ALLOWED, name))
      throw new RangeError(`The viewer has no option "${name}": it has ${Object.keys(ALLOWED).join(', ')}`);
    const [test, words] = ALLOWED[name as keyof ViewOptions];
    if (value !== undefined && !test(value)) {
      throw new RangeError(`The viewer's option ${name} cannot be ${JSON.stringify(value)}: give ${words}`);
    }
  }
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  return { ...options, ...given };
}

export const CANVAS = having('a <canvas>', 'getContext');
export const SOURCE = having('a simulation', 'read');

const VECTOR: Kind = ['three numbers', isVector];

/** @throws TypeError naming what is not as it must be */
export function checkPlace(place: CameraPlace): void {
  checkArgument('setCamera', 'place', place, OBJECT);
  checkArgument('setCamera', 'position', place.position, VECTOR);
  checkArgument('setCamera', 'target', place.target, VECTOR);
  checkArgument('setCamera', 'zoom', place.zoom, AMOUNT);
}
