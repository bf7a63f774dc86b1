import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'puppeteer';
import { beforeAll, expect, test } from 'vitest';
import type { SceneInput } from '../../src/index';
import { buildLibrary } from '../support/builtLibrary';
import { withChrome } from '../support/chrome';
import { newFolder } from '../support/folder';

const built = newFolder();
const DOCUMENTS = join(import.meta.dirname, '../..');

beforeAll(() => buildLibrary(built, join(import.meta.dirname, 'pages'), ['bundle']));

/** Calls a function of the page's. */
const call = <T>(page: Page, name: string, ...given: unknown[]): Promise<T> =>
  page.evaluate(`${name}(...${JSON.stringify(given)})`) as Promise<T>;

const beads = (side: number): SceneInput => ({
  format: 'contact-dynamics/1',
  title: 'Beads on a floor',
  gravity: [0, 0, -1],
  timeStep: 0.05,
  steps: 20,
  materials: { glass: { density: 1 } },
  contacts: [{ between: ['glass', 'glass'], friction: 0.3 }],
  grains: [
    { material: 'glass', lattice: { count: [side, side, side], spacing: 1.02, origin: [0, 0, 0.6], radius: 0.5, jitter: 0.01 } },
  ],
  walls: [{ name: 'floor', material: 'glass', plane: { point: [0, 0, 0], normal: [0, 0, 1] } }],
  solver: { convergence: { criterion: 'fixed', iterations: 10 } },
});

/** Grains and a floor before a background. */
const drawn = {
  kinds: expect.toSatisfy((kinds: number) => kinds > 50),
  background: expect.toSatisfy((share: number) => share > 0.1 && share < 0.95),
};

/** A page in which a test's elements are put. */
function withElements(body: (page: Page, complaints: readonly string[]) => Promise<void>, before?: string): Promise<void> {
  return withChrome(
    built,
    async (page, address, complaints) => {
      if (before) await page.evaluateOnNewDocument(before);
      await page.goto(`${address}site/element.html`);
      await body(page, complaints);
    },
    { draws: true },
  );
}

test('two packings in a plain page: on the GPU from an address, and on the CPU, which waits until it is seen', async () => {
  await withChrome(
    built,
    async (page, address, complaints) => {
      await page.goto(`${address}site/plain.html`);
      await page.waitForFunction('above.show?.player.ended && below.show');
      expect(await page.evaluate('[above.show.player.source.backend, above.playing, below.playing]')).toEqual([
        'webgpu',
        false,
        true,
      ]);
      expect(await page.evaluate('[above, below].map(({ show }) => show.player.source.steps)')).toEqual([40, 0]);
      await page.evaluate('below.scrollIntoView()');
      await page.waitForFunction('below.show.player.source.steps > 25');
      expect(await page.evaluate('stepsWhileHidden(below)')).toBe(0);
      await page.waitForFunction('below.show.player.source.steps > 50');
      const [program] = shown('docs/embedding.md', 'js');
      const files: [string, Buffer][] = [];
      const screenshot = Object.getPrototypeOf(async () => undefined).constructor('page', 'writeFile', program);
      await screenshot(page, async (...file: [string, Buffer]) => files.push(file));
      expect(files.map(([name, bytes]) => [name, bytes.toString('latin1', 1, 4)])).toEqual([['packing.png', 'PNG']]);
      expect(complaints).toEqual([]);
    },
    { draws: true },
  );
});

test('a lost device: the run goes on where it stopped on another one, and on the CPU where there is none', async () => {
  await withElements(async (page, complaints) => {
    const { steps, recovered, distance } = await call<Record<string, unknown>>(page, 'lose', beads(3), [7, 13]);
    expect(steps).toEqual(Array.from({ length: 20 }, (_, k) => k + 1));
    const notice = 'The graphics device was lost. The run goes on where it stopped';
    expect(recovered).toEqual([
      { step: 7, backend: 'webgpu', notice: `${notice}.`, picture: drawn },
      { step: 13, backend: 'cpu', notice: `${notice}, on the CPU.`, picture: drawn },
    ]);
    expect(distance).toBeLessThan(1e-4);
    expect(complaints).toEqual([]);
  });
});

test('a page without WebGPU runs small scenes in a worker, and says what is wrong with others', async () => {
  await withElements(async (page, complaints) => {
    const small = await call(page, 'play', {}, beads(3));
    expect(small).toEqual({
      steps: 20,
      text: 'This browser has no WebGPU here: the CPU computes this packing, slower.',
      picture: drawn,
    });
    const faint = await call<{ text: string }>(page, 'play', {}, { ...beads(3), gravity: [0, 0, -1e-30] });
    expect(faint.text).toMatch(/GPU does not hold .* \(gravity\): the CPU computes it/);
    const large = await call<{ text: string }>(page, 'tell', {}, beads(18));
    expect(large.text).toMatch(/no WebGPU.*5,832 grains.*up to 5,000/);
    const asked = await call(page, 'tell', { backend: 'webgpu' }, beads(2));
    expect(asked).toMatchObject({ text: expect.stringContaining('No WebGPU adapter answers here') });
    const markup = '<img src=x onerror=alert(1)>';
    const faulty = await call<{ text: string }>(page, 'tell', {}, { ...beads(2), timeStep: -1, [markup]: 1 });
    expect(faulty).toMatchObject({ images: 0 });
    expect(faulty).not.toHaveProperty('backend');
    expect(faulty.text).toContain('timeStep: must be above 0');
    expect(faulty.text).toContain(markup);
    const pink = await call<{ text: string }>(page, 'tell', { colour: 'pink' }, beads(2));
    expect(pink.text).toMatch(/^An attribute has .*colour: expected "plain", "speed"/s);
    expect(faulty.text).toMatch(/^This scene cannot be run/);
    const outside = await call<{ text: string }>(
      page,
      'tell',
      {},
      { ...beads(2), grains: [{ material: 'glass', file: '../beads.csv' }] },
    );
    expect(outside.text).toMatch(/grains\[0\]\.file.*outside of the folder/);
    expect(complaints).toEqual([]);
  }, 'delete Navigator.prototype.gpu');
});

test('a notice lies above, closes by its button or goes by itself; what ends a run stays', async () => {
  // A page cannot hurry its clock: what it would do after more than five seconds is kept for the test.
  const clock = `
    delete Navigator.prototype.gpu;
    window.late = [];
    const begin = window.setTimeout;
    window.setTimeout = (work, time, ...given) => (time > 5000 ? late.push(work) : begin(work, time, ...given));`;
  await withElements(async (page, complaints) => {
    const { place, ...told } = await call<Record<string, unknown>>(page, 'notices', beads(2));
    expect(told).toEqual({
      before: 'This browser has no WebGPU here: the CPU computes this packing, slower.',
      after: '',
      passed: '',
      outcomes: ['nothing moves', 'nothing moves', 'nothing moves'],
    });
    const { share, end } = place as Record<string, number>;
    expect(share).toBeLessThan(0.1);
    expect(end).toBeLessThan(0.25);
    expect(complaints).toEqual([]);
  }, clock);
}, 60_000);

test('steps wait for the grains, and say why there are none', async () => {
  await withElements(async (page, complaints) => {
    const absent = expect.stringContaining('not in a page');
    const faulty = expect.stringContaining('timeStep');
    expect(await call(page, 'tries', beads(2))).toEqual([
      absent,
      ...['done', 2],
      ...[faulty, faulty, faulty],
      expect.stringContaining('quality'),
      ...['done', ''],
      absent,
    ]);
    expect(complaints).toEqual([]);
  });
});

test('a legend says what the colours mean, and changes with them', async () => {
  await withElements(async (page, complaints) => {
    const { said, inside, stripe } = await call<Record<string, unknown>>(page, 'explain', beads(2));
    expect(said).toEqual([
      ['Sum of normal forces', '0', '1'],
      ['Sum of normal forces', '0', expect.stringMatching(/^[2-9]/)],
      ['Contacts', '0', '12'],
      null,
      null,
    ]);
    expect(inside).toBe(true);
    expect(stripe).toMatch(/^linear-gradient\(to right, rgb/);
    expect(complaints).toEqual([]);
  });
});

/** The blocks of a language that a document shows. */
function shown(document: string, language: string): string[] {
  const text = readFileSync(join(DOCUMENTS, document), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, code]) => code);
}

/** What a document shows, less or more of it. @throws Error where the document does not have it any more */
function changed(code: string, from: string, to: string): string {
  if (!code.includes(from)) throw new Error(`an example has no "${from}" any more:\n${code}`);
  return code.replace(from, to);
}

test('the examples of docs/embedding.md run', async () => {
  const examples = shown('docs/embedding.md', 'html');
  expect(examples).toHaveLength(3);
  // Side by side in one page, each in a frame of its own.
  const frames = examples.map((code, k) => {
    writeFileSync(join(built, `example-${k}.html`), `<!doctype html><link rel="icon" href="data:," />${code}`);
    return `<iframe src="example-${k}.html" width="200" height="150"></iframe>`;
  });
  writeFileSync(join(built, 'examples.html'), `<!doctype html><link rel="icon" href="data:," />${frames.join('')}`);
  await withChrome(
    built,
    async (page, address, complaints) => {
      const lines: string[] = [];
      page.on('console', (message) => lines.push(message.text()));
      await page.goto(`${address}examples.html`);
      await page.waitForFunction('frames[0].document.querySelector("contact-dynamics").show?.player.source.steps > 5');
      await page.waitForFunction('frames[1].document.querySelector("contact-dynamics").show?.player.ended');
      expect(lines.filter((line) => /^\d+ [\d.e-]+$/.test(line))).toHaveLength(20);
      await page.waitForFunction('frames[2].canvas.width === 480');
      expect(complaints).toEqual([]);
    },
    { draws: true },
  );
});

/** A page with a canvas, in which a program imports the package by its names. */
function canvasPage(name: string, program: string): void {
  const bundle = './contact-dynamics.bundle.js';
  const imports = { 'contact-dynamics': bundle, 'contact-dynamics/viewer': bundle };
  const head = `<!doctype html><link rel="icon" href="data:," /><script type="importmap">${JSON.stringify({ imports })}</script>`;
  writeFileSync(join(built, name), `${head}<canvas></canvas><script type="module">${program}\nglobalThis.done = true;</script>`);
}

test('the examples of the README and of docs/viewer.md for pages run', async () => {
  const [tag] = shown('README.md', 'html');
  writeFileSync(join(built, 'tag.html'), `<!doctype html><link rel="icon" href="data:," />${tag}`);
  writeFileSync(join(built, 'scene.json'), JSON.stringify(beads(2)));
  const [own, canvas] = shown('README.md', 'js').slice(-2);
  const fewer = changed(own, 'count: [10, 10, 10]', 'count: [4, 4, 4]');
  const image = 'globalThis.bytes = (await viewer.picture()).size;';
  canvasPage('canvas.html', `${changed(fewer, 'simulation.dispose();', '')}${canvas}${image}`);
  const [loop] = shown('docs/viewer.md', 'js');
  const short = changed(changed(loop, 'k < 1000', 'k < 20'), 'viewer.dispose();', `${image}\nviewer.dispose();`);
  canvasPage('loop.html', `const scene = ${JSON.stringify(beads(3))};\n${short}`);
  await withChrome(
    built,
    async (page, address, complaints) => {
      for (const name of ['canvas.html', 'loop.html']) {
        await page.goto(`${address}${name}`);
        await page.waitForFunction('globalThis.done');
        expect(await page.evaluate('globalThis.bytes')).toBeGreaterThan(1000);
      }
      await page.goto(`${address}tag.html`);
      await page.waitForFunction('document.querySelector("contact-dynamics").show?.player.ended');
      expect(complaints).toEqual([]);
    },
    { draws: true },
  );
});

test('an adapter too small for a scene says which size fits', async () => {
  const limits = ['maxStorageBufferBindingSize', 'maxBufferSize'].map(
    (name) => `Object.defineProperty(GPUSupportedLimits.prototype, '${name}', { get: () => 2e5 });`,
  );
  await withElements(async (page) => {
    const { text } = await call<{ text: string }>(page, 'tell', { backend: 'webgpu' }, beads(20));
    expect(text).toMatch(/8000 grains takes \d+ bytes, the device allows 200000: about \d+ grains would fit/);
  }, limits.join('\n'));
});

test('an element that is put right plays; in another document it begins anew, and ends with it', async () => {
  await withElements(async (page, complaints) => {
    expect(await call(page, 'mend', beads(2))).toEqual({
      ...{ steps: 20, text: '', plays: false, colour: 'group' },
      wrong: expect.stringMatching(/^An attribute .*steps-per-frame/),
      ...{ right: '', goesOn: true },
    });
    expect(await call(page, 'adopt', beads(2))).toEqual({ display: 'block', picture: drawn, runs: false });
    await expect.poll(() => page.workers().length).toBe(0);
    expect(complaints).toEqual([]);
  });
});

test('16 pictures by WebGL at a time; another takes it from one of them, which says so until it has it again', async () => {
  await withElements(async (page) => {
    expect(await call(page, 'crowd', beads(2), 16)).toEqual([0, 1]);
    // The browser gives it back where what others had is collected.
    const session = await page.createCDPSession();
    await session.send('HeapProfiler.collectGarbage');
    const regained = () => call(page, 'regained');
    await expect.poll(regained, { timeout: 20_000 }).toEqual({ text: '', steps: 1, picture: drawn });
  }, 'delete Navigator.prototype.gpu');
});

test('50 elements made and taken away leave nothing behind', async () => {
  // Each count in a page of its own: where garbage is collected between them, Chrome's software rendering may stop answering.
  const megabytesAfter = async (times: number) => {
    let megabytes = 0;
    await withElements(async (page, complaints) => {
      const session = await page.createCDPSession();
      const measure = async () => {
        await session.send('HeapProfiler.collectGarbage');
        const { Nodes = 0, JSEventListeners = 0, JSHeapUsedSize = 0 } = await page.metrics();
        megabytes = JSHeapUsedSize / 1e6;
        return Nodes + JSEventListeners;
      };
      const before = await measure();
      await call(page, 'churn', { backend: 'cpu', quality: 'low' }, beads(2), times, 5);
      await expect.poll(() => page.workers().length).toBe(0);
      await expect.poll(() => page.evaluate('devices')).toBe(0);
      // An element has some 40; the last ones may still be held for a moment.
      await expect.poll(measure, { timeout: 20_000, interval: 500 }).toBeLessThan(before + 20);
      expect(complaints).toEqual([]);
    });
    return megabytes;
  };
  expect((await megabytesAfter(50)) - (await megabytesAfter(15))).toBeLessThan(1);
});
