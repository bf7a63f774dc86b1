import { join } from 'node:path';
import h5wasm from 'h5wasm/node';
import { describe, expect, test } from 'vitest';
import type { Problem, SimulationSnapshot, StepReport } from '../src/index';
import { resumeFrom, writeCheckpoint } from '../src/node';
import { readTree, type Tree, writeTree } from '../src/node/checkpoint/tree';
import { type BackendName, backends, simulate } from './support/backends';
import { everything, floor, pour, tray } from './support/checkpointScenes';
import { newFolder } from './support/folder';

const folder = newFolder();
const scenes: [string, () => Promise<Problem>, number][] = [
  ['with every law and events in mid-schedule', everything, 20],
  ['under a piston, before the first event', everything, 7],
  [
    'of plain laws, without events',
    () => everything({ events: [], walls: [floor, tray], contacts: [{ between: ['glass', 'glass'], friction: 0.3 }] }),
    13,
  ],
  ['of disks in periodic space', () => everything(disks), 20],
];
const disks = {
  dimension: 2,
  gravity: [0, -10, 0],
  contacts: [
    {
      between: ['glass', 'glass'],
      friction: { static: 0.5, dynamic: 0.3 },
      restitution: { normal: 0.6, tangential: 0.2 },
      rollingFriction: 0.1,
      cohesion: { force: 0.5, range: 0.02 },
    },
  ],
  periodic: { axes: 'x', min: [0, 0, 0], max: [4, 0, 0] },
  grains: [
    { material: 'glass', random: { count: 40, radius: { uniform: [0.15, 0.2] }, box: { min: [0, 0, 0], max: [4, 4, 0] } } },
  ],
  walls: [{ ...floor, plane: { point: [0, 0, 0], normal: [0, 1, 0] } }],
  events: [],
};

describe('a run that goes on from a checkpoint gives the bits of one that did not stop', () => {
  test.each(scenes)('%s, on the CPU', async (name, make, when) => {
    await goesOn(await make(), 'cpu', when, join(folder, `${name}.h5`));
  });

  test('with every law and an event in mid-schedule, on the GPU', async () => {
    const events = [{ when: { step: 5 }, pour, setGravity: [1, 0, -9] }];
    await goesOn(await everything({ steps: 16, events }), 'webgpu', 8, join(folder, 'webgpu.h5'));
  });
});

// Of few grains and sweeps: a software adapter takes its time for each dispatch.
test.each(backends)('200 steps are 100 and, from their checkpoint, 100 more, on %s', async (backend) => {
  const problem = await everything({
    steps: 200,
    contacts: [{ between: ['glass', 'glass'], friction: 0.3 }],
    grains: [{ material: 'glass', lattice: { count: [3, 3, 3], spacing: 0.42, origin: [1, 1, 0.3], radius: 0.2, jitter: 0.01 } }],
    walls: [floor, tray],
    events: [{ when: { step: 60 }, setGravity: [1, 0, -9] }],
    solver: { coarse: 'off', convergence: { criterion: 'fixed', iterations: 4 } },
  });
  await goesOn(problem, backend, 100, join(folder, `long-${backend}.h5`));
});

test('so do sweeps in random order on the CPU', async () => {
  const problem = await everything({
    solver: { sweep: 'random', momentum: 0, convergence: { criterion: 'fixed', iterations: 10 } },
  });
  await goesOn(problem, 'cpu', 20, join(folder, 'random.h5'));
});

async function goesOn(problem: Problem, backend: BackendName, when: number, path: string): Promise<void> {
  const whole = await simulate(problem, backend);
  const reports = await whole.step(problem.steps);
  const first = await simulate(problem, backend);
  await first.step(when);
  await writeCheckpoint(path, { problem, backend, snapshot: await first.capture() });
  const { snapshot, warnings, grains } = await resumeFrom(path, problem);
  expect(snapshot).toEqual(await first.capture());
  expect(warnings).toEqual([]);
  const state = await first.read();
  expect(grains.radii).toEqual(first.problem.grains.radii);
  for (const key of ['positions', 'velocities', 'angularVelocities'] as const)
    expect(grains[key].every((value, k) => Math.abs(value - state[key][k]) < 1e-12)).toBe(true);

  const second = await simulate(problem, backend, snapshot);
  const rest: StepReport[] = await second.step(problem.steps - when);
  expect(rest).toEqual(reports.slice(when));
  expect(reports.at(-1)!.contacts).toBeGreaterThan(3);
  expect(await second.read()).toEqual(await whole.read());
  expect(await second.capture()).toEqual(await whole.capture());
}

test('an event gives its checkpoint after what it changes, and the run goes on', async () => {
  const problem = await everything();
  const taken: SimulationSnapshot[] = [];
  const simulation = await simulate(problem, 'cpu', undefined, { onCheckpoint: (snapshot) => void taken.push(snapshot) });
  await simulation.step(25);
  expect(taken.map(({ solver }) => solver.step)).toEqual([20]);
  expect(taken[0].solver.pistons).toHaveLength(1);
  const again = await simulate(problem, 'cpu', structuredClone(taken[0]));
  expect(await again.step(5)).toEqual(await (await simulate(problem, 'cpu')).step(25).then((all) => all.slice(20)));
  expect(await again.capture()).toEqual(await simulation.capture());
});

test('a tree comes back as it was, to the bit', async () => {
  const { File } = h5wasm;
  await h5wasm.ready;
  const tree: Tree = {
    numbers: Float64Array.of(1 / 3, -0, Number.NaN, Number.POSITIVE_INFINITY, 5e-324),
    positions: Float64Array.of(1, 2, 3, 4, 5, 6),
    ids: Uint32Array.of(0, 2 ** 32 - 1),
    none: new Float64Array(0),
    bytes: Uint8Array.of(0, 255),
    step: 2 ** 40 + 0.1,
    yes: true,
    no: false,
    text: 'ein "Text" ü',
    empty: '',
    list: [1, -0, 1 / 3],
    nothing: [],
    objects: Array.from({ length: 12 }, (_, k) => ({ k, vector: [k, k, k] })),
  };
  const path = join(folder, 'tree.h5');
  let file = new File(path, 'w');
  writeTree(file, tree);
  file.close();
  file = new File(path, 'r');
  expect(readTree(file, 10_000)).toEqual(tree);
  file.close();
});
