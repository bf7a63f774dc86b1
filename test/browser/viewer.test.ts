import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'puppeteer';
import { build } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SceneInput, Vector } from '../../src/index';
import { watch, withChrome } from '../support/chrome';
import { newFolder } from '../support/folder';
import type { Job, Outcome, Picture, Size } from './viewer/page';
import { blob, difference, hue, pixel, rgb, SIZE, unlike } from './viewer/pixels';

const site = newFolder();

/** How a packing gets onto the canvas: computed and drawn on one device; read, then drawn with WebGPU; read, then drawn with WebGL 2. */
const WAYS = { shared: 'webgpu', read: 'cpu', webgl: 'cpu' } as const;
type Way = keyof typeof WAYS;

/** Chrome has a page with WebGPU and one without. */
let pages: Record<'gpu' | 'webgl', Page>;
let complaints: () => string[];
let close: () => void;
let closed: Promise<void>;

beforeAll(async () => {
  const folder = join(import.meta.dirname, 'viewer');
  await build({ input: join(folder, 'page.ts'), output: { dir: site, entryFileNames: 'page.js' }, logLevel: 'warn' });
  await cp(join(folder, 'index.html'), join(site, 'index.html'));
  await new Promise<void>((ready, fail) => {
    const session = async (gpu: Page, address: string, said: readonly string[]) => {
      const webgl = await gpu.browser().newPage();
      await webgl.evaluateOnNewDocument(() => Object.defineProperty(navigator, 'gpu', { value: undefined }));
      const saidThere = watch(webgl);
      for (const page of [webgl, gpu]) await page.goto(`${address}index.html`);
      pages = { gpu, webgl };
      complaints = () => [...said, ...saidThere];
      ready();
      await new Promise<void>((resolve) => {
        close = resolve;
      });
    };
    closed = withChrome(site, session, { draws: true }).catch(fail);
  });
});

afterAll(async () => {
  close();
  await closed;
});

/** Draws in each way, and expects that the page complains of nothing and nothing is left. */
async function draw(ways: readonly Way[], job: Omit<Job, 'backend'>): Promise<Outcome[]> {
  const drawn: Outcome[] = [];
  for (const way of ways) {
    const page = way === 'webgl' ? pages.webgl : pages.gpu;
    // The other page, behind it, does not give its pictures.
    await page.bringToFront();
    const outcome = await page.evaluate((given) => window.draw(given), { ...job, backend: WAYS[way] });
    expect(complaints()).toEqual([]);
    expect(outcome.left).toEqual([]);
    drawn.push(outcome);
  }
  return drawn;
}

const common = { format: 'contact-dynamics/1', timeStep: 0.01, steps: 100 } as const;
const materials = { a: { density: 1 }, b: { density: 1 }, c: { density: 1 }, steel: {} };
/** Three spheres at rest: one beside, one above the first. */
const three: SceneInput = {
  ...common,
  materials,
  grains: [
    { material: 'a', list: [{ position: [0, 0, 1], radius: 1 }] },
    { material: 'b', list: [{ position: [6, 0, 1], radius: 0.5 }] },
    { material: 'c', list: [{ position: [0, 0, 6], radius: 1, velocity: [0, 0.3, 0.4] }] },
  ],
  walls: [{ name: 'floor', material: 'steel', plane: { point: [0, 0, 0], normal: [0, 0, 1] } }],
};

for (const way of Object.keys(WAYS) as Way[]) {
  test(`${way}: spheres are where they should be, in their colours, on a floor that can be left out`, async () => {
    const options = { colourBy: 'material', theme: 'light' } as const;
    const [first] = await draw([way], { scene: three, steps: 1, options: [options] });
    const [picture] = first.pictures;
    const names = picture.legend!.categories!;
    expect(names).toEqual(['a', 'b', 'c']);
    const [a, b, c] = names.map((_, k) => blob(picture, picture.legend!.colours[k]));
    expect(a.count).toBeGreaterThan(300);
    expect(c.count / a.count).toBeGreaterThan(0.75);
    expect(b.count / a.count).toBeGreaterThan(0.15);
    expect(b.count / a.count).toBeLessThan(0.4);
    expect(b.x - a.x).toBeGreaterThan(50);
    expect(a.y - c.y).toBeGreaterThan(50);
    expect(Math.abs(a.x - c.x)).toBeLessThan(12);
    // Nothing but the spheres has a colour; the floor is between them, the sky above.
    const sky = pixel(picture, 190, 5);
    const ground = pixel(picture, Math.round((a.x + b.x) / 2), b.y + 8);
    expect(hue(ground).strength).toBeLessThan(0.1);
    expect(difference(ground, sky)).toBeGreaterThan(8);

    const [again] = await draw([way], { scene: three, steps: 1, options: [options, { walls: false, theme: 'dark' }] });
    const [, dark] = again.pictures;
    expect(Math.max(...pixel(dark, 190, 5))).toBeLessThan(50);
    expect(difference(pixel(dark, 190, 5), pixel(dark, Math.round((a.x + b.x) / 2), b.y + 8))).toBe(0);
  });
}

test('what is picked has the figures of the grain', async () => {
  const options = [{ colourBy: 'material', theme: 'light', walls: false } as const];
  const [{ pictures }] = await draw(['read'], { scene: three, steps: 1, options });
  const { x, y } = blob(pictures[0], pictures[0].legend!.colours[2]);
  for (const { picks } of await draw(['shared', 'read'], { scene: three, steps: 1, options, picks: [[x, y]] })) {
    const grain = picks[0]!;
    expect(grain).toMatchObject({ id: 2, material: 'c', group: 2, contacts: 0, force: 0 });
    expect(grain.speed).toBeCloseTo(0.5, 5);
    expect(grain.radius).toBeCloseTo(1, 5);
    expect(grain.position.map((p, k) => p - [0, 0.003, 6.004][k])).toEqual(Array(3).fill(expect.closeTo(0, 5)));
  }
});

/** Disks in a row with speeds from 0 on, without gravity. */
const row: SceneInput = {
  ...common,
  dimension: 2,
  materials: { a: { density: 1 } },
  grains: [
    {
      material: 'a',
      list: [0, 1, 2, 3, 4].map((k) => ({ position: [2 * k, 0, 0], radius: 0.5 + 0.1 * k, velocity: [0, 0.5 * k, 0] })),
    },
  ],
};

test('disks have the colours of their figures by the legend', async () => {
  for (const { pictures } of await draw(['read', 'webgl'], {
    scene: row,
    steps: 0,
    options: [
      { colourBy: 'speed', theme: 'dark' },
      { colourBy: 'size', theme: 'light' },
    ],
  })) {
    for (const [k, picture] of pictures.entries()) {
      const { min, max, colours } = picture.legend!;
      expect(min).toBe(k === 0 ? 0 : 0.5);
      expect(max).toBeCloseTo(k === 0 ? 3 : 0.9, 6);
      for (const [disk, figure] of [0, 1, 2, 3, 4].map((d) => (k === 0 ? 0.5 * d : 0.5 + 0.1 * d)).entries()) {
        // The row from -0.5 to 8.9 fills the width but for the margin of 6 %.
        const x = Math.round(100 + ((2 * disk - 4.2) * SIZE) / (9.4 * 1.06)) - 3;
        const place = (colours.length - 1) * Math.min(1, Math.max(0, (figure - min) / (max - min)));
        const near = [Math.floor(place), Math.ceil(place)].map((c) => difference(rgb(colours[c]), pixel(picture, x, 97)));
        expect(Math.min(...near)).toBeLessThan(20);
      }
    }
  }
});

/** A few dozen spheres that settle in a box, and a larger one that falls on them. */
const settling: SceneInput = {
  ...common,
  gravity: [0, 0, -10],
  materials,
  contacts: [
    { between: ['a', 'a'], friction: 0.4 },
    { between: ['a', 'steel'], friction: 0.4 },
  ],
  grains: [
    { material: 'a', lattice: { count: [3, 3, 4], spacing: 1.02, origin: [0.6, 0.6, 0.5], radius: 0.5, jitter: 0.01 } },
    { material: 'b', list: [{ position: [1.6, 1.6, 5.2], radius: 0.6, velocity: [0, 0, -2] }] },
  ],
  walls: [{ name: 'box', material: 'steel', box: { min: [0, 0, 0], max: [3.4, 3.4, 5], open: ['+z'] } }],
};

test('a wall that turns is seen to turn', async () => {
  const wheel = { point: [5, 1.7, 2] as Vector, normal: [0, -1, 0] as Vector, disk: 1.5 };
  const walls = [{ name: 'wheel', material: 'steel', plane: wheel, motion: { angularVelocity: [0, 3, 0] as Vector } }];
  const scene = { ...settling, gravity: [0, 0, 0] as Vector, grains: [settling.grains[1]], walls };
  const options = [{ theme: 'light' as const, colourBy: 'plain' as const }, {}];
  const [{ pictures }] = await draw(['read'], { scene, steps: 1, between: 3, options });
  expect(unlike(pictures[0], pictures[1])).toBeGreaterThan(0.001);
  const stopped = { ...scene, walls: [{ ...walls[0], motion: undefined }] };
  const [still] = await draw(['read'], { scene: { ...stopped, grains: [three.grains[0]] }, steps: 1, between: 3, options });
  expect(unlike(still.pictures[0], still.pictures[1])).toBe(0);
});

test('a viewer takes another simulation, of other dimension too', async () => {
  const pictures = await pages.gpu.evaluate((scenes) => window.replace(scenes), [row, three, row]);
  expect(unlike(pictures[0], pictures[1])).toBeGreaterThan(0.05);
  expect(unlike(pictures[0], pictures[2])).toBeLessThan(0.001);
  expect(complaints()).toEqual([]);
});

test('the picture follows the size of its canvas and the pixels of the screen, hidden and shown, and nothing is stretched', async () => {
  const page = pages.gpu;
  // What is behind another page is not laid out.
  await page.bringToFront();
  const disk: SceneInput = { ...row, grains: [{ material: 'a', list: [{ position: [0, 0, 0], radius: 0.5 }] }] };
  const resize = (size: Size | null) => page.evaluate((given) => window.resize(given), size);
  const rescale = (pixelRatio: number) => page.evaluate((given) => window.rescale(given), pixelRatio);
  // All of the disk is in view, and 6 % around it.
  const round = (canvas: Size) => {
    const diameter = Math.min(...canvas) / 1.06;
    return { disk: [expect.closeTo(diameter, -0.8), expect.closeTo(diameter, -0.8)], canvas };
  };
  await page.evaluate((scene) => window.show(scene, [200, 200]), disk);
  expect(await resize([300, 200])).toEqual(round([300, 200]));
  expect(await resize([120, 240])).toEqual(round([120, 240]));
  expect(await rescale(2)).toEqual(round([240, 480]));
  expect(await resize(null)).toBeNull();
  expect(await resize([120, 240])).toEqual(round([240, 480]));
  expect(await resize(null)).toBeNull();
  expect(await resize([200, 100])).toEqual(round([400, 200]));
  expect(await rescale(1)).toEqual(round([200, 100]));
  await page.evaluate(() => window.endShow());
  expect(complaints()).toEqual([]);
});

for (const way of Object.keys(WAYS) as Way[]) {
  test(`${way}: a clip plane hides what is behind it, and shows flat faces where it cuts`, async () => {
    const whole = { colourBy: 'material', theme: 'light', clip: null } as const;
    const above = { ...whole, clip: { point: [0, 0, 1] as Vector, normal: [0, 0, -1] as Vector } };
    const right = { ...whole, clip: { point: [3, 0, 0] as Vector, normal: [-2, 0, 0] as Vector } };
    const job = { scene: three, steps: 1, options: [whole, above, right] };
    const [{ pictures, picks }] = await draw([way], {
      ...job,
      picks: [
        [55, 131],
        [160, 161],
      ],
    });
    const [all, low, left] = pictures.map((picture) => [0, 1, 2].map((k) => blob(picture, picture.legend!.colours[k])));
    // What is above the middle of the first ball: its upper half, a little of the second, which its floor stands lower, all of the third.
    expect(low[0].count / all[0].count).toBeCloseTo(0.72, 1);
    expect(low[1].count / all[1].count).toBeCloseTo(0.75, 1);
    expect(low[2].count).toBe(0);
    const across = (picture: Picture) => difference(pixel(picture, 45, 128), pixel(picture, 65, 134));
    expect(across(pictures[1])).toBeLessThan(5);
    expect(across(pictures[0])).toBeGreaterThan(12);
    // What is to the right: the second, and the floor with its edges.
    expect(left.map(({ count }) => count)).toEqual([all[0].count, 0, all[2].count]);
    const sky = pixel(pictures[2], 190, 5);
    const beyond = (picture: Picture) =>
      Array.from({ length: SIZE * 60 }, (_, k) => pixel(picture, 140 + (k % 60), Math.floor(k / 60))).filter(
        (one) => difference(one, sky) > 2,
      ).length;
    expect(beyond(pictures[0])).toBeGreaterThan(1000);
    expect(beyond(pictures[2])).toBe(0);
    expect(picks).toEqual([expect.objectContaining({ id: 0 }), null]);
  });
}

test.each(['webgpu', 'cpu'] as const)(
  'everything is framed as it is now, and the camera goes where it is told: %s',
  async (backend) => {
    const page = pages.gpu;
    await page.bringToFront();
    // One flies away upwards, twenty times as far as the grains lie apart at first.
    const scene: SceneInput = {
      ...three,
      walls: [],
      grains: [three.grains[0], { material: 'c', list: [{ position: [0, 0, 4], radius: 1, velocity: [0, 0, 30] }] }],
    };
    const { pictures, cameras } = await page.evaluate((job) => window.frame(job), { scene, backend, steps: 200 });
    const sky = pixel(pictures[0], 2, 2);
    /** Rows of the picture in which something is, from the first to the last. */
    const extent = (picture: Picture) => {
      const rows = Array.from({ length: SIZE }, (_, y) => y).filter((y) =>
        Array.from({ length: SIZE }, (_, x) => x).some((x) => difference(pixel(picture, x, y), sky) > 8),
      );
      return { from: rows[0], to: rows.at(-1)!, count: rows.length };
    };
    const [before, flown, framed, back] = pictures.map(extent);
    expect(before.to - before.from).toBeGreaterThan(0.7 * SIZE);
    expect(flown.count).toBeLessThan(0.6 * SIZE);
    expect(framed.to - framed.from).toBeGreaterThan(0.7 * SIZE);
    expect(framed.count).toBeLessThan(0.3 * SIZE);
    expect(back).toEqual(flown);
    expect(cameras.map((camera) => camera!.moved)).toEqual([false, false, false, true]);
    expect(cameras[3]!.target).toEqual(cameras[0]!.target.map((x) => expect.closeTo(x, 6)));
    // Half-way between the two.
    expect(cameras[2]!.target[2]).toBeCloseTo(0.5 * (0 + 4 + 30 * 2 + 1), 0);
    expect(complaints()).toEqual([]);
  },
);

test('a line that has no end is drawn as far as the grains have gone', async () => {
  const disk = { position: [0, 0.5, 0] as Vector, radius: 0.5, velocity: [30, 0, 0] as Vector };
  const scene: SceneInput = {
    ...common,
    dimension: 2,
    materials: { a: { density: 1 } },
    grains: [{ material: 'a', list: [disk, { position: [-5, 0.5, 0], radius: 0.5 }] }],
    walls: [{ name: 'floor', material: 'a', plane: { point: [0, 0, 0], normal: [0, 1, 0] } }],
  };
  const { pictures } = await pages.gpu.evaluate((job) => window.frame(job), {
    scene,
    backend: 'cpu' as const,
    steps: 20,
    walls: true,
  });
  // The grains reach from -5.5 to 6.5 then, from 0.5 on there were none at first.
  const column = (x: number) => Math.round(SIZE / 2 + ((x - 0.5) * SIZE) / (12 * 1.06));
  const hasFloor = (x: number) =>
    Array.from({ length: SIZE }, (_, y) => pixel(pictures[2], column(x), y)).some(
      (one) => difference(one, pixel(pictures[2], 100, 2)) > 8,
    );
  expect([-3, 3].map(hasFloor)).toEqual([true, true]);
});
