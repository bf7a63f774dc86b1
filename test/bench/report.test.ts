import { expect, test } from 'vitest';
import { compare, runScene } from '../../bench/gpuReport/checks';
import reference from '../../bench/gpuReport/reference.json' with { type: 'json' };
import { exponent, fit, toCsv } from '../../bench/suite/report';
import { prepare, runCase } from '../../bench/suite/runCase';
import type { SceneName } from '../../bench/suite/scenes';
import { SCENES } from '../../bench/suite/scenes';

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
  const cases = [];
  for (const scene of Object.keys(SCENES) as SceneName[]) {
    for (const grains of [200, 400]) {
      const prepared = await prepare(scene, grains, 'off', 2);
      cases.push(await runCase(prepared, 'cpu', { warmUp: 1, steps: 2, seconds: 60 }, 1e10));
    }
  }
  expect(cases.every(({ steps, bandwidthShare }) => steps === 2 && Number.isFinite(bandwidthShare))).toBe(true);
  expect(cases.filter(({ contacts }) => contacts > 0).length).toBeGreaterThan(0);
  const scenes = Object.keys(SCENES).length;
  expect(fit(cases.map((result) => ({ ...result, converged: result.steps })))).toHaveLength(2 * scenes);
  expect(fit(cases.map((result) => ({ ...result, converged: 0 })))).toHaveLength(scenes);
  const [header, ...rows] = toCsv(cases).trim().split('\n');
  expect(rows).toHaveLength(cases.length);
  expect(new Set([header, ...rows].map((row) => row.split(',').length)).size).toBe(1);
});

test("the GPU report's reference is what the CPU makes of its scenes, and a change of a twentieth is seen", async () => {
  const expected = reference.scenes.mixed;
  const got = await runScene('mixed', 'cpu');
  for (const quantity of ['contacts', 'candidates', 'kineticEnergy', 'force'] as const) {
    expect(compare('mixed', quantity, expected[quantity], got[quantity])).toMatchObject({ passed: true });
    const wrong = got[quantity].map((value, step) => (step === 20 ? value - 0.06 * Math.max(...got[quantity]) : value));
    expect(compare('mixed', quantity, expected[quantity], wrong)).toMatchObject({ passed: false });
    expect(compare('mixed', quantity, expected[quantity], got[quantity].slice(1))).toMatchObject({ passed: false });
  }
});
