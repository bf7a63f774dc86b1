import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Checkpoints } from '../../src/cli/checkpoints';
import { OutputFolder } from '../../src/cli/outputFolder';
import { type RunListener, type RunnableSimulation, runScene } from '../../src/cli/runScene';
import { NumericalError } from '../../src/errors';
import { readCheckpoint } from '../../src/node';
import { loadProblem } from '../../src/scene/load';
import type { Problem } from '../../src/scene/problem';
import { parseScene } from '../../src/scene/schema';
import { toSystem } from '../../src/scene/units';
import { startOf } from '../../src/snapshot';
import { report, smallProblem, smallState } from '../io/support';
import { backends, simulate } from '../support/backends';
import { newFolder } from '../support/folder';
import { makeProblem, plane, type TestGrain } from '../support/problems';
import { FALL } from './support';

/** A simulation that only counts; `atStep` is called in each step before it is reported. */
function counting(output: Partial<Problem['output']>, atStep: (step: number) => void = () => {}): RunnableSimulation {
  const problem = { ...smallProblem(), steps: 20 };
  problem.output = { ...problem.output, ...output };
  let steps = 0;
  const warnings = ['from the scene'];
  return {
    problem,
    backend: 'cpu',
    adapter: null,
    softwareAdapter: false,
    gpuMemoryBytes: 0,
    warnings,
    events: [],
    stopped: false,
    unfinished: [],
    get steps() {
      return steps;
    },
    async step(count = 1, onReport) {
      for (let k = 0; k < count; k++) {
        atStep(steps + 1);
        steps++;
        if (steps === 3) warnings.push('in step 3');
        onReport?.(report(steps));
      }
    },
    read: async () => ({ ...smallState(problem), step: steps }),
    capture: async () => ({ solver: { ...startOf(toSystem(problem)), step: steps } }),
  };
}

const quiet: RunListener = { onReport: () => {}, onWarning: () => {}, onEvent: () => {} };
const go = (simulation: RunnableSimulation, path: string, signal = new AbortController().signal, listener = quiet) =>
  runScene(simulation, new OutputFolder(path), signal, listener);
const seriesSteps = (path: string) =>
  readFileSync(join(path, 'series.csv'), 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => Number(line.split(',')[0]));
const summaryIn = (path: string) => JSON.parse(readFileSync(join(path, 'summary.json'), 'utf8'));
const upTo = (count: number) => Array.from({ length: count }, (_, k) => k + 1);
const frame = (kind: string, step: number) => `${kind}-${String(step).padStart(6, '0')}.vtp`;

test('Frames at step 0, every n and the last, each in its collection', async () => {
  const path = newFolder();
  const outcome = await go(counting({ every: 8, contacts: true }), path);
  expect(outcome.status).toBe('done');
  const steps = [0, 8, 16, 20];
  const names = ['contacts', 'grains'].flatMap((kind) => steps.map((step) => frame(kind, step)));
  expect(readdirSync(join(path, 'frames'))).toEqual(names);
  const times = [...readFileSync(join(path, 'grains.pvd'), 'utf8').matchAll(/timestep="([^"]*)"/g)].map(([, time]) => time);
  expect(times).toEqual(['0', '0.08', '0.16', '0.2']);
  expect(readdirSync(path).sort()).toEqual(['contacts.pvd', 'frames', 'grains.pvd', 'series.csv', 'summary.json']);
  expect(seriesSteps(path)).toEqual(upTo(20));
});

test('Without "every" only the last state; without frames none', async () => {
  const [last, none] = [newFolder(), newFolder()];
  await go(counting({ every: 0 }), last);
  expect(readdirSync(join(last, 'frames'))).toEqual([frame('grains', 20)]);
  await go(counting({ every: 5, frames: 'none' }), none);
  expect(readdirSync(none).sort()).toEqual(['series.csv', 'summary.json']);
});

test('Warnings are told once each, those met while running too', async () => {
  const told: string[] = [];
  await go(counting({}), newFolder(), undefined, { ...quiet, onWarning: (message: string) => told.push(message) });
  expect(told).toEqual(['from the scene', 'in step 3']);
});

test('Steps that did not converge are told at the end, with what helps', async () => {
  const [path, told] = [newFolder(), [] as string[]];
  const simulation = counting({});
  const step = simulation.step.bind(simulation);
  simulation.step = (count, onReport) => step(count, (one) => onReport?.({ ...one, converged: one.step % 5 !== 0 }));
  await go(simulation, path, undefined, { ...quiet, onWarning: (warning) => told.push(warning) });
  expect(told.at(-1)).toMatch(/^4 of 20 steps used up their sweeps.*timeStep.*maxIterations/);
  expect(summaryIn(path).warnings.at(-1)).toBe(told.at(-1));
});

test('Steps that lacked the balance alone are told apart', async () => {
  const told: string[] = [];
  const simulation = counting({});
  simulation.problem.solver = {
    ...simulation.problem.solver,
    ...{ momentum: 0.5, convergence: { criterion: 'residual', tolerance: 1e-3, balance: 0.05, maxIterations: 9 } },
  };
  const step = simulation.step.bind(simulation);
  simulation.step = (count, onReport) =>
    step(count, (one) => onReport?.({ ...one, converged: one.step > 4, residual: one.step > 1 ? 1e-4 : 1e-2 }));
  await go(simulation, newFolder(), undefined, { ...quiet, onWarning: (warning) => told.push(warning) });
  expect(told.at(-1)).toMatch(/^4 of 20 steps .* Of these 3 by the balance alone: .* Against it helps a shorter timeStep/);
});

test('An aborted run leaves its last state, its series and a summary that says so', async () => {
  const path = newFolder();
  const controller = new AbortController();
  const simulation = counting({ every: 1 }, (step) => {
    if (step === 6) controller.abort();
  });
  const { status } = await go(simulation, path, controller.signal);
  expect(status).toBe('interrupted');
  expect(simulation.steps).toBe(6);
  expect(seriesSteps(path)).toEqual(upTo(6));
  expect(readdirSync(join(path, 'frames')).at(-1)).toBe(frame('grains', 6));
  expect(summaryIn(path)).toMatchObject({ steps: 6, warnings: expect.arrayContaining(['Interrupted after 6 of 20 steps.']) });
});

test('A failed run keeps what was done and says why', async () => {
  const path = newFolder();
  const fault = new NumericalError(7, 2, 'Step 7: the velocity of grain 2 is not finite');
  const simulation = counting({}, (step) => {
    if (step === 7) throw fault;
  });
  const { status, error } = await go(simulation, path);
  expect(status).toBe('failed');
  expect(error).toBe(fault);
  expect(seriesSteps(path)).toEqual(upTo(6));
  expect(readdirSync(join(path, 'frames'))).toEqual([frame('grains', 6)]);
  expect(summaryIn(path).warnings.at(-1)).toBe(`Failed after 6 of 20 steps: ${fault.message}`);
});

test('A failed run names its last good checkpoint', async () => {
  const path = newFolder();
  const simulation = counting({ frames: 'none' }, (step) => {
    if (step === 12) throw new NumericalError(12, 2, 'Step 12: the velocity of grain 2 is not finite');
  });
  const folder = new OutputFolder(path);
  const checkpoints = new Checkpoints(folder, simulation.problem, 3);
  const { status } = await runScene(simulation, folder, new AbortController().signal, quiet, checkpoints);
  expect(status).toBe('failed');
  const names = ['checkpoint-000006.h5', 'checkpoint-000009.h5'];
  expect(readdirSync(path).filter((name) => name.endsWith('.h5'))).toEqual(names);
  expect(summaryIn(path).warnings.at(-1)).toBe(`The last checkpoint is ${join(path, names[1])}.`);
  expect((await readCheckpoint(join(path, names[1]))).step).toBe(9);
});

test.each(backends)(
  'A figure that is not finite ends a run on %s with the step, the grain and the last good checkpoint named',
  async (backend) => {
    const path = newFolder();
    const insert = [{ material: 'glass', list: [{ position: [0, 0, 5], radius: 0.5 }] }];
    const problem = await loadProblem(parseScene({ ...FALL, events: [{ when: { step: 7 }, insert }] }), async () => '');
    // No scene can ask for it.
    problem.events![0].insert!.forces.fill(Number.NaN);
    const simulation = await simulate(problem, backend);
    const folder = new OutputFolder(path);
    const checkpoints = new Checkpoints(folder, problem, 3);
    const { status, error } = await runScene(simulation, folder, new AbortController().signal, quiet, checkpoints);
    simulation.dispose();
    expect(status).toBe('failed');
    expect(error).toMatchObject({ name: 'NumericalError', step: 8, grain: 27 });
    expect(summaryIn(path).warnings.slice(-2)).toEqual([
      expect.stringMatching(/^Failed after 7 of 20 steps: Step 8: the velocity of grain 27 is not /),
      `The last checkpoint is ${join(path, 'checkpoint-000006.h5')}.`,
    ]);
  },
);

test('The series tells how many grains there are in each step, and their mass, where they come in', async () => {
  const path = newFolder();
  // 0.3 grains are due in a step; they come in every 10 steps, high above the others.
  const region = { box: { min: [-50, -50, 90], max: [50, 50, 99] } };
  const pour = { material: 'glass', count: 8, radius: 0.5, rate: 30, region };
  const events = [{ when: { step: 3 }, pour }];
  const problem = await loadProblem(parseScene({ ...FALL, steps: 35, events }), async () => '');
  expect((await go(await simulate(problem, 'cpu'), path)).status).toBe('done');
  const [header, ...rows] = readFileSync(join(path, 'series.csv'), 'utf8').trimEnd().split('\n');
  expect(header).toMatch(/,grains,mass,event$/);
  const told = rows.map((row) => row.split(',').slice(-3, -1).map(Number));
  const counts = (step: number) => 27 + (step <= 10 ? 0 : step <= 20 ? 2 : step <= 30 ? 5 : 8);
  expect(told.map(([count]) => count)).toEqual(rows.map((_, k) => counts(k + 1)));
  for (const [count, mass] of told) expect(mass / (count * 2500 * (Math.PI / 6))).toBeCloseTo(1, 12);
});

test.each([
  ['cpu', 10, {}, 6.32],
  ['cpu', 400, {}, null],
  ['cpu', 10, { order: 'random' }, 5.48],
  ['cpu', 10, { momentum: 0.5 }, null],
  ['webgpu', 10, {}, 6.32],
  ['webgpu', 400, {}, null],
] as const)('A column of 20 grains is told to be soft where forces spread less far: on %s, %d sweeps, %j', async (...given) => {
  const [backend, iterations, options, reach] = given;
  const grains = Array.from({ length: 20 }, (_, k): TestGrain => ({ position: [0, 0, 0.5 + k], mass: 2 }));
  const convergence = { criterion: 'fixed', iterations } as const;
  const walls = [plane([0, 0, 0], [0, 0, 1])];
  const scene = makeProblem({ grains, walls, gravity: [0, 0, -10], timeStep: 0.01, solver: { convergence, ...options } });
  const simulation = await simulate({ ...scene, steps: 3 }, backend);
  const path = newFolder();
  const { status } = await go(simulation, path);
  const summary = summaryIn(path);
  expect(status).toBe('done');
  expect(summary.systemLength).toBeCloseTo(20, 0);
  const soft = new RegExp(`^In a step forces spread over ${reach}, and grains that bear on each other over 20.0: .*soft`);
  expect(summary.warnings).toEqual(reach ? [expect.stringMatching(soft)] : []);
  // q m N/dt^2
  if (reach) expect(summary.effectiveStiffness / (2 * 10 * 1e4)).toBeCloseTo((reach / 2) ** 2 / 10, 2);
});

test('Results that cannot be written end the run, name the file and leave the rest', async () => {
  const path = newFolder();
  writeFileSync(join(path, 'frames'), 'a file where the frames should go');
  const { status, error } = await go(counting({ every: 4 }), path);
  expect(status).toBe('failed');
  expect((error as Error).message).toMatch(/^Cannot write .*frames.grains-000000\.vtp: /);
  expect(summaryIn(path).steps).toBe(0);
});

test('Where the summary cannot be written either, that is told beside what came first', async () => {
  const path = newFolder();
  writeFileSync(join(path, 'frames'), 'a file where the frames should go');
  mkdirSync(join(path, 'summary.json'));
  const { status, error, missing } = await go(counting({ every: 4 }), path);
  expect(status).toBe('failed');
  expect((error as Error).message).toMatch(/grains-000000\.vtp: /);
  expect(missing!.map(({ message }) => message)).toEqual([expect.stringMatching(/^Cannot write .*summary\.json: /)]);
});

test('--force removes the files of a former run and no other', async () => {
  const path = newFolder();
  await go(counting({ every: 8, contacts: true }), path);
  for (const name of ['notes.txt', 'series.csv.bak', 'frames/mine.vtp', 'frames/grains-1.vtp'])
    writeFileSync(join(path, name), 'keep');
  writeFileSync(join(path, 'frames/grains-000024.vtp.0123abcd.tmp'), 'left by a killed run');
  const folder = new OutputFolder(path);
  await expect(folder.check(false, ['scene.json'])).rejects.toThrow(/not empty.*--force/);
  await folder.check(true, ['scene.json']);
  await folder.prepare();
  await folder.release();
  expect(readdirSync(path).sort()).toEqual(['frames', 'notes.txt', 'series.csv.bak']);
  expect(readdirSync(join(path, 'frames')).sort()).toEqual(['grains-1.vtp', 'mine.vtp']);
});

test('results that somebody removes during the run make it fail by name', async () => {
  const folder = newFolder();
  const simulation = counting({ every: 8 }, (step) => {
    if (step === 20) rmSync(join(folder, 'frames/grains-000008.vtp'));
  });
  const { status, error } = await go(simulation, folder);
  expect(`${status}: ${(error as Error).message}`).toBe(
    `failed: Cannot write ${folder}: frames/grains-000008.vtp was removed while the run wrote into it`,
  );
});
