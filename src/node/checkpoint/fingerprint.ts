import { createHash, type Hash } from 'node:crypto';
import type { Problem } from '../../scene/problem';

/** Parts of a problem that a run must share with the checkpoint from which it goes on, with what to call them. */
const PARTS = {
  grains: 'the grains',
  walls: 'the walls',
  materials: 'the materials',
  contacts: 'the contact laws',
  timeStep: 'the time step',
  space: 'the dimension or the periodic box',
  gravity: 'the gravity',
  events: 'the events',
} as const;

/** Digests by part. */
export type Fingerprint = Record<keyof typeof PARTS, string>;

/** @param problem before its first step */
export function fingerprint(problem: Problem): Fingerprint {
  const { grains, walls, materials, laws, lawOf, timeStep, dimension, periodic, gravity, events } = problem;
  return {
    grains: digest(grains),
    walls: digest(walls),
    materials: digest(materials),
    contacts: digest([laws, lawOf]),
    timeStep: digest(timeStep),
    space: digest([dimension, periodic]),
    gravity: digest(gravity),
    events: digest(events),
  };
}

/** What differs, in words. */
export function differences(a: Fingerprint, b: Fingerprint): string[] {
  return (Object.keys(PARTS) as (keyof typeof PARTS)[]).filter((part) => a[part] !== b[part]).map((part) => PARTS[part]);
}

function digest(value: unknown): string {
  const hash = createHash('sha256');
  feed(hash, value);
  return hash.digest('hex').slice(0, 32);
}

/** Objects by their keys in order, whatever order they were made in; each value behind its kind. */
function feed(hash: Hash, value: unknown): void {
  if (ArrayBuffer.isView(value)) {
    hash.update(`a${value.constructor.name}${value.byteLength};`);
    hash.update(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  } else if (Array.isArray(value)) {
    hash.update(`l${value.length};`);
    for (const item of value) feed(hash, item);
  } else if (value instanceof Map) feed(hash, [...value]);
  else if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    hash.update(`o${entries.length};`);
    for (const [key, item] of entries) {
      hash.update(`${JSON.stringify(key)}:`);
      feed(hash, item);
    }
  } else hash.update(`${typeof value}${typeof value === 'string' ? JSON.stringify(value) : String(value)};`);
}
