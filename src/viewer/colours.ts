import type { Colouring } from './types';

/** Red, green, blue in sRGB, each from 0 to 1. */
export type Colour = [red: number, green: number, blue: number];

/**
 * A colour of OKLab by lightness, chroma and hue in degrees (B. Ottosson, "A perceptual color space for image processing", 2020):
 * equal steps in it look equal. The chroma is lowered where no screen could show it.
 */
export function oklch(lightness: number, chroma: number, hue: number): Colour {
  let linear = toLinear(lightness, chroma, hue);
  for (let c = chroma; c > 0 && linear.some((x) => x < -1e-4 || x > 1 + 1e-4); c -= 0.004) linear = toLinear(lightness, c, hue);
  return linear.map(encode) as Colour;
}

function toLinear(lightness: number, chroma: number, hue: number): Colour {
  const angle = (hue * Math.PI) / 180;
  const [a, b] = [chroma * Math.cos(angle), chroma * Math.sin(angle)];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

/** From linear light to sRGB (IEC 61966-2-1). */
function encode(x: number): number {
  const clamped = Math.min(1, Math.max(0, x));
  return clamped <= 0.0031308 ? 12.92 * clamped : 1.055 * clamped ** (1 / 2.4) - 0.055;
}

export const css = ([r, g, b]: Colour): string => `rgb(${[r, g, b].map((x) => Math.round(255 * x)).join(' ')})`;

export interface Theme {
  background: Colour;
  /** Grains that are all alike. */
  grain: Colour;
  wall: Colour;
  /** Lines on walls, and their edges. */
  wallLine: Colour;
  chain: [weak: Colour, strong: Colour];
  /** From the smallest value to the largest, PALETTE_SIZE of them. */
  ramp: readonly Colour[];
  categories: readonly Colour[];
  /** Of no contact, one that sticks, one that slides. */
  contactStates: readonly [Colour, Colour, Colour];
}

/** Colours of a palette, as its texture has them. */
export const PALETTE_SIZE = 256;

/** Even in lightness; violet, blue and green take a little less of it than yellow. */
function rampOf([dark, first]: [lightness: number, hue: number], [light, last]: [lightness: number, hue: number]): Colour[] {
  return Array.from({ length: PALETTE_SIZE }, (_, k) => {
    const t = k / (PALETTE_SIZE - 1);
    return oklch(dark + (light - dark) * t, 0.15, first + (last - first) * t ** 0.9);
  });
}

/** Hues far enough apart to be told by people who see few of them, by lightness too. */
const CATEGORIES: readonly [lightness: number, chroma: number, hue: number][] = [
  [0.68, 0.13, 250],
  [0.78, 0.14, 70],
  [0.7, 0.13, 165],
  [0.62, 0.17, 15],
  [0.82, 0.13, 105],
  [0.58, 0.15, 300],
  [0.75, 0.1, 210],
  [0.6, 0.08, 60],
];

export const THEMES: Record<'light' | 'dark', Theme> = {
  light: {
    background: oklch(0.975, 0.004, 250),
    grain: oklch(0.78, 0.075, 75),
    wall: oklch(0.9, 0.008, 250),
    wallLine: oklch(0.74, 0.015, 250),
    chain: [oklch(0.72, 0.1, 60), oklch(0.45, 0.19, 25)],
    ramp: rampOf([0.42, 275], [0.87, 92]),
    categories: CATEGORIES.map(([l, c, h]) => oklch(l, c, h)),
    contactStates: [oklch(0.82, 0.01, 250), oklch(0.62, 0.13, 245), oklch(0.7, 0.17, 45)],
  },
  dark: {
    background: oklch(0.17, 0.012, 260),
    grain: oklch(0.8, 0.07, 80),
    wall: oklch(0.29, 0.015, 260),
    wallLine: oklch(0.42, 0.02, 260),
    chain: [oklch(0.6, 0.12, 45), oklch(0.92, 0.13, 95)],
    ramp: rampOf([0.46, 280], [0.92, 98]),
    categories: CATEGORIES.map(([l, c, h]) => oklch(l + 0.03, c, h)),
    contactStates: [oklch(0.5, 0.012, 260), oklch(0.68, 0.13, 240), oklch(0.76, 0.16, 55)],
  },
};

/** The colours of a colouring, evenly spaced over its values; of categories one each. */
export function coloursOf(theme: Theme, colourBy: Colouring, categories: number): readonly Colour[] {
  if (colourBy === 'plain') return [theme.grain];
  if (colourBy === 'contactState') return [...theme.contactStates];
  if (colourBy === 'material' || colourBy === 'group') {
    return Array.from({ length: categories }, (_, k) => theme.categories[k % theme.categories.length]);
  }
  return theme.ramp;
}
