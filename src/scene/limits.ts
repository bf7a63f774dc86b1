/** What a scene can ask for at most, and what it needs. */

/** Grains: ids and contact lists are sized for this many. */
export const MAX_GRAINS = 2 ** 24;

/** Steps of one run, and between frames: the step's number seeds random orders as 32 bits. */
export const MAX_STEPS = 2 ** 32 - 1;

/** Sweeps of one step. */
export const MAX_ITERATIONS = 1_000_000;

/** Coulomb's coefficient: more is no rougher, and single precision must hold its product with a force. */
export const MAX_FRICTION = 1e9;

/** Planes and cylinders, faces of boxes counted one by one: every grain is tested against each. */
export const MAX_WALLS = 4096;

/** Triangles of all meshes together. What the GPU holds of each stays within one buffer that every device allows. */
export const MAX_TRIANGLES = 250_000;

/**
 * Main memory per grain that a run on the CPU takes, in bytes, beside the runtime's own. Measured: 1,900 at 3.7 candidates per
 * grain, and some 400 for each further one; settled packings have four or five, grains in fast motion ten and more.
 */
const BYTES_PER_GRAIN = 2500;

/** Main memory that a run of so many grains takes on the CPU, in bytes; an estimate for settled packings. */
export function estimateMemory(grains: number): number {
  return grains * BYTES_PER_GRAIN;
}

/** What to know before a run that the system may end: beyond the main memory that is free, in bytes. */
export function memoryWarnings(grains: number, free: number): string[] {
  if (estimateMemory(grains) <= free) return [];
  const need = `a run of ${grains} grains on the CPU takes about ${gibibytes(estimateMemory(grains))} GiB of main memory`;
  return [`${need}, and ${gibibytes(free)} GiB are free now: the system may end it; free some, or take fewer grains`];
}

export function gibibytes(bytes: number): string {
  return (bytes / 2 ** 30).toPrecision(3);
}
