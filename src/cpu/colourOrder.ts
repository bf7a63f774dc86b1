/** Step of O'Neill's PCG generator with its output permutation (RXS-M-XS, 32 bits); in 32-bit arithmetic, as on the GPU. */
function pcg(x: number): number {
  const state = (Math.imul(x, 747796405) + 2891336453) >>> 0;
  const word = Math.imul((state >>> ((state >>> 28) + 4)) ^ state, 277803737) >>> 0;
  return ((word >>> 22) ^ word) >>> 0;
}

/**
 * Fills `order` with a random permutation of 0 to order.length - 1 that depends on the three numbers alone.
 * @param step counts from 0
 * @param sweep counts from 0 within the step
 */
export function shuffle(seed: number, step: number, sweep: number, order: Uint32Array): void {
  let hash = pcg(seed ^ pcg(step ^ pcg(sweep)));
  for (let k = 0; k < order.length; k++) order[k] = k;
  for (let k = order.length - 1; k > 0; k--) {
    hash = pcg(hash);
    const other = hash % (k + 1);
    const kept = order[k];
    order[k] = order[other];
    order[other] = kept;
  }
}

/** The order in which a sweep takes the colours when `solver.order` is "random". Arguments as for `shuffle`. */
export function colourOrder(seed: number, step: number, sweep: number, colours: number): Uint32Array {
  const order = new Uint32Array(colours);
  shuffle(seed, step, sweep, order);
  return order;
}
