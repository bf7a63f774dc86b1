import { CapacityError } from './errors';
import { estimateMemory } from './scene/limits';

/** What engines say of an array that cannot be had. */
const NO_MEMORY = /allocation failed|invalid typed array length|invalid array (buffer )?length|out of memory/i;

export const isOutOfMemory = (error: unknown): boolean => error instanceof RangeError && NO_MEMORY.test(error.message);

/**
 * @param grains that are computed
 * @returns the error that tells what they take, where it says that an array cannot be had, else itself
 */
export function capacityError(error: unknown, grains: number): unknown {
  if (!isOutOfMemory(error)) return error;
  const need = `about ${(estimateMemory(grains) / 2 ** 30).toPrecision(2)} GiB, ${estimateMemory(1)} bytes each`;
  const fits = Math.floor(freeShare(estimateMemory(grains)) / estimateMemory(1));
  return new CapacityError(
    `The main memory that is free does not hold ${grains} grains, which take ${need}: about ${fits} grains would fit`,
    { cause: error },
  );
}

/** Bytes below those asked for that can be had together: found by halves. */
function freeShare(bytes: number): number {
  for (let share = bytes / 2; share >= estimateMemory(1); share /= 2) {
    try {
      if (new ArrayBuffer(Math.floor(share)).byteLength > 0) return share;
    } catch {
      // Half of it is next.
    }
  }
  return 0;
}
