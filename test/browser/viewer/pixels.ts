import type { Picture } from './page';

/** Pixels along the edges of the pictures. */
export const SIZE = 200;

export type Rgb = [number, number, number];
export const pixel = ({ pixels }: Picture, x: number, y: number) =>
  pixels.slice(4 * (SIZE * y + x), 4 * (SIZE * y + x) + 3) as Rgb;
export const rgb = (css: string) => css.match(/\d+/g)!.map(Number) as Rgb;

/** Hue on the circle of colours and its strength, which shading leaves nearly as they are. */
export function hue([r, g, b]: Rgb): { angle: number; strength: number } {
  const [x, y] = [r - (g + b) / 2, (Math.sqrt(3) / 2) * (g - b)];
  return { angle: Math.atan2(y, x), strength: Math.hypot(x, y) / Math.max(1, r, g, b) };
}

/** Pixels of the hue of a colour: how many, and their middle. */
export function blob(picture: Picture, css: string) {
  const wanted = hue(rgb(css)).angle;
  let [count, sumX, sumY] = [0, 0, 0];
  for (let y = 0; y < SIZE; y++) {
    for (let x = 0; x < SIZE; x++) {
      const { angle, strength } = hue(pixel(picture, x, y));
      if (strength < 0.2 || Math.cos(angle - wanted) < Math.cos(0.2)) continue;
      count++;
      sumX += x;
      sumY += y;
    }
  }
  return { count, x: Math.round(sumX / count), y: Math.round(sumY / count) };
}

export const difference = (a: Rgb, b: Rgb) => Math.max(...a.map((x, k) => Math.abs(x - b[k])));

/** Share of the pixels that differ clearly. */
export function unlike(a: Picture, b: Picture): number {
  let count = 0;
  for (let k = 0; k < SIZE * SIZE; k++) {
    const [x, y] = [k % SIZE, Math.floor(k / SIZE)];
    if (difference(pixel(a, x, y), pixel(b, x, y)) > 24) count++;
  }
  return count / (SIZE * SIZE);
}
