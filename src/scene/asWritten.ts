import { boxFaces } from './walls';

/** Parts of a scene as it was written, before anything is known to be right. */
export type Json = Record<string, unknown>;

export type Report = (path: PropertyKey[], message: string) => void;

export function checkOneOf(
  path: PropertyKey[],
  object: Json,
  keys: readonly string[],
  unsupported: readonly string[],
  report: Report,
): void {
  const given = keys.filter((key) => object[key] !== undefined);
  if (given.length > 1) report(path, `gives ${given.join(' and ')} at once; keep one`);
  else if (given.length === 0 && !unsupported.some((key) => object[key] !== undefined))
    report(path, `needs one of ${keys.join(', ')}`);
}

/** The wall's name, and those of the faces of a box. */
export function wallNames({ name, box }: Json, dimension: unknown): string[] {
  if (typeof name !== 'string') return [];
  return [name, ...(isObject(box) ? boxFaces(box.open, dimension === 2 ? 2 : 3).map((face) => `${name}.${face}`) : [])];
}

/** The key that makes a plane a plate, if there is one. */
export function boundOf(plane: unknown): 'disk' | 'ring' | undefined {
  return (['disk', 'ring'] as const).find((key) => isObject(plane) && plane[key] !== undefined);
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objects(value: unknown): [number, Json][] {
  return Array.isArray(value) ? [...value.entries()].filter((entry): entry is [number, Json] => isObject(entry[1])) : [];
}
