import { expect, test } from 'vitest';
import { type Course, markdown, measureSizes, type Report } from '../../bench/gpuReport/report';
import type { SizeResult } from '../../bench/gpuReport/sizes';
import { CapacityError, DeviceLostError } from '../../src/index';

const begun = (): Report => ({
  ...{ adapter: 'a card', node: 'v0', copyBandwidth: 1e12, checks: [], sizes: [], end: '', failed: false, seconds: 0 },
});

const figures = (grains: number): SizeResult => ({
  ...{ grains, candidates: 3 * grains, colours: 12, sweeps: 50, residual: 1e-3, millisecondsPerStep: 2 },
  ...{ idleShare: null, stages: null, contactUpdatesPerSecond: 1e9, bandwidthShare: 0.5, restOverSweeps: null },
  ...{ bytesPerGrain: 600, balance: null },
});

/** @param took seconds for each grain of a size @returns what was written, as of each time */
async function run(report: Report, measure: Course['measure'], took = 0) {
  const written: string[] = [];
  let clock = 0;
  await measureSizes(report, {
    sizes: [10, 100, 1000],
    seconds: 100,
    now: () => clock,
    measure: async (grains) => {
      clock += took * grains;
      return measure(grains);
    },
    write: async () => {
      written.push(JSON.stringify(report));
    },
  });
  return written;
}

test.each([
  [new DeviceLostError(3, 'The GPU device was lost after step 3: gone'), true],
  [new Error('validation'), true],
  [new CapacityError('about 500 grains would fit'), false],
  [new RangeError('createBuffer failed'), false],
])('a size that fails ends the report of a GPU with what was measured before, and says why: %s', async (error, failed) => {
  const report = begun();
  const written = await run(report, async (grains) => {
    if (grains === 1000) throw error;
    return figures(grains);
  });
  expect(report.sizes.map(({ grains }) => grains)).toEqual([10, 100]);
  expect(report).toMatchObject({ failed, end: `1000 grains: ${error.message}` });
  expect(markdown(report)).toMatch(new RegExp(`${error.message}[^]*\\| 100 \\|`));
  // Were the process to end in a size, its file would say in which one.
  expect(written.map((text) => JSON.parse(text)).map(({ end, sizes }) => [end, sizes.length])).toEqual([
    ['Cut off at 10 grains.', 0],
    ['Cut off at 100 grains.', 1],
    ['Cut off at 1000 grains.', 2],
  ]);
});

test('a size that would take longer than there is time for is not begun', async () => {
  const report = begun();
  await run(report, async (grains) => figures(grains), 0.1);
  expect(report.sizes.map(({ grains }) => grains)).toEqual([10, 100]);
  expect(report).toMatchObject({ failed: false, end: '1000 grains would take some 100 s more than there are' });
  const all = begun();
  await run(all, async (grains) => figures(grains));
  expect(all).toMatchObject({ sizes: { length: 3 }, end: 'All sizes were run.' });
});
