import type { Grains, RunEvent } from './problem';

export function allocateGrains(count: number): Grains {
  return {
    count,
    positions: new Float64Array(3 * count),
    radii: new Float64Array(count),
    masses: new Float64Array(count),
    velocities: new Float64Array(3 * count),
    angularVelocities: new Float64Array(3 * count),
    forces: new Float64Array(3 * count),
    torques: new Float64Array(3 * count),
    materials: new Uint32Array(count),
    fixed: new Uint8Array(count),
    groups: new Uint32Array(count),
  };
}

export function setAll(target: Float64Array, vector: readonly number[], start: number, count: number): void {
  for (let k = 3 * start; k < 3 * (start + count); k += 3) target.set(vector, k);
}

/** The grains that events bring, set by set. */
export function eventGrains(events: readonly RunEvent[] = []): Grains[] {
  return events.flatMap(({ insert, pour }) => [...(insert ? [insert] : []), ...(pour ? [pour.grains] : [])]);
}

/** All grains of several sets, one after the other. */
export function joinGrains(sets: readonly Grains[]): Grains {
  const all = allocateGrains(sets.reduce((sum, { count }) => sum + count, 0));
  let start = 0;
  for (const set of sets) {
    const { count, ...columns } = set;
    for (const [name, values] of Object.entries(columns) as [keyof typeof columns, Float64Array][]) {
      all[name].set(values, (start * values.length) / Math.max(1, count));
    }
    start += count;
  }
  return all;
}

/** Those grains of a set that are picked, in that order. */
export function pickGrains(set: Grains, picked: readonly number[]): Grains {
  const part = allocateGrains(picked.length);
  const { count, ...columns } = set;
  for (const [name, values] of Object.entries(columns) as [keyof typeof columns, Float64Array][]) {
    const width = values.length / Math.max(1, count);
    picked.forEach((i, k) => {
      part[name].set(values.subarray(width * i, width * (i + 1)), width * k);
    });
  }
  return part;
}
