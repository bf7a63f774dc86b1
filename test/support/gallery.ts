import type { Page } from 'puppeteer';

/** Pixels of a picture, four bytes each, from the top left. */
export interface Picture {
  width: number;
  height: number;
  pixels: number[];
}

/** Opens an address of the gallery's part after #, and waits until its picture is there. */
export async function openDemo(page: Page, hash: string): Promise<void> {
  await page.evaluate((next) => {
    document.getElementById('readings')!.replaceChildren();
    location.hash = next;
  }, hash);
  await page.waitForFunction(() => document.querySelectorAll('#readings dd').length > 0, { polling: 50 });
}

/** Steps done. */
export const stepsOf = (page: Page): Promise<number> => page.evaluate(() => window.gallery!.steps);

/** Waits until so many steps are done. */
export async function stepsTo(page: Page, steps: number): Promise<void> {
  await page.waitForFunction((least) => window.gallery!.steps >= least, { polling: 50 }, steps);
}

/** What the canvas shows with these options of the view. */
export function pictureOf(
  page: Page,
  view: { colourBy?: string; walls?: boolean; forceChains?: boolean } = {},
): Promise<Picture> {
  return page.evaluate(async (part) => {
    const { gallery } = window;
    gallery!.setView(part);
    const image = await createImageBitmap(await gallery!.image());
    const { width, height } = image;
    const context = new OffscreenCanvas(width, height).getContext('2d')!;
    context.drawImage(image, 0, 0);
    return { width, height, pixels: [...context.getImageData(0, 0, width, height).data] };
  }, view);
}

/** Share of the pixels in which two pictures differ by more than so many of 255 in a colour. */
export function difference(a: Picture, b: Picture, least = 24): number {
  let differing = 0;
  for (let k = 0; k < a.pixels.length; k += 4) {
    if ([0, 1, 2].some((c) => Math.abs(a.pixels[k + c] - b.pixels[k + c]) > least)) differing++;
  }
  return differing / (a.width * a.height);
}

/** Hues of the pixels that are no grey, counted in twelve sectors. */
export function hues({ pixels }: Picture): number[] {
  const sectors = new Array<number>(12).fill(0);
  for (let k = 0; k < pixels.length; k += 4) {
    const [r, g, b] = pixels.slice(k, k + 3);
    const [most, least] = [Math.max(r, g, b), Math.min(r, g, b)];
    if (most - least < 50) continue;
    const hue = (Math.atan2(Math.sqrt(3) * (g - b), 2 * r - g - b) / (2 * Math.PI) + 1) % 1;
    sectors[Math.floor(12 * hue)]++;
  }
  return sectors;
}
