import type { Fault } from '../errors';

/** Levels of lists and objects within each other that a scene can have; the format needs some seven. */
export const MAX_DEPTH = 100;
export const TOO_DEEP = `lists and objects lie within each other more than ${MAX_DEPTH} deep, which no scene needs; remove them`;

/**
 * Faults of a value that no text of JSON could stand for or that is nested beyond reason: what follows walks over scenes by
 * recursion.
 */
export function nestingFaults(scene: unknown): Fault[] {
  const open = new Set<object>();
  const known = new Map<object, number>();
  /** Levels within `value`; infinite where it contains itself or is too deep. */
  const depth = (value: unknown): number => {
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return 0;
    const before = known.get(value);
    if (before !== undefined) return before;
    if (open.has(value) || open.size > MAX_DEPTH) return Number.POSITIVE_INFINITY;
    open.add(value);
    let most = 0;
    for (const inner of Object.values(value)) most = Math.max(most, depth(inner));
    open.delete(value);
    known.set(value, most + 1);
    return most + 1;
  };
  if (depth(scene) <= MAX_DEPTH) return [];
  return [{ path: '', message: `${TOO_DEEP} (or the scene contains itself)` }];
}
