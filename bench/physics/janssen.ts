import type { ContactState, State } from '../../src/index';

type Packing = Pick<State, 'positions'> & { contacts: Pick<ContactState, 'count' | 'first' | 'second' | 'forces'> };

/** Weight w that reaches the bottom of W: what the wall does not carry. Both in the unit of `saturation`. */
export const janssen = (weight: number, saturation: number) => saturation * (1 - Math.exp(-weight / saturation));

/**
 * Horizontal cuts through a packing at rest in a silo, under each grain in turn from the top: the weight W above the cut, and what
 * of it the cut bears, w = W less the friction of the wall above. The unit is a grain's weight, all of which are 1.
 * @param wall the silo's id among the contacts' bodies
 * @returns also the weight per length, over the middle eight tenths of the grains
 */
export function cuts({ positions, contacts }: Packing, wall: number) {
  const grains = positions.length / 3;
  const height = (i: number) => positions[3 * i + 2];
  const friction = new Float64Array(grains);
  for (let c = 0; c < contacts.count; c++) {
    // The force on the wall points down where it carries the grain.
    if (contacts.second[c] === wall) friction[contacts.first[c]] -= contacts.forces[3 * c + 2];
  }
  const fromTop = Array.from({ length: grains }, (_, i) => i).sort((a, b) => height(b) - height(a));
  const weights = fromTop.map((_, k) => k + 1);
  let held = 0;
  const carried = fromTop.map((i, k) => {
    held += friction[i];
    return k + 1 - held;
  });
  const [high, low] = [fromTop[Math.floor(0.1 * grains)], fromTop[Math.floor(0.9 * grains)]];
  return { weights, carried, perLength: (0.8 * grains) / (height(high) - height(low)) };
}

/** w_inf of the least squares of w = w_inf (1 - exp(-W/w_inf)): the error has one minimum, which a golden section closes in on. */
export function saturationOf(weights: readonly number[], carried: readonly number[]): number {
  const error = (saturation: number) =>
    weights.reduce((sum, weight, k) => sum + (carried[k] - janssen(weight, saturation)) ** 2, 0);
  const golden = (Math.sqrt(5) - 1) / 2;
  let [low, high] = [1, 100 * weights.length];
  while (high - low > 1e-6 * high) {
    const width = golden * (high - low);
    if (error(high - width) < error(low + width)) high = low + width;
    else low = high - width;
  }
  return (low + high) / 2;
}
