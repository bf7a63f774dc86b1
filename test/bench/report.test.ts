import { expect, test } from 'vitest';
import { compare, runScene } from '../../bench/gpuReport/checks';
import reference from '../../bench/gpuReport/reference.json' with { type: 'json' };
import { nodeHost } from '../../bench/nodeHost';
import { quickestAsAccurate } from '../../bench/rapier/sections';
import { compareResults } from '../../bench/suite/compareResults';
import { exponent, fit } from '../../bench/suite/growth';
import { checkMemory } from '../../bench/suite/host';
import { readCounts, readNames } from '../../bench/suite/names';
import { logLog } from '../../bench/suite/page';
import { prepare } from '../../bench/suite/prepare';
import { type CaseResult, type Comparison, parseResult, type SuiteResult } from '../../bench/suite/result';
import { runCase } from '../../bench/suite/runCase';
import { Suite, type SuiteSettings } from '../../bench/suite/runSuite';
import { SCENE_NAMES } from '../../bench/suite/scenes';
import { casesSection, toCsv } from '../../bench/suite/sections';

test('a scene has one colour in all plots, whichever others there are', () => {
  const coloursOf = (scenes: readonly CaseResult['scene'][]) => {
    const groups = scenes.map((scene) => [100, 200].map((grains) => ({ scene, backend: 'cpu' as const, grains })));
    return logLog('steps', 'ms', groups, ({ grains }) => grains).series.map(({ name, colour }) => [name, colour]);
  };
  const [bed, drum] = coloursOf(['bed', 'drum']);
  expect(coloursOf(['drum'])).toEqual([drum]);
  expect(drum).toEqual(['drum: N^1.00', expect.any(Number)]);
  expect(drum[1]).not.toBe(bed[1]);
});

test('exponents are the slopes of logarithms', () => {
  const sizes = [100, 1000, 20_000];
  expect(
    exponent(
      sizes,
      sizes.map((n) => 3 * n ** 1.25),
    ),
  ).toBeCloseTo(1.25, 12);
  expect(exponent([100], [5])).toBeNaN();
});

test('every scene of the benchmark runs, and its figures go into a table', async () => {
  const cases: CaseResult[] = [];
  for (const scene of SCENE_NAMES) {
    for (const grains of [200, 400]) {
      const prepared = await prepare(nodeHost, scene, grains, { backend: 'cpu', coarse: 'off', steps: 2, seconds: 60 });
      expect(prepared.settling).toMatchObject({ steps: 2, measuredFrom: 2, atRest: scene === 'drum' ? null : false });
      cases.push(await runCase(nodeHost, prepared, 'cpu', { warmUp: 1, steps: 2, seconds: 60 }, 1e10));
    }
  }
  expect(
    cases.every(({ steps, start, bandwidthShare }) => steps === 2 && start === 'step 2' && Number.isFinite(bandwidthShare)),
  ).toBe(true);
  expect(cases.filter(({ contacts }) => contacts > 0).length).toBeGreaterThan(0);
  const fits = (converged: (result: CaseResult) => number) =>
    fit({ cases: cases.map((result) => ({ ...result, converged: converged(result) })), settlings: [] });
  const quantities = (all: ReturnType<typeof fit>) => new Set(all.map(({ quantity }) => quantity));
  expect(quantities(fits(({ steps }) => steps))).toEqual(new Set(['milliseconds per step', 'sweeps']));
  expect(quantities(fits(() => 0))).toEqual(new Set(['milliseconds per step']));
  expect(fits(() => 0)).toHaveLength(SCENE_NAMES.length);
  const [header, ...rows] = toCsv(cases).trim().split('\n');
  expect(rows).toHaveLength(cases.length);
  expect(new Set([header, ...rows].map((row) => row.split(',').length)).size).toBe(1);
});

test('sizes 1:10 come to rest, from which they are measured', async () => {
  const { settling, problem } = await prepare(nodeHost, 'mixed', 200, {
    backend: 'cpu',
    coarse: 'off',
    steps: 600,
    seconds: 100,
  });
  expect(settling).toMatchObject({ atRest: true, grains: 200, measuredFrom: settling.steps });
  expect(Math.max(...problem.grains.radii) / Math.min(...problem.grains.radii)).toBeCloseTo(10, 9);
});

const SETTINGS: SuiteSettings = {
  scenes: ['pouring'],
  backends: ['cpu'],
  sizes: { cpu: [54, 128, 1e9], webgpu: [] },
  ...{ coarse: 'off', steps: 2, seconds: 60, settleSeconds: 60, totalSeconds: 600, rapier: null },
};

async function runSuite(settings: Partial<SuiteSettings>, signal?: AbortSignal): Promise<SuiteResult> {
  const machine = { cpu: null, cores: 1, memoryBytes: null, system: '', runtime: '', library: '', rapier: null, adapter: null };
  const known = {
    command: 'a test',
    note: '',
    copyBandwidth: { cpu: 1e10 },
    limits: null,
    features: [],
    softwareAdapter: false,
    machine,
  };
  const suite = new Suite(nodeHost, { ...SETTINGS, ...settings }, known, { signal });
  await suite.run();
  return suite.result;
}

test('what cannot be run is left out with the reason, and the rest is run', async () => {
  const { cases, failures } = await runSuite({});
  expect(cases.map(({ grains }) => grains)).toEqual([54, 128]);
  expect(failures).toEqual([
    { scene: 'pouring', backend: 'cpu', grains: 1e9, error: expect.stringMatching(/would fit/), late: false },
  ]);
  const late = await runSuite({ totalSeconds: 1e-9, sizes: { cpu: [54], webgpu: [] } });
  expect(late.failures).toMatchObject([{ late: true }]);
  expect(await runSuite({}, AbortSignal.abort())).toMatchObject({ cases: [], failures: [] });
});

test('a file of results is read again, a broken one refused with the place', async () => {
  const result = await runSuite({ sizes: { cpu: [54, 128], webgpu: [] } });
  const text = JSON.stringify(result);
  expect(parseResult(text, 'a.json')).toEqual(result);
  // Columns without a figure are left out: what a GPU's buffers take, on the CPU.
  const { header, rows } = casesSection(result);
  expect(header).not.toContain('bytes/grain');
  expect(rows[0][header.indexOf('share of copy bandwidth')]).toMatch(/^\d/);
  expect(() => parseResult(text.slice(1), 'a.json')).toThrow(/^a.json is no JSON: .* npm run bench/s);
  expect(() => parseResult('[]', 'a.json')).toThrow(/^a.json is no result of a benchmark: expected an object/);
  expect(() => parseResult(text.replace('"pouring"', '"pooring"'), 'a.json')).toThrow(/settlings\[0\]\.scene expected "bed"/);
});

test('two results are compared case by case', async () => {
  const a = await runSuite({ sizes: { cpu: [54, 128], webgpu: [] } });
  const [one] = a.cases;
  const b = { ...a, cases: [{ ...one, sweeps: 2 * one.sweeps }] };
  const { sections, plots } = compareResults({ name: 'a', result: a }, { name: 'b', result: b });
  expect(sections[1].rows).toHaveLength(1);
  expect(sections[1].rows[0][sections[1].header.indexOf('sweeps')]).toMatch(/\(2\.00\)$/);
  expect(sections[2].rows).toEqual([['pouring, cpu, 128 grains', 'only in a']]);
  expect(plots[0].series.map(({ x }) => x)).toEqual([[54], [54]]);
  const none = { name: 'b', result: { ...a, cases: [] } };
  expect(() => compareResults({ name: 'a', result: a }, none)).toThrow(/no case in common. a has: pouring, cpu, 54 grains/);
});

test('at equal accuracy: the quickest of those with overlaps no larger, mean and maximum', () => {
  const run = (name: string, millisecondsPerStep: number, meanOverlap: number, maxOverlap: number): Comparison => ({
    ...{ name, solver: 'cpu', millisecondsPerStep, meanOverlap, maxOverlap },
  });
  const than = run('Rapier', 10, 1e-3, 1e-2);
  const others = [run('mean', 1, 2e-3, 1e-3), run('max', 2, 1e-4, 2e-2), run('slow', 9, 1e-5, 1e-4), run('quick', 5, 1e-3, 1e-2)];
  expect(quickestAsAccurate(than, others)?.name).toBe('quick');
  expect(quickestAsAccurate(than, others.slice(0, 2))).toBeUndefined();
});

test('names and sizes are read, and what is wrong is said', () => {
  expect(readNames(['a', 'b', 'c'], ' c, a')).toEqual(['a', 'c']);
  expect(() => readNames(['drum', 'bed'], 'bet')).toThrow('there is no "bet" (did you mean "bed"?): choose from "drum" or "bed"');
  expect(readCounts('1e3,200,1000')).toEqual([200, 1000]);
  expect(() => readCounts('10,,20')).toThrow('expected a whole number above 0, got ""');
  expect(() => checkMemory({ ...nodeHost, memoryBytes: 2 ** 30 }, 1e6)).toThrow(/there are 1\.0 GiB: 429496 would fit/);
});

test("the GPU report's reference is what the CPU makes of its scenes, and a change of a twentieth is seen", async () => {
  const expected = reference.scenes.mixed;
  const got = await runScene('mixed');
  for (const quantity of ['contacts', 'candidates', 'kineticEnergy', 'force'] as const) {
    expect(compare('mixed', quantity, expected[quantity], got[quantity])).toMatchObject({ passed: true });
    const wrong = got[quantity].map((value, step) => (step === 20 ? value - 0.06 * Math.max(...got[quantity]) : value));
    expect(compare('mixed', quantity, expected[quantity], wrong)).toMatchObject({ passed: false });
    expect(compare('mixed', quantity, expected[quantity], got[quantity].slice(1))).toMatchObject({ passed: false });
  }
});
