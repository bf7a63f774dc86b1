import { appendFileSync, copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import h5wasm from 'h5wasm/node';
import { beforeAll, describe, expect, test } from 'vitest';
import { CheckpointError, type Problem, type SceneInput, type SimulationSnapshot, type StepReport } from '../src/index';
import { readCheckpoint, resumeFrom, writeCheckpoint } from '../src/node';
import { seal } from '../src/node/checkpoint/seal';
import { readTree, type Tree, writeTree } from '../src/node/checkpoint/tree';
import { type BackendName, backends, simulate } from './support/backends';
import { newFolder } from './support/folder';
import { load, sceneWith } from './support/scenes';

const folder = newFolder();
const floor = { name: 'floor', material: 'steel', plane: { point: [0, 0, 0], normal: [0, 0, 1] } };
const tray = { name: 'tray', material: 'steel', box: { min: [0, 0, 0], max: [3, 3, 8], open: ['+z', '-z'] } };
const lid = { name: 'lid', material: 'steel', plane: { point: [0, 0, 4.2], normal: [0, 0, -1] }, piston: { mass: 2, force: 5 } };

const pour = {
  material: 'glass',
  count: 10,
  radius: 0.15,
  region: { box: { min: [0.5, 0.5, 5], max: [2.5, 2.5, 6] } },
  rate: 50,
};

/** Every law of contacts, a giant that is a hub, a piston that comes and goes, a wall that moves, grains that wait and that pour. */
const everything = (parts: Partial<SceneInput> | Record<string, unknown> = {}): Promise<Problem> =>
  load(
    sceneWith({
      title: '',
      gravity: [0, 0, -10],
      timeStep: 0.01,
      steps: 40,
      materials: { glass: { density: 2 }, steel: {} },
      contacts: [
        {
          between: ['glass', 'glass'],
          friction: { static: 0.5, dynamic: 0.3 },
          restitution: { normal: 0.6, tangential: 0.2 },
          rollingFriction: 0.1,
          torsionFriction: 0.05,
          cohesion: { force: 0.5, range: 0.02 },
        },
        { between: ['glass', 'steel'], friction: 0.2 },
      ],
      grains: [
        { material: 'glass', list: [{ position: [1.5, 1.5, 1], radius: 0.9 }] },
        { material: 'glass', random: { count: 60, radius: { uniform: [0.15, 0.2] }, box: { min: [0, 0, 0], max: [3, 3, 3.5] } } },
      ],
      walls: [floor, tray, lid],
      events: [
        {
          when: { step: 8 },
          removeWalls: ['lid'],
          pour,
          insert: [
            {
              material: 'glass',
              list: [
                { position: [1.5, 1.5, 1], radius: 0.2 },
                { position: [1, 1, 7], radius: 0.2 },
              ],
            },
          ],
        },
        {
          when: { step: 15 },
          setMotion: { floor: { oscillation: { amplitude: [0, 0, 0.02], frequency: 5 } } },
          setGravity: [1, 0, -9],
        },
        {
          when: { step: 20 },
          checkpoint: true,
          addWalls: [{ ...lid, name: 'upper', plane: { point: [0, 0, 7.5], normal: [0, 0, -1] } }],
        },
        { when: { rest: 1e-9 }, stop: true },
      ],
      solver: { convergence: { criterion: 'residual', tolerance: 1e-3, maxIterations: 100 } },
      ...parts,
    }),
  );

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

describe('a checkpoint is refused', () => {
  const path = join(folder, 'good.h5');
  beforeAll(async () => {
    const problem = await everything();
    const simulation = await simulate(problem, 'cpu');
    await simulation.step(3);
    await writeCheckpoint(path, { problem, backend: 'cpu', snapshot: await simulation.capture() });
  });
  const spoilt = async (name: string, spoil: (path: string) => unknown) => {
    const copy = join(folder, name);
    copyFileSync(path, copy);
    await spoil(copy);
    return readCheckpoint(copy);
  };

  test('that was cut short, wherever', async () => {
    const { length } = readFileSync(path);
    for (const end of [0, 7, 8, 100, Math.floor(length / 2), length - 1]) {
      const reason = end < 8 ? /is not an HDF5 file/ : /was cut short/;
      await expect(spoilt('short.h5', (copy) => truncateSync(copy, end))).rejects.toThrow(reason);
    }
  });

  test('in which a byte is another', async () => {
    const bytes = readFileSync(path);
    for (let k = 0; k < 40; k++) {
      const at = Math.floor(((k + 0.5) / 40) * bytes.length);
      const reason = /is damaged|was cut short|is not an HDF5 file/;
      const flip = (copy: string) => {
        const changed = Uint8Array.from(bytes);
        changed[at] ^= 1 << (k % 8);
        writeFileSync(copy, changed);
      };
      await expect(spoilt('flipped.h5', flip)).rejects.toThrow(reason);
    }
  });

  test('that is something else', async () => {
    await expect(spoilt('text.h5', (copy) => writeFileSync(copy, 'x,y,z,radius\n'))).rejects.toThrow(/is not an HDF5 file/);
    await expect(spoilt('longer.h5', (copy) => appendFileSync(copy, 'more'))).rejects.toThrow(/another program wrote it/);
    await expect(readCheckpoint(join(folder, 'missing.h5'))).rejects.toThrow(/missing\.h5 does not exist/);
    const foreign = (tree: Tree) => async (copy: string) => {
      const file = new h5wasm.File(copy, 'w');
      writeTree(file, tree);
      file.close();
      await seal(copy);
    };
    await expect(spoilt('foreign.h5', foreign({ format: 'x' }))).rejects.toThrow(/no checkpoint of this program/);
    const later = { format: 'contact-dynamics/checkpoint', version: 99, program: '9.0.0' };
    await expect(spoilt('later.h5', foreign(later))).rejects.toThrow(/version 99 of the format \(written by version 9\.0\.0/);
  });

  test('whose arrays do not fit together, or claim more than the file has', async () => {
    const file = new h5wasm.File(path, 'r');
    const tree = readTree(file, readFileSync(path).length);
    file.close();
    const changed =
      (change: (tree: Record<'head' | 'grains' | 'contacts' | 'solver' | 'schedule', Tree>) => void) => async (copy: string) => {
        const own = structuredClone(tree) as Tree & {
          grains: Tree;
          snapshot: { solver: Tree & { contacts: Tree }; schedule: Tree };
        };
        const { solver, schedule } = own.snapshot;
        change({ head: own, grains: own.grains, solver, schedule, contacts: solver.contacts });
        const written = new h5wasm.File(copy, 'w');
        writeTree(written, own);
        written.close();
        await seal(copy);
      };
    const refused = (change: Parameters<typeof changed>[0], reason: RegExp) =>
      expect(spoilt('unfit.h5', changed(change))).rejects.toThrow(reason);
    await expect(
      spoilt(
        'unfit.h5',
        changed(() => undefined),
      ),
    ).resolves.toMatchObject({ step: 3 });
    await refused(({ head }) => {
      head.scene = undefined;
    }, /does not tell of which scene it is/);
    await refused(({ head }) => {
      head.backend = 'gpu';
    }, /its backend is "gpu"/);
    await refused(({ head }) => {
      head.step = 4;
    }, /its step is 4, its state that after step 3/);
    await refused(({ grains }) => {
      grains.positions = new Float64Array(3);
    }, /"positions" has 3 values where \d+ belong/);
    await refused(({ grains }) => (grains.radii as Float64Array).fill(-1), /radii that are not above 0/);
    await refused(({ solver }) => {
      solver.spins = undefined;
    }, /"spins" has no values/);
    await refused(({ contacts }) => (contacts.first as Uint32Array).fill(2 ** 31), /grains that are not among its/);
    await refused(({ contacts }) => {
      contacts.count = 2 ** 40;
    }, /"first" has \d+ values where 1099511627776 belong/);
    for (const name of ['positions', 'velocities', 'angularVelocities'])
      await refused(({ grains }) => (grains[name] as Float64Array).fill(Number.NaN), new RegExp(`it has ${name} that are not`));
    await refused(({ contacts }) => (contacts.colours as Uint32Array).fill(4e9), /its contacts have more than 65536 colours/);
    await refused(({ schedule }) => {
      schedule.step = 2;
    }, /its events are those after step 2, its state that after 3/);
    for (const time of [Number.NaN, Number.POSITIVE_INFINITY, -1, 'soon'])
      await refused(({ head }) => {
        head.time = time;
      }, /is damaged: its time is /);
    for (const step of [-3, 2.5, 'three', Number.NaN])
      await refused(({ head, solver, schedule }) => {
        for (const part of [head, solver, schedule]) part.step = step;
      }, /is damaged: (its step is|the state of the events is not whole)/);
    await refused(({ head }) => {
      head.scene = { grains: 'x' };
    }, /does not tell of which scene it is/);

    const goneOn = async (change: Parameters<typeof changed>[0]) => {
      const copy = join(folder, 'unfit.h5');
      await changed(change)(copy);
      return resumeFrom(copy, await everything());
    };
    await expect(goneOn(() => undefined)).resolves.toMatchObject({ step: 3, warnings: [] });
    for (const [change, reason] of [
      [({ schedule }) => (schedule.firedAt = Array(100).fill(1)), /100 events have happened, the scene has 4/],
      [({ schedule }) => (schedule.added = Uint32Array.of(7, 7)), /has grains that no event of the scene brings/],
      [({ contacts }) => (contacts.second as Uint32Array).fill(1e6), /contacts with walls that are not there/],
    ] as [Parameters<typeof changed>[0], RegExp][]) {
      const gone = goneOn(change);
      await expect(gone).rejects.toThrow(CheckpointError);
      await expect(gone).rejects.toThrow(reason);
    }

    const raw = (write: (file: InstanceType<typeof h5wasm.File>) => unknown) => async (copy: string) => {
      const written = new h5wasm.File(copy, 'w');
      write(written);
      written.close();
      await seal(copy);
    };
    const huge = { name: 'x', data: new Uint8Array(1000), shape: [1000], maxshape: [1e10], chunks: [1000] };
    const bomb = raw((written) => written.create_dataset(huge).resize([4e9]));
    await expect(spoilt('bomb.h5', bomb)).rejects.toThrow(/is damaged: its arrays claim more bytes than it has/);
    const nest = (levels: number): Tree => (levels === 0 ? {} : { a: nest(levels - 1) });
    const deep = raw((written) => writeTree(written, nest(12)));
    await expect(spoilt('deep.h5', deep)).rejects.toThrow(/is damaged: its groups are too deep/);
    const endless = raw((written) => written.create_group('a').create_soft_link('/a', 'again'));
    await expect(spoilt('endless.h5', endless)).rejects.toThrow(/is damaged: "again" is a link/);
    const named = raw((written) => written.create_group('__proto__'));
    await expect(spoilt('named.h5', named)).rejects.toThrow(/is damaged: "__proto__" is no name of a part/);
    const outside = raw((written) => written.create_external_link(path, '/grains', 'grains'));
    await expect(spoilt('outside.h5', outside)).rejects.toThrow(/is damaged: "grains" is a link/);
  });

  test('by another scene, which says what differs', async () => {
    const other = async (parts: Record<string, unknown>) => resumeFrom(path, await everything(parts));
    await expect(other({ timeStep: 0.02 })).rejects.toThrow(/another scene, which differs in the time step; /);
    await expect(other({ walls: [floor, lid] })).rejects.toThrow(/another scene, which differs in the walls; /);
    await expect(other({ events: [] })).rejects.toThrow(/another scene, which differs in the events; /);
    await expect(other({ contacts: [] })).rejects.toThrow(/another scene, which differs in the contact laws; /);
    const { warnings } = await other({ solver: { momentum: 0 }, steps: 50, output: { every: 5 }, title: 'new' });
    expect(warnings).toEqual([expect.stringMatching(/solver is set otherwise/)]);
  });
});
