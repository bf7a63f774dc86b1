import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'puppeteer';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Columns, Probe } from '../../demo/demo';
import { demos } from '../../demo/demos/index';
import { formatNumber } from '../../src/page/formatNumber';
import { withChrome } from '../support/chrome';
import { difference, hues, openDemo, pictureOf, stepsOf, stepsTo } from '../support/gallery';

let built: string;

beforeAll(async () => {
  built = await mkdtemp(join(tmpdir(), 'contact-dynamics-gallery-'));
  process.env.BUILD_DIR = built;
  await build({ logLevel: 'error', mode: 'demo' });
});

afterAll(() => rm(built, { recursive: true, force: true }));

const SMALL = { width: 360, height: 420 };

/** The gallery in a small window, on the demo of that hash. */
function withGallery(
  hash: string,
  body: (page: Page, complaints: readonly string[]) => Promise<void>,
  calm = false,
): Promise<void> {
  return withChrome(
    join(built, 'demo'),
    async (page, address, complaints) => {
      page.setDefaultTimeout(120_000);
      await page.setViewport(SMALL);
      await page.emulateMediaFeatures([
        { name: 'prefers-color-scheme', value: 'dark' },
        { name: 'prefers-reduced-motion', value: calm ? 'reduce' : 'no-preference' },
      ]);
      await page.goto(`${address}index.html${hash}`);
      await page.waitForFunction(() => document.querySelectorAll('#readings dd').length > 0, { polling: 50 });
      await body(page, complaints);
      expect(complaints).toEqual([]);
    },
    { draws: true },
  );
}

/** Moves the first slider of the demo to its far end, as a reader does who types a number. */
const moveSlider = (page: Page) =>
  page.evaluate(() => {
    const input = document.querySelector<HTMLInputElement>('#controls .lil-number input')!;
    input.value = '1000';
    input.dispatchEvent(new Event('input'));
    input.dispatchEvent(new Event('blur'));
  });

/** After one more step the page tells each figure with its unit, and each plot has the columns that are its own. */
async function checkFigures(page: Page, id: string): Promise<void> {
  const { readings, told, data, drawn } = await page.evaluate(async () => {
    const gallery = window.gallery!;
    await gallery.step();
    const inside = gallery as unknown as { shown: { probe: Probe }; plots: { plots: { data: Columns }[] } };
    const { probe } = inside.shown;
    return {
      readings: probe.readings(),
      told: [...document.getElementById('readings')!.children].map(({ textContent }) => textContent),
      data: probe.data(),
      drawn: inside.plots.plots.map((plot) => plot.data),
    };
  });
  const texts = readings.map(({ label, value, unit, expected }) => {
    const figure = `${formatNumber(value)}${unit && value !== null ? ` ${unit}` : ''}`;
    return [label, `${figure}${expected ?? ''}`];
  });
  expect(told, `${id}: figures`).toEqual(texts.flat());
  expect(drawn, `${id}: plots`).toEqual(data);
}

/** A click on the middle of the picture tells of a grain there; where there is a gap, one beside it. */
async function checkPicked(page: Page): Promise<void> {
  const { x, y, width, height } = (await (await page.$('#view'))!.boundingBox())!;
  let rows: (string | null)[] = [];
  for (let k = 0; k < 8 && rows.length === 0; k++) {
    await page.mouse.click(x + width / 2 + 4 * k, y + height / 2);
    await page.waitForSelector('#picked:not([hidden])', { timeout: 2000 }).catch(() => undefined);
    rows = await page.$$eval('#picked:not([hidden]) :is(dt, dd)', (cells) => cells.map(({ textContent }) => textContent));
  }
  const text = (name: string) => rows[rows.indexOf(name) + 1]!;
  const [across, up] = text('Place').split(/\s+/).map(Number.parseFloat);
  const radius = Number.parseFloat(text('Radius'));
  const { target } = await page.evaluate(() => window.gallery!.camera!);
  expect(Math.hypot(across - target[0], up - target[1]) / radius).toBeLessThan(5);
  expect(['Speed', 'Rotation', 'Sum of normal forces'].map((name) => text(name).replace(/^\S+( × \S+)? /, ''))).toEqual([
    'm/s',
    'rad/s',
    'N per m',
  ]);
  expect(await page.$eval('#legend', (legend) => legend.textContent)).toContain('Sum of normal forces, N per m');
}

test('a plot says what it waits for until there is something to draw', () =>
  withGallery('#drum?grains=40&paused=1', async (page) => {
    const waits = () =>
      page.$$eval('.plot', (plots) => plots.map((plot) => plot.querySelector('p:not([hidden])')?.textContent ?? ''));
    await page.keyboard.press('.');
    await stepsTo(page, 1);
    expect(await waits()).toEqual(['once a bed lies', '']);
    await page.keyboard.press(' ');
    await page.waitForFunction(() => document.querySelector<HTMLElement>('.plot p')!.hidden);
  }));

test('every demo runs, draws grains, walls and colours, and begins anew when a slider moves', () =>
  withGallery('#pour?grains=30', async (page, complaints) => {
    for (const { id, sizes, controls } of demos) {
      // Else the browser would go to it, and give it the keys.
      expect(await page.$(`#${id}`), `${id}: an element that the link to it means`).toBeNull();
      const pours = 'duration' in controls;
      await openDemo(page, `${id}?grains=${Math.max(30, sizes.least)}&chains=0${pours ? '&duration=1' : ''}`);
      await stepsTo(page, pours ? 400 : 3);
      await page.keyboard.press(' ');
      await checkFigures(page, id);
      const size = await pictureOf(page, { colourBy: 'size', walls: false });
      const plain = await pictureOf(page, { colourBy: 'plain', walls: false });
      const walls = await pictureOf(page, { colourBy: 'plain', walls: true });
      expect(Math.max(...hues(size)), `${id}: coloured grains`).toBeGreaterThan(40);
      expect(difference(size, plain, 10), `${id}: colours`).toBeGreaterThan(0.001);
      expect(difference(plain, walls, 4), `${id}: walls`).toBeGreaterThan(0.003);
      const [key] = Object.keys(controls);
      await moveSlider(page);
      await page.waitForFunction(
        (name) => location.hash.includes(`${name}=`) && window.gallery!.playing && window.gallery!.steps > 0,
        { polling: 50 },
        key,
      );
      expect(await page.$eval('#faults', (place) => (place as HTMLElement).hidden), id).toBe(true);
      expect(complaints, id).toEqual([]);
    }
  }));

/** From one thing to the next by the key Tab: each is seen to be the one, and the first leads past the list. */
async function walkByTab(page: Page): Promise<void> {
  const here = () =>
    page.evaluate(() => {
      const { activeElement } = document;
      const field = activeElement?.getAttribute('aria-labelledby');
      const name = activeElement?.id || activeElement?.className || (field && document.getElementById(field)?.textContent);
      return { name: name || activeElement?.textContent, outline: getComputedStyle(activeElement!).outlineStyle };
    });
  await page.focus('#skip');
  const stops = [await here()];
  do {
    await page.keyboard.press('Tab');
    stops.push(await here());
  } while (stops.at(-1)!.name !== 'Grains' && stops.length < 60);
  expect(stops.filter(({ outline }) => outline === 'none')).toEqual([]);
  expect(stops.map(({ name }) => name)).toEqual(expect.arrayContaining(['skip', 'help', 'view', 'play', 'colour', 'Friction']));
  await page.focus('#skip');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  expect((await here()).name).toBe('view');
}

test('keys, reduced motion, steps, links, faults and videos', () =>
  withGallery(
    '#chains?grains=40&friction=0.1',
    async (page) => {
      expect(await stepsOf(page)).toBe(0);
      await page.keyboard.press('.');
      await stepsTo(page, 1);
      expect(await stepsOf(page)).toBe(1);
      // Whoever has chosen a demo from the list is still at its link.
      await page.focus('#list [aria-current]');
      await page.keyboard.press(' ');
      await stepsTo(page, 4);
      await page.keyboard.press('c');
      expect(await page.evaluate(() => location.hash)).toBe('#chains?friction=0.1&grains=40&chains=0');
      await walkByTab(page);
      expect(await page.evaluate(() => location.hash)).toBe('#chains?friction=0.1&grains=40&chains=0');
      await checkPicked(page);
      await page.evaluate(() => {
        const kept: { name: string; size: Promise<number> }[] = [];
        Object.assign(window, { kept });
        HTMLAnchorElement.prototype.click = function () {
          kept.push({ name: this.download, size: fetch(this.href).then(async (file) => (await file.blob()).size) });
        };
      });
      const keptFile = () =>
        page.evaluate(async () => {
          const file = (window as unknown as { kept: { name: string; size: Promise<number> }[] }).kept.pop()!;
          return { name: file.name, size: await file.size };
        });
      await page.evaluate(() => window.gallery!.picture());
      expect((await keptFile()).name).toBe('chains.png');
      await page.evaluate(() => window.gallery!.video());
      await stepsTo(page, (await stepsOf(page)) + 4);
      await page.evaluate(() => window.gallery!.video());
      const video = await keptFile();
      expect(video.name).toMatch(/^chains\.(webm|mp4)$/);
      expect(video.size).toBeGreaterThan(500);
      await page.keyboard.press('s');
      await page.$eval('#scene-text', (text) => {
        (text as HTMLTextAreaElement).value = '{"format":"contact-dynamics/1","<img src=x onerror=alert(1)>":1}';
      });
      await page.click('#scene-run');
      await page.waitForFunction(() => !document.getElementById('faults')!.hidden, { polling: 50 });
      const faults = await page.$eval('#faults', (place) => ({
        text: place.textContent,
        images: place.querySelectorAll('img').length,
      }));
      expect(faults.text).toContain('timeStep');
      expect(faults.text).toContain('<img src=x');
      expect(faults.images).toBe(0);
      // The link holds where the camera has gone, that it is cut open, and that it was paused.
      await openDemo(page, 'pour?grains=30');
      const framed = await page.evaluate(() => window.gallery!.camera!);
      await page.focus('#view');
      for (let k = 0; k < 4; k++) await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('x');
      await page.keyboard.press('.');
      await page.waitForFunction(() => ['camera=', 'clip=', 'paused=1'].every((part) => location.hash.includes(part)), {
        polling: 50,
      });
      const [link, left] = await page.evaluate(() => [location.hash.slice(1), window.gallery!.camera!] as const);
      expect(Math.hypot(...left.target.map((x, axis) => x - framed.target[axis]))).toBeGreaterThan(0.001);
      await openDemo(page, 'pour?grains=30');
      expect(await page.evaluate(() => window.gallery!.camera!.moved)).toBe(false);
      await openDemo(page, link);
      const found = await page.evaluate(() => ({
        camera: window.gallery!.camera!,
        view: window.gallery!.viewState,
        playing: window.gallery!.playing,
      }));
      expect(found.camera.position).toEqual(left.position.map((x) => expect.closeTo(x, 4)));
      expect(found.camera.target).toEqual(left.target.map((x) => expect.closeTo(x, 4)));
      expect(found.view.clip).not.toBeNull();
      expect(found.playing).toBe(false);
      await openDemo(page, 'chains?grains=40');
      await page.keyboard.press('n');
      await page.waitForFunction(() => location.hash.startsWith('#couette'), { polling: 50 });
    },
    true,
  ));

test('on WebGPU: resized, hidden and shown, and the device lost in mid-run', () =>
  withGallery('#hopper?grains=40&backend=webgpu', async (page) => {
    await stepsTo(page, 4);
    expect(await page.evaluate(() => window.gallery!.backendInUse)).toBe('webgpu');
    const narrow = await pictureOf(page);
    await page.setViewport({ width: 500, height: 460 });
    await page.waitForFunction((width) => document.querySelector('canvas')!.width > width, { polling: 50 }, narrow.width);
    expect((await pictureOf(page)).width).toBeGreaterThan(narrow.width);
    const show = (display: string) =>
      page.$eval(
        '#view',
        (canvas, value) => {
          (canvas as HTMLElement).style.display = value;
        },
        display,
      );
    await show('none');
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const hidden = await stepsOf(page);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(await stepsOf(page)).toBe(hidden);
    await show('block');
    await stepsTo(page, hidden + 4);
    const bare = { colourBy: 'size', forceChains: false };
    const kept = await pictureOf(page, bare);
    await page.evaluate(() => window.gallery!.loseDevice());
    await stepsTo(page, (await stepsOf(page)) + 4);
    expect(await page.evaluate(() => window.gallery!.backendInUse)).toBe('webgpu');
    const note = () => page.$eval('#note', (place) => place.textContent);
    expect(await note()).toBe('The graphics device was lost. The run goes on where it stopped.');
    await page.keyboard.press(' ');
    const recovered = await pictureOf(page, bare);
    expect(difference(kept, recovered)).toBeLessThan(0.3);
    expect(Math.max(...hues(recovered))).toBeGreaterThan(40);
    // There is an adapter still, but it gives no device any more.
    const steps = await stepsOf(page);
    await page.evaluate(() => {
      GPUAdapter.prototype.requestDevice = () => Promise.reject(new Error('no more devices'));
      window.gallery!.toggle();
      window.gallery!.loseDevice();
    });
    await page.waitForFunction(() => window.gallery!.backendInUse === 'cpu', { polling: 50 });
    await stepsTo(page, steps + 4);
    expect(await note()).toMatch(/lost.*on the CPU/);
    expect(Math.max(...hues(await pictureOf(page, bare)))).toBeGreaterThan(40);
    await openDemo(page, 'hopper?grains=40&backend=webgpu&paused=1');
    await page.waitForFunction(() => document.getElementById('note')!.textContent!.includes('no device any more'), {
      polling: 50,
    });
    expect(await page.evaluate(() => window.gallery!.backendInUse)).toBe('cpu');
  }));
