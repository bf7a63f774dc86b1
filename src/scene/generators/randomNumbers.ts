import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** Numbers drawn from a fresh generator before use: seeds that differ in few bits begin alike. */
const WARM_UP = 32;

/** Random numbers in [0, 1): the same sequence for the same seed everywhere. */
export function randomNumbers(seed: number): () => number {
  const generator = xoroshiro128plus(seed);
  for (let k = 0; k < WARM_UP; k++) generator.next();
  return () => uniformFloat64(generator);
}
