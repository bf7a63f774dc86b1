import { expect, test } from 'vitest';
import { summaryTable } from '../../src/cli/summaryTable';
import type { Summary } from '../../src/io/summary';

const wall = { force: [0, 0, -2], torque: [0, 0, 0], position: [0, 0, 0], velocity: [0, 0, 0] } as Summary['walls'][string];

const summary: Summary = {
  format: 'contact-dynamics/1',
  title: 'Gate',
  backend: 'cpu',
  adapter: null,
  softwareAdapter: false,
  seed: 1,
  grains: 1,
  steps: 900,
  fromStep: 0,
  time: 0.9,
  wallSeconds: 1,
  stepsPerSecond: 900,
  contacts: 1,
  candidates: 1,
  colours: 1,
  iterations: { total: 5, mean: 5, max: 5 },
  unconvergedSteps: 0,
  residual: 0,
  residualMax: 0,
  balance: null,
  penetration: { mean: 0, max: 0 },
  maxPenetration: 0,
  kineticEnergy: 0,
  momentum: [0, 0, 0],
  walls: { floor: wall, gate: { ...wall, removed: 350 } },
  events: [],
  diffusionLength: null,
  effectiveStiffness: null,
  systemLength: 0,
  warnings: [],
  gpuMemoryBytes: 0,
};

test('of a run that goes on from a checkpoint it is told which steps a figure covers', () => {
  const text = summaryTable({ ...summary, fromStep: 600, unconvergedSteps: 7 }, 'out', []);
  expect(text).toMatch(/steps +900, time 0\.9; 300 in this run, which goes on from step 600\n/);
  expect(text).toMatch(/; 7 of 300 steps did not converge\n/);
  expect(text).toMatch(/ most since step 600 0\n/);
  expect(summaryTable(summary, 'out', [])).toMatch(
    /steps +900, time 0\.9\n.* 0 of 900 steps did not converge\n.* most in the run 0\n/s,
  );
});

test('of the results those are told that are there', () => {
  expect(summaryTable(summary, 'out', ['series.csv', 'grains.pvd'])).toMatch(
    /results +out: series\.csv\n +frames, grains +out.grains\.pvd/,
  );
  expect(summaryTable(summary, 'out', ['series.csv', 'frames/grains-*.dump'])).toMatch(
    /results +out: series\.csv\n +frames, grains +out.frames.grains-\*\.dump\n$/,
  );
  expect(summaryTable(summary, 'out', [])).toMatch(/results +out: none\n$/);
});

test('a wall that is gone does not read as if it still bore its load', () => {
  const lines = summaryTable(summary, 'out', []).split('\n');

  expect(lines.find((line) => line.includes('force on gate'))).toMatch(/\(0, 0, -2\) when it was removed, after step 350$/);
  expect(lines.find((line) => line.includes('force on floor'))).toMatch(/\(0, 0, -2\)$/);
});
