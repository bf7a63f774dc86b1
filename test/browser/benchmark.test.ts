import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ElementHandle, Page } from 'puppeteer';
import { beforeAll, expect, test } from 'vitest';
import { runSuitePage } from '../../bench/chromeSuite';
import { contactDifference, measure } from '../../bench/measure';
import { pouredScene } from '../../bench/scenes/poured';
import { parseResult, type SuiteResult } from '../../bench/suite/result';
import { createNodeSimulation } from '../../src/node';
import { runBenchPage } from '../support/benchPage';
import { buildLibrary } from '../support/builtLibrary';
import { withChrome } from '../support/chrome';
import { newFolder } from '../support/folder';

const built = newFolder();
const pages = join(built, 'bench');

beforeAll(() => buildLibrary(built, undefined, ['bench']));

test('a poured packing has the contacts in Chrome that it has in Node', async () => {
  const [grains, steps] = [300, 20];
  const simulation = await createNodeSimulation(pouredScene(grains, steps), { backend: 'webgpu' });
  const node = await measure(simulation, steps, () => undefined);
  simulation.dispose();
  await withChrome(pages, async (page, address, complaints) => {
    const chrome = await runBenchPage(page, address, grains, steps);
    expect(chrome.backend).toBe('webgpu');
    expect(chrome.contacts).toHaveLength(steps);
    expect(chrome.contacts[steps - 1]).toBeGreaterThan(chrome.grains / 2);
    expect(contactDifference(chrome, node)).toBeLessThan(0.01);
    expect(complaints).toEqual([]);
  });
});

const SCENES = ['bed', 'pouring', 'mixed', 'drum'];
const QUICK = { scenes: SCENES.join(), sizes: '150', steps: '1', seconds: '60', rapierGrains: '60', rapierSteps: '20' };

test('every scene is measured on both backends and beside Rapier, shown, given away and compared', async () => {
  await withChrome(pages, async (page, address, complaints) => {
    const { state, result } = await runSuitePage(page, address, QUICK);
    expect(state).toBe('ended');
    checkResult(result!);
    const shown = await page.evaluate(() => ({
      rows: document.querySelectorAll('#report section:first-child tbody tr').length,
      marks: document.querySelectorAll('#report svg circle').length,
      wide: document.documentElement.scrollWidth - innerWidth,
    }));
    expect(shown).toMatchObject({ rows: 8, wide: 0 });
    expect(shown.marks).toBeGreaterThanOrEqual(2 * 8);
    const files = await downloads(page);
    expect(parseResult(files.json, 'json')).toEqual(result);
    expect(files.csv.trim().split('\n')).toHaveLength(9);
    expect(files.md).toContain('| bed | webgpu | 150 |');
    expect(files.html).toContain('At equal accuracy');
    await checkComparison(page, result!);
    expect(complaints).toEqual([]);
  });
});

function checkResult({ cases, failures, settlings, rapier, copyBandwidth, limits }: SuiteResult): void {
  expect(failures).toEqual([]);
  expect(cases.map(({ scene, backend }) => `${scene} ${backend}`)).toEqual(
    SCENES.flatMap((name) => [`${name} cpu`, `${name} webgpu`]),
  );
  for (const [k, gpu] of cases.entries()) {
    if (gpu.backend === 'cpu') continue;
    const cpu = cases[k - 1];
    expect(gpu.candidates).toBe(cpu.candidates);
    expect(Math.abs(gpu.contacts - cpu.contacts)).toBeLessThan(0.05 * cpu.contacts);
    expect(gpu.stages?.solve).toBeGreaterThan(0);
    expect(gpu.bytesPerGrain).toBeGreaterThan(100);
    expect(gpu.bandwidthShare).toBeGreaterThan(0);
  }
  expect(settlings.map(({ scene, atRest }) => [scene, atRest])).toEqual(
    SCENES.map((name) => [name, name === 'drum' ? null : true]),
  );
  expect(copyBandwidth.cpu).toBeGreaterThan(1e6);
  expect(copyBandwidth.webgpu).toBeGreaterThan(1e6);
  expect(limits?.maxBufferSize).toBeGreaterThan(1e6);
  expect(rapier.map(({ scene, steps }) => [scene, steps])).toEqual(['bed', 'pouring', 'mixed'].map((name) => [name, 20]));
  for (const { results } of rapier) {
    const overlapOf = (name: string) => results.find((one) => one.name === name)?.maxOverlap;
    expect(overlapOf('cpu, 30 sweeps')).toBeLessThan(overlapOf('Rapier, 4 iterations')!);
  }
}

/** What the buttons give away, by the end of the file's name. */
async function downloads(page: Page): Promise<Record<string, string>> {
  return page.evaluate(async () => {
    const texts: Record<string, string> = {};
    for (const button of document.querySelectorAll<HTMLButtonElement>('#downloads button')) {
      const given = new Promise<Blob>((resolve) => {
        URL.createObjectURL = (blob) => {
          resolve(blob as Blob);
          return '#';
        };
      });
      button.click();
      texts[button.dataset.kind!] = await (await given).text();
    }
    return texts;
  });
}

/** Twice as slow, and without one case; then a file that is none. */
async function checkComparison(page: Page, result: SuiteResult): Promise<void> {
  const slower = {
    ...result,
    cases: result.cases.slice(1).map((one) => ({ ...one, millisecondsPerStep: 2 * one.millisecondsPerStep })),
  };
  const [first, second, broken] = ['a.json', 'b.json', 'broken.json'].map((name) => join(built, name));
  await writeFile(first, JSON.stringify(result));
  await writeFile(second, JSON.stringify(slower));
  await writeFile(broken, JSON.stringify({ ...result, cases: [{ ...result.cases[0], sweeps: 'many' }] }));
  await choose(page, first, second);
  await page.waitForSelector('#comparison table');
  const text = await page.$eval('#comparison', (part) => part.textContent);
  expect(text?.match(/\(2\.00\)/g)).toHaveLength(7);
  expect(text).toContain('bed, cpu, 150 grainsonly in a.json');
  await choose(page, first, broken);
  await page.waitForSelector('#compare-status.failed');
  expect(await page.$eval('#compare-status', (part) => part.textContent)).toMatch(
    /broken\.json .*cases\[0\]\.sweeps expected a finite number/,
  );
}

async function choose(page: Page, ...files: string[]): Promise<void> {
  for (const [k, name] of ['first', 'second'].entries()) {
    const input = (await page.$(`#compare input[name=${name}]`)) as ElementHandle<HTMLInputElement>;
    await input.uploadFile(files[k]);
  }
  await page.click('#compare button');
}

test('a benchmark that is stopped keeps what it has measured', async () => {
  await withChrome(pages, async (page, address, complaints) => {
    const long = {
      scenes: 'pouring',
      sizes: '100,3000',
      backends: 'cpu',
      steps: '1000',
      seconds: '600',
      minutes: '60',
      rapier: 'no',
    };
    const run = runSuitePage(page, address, { ...long, steps: '3' });
    await page.waitForFunction(() => window.suite?.result?.cases.length === 1, { timeout: 0 });
    await page.click('#stop');
    const { state, result, text } = await run;
    expect(state).toBe('stopped');
    expect(text).toMatch(/Stopped/);
    expect(result?.cases.map(({ grains }) => grains)).toEqual([100]);
    expect(result?.failures).toEqual([]);
    expect(await page.$eval('#run', (button) => (button as HTMLButtonElement).disabled)).toBe(false);
    expect(complaints).toEqual([]);
  });
});

test('what cannot be run is said, with what can', async () => {
  await withChrome(pages, async (page, address, complaints) => {
    const refusal = (query: Record<string, string>) => expect(runSuitePage(page, address, query)).rejects;
    await refusal({ scenes: 'bed,druum' }).toThrow(/Scenes: there is no "druum" \(did you mean "drum"\?\): choose from "bed"/);
    await refusal({ sizes: '100,lots' }).toThrow(/Grains: expected a whole number above 0, got "lots"/);
    await refusal({ grains: '100' }).toThrow(/there is no setting "grains"/);
    await refusal({ scenes: '' }).toThrow(/Scenes: expected one of/);
    const { state, result } = await runSuitePage(page, address, {
      ...QUICK,
      scenes: 'bed',
      sizes: '1e9',
      backends: 'cpu',
      rapier: 'no',
    });
    expect(state).toBe('ended');
    expect(result?.failures.map(({ error }) => error)).toEqual([expect.stringMatching(/GiB: \d+ would fit/)]);
    expect(complaints).toEqual([]);
  });
});
