import { afterEach, expect, test, vi } from 'vitest';
import { Progress } from '../../src/cli/progress';
import type { StepReport } from '../../src/report';

const STEPS = 1000;

afterEach(() => vi.useRealTimers());

/** Lines that a run writes whose steps take so many seconds each. */
function linesOf(seconds: readonly number[]): string[] {
  vi.useFakeTimers({ toFake: ['performance'] });
  const lines: string[] = [];
  const progress = new Progress({ write: (text) => lines.push(text) }, STEPS, false);
  seconds.forEach((duration, k) => {
    vi.advanceTimersByTime(1000 * duration);
    progress.update({ step: k + 1, contacts: 7, iterations: 5, residual: 1e-3 } as StepReport);
  });
  return lines;
}

test('The time left is right from the start on where steps take equally long', () => {
  const lines = linesOf(new Array<number>(50).fill(0.5));
  expect(lines).toEqual([
    'step 20 of 1000, 8 min 10 s left, 7 contacts, 5 sweeps, residual 0.001\n',
    'step 40 of 1000, 8 min 0 s left, 7 contacts, 5 sweeps, residual 0.001\n',
  ]);
});

test('The time left goes by the steps of late', () => {
  const lines = linesOf([...new Array<number>(500).fill(0.1), ...new Array<number>(100).fill(1)]);
  // 400 steps of 1 s; the mean since the start would say 100 s.
  const [, minutes, seconds] = lines.at(-1)!.match(/step 600 of 1000, (\d+) min (\d+) s left/)!;
  expect(60 * Number(minutes) + Number(seconds)).toBeGreaterThan(350);
  expect(60 * Number(minutes) + Number(seconds)).toBeLessThanOrEqual(400);
});

test('The last line says how long the run took', () => {
  expect(linesOf(new Array<number>(STEPS).fill(0.01)).at(-1)).toMatch(/^step 1000 of 1000, 10 s, /);
});
