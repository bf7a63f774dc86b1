import { GRAVITY } from '../materials';

/** Diameters by which an opening is narrower for grains than it is, and factors of the laws; see the sources that demos name. */
const EMPTY_ANNULUS = 1.4;
const CIRCLE = 0.58;
const SLOT = 1.03;

/**
 * Mass per time out of a circular opening in a flat floor (Beverloo, Leniger and van de Velde, 1961): C rho_b sqrt(g) (D - k d)^(5/2).
 * @param bulk density of the packing, the grains' times their solid share
 */
export function circleFlow(bulk: number, opening: number, diameter: number): number {
  return CIRCLE * bulk * Math.sqrt(GRAVITY) * Math.max(0, opening - EMPTY_ANNULUS * diameter) ** 2.5;
}

/** Mass per time and per length of a slot (the same law in two dimensions): C rho_b sqrt(g) (D - k d)^(3/2). */
export function slotFlow(bulk: number, opening: number, diameter: number): number {
  return SLOT * bulk * Math.sqrt(GRAVITY) * Math.max(0, opening - EMPTY_ANNULUS * diameter) ** 1.5;
}
