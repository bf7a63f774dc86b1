import type { Radius } from '../schema';

/** The bell curve is cut this many deviations from its mean: beyond lies less than one in 10^15. */
const BELL_WIDTH = 8;

/**
 * Radii of `count` grains, in random order.
 * A list of shares is met exactly, to the nearest whole grain; the other distributions are drawn from.
 * @param random numbers in [0, 1)
 */
export function drawRadii(radius: Radius, count: number, random: () => number): Float64Array {
  const radii = new Float64Array(count);
  if (typeof radius === 'number') return radii.fill(radius);
  if (radius.list) return shuffle(fillShares(radii, radius.list), random);
  if (radius.uniform) {
    const [least, most] = radius.uniform;
    return radii.map(() => least + (most - least) * random());
  }
  const bell = radius.normal!;
  return radii.map(() => drawBell(bell, random));
}

/** Normal distribution cut off at `min` and `max`, by rejection. */
function drawBell({ mean, deviation, min, max }: NonNullable<Exclude<Radius, number>['normal']>, random: () => number): number {
  const least = Math.max(min, mean - BELL_WIDTH * deviation);
  const most = Math.min(max, mean + BELL_WIDTH * deviation);
  for (;;) {
    const value = least + (most - least) * random();
    if (random() <= Math.exp(-0.5 * ((value - mean) / deviation) ** 2)) return value;
  }
}

/** @param list radius and share by number of grains, of any common scale */
function fillShares(radii: Float64Array, list: readonly (readonly [number, number])[]): Float64Array {
  // Their sum, times the grains, must not leave the range of numbers; by a power of two no bit changes.
  const scale = list.some(([, share]) => share > 1e280) ? 2 ** -100 : 1;
  const whole = list.reduce((sum, [, share]) => sum + scale * share, 0);
  let sum = 0;
  let from = 0;
  for (const [radius, share] of list) {
    sum += scale * share;
    const to = Math.round((radii.length * sum) / whole);
    radii.fill(radius, from, to);
    from = to;
  }
  return radii;
}

/** Fisher and Yates: every order is as likely as any other. */
function shuffle(values: Float64Array, random: () => number): Float64Array {
  for (let k = values.length - 1; k > 0; k--) {
    const j = Math.floor(random() * (k + 1));
    [values[k], values[j]] = [values[j], values[k]];
  }
  return values;
}
