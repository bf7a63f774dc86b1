import { BIN_SHIFT, BINS, HISTOGRAMS } from './rows';

export type Measured = (typeof HISTOGRAMS)[number];

/** Share of the figures above zero that the scale of colours holds; the few beyond have the last colour. */
const WITHIN = 0.98;
/** Below this share of what a scale ends at it ends lower, so that it does not flicker. */
const KEPT_FROM = 0.35;
/** Numbers in which a scale may end, beside powers of ten. */
const ROUND = [1, 1.5, 2, 3, 5, 7, 10];

/** The figure that most do not exceed, to an eighth of a power of two; 0 where none is above zero. */
export function highFigure(histograms: Uint32Array, of: Measured): number {
  const bins = histograms.subarray(BINS * HISTOGRAMS.indexOf(of), BINS * (HISTOGRAMS.indexOf(of) + 1));
  let left = WITHIN * bins.reduce((sum, count) => sum + count, 0);
  if (left === 0) return 0;
  const bin = bins.findIndex((count) => {
    left -= count;
    return left <= 0;
  });
  return new Float32Array(Uint32Array.of((bin + 1) << BIN_SHIFT).buffer)[0];
}

/** The next round number from x on; x above 0. */
export function roundUp(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x));
  const mantissa = ROUND.find((m) => m * power >= x * (1 - 1e-9)) ?? 10;
  return mantissa * power;
}

/** Where the scale of a figure ends: follows the figures, in round steps and not to and fro. */
export class Scale {
  private end = 0;

  /** @param least where it ends at least: below, figures are but noise */
  constructor(private readonly least: number) {}

  /** @param figure in the unit of the scene @returns whether it has changed */
  follow(figure: number): boolean {
    const wanted = Math.max(figure, this.least);
    if (wanted <= this.end && wanted >= KEPT_FROM * this.end) return false;
    const before = this.end;
    this.end = wanted > 0 ? roundUp(wanted) : before;
    return this.end !== before;
  }

  get max(): number {
    return this.end || 1;
  }
}
