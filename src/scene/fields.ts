// The small build of zod: the methods of the other one would be a fifth of what a page gets.
import * as z from 'zod/mini';
import { isObject } from './asWritten';
import { unknownKey } from './faults';

/** Seeds are 32 bits: what the generators of random numbers take on every backend. */
const MAX_SEED = 2 ** 32 - 1;

export const finite = z.number();
export const positive = z.number().check(z.gt(0));
export const notNegative = z.number().check(z.gte(0));
export const seed = z.int().check(z.gte(0), z.lte(MAX_SEED));
export const name = z.string().check(z.minLength(1));
export const vector = z.tuple([finite, finite, finite]);
export const zero = (): [number, number, number] => [0, 0, 0];

/** A whole number from `least` to `most`. */
export const whole = (least: number, most: number) => z.int().check(z.gte(least), z.lte(most));

/** A vector with a direction; its length does not matter. */
export const direction = vector.check(
  z.refine((v) => Math.hypot(...v) > 0, 'must not be zero: give a direction such as [0, 0, 1]'),
);

/** An object that refuses unknown keys and names the nearest known one. */
export function strict<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? issue.keys.map((key) => unknownKey(key, known)).join('\n') : undefined,
  });
}

/** Refuses an object that says nothing. */
export const filled = z.refine<object>((value) => Object.keys(value).length > 0, 'is empty, and so does nothing');

/** One of `values`. */
export const choice = <const Values extends readonly string[]>(values: Values) => z.enum(values);

/** Marks in the JSON Schema that exactly one of the keys is given; references.ts checks the same. */
export const exactlyOne = (keys: readonly string[]) => z.meta({ oneOf: keys.map((key) => ({ required: [key] })) });

/**
 * Settings of a refinement that compares what is under `keys`: runs whatever else is wrong with the object, so that the
 * fault is listed with the others, and reports at the last key.
 * @param fits whether a value is of the type that is compared
 */
const comparingAll = (fits: (value: unknown) => boolean) => (keys: readonly string[], error: string) => ({
  error,
  path: [keys[keys.length - 1]],
  when: ({ value }: { value: unknown }) => isObject(value) && keys.every((key) => fits(value[key])),
});
export const comparing = comparingAll(Number.isFinite);
export const comparingVectors = comparingAll((value) => vector.safeParse(value).success);

/** Along z too in three dimensions: see dimension.ts, which knows the dimension. */
const isAboveMin = ({ min, max }: { min: number[]; max: number[] }) => max[0] > min[0] && max[1] > min[1] && max[2] >= min[2];
/** Refuses a box whose corners are exchanged. */
export const aboveMin = z.refine<{ min: number[]; max: number[] }>(
  isAboveMin,
  comparingVectors(['min', 'max'], 'must exceed "min" along every axis'),
);
