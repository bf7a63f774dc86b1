/** Factor by which a buffer that is too small grows, so that a slowly growing packing seldom allocates. */
const GROWTH = 1.5;

interface TypedArrayType<T> {
  new (length: number): T;
}

/** `array` if it holds `length` values, else a larger one that begins with the same values. */
export function grown<T extends Float64Array | Uint32Array>(array: T, length: number): T {
  if (array.length >= length) return array;
  const larger = new (array.constructor as TypedArrayType<T>)(Math.ceil(GROWTH * length));
  larger.set(array);
  return larger;
}
