/** What a scene can ask for at most, and what it needs. */

/** Grains: ids and contact lists are sized for this many. */
export const MAX_GRAINS = 2 ** 24;

/** Steps of one run, and between frames: the step's number seeds random orders as 32 bits. */
export const MAX_STEPS = 2 ** 32 - 1;

/** Sweeps of one step. */
export const MAX_ITERATIONS = 1_000_000;

/** Planes and cylinders, faces of boxes counted one by one: every grain is tested against each. */
export const MAX_WALLS = 4096;

/** Host memory per grain that a run takes, in bytes. Measured on the CPU: 1,940 at three candidates per grain; packings have four or five. */
const BYTES_PER_GRAIN = 2500;

/** Host memory that a run of so many grains takes, in bytes; an estimate for settled packings. */
export function estimateMemory(grains: number): number {
  return grains * BYTES_PER_GRAIN;
}
