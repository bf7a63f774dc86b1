import { expect, test } from 'vitest';
import type { GpuState } from '../../src/gpu/gpuState';
import { download } from '../../src/gpu/readback';
import { GpuSolver, type GpuSolverOptions } from '../../src/gpu/solver';
import type { StepReport } from '../../src/index';
import { randomNumbers } from '../../src/scene/generators/randomNumbers';
import type { PairLaw, SolverOptions, Vector } from '../../src/scene/problem';
import { toSystem } from '../../src/scene/units';
import { startOf } from '../../src/snapshot';
import { sharedDevice } from '../support/device';
import { floor, meshWall } from '../support/meshes';
import { shell } from '../support/packings';
import { makeProblem, plane, type TestGrain, type TestScene } from '../support/problems';

const WIDTH = 6;

/** A large grain with a shell of small ones, above a bed of five layers. */
const MIDDLE: Vector = [WIDTH / 2, WIDTH / 2, 7.71];
const above: TestGrain[] = [{ position: MIDDLE, radius: 1.7 }, ...shell(MIDDLE, 2.202, 40)];

const device = sharedDevice();
const GRAINS = 720;

interface Bed {
  solver?: Partial<SolverOptions>;
  law?: Partial<PairLaw>;
  /** How many; six to a row, 36 to a layer. */
  count?: number;
  /** Beside the floor and the sides. */
  walls?: TestScene['walls'];
  /** Beside those on the lattice. */
  others?: TestGrain[];
}

/** Spheres on a lattice in touch, twenty layers in a box with its floor, which gravity meets at the first step. */
function bed({ solver, law, count = GRAINS, walls: more = [], others = [] }: Bed = {}) {
  const random = randomNumbers(1);
  const grains = Array.from({ length: count }, (_, k) => {
    const cell = [k % WIDTH, Math.floor(k / WIDTH) % WIDTH, Math.floor(k / WIDTH ** 2)];
    return { position: cell.map((c) => 0.5 + c + 0.004 * random()) as Vector, radius: 0.5 };
  });
  const walls = [
    plane([0, 0, 0], [0, 0, 1]),
    plane([0, 0, 0], [1, 0, 0]),
    plane([0, 0, 0], [0, 1, 0]),
    plane([WIDTH, 0, 0], [-1, 0, 0]),
    plane([0, WIDTH, 0], [0, -1, 0]),
    ...more,
  ];
  const problem = makeProblem({
    grains: [...grains, ...others],
    walls,
    gravity: [0.2, 0, -1],
    timeStep: 0.01,
    friction: 0.3,
    solver,
  });
  problem.laws = problem.laws.map((plain) => ({ ...plain, ...law }));
  return toSystem(problem);
}

/** Contacts that the first of two buffers has; the bed has some 2,100. */
const PAGE = 1500;

/** What an embedder sees of all contacts: pairs, normals, impulses. */
async function recordsOf({ contacts, buffers, contactParts, impulseRows }: GpuState): Promise<number[][]> {
  const parts = contactParts.flatMap(({ count, normals, impulses }) => [
    { buffer: normals, bytes: 16 * count },
    { buffer: impulses, bytes: 16 * impulseRows * count },
  ]);
  const [pairs, ...rest] = await download(device(), [{ buffer: buffers.contactPairs, bytes: 8 * contacts }, ...parts]);
  const joined = (which: number) => rest.filter((_, k) => k % 2 === which).flatMap((part) => [...new Float32Array(part)]);
  return [[...new Uint32Array(pairs)], joined(0), joined(1)];
}

async function run(system: ReturnType<typeof bed>, steps: number, options?: GpuSolverOptions) {
  const solver = await GpuSolver.create(device(), system, options);
  try {
    const reports: StepReport[] = [];
    await solver.step(steps, (report) => reports.push(report));
    const shared = solver.gpuState();
    return {
      reports,
      state: await solver.read(),
      held: await solver.capture(),
      parts: shared.contactParts.map(({ first, count }) => [first, count]),
      shown: await recordsOf(shared),
    };
  } finally {
    solver.dispose();
  }
}

/** As by default, the coarse level at work although the packing is small. */
const coarse: Partial<SolverOptions> = {
  momentum: 0.9,
  coarse: 'on',
  convergence: { criterion: 'residual', tolerance: 1e-3, balance: 0.05, maxIterations: 100 },
};

const changes: Partial<SolverOptions> = {
  momentum: 0,
  coarse: 'off',
  convergence: { criterion: 'local', epsilon: 1e-2, delta: 1e-4, maxIterations: 60 },
};

test.each([
  ['plain ones, with the balance and the coarse level', { solver: coarse }, {}],
  [
    'such as stick at more than they slide at, too many for one buffer in the first step',
    { solver: changes, law: { staticFriction: 0.5 } },
    { candidates: 1200 },
  ],
] as [string, Parameters<typeof bed>[0], GpuSolverOptions][])(
  'contacts in two buffers are the same bit by bit as in one: %s',
  async (_, scene, options) => {
    const system = bed(scene);
    const [whole, split] = [await run(system, 3), await run(system, 3, { ...options, page: PAGE })];
    expect(whole.reports[0].candidates).toBeGreaterThan(PAGE + 400);
    const contacts = whole.reports[2].candidates;
    expect(whole.parts).toEqual([[0, contacts]]);
    expect(split.parts).toEqual([
      [0, PAGE],
      [PAGE, contacts - PAGE],
    ]);
    expect(split.shown).toEqual(whole.shown);
    expect(split.reports.map((report) => ({ ...report, redone: 0 }))).toEqual(
      whole.reports.map((report) => ({ ...report, redone: 0 })),
    );
    expect(split.state).toEqual(whole.state);
    expect(split.held).toEqual(whole.held);
    expect((await run(system, 0, { from: split.held, page: PAGE })).held).toEqual(split.held);
  },
);

/** One turn of the coarse level, and two tests. */
const short: Partial<SolverOptions> = {
  ...coarse,
  convergence: { ...coarse.convergence!, tolerance: 1e-6, maxIterations: 15 } as never,
};

test.each([
  [
    'torques and memories, in an order of the colours that is drawn',
    {
      solver: { ...short, order: 'random' },
      law: {
        rollingFriction: 0.1,
        torsionFriction: 0.05,
        normalRestitution: 0.5,
        tangentialRestitution: 0.4,
        cohesionForce: 0.3,
      },
    },
  ],
  [
    'meshes, a piston and a large grain, of whose contacts each buffer has some',
    {
      solver: short,
      walls: [
        meshWall(floor(2 * WIDTH + 2, 3, () => 0.002)),
        { ...plane([0, 0, 10.4], [0, 0, -1]), piston: { mass: 3, force: 300 } },
      ],
      others: above,
    },
  ],
] as [string, Bed][])('contacts in two buffers are the same bit by bit as in one: %s', async (_, scene) => {
  const system = bed({ ...scene, count: 180 });
  const whole = await run(system, 2);
  // Contacts of large grains come last.
  const page = whole.reports[0].candidates - 25;
  const split = await run(system, 2, { page });
  const contacts = whole.reports[1].candidates;
  expect(split.parts).toEqual([
    [0, page],
    [page, contacts - page],
  ]);
  expect(split.shown).toEqual(whole.shown);
  expect(split.reports).toEqual(whole.reports);
  expect(split.state).toEqual(whole.state);
  expect(split.held).toEqual(whole.held);
  expect((await run(system, 0, { from: split.held, page })).held).toEqual(split.held);
});

test('what a proposal of the coarse level needs may lie in buffers that are idle in sweeps: the result is the same bit by bit', async () => {
  const system = bed({ solver: coarse });
  const own = await run(system, 2);
  // Room for so many colours that what grains have of them is larger than what is put there.
  const from = { ...startOf(system), colourWords: 32 };
  const shared = await run(system, 2, { from });
  expect(shared.reports).toEqual(own.reports);
  expect(shared.state).toEqual(own.state);
});
