import type { SimulationSnapshot, State } from '../../src/index';
import { type ArrayOptions, arrayScene, CONVERGED, STEP } from './arrayScene';
import { between, byPrecision, type Figure, figure, info, near, type Row, type Run } from './figure';

export interface ArrayState {
  /** Friction of the plane per weight. */
  friction: number;
  acceleration: number;
  /** How many disks are in each of the three modes, from the first on. */
  modes: Modes;
  /** Angular acceleration of each disk, from the first on; positive where it turns as one that rolls on the plane. */
  turns: number[];
  residual: number;
}

/** Numbers of disks that roll on the plane, slide on it, and turn against their neighbours, in this order along the row. */
type Modes = [rolling: number, sliding: number, turning: number];

const STICKING = 1;

/** By which contacts stick: those with the plane at the front of the row, those between disks at its end. */
function modesOf({ count, first, second, states }: State['contacts'], disks: number): Modes {
  const sticks = (body: number, other: number) => {
    for (let c = 0; c < count; c++) if (first[c] === body && second[c] === other) return states[c] === STICKING;
    return false;
  };
  const row = Array.from({ length: disks }, (_, k) => k);
  const rolling = row.findIndex((k) => !sticks(k, disks));
  const turning = row.findIndex((k) => k + 1 < disks && sticks(k, k + 1));
  const [front, end] = [rolling < 0 ? disks : rolling, turning < 0 ? 0 : disks - turning];
  return [front, disks - front - end, end];
}

/** Steps the row until its acceleration is steady. */
export async function measureArray(on: Run, options: ArrayOptions, steps: number): Promise<ArrayState> {
  const simulation = await on.simulate(arrayScene(options, byPrecision(on, ...CONVERGED)));
  await simulation.step(steps - 2);
  const before = await simulation.read();
  const [, report] = await simulation.step(2);
  const after = await simulation.read();
  simulation.dispose();
  const rates = (k: number) => {
    const gained = (after.velocities[3 * k] - before.velocities[3 * k]) / (2 * STEP);
    const turned = (after.angularVelocities[3 * k + 2] - before.angularVelocities[3 * k + 2]) / (2 * STEP);
    return { gained, turned };
  };
  const all = Array.from({ length: options.disks }, (_, k) => rates(k));
  return {
    friction: report.wallLoads[0] / options.disks,
    acceleration: all.reduce((sum, { gained }) => sum + gained, 0) / options.disks,
    modes: modesOf(after.contacts, options.disks),
    turns: all.map(({ turned }) => -turned),
    residual: report.residual,
  };
}

/** Effective inertia of mode 1, eq. (7), corrected where the blocks rub otherwise than the disks: from N_L = F_g + L vdot + N_0. */
async function inertia(on: Run, disks: number, block: number): Promise<number> {
  const options = { disks, mu: 0.04, plane: 0.1, block, brake: 0.01 };
  const states: ArrayState[] = [];
  for (const push of [0.05, 0.1]) states.push(await measureArray(on, { ...options, push: push * disks ** 0.5 }, 150));
  const [a, b] = states;
  return (disks * (b.friction - a.friction)) / (b.acceleration - a.acceleration) + disks;
}

const INERTIA = [
  [10, 0.04, 22.99672],
  [20, 0.04, 74.19872],
  [30, 0.04, 188.1995],
  [10, 0.001, 22.09895],
  [20, 0.001, 71.30207],
  [30, 0.001, 180.8524],
];

const STEADY: [push: number, friction: number, acceleration: number, modes: Modes][] = [
  [0.5, 0.0141331, 0.0022002, [30, 0, 0]],
  [1, 0.0280351, 0.0049649, [30, 0, 0]],
  [2, 0.0545638, 0.0117696, [23, 0, 7]],
  [4, 0.086818, 0.046182, [9, 2, 19]],
  [8, 0.0997417, 0.1665916, [1, 4, 25]],
];

/** Of the tables, those that are run on the GPU too, where a step costs a hundred times what it does on the CPU. */
const ON_GPU = { inertia: [INERTIA[0], INERTIA[5]], steady: [STEADY[0], STEADY[3]] };

const effectiveInertia: Figure = {
  id: 'B-inertia',
  title: 'Row of disks: effective inertia where all roll',
  quick: true,
  gpu: 'quick',
  async run(on) {
    const rows: Row[] = [];
    for (const [disks, block, expected] of byPrecision(on, INERTIA, ON_GPU.inertia)) {
      on.progress(`${disks} disks, mu'' = ${block}`);
      rows.push(near(`m_e, L = ${disks}, mu'' = ${block}`, await inertia(on, disks, block), expected, 1e-3 * expected));
    }
    return { rows, plots: [] };
  },
};

/** A row that passes where the modes are those. */
const modesRow = (name: string, got: Modes, expected: Modes): Row => ({
  name,
  expected: expected.join(', '),
  got: got.join(', '),
  verdict: got.join() === expected.join() ? 'pass' : 'FAIL',
});

/** With which the disks of a second run turn at the start, in turn to either side. */
const OTHER_START = 0.05;
const OTHER_STEPS = 4000;

const friction: Figure = {
  id: 'B-friction',
  title: 'Row of 30 disks: collective friction against the push',
  quick: true,
  gpu: 'quick',
  async run(on) {
    const rows: Row[] = [];
    const got: number[] = [];
    const table = byPrecision(on, STEADY, ON_GPU.steady);
    for (const [push, expected, acceleration, modes] of table) {
      on.progress(`N_L = ${push}`);
      const options = { disks: 30, mu: 0.04, plane: 0.1, block: 0.001, brake: 0.01, push };
      const state = await measureArray(on, options, 400);
      got.push(state.friction);
      rows.push(
        near(`mu_g, N_L = ${push}`, state.friction, expected, 1e-3 * expected),
        near(`vdot, N_L = ${push}`, state.acceleration, acceleration, 2e-3 * acceleration),
        modesRow(`disks that roll, slide, turn against each other, N_L = ${push}`, state.modes, modes),
        info('residual', figure(state.residual, 2)),
      );
      // Takes 4000 steps, which is more than it is worth on the GPU.
      if (on.backend === 'webgpu') continue;
      const other = await measureArray(on, { ...options, turning: OTHER_START }, OTHER_STEPS);
      rows.push(
        near(`mu_g from other initial rotations less that from none, N_L = ${push}`, other.friction - state.friction, 0, 1e-9),
      );
    }
    const x = table.map(([push]) => push);
    const series = [
      { name: 'simulation', x, y: got, kind: 'points' as const },
      { name: 'expected', x, y: table.map(([, expected]) => expected), kind: 'line' as const },
    ];
    return { rows, plots: [{ title: 'Row of 30 disks', xLabel: 'N_L', yLabel: 'mu_g', series }] };
  },
};

/** 80 disks: the row locks under a force that is too small, and under a larger one has all three modes. */
const longRow: Figure = {
  id: 'B-long',
  title: 'Row of 80 disks: locked, and with all three modes',
  quick: true,
  gpu: 'quick',
  async run(on) {
    const options = { disks: 80, mu: 0.06, plane: 0.1, block: 0.001, brake: 0.01 };
    on.progress('N_L = 1.4');
    const locked = await measureArray(on, { ...options, push: 1.4 }, 100);
    on.progress('N_L = 8');
    const moving = await measureArray(on, { ...options, push: 8 }, 600);
    const bound = (1.4 - 0.01) / 80;
    // A residual of 1e-5 in single precision leaves 8e-5 open at each contact of a disk with inertia 1/2: 3e-4 with two.
    const open = byPrecision(on, 1e-6 * moving.acceleration, 3e-4);
    return {
      rows: [
        near('mu_g, locked at N_L = 1.4', locked.friction, bound, 1e-3 * bound),
        near('vdot, locked at N_L = 1.4', locked.acceleration, 0, 1e-6),
        near('mu_g, N_L = 8', moving.friction, 0.0885987, 1e-3 * 0.0885987),
        near('vdot, N_L = 8', moving.acceleration, 0.0112763, 2e-3 * 0.0112763),
        modesRow('disks that roll, slide, turn against each other', moving.modes, [15, 1, 64]),
        near('angular acceleration over vdot, 1st disk', moving.turns[0] / moving.acceleration, 1, open / moving.acceleration),
        near('the same, 15th', moving.turns[14] / moving.acceleration, 1, open / moving.acceleration),
        info('residual', figure(moving.residual, 2)),
        near('angular acceleration of the 16th disk', moving.turns[15], 0.0029016, byPrecision(on, 2e-3 * 0.0029016, open)),
        near('of the 17th', Math.abs(moving.turns[16]), 0.0011876, byPrecision(on, 2e-3 * 0.0011876, open)),
        near('of the 80th', Math.abs(moving.turns[79]), 0.0011876, byPrecision(on, 2e-3 * 0.0011876, open)),
      ],
      plots: [
        {
          title: 'Row of 80 disks, N_L = 8',
          xLabel: 'disk',
          yLabel: 'angular acceleration',
          series: [{ name: 'simulation', x: moving.turns.map((_, k) => k + 1), y: moving.turns, kind: 'points' }],
        },
      ],
    };
  },
};

/** N_L at which a row of disks that all roll neither speeds up nor slows down, eq. (8), corrected as the effective inertia. */
function balancingForce({ disks, block, brake }: ArrayOptions, mu: number): number {
  const h = (1 + mu) / (1 - mu);
  return ((h ** disks * (1 - mu) * (1 + block)) / ((1 - block) * (1 + mu))) * brake;
}

/** N_L that sets a row at rest going, raised little by little: a force that is there at once has the contacts slide as they find it. */
async function startingForce(on: Run, options: ArrayOptions, factor: number): Promise<number> {
  let { push } = options;
  let from: SimulationSnapshot | undefined;
  for (;;) {
    const simulation = await on.simulate(arrayScene({ ...options, push }, byPrecision(on, ...CONVERGED)), { from });
    const reports = await simulation.step(5);
    from = await simulation.capture();
    simulation.dispose();
    if (Math.abs(reports[4].momentum[0] - reports[3].momentum[0]) > 1e-6 * push) return push;
    push *= factor;
  }
}

/** With a static and a dynamic coefficient: what starts the row, and what keeps it going. */
const twoFrictions: Figure = {
  id: 'B-two-frictions',
  title: 'Row of 10 disks with static friction 0.08 and dynamic friction 0.04 between them',
  quick: true,
  gpu: 'full',
  async run(on) {
    const mu = { static: 0.08, dynamic: 0.04 };
    const options = { disks: 10, mu, plane: 0.3, block: 0.001, brake: 0.1, push: 0 };
    const accelerationAt = async (push: number, speed: number) =>
      (await measureArray(on, { ...options, push, speed }, 20)).acceleration;
    const [starts, keeps] = [balancingForce(options, mu.static), balancingForce(options, mu.dynamic)];
    const started = await startingForce(on, { ...options, push: 0.9 * keeps }, 1.005);
    const moving = [await accelerationAt(0.9 * keeps, 0.1), await accelerationAt(1.1 * keeps, 0.1)];
    // Linear in the force as long as all roll: where it is 0.
    const balanced = keeps * (0.9 - (0.2 * moving[0]) / (moving[1] - moving[0]));
    return {
      rows: [
        // Eq. (8) is the most that sticking contacts can bear; those that the first sweeps make slip start the row earlier.
        between('N_L that starts it, raised by 0.5 % at a time', started, keeps, 1.005 * starts),
        info('the most that sticking contacts can bear, eq. (8)', '', figure(starts)),
        near('N_L that keeps it going', balanced, keeps, 1e-3 * keeps),
      ],
      plots: [],
    };
  },
};

export const diskArray: Figure[] = [effectiveInertia, friction, longRow, twoFrictions];
