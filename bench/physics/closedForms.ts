import type { Grains, SceneInput, Vector } from '../../src/index';
import { byPrecision, type Figure, near, type Row, type Run } from './figure';

interface Sphere {
  velocity?: Vector;
  angularVelocity?: Vector;
  height?: number;
  friction?: number;
  restitution?: number;
  rollingFriction?: number;
  torsionFriction?: number;
  gravity?: Vector;
  timeStep?: number;
}

/** A sphere of radius and mass 1 over a plane; its motion after each of `steps` steps. */
async function runSphere(on: Run, sphere: Sphere, steps: number) {
  const { velocity = [0, 0, 0], angularVelocity = [0, 0, 0], height = 1, gravity = [0, 0, 0], timeStep = 0.01, ...law } = sphere;
  const scene: SceneInput = {
    format: 'contact-dynamics/1',
    gravity,
    timeStep,
    steps,
    materials: { grain: { density: 3 / (4 * Math.PI) } },
    contacts: [{ between: ['grain', 'grain'], ...law }],
    grains: [{ material: 'grain', list: [{ position: [0, 0, height], radius: 1, velocity, angularVelocity }] }],
    walls: [{ name: 'floor', material: 'grain', plane: { point: [0, 0, 0], normal: [0, 0, 1] } }],
    solver: { momentum: 0, coarse: 'off', convergence: { criterion: 'residual', tolerance: byPrecision(on, 1e-12, 1e-5) } },
  };
  const simulation = await on.simulate(scene);
  await simulation.step(steps);
  const { velocities, angularVelocities } = await simulation.read();
  simulation.dispose();
  return { velocity: [...velocities] as Vector, turn: [...angularVelocities] as Vector };
}

const exact = (name: string, got: number, expected: number) => near(name, got, expected, 1e-3 * Math.max(1, Math.abs(expected)));

async function impacts(on: Run): Promise<Row[]> {
  const rows: Row[] = [];
  const [mu, e] = [0.2, 0.6];
  for (const [name, along] of [
    ['steep', 0.5],
    ['flat', 3],
  ] as const) {
    const { velocity, turn } = await runSphere(
      on,
      { velocity: [along, 0, -1], height: 1.02, friction: mu, restitution: e, timeStep: 0.01 },
      20,
    );
    const sticks = along <= 3.5 * mu * (1 + e);
    const slid = mu * (1 + e);
    rows.push(exact(`${name} impact, e = ${e}: v_n`, velocity[2], e));
    rows.push(
      exact(`${name} impact: v_t (${sticks ? 'sticks' : 'slips'})`, velocity[0], sticks ? (5 / 7) * along : along - slid),
    );
    rows.push(exact(`${name} impact: w`, turn[1], sticks ? (5 / 7) * along : 2.5 * slid));
  }
  const spun = await runSphere(
    on,
    { velocity: [0, 0, -1], angularVelocity: [0, 9, 0], height: 1.02, friction: mu, restitution: e },
    20,
  );
  rows.push(exact('spinning sphere dropped: v_x', spun.velocity[0], mu * (1 + e)));
  rows.push(exact('spinning sphere dropped: w', spun.turn[1], 9 - 2.5 * mu * (1 + e)));
  return rows;
}

async function slopes(on: Run): Promise<Row[]> {
  const slid = await runSphere(on, { velocity: [1, 0, 0], friction: 0.3, gravity: [0, 0, -1] }, 200);
  const angle = 0.5;
  const tilted: Vector = [Math.sin(angle), 0, -Math.cos(angle)];
  const rolls = await runSphere(on, { gravity: tilted, friction: 0.3 }, 100);
  const slips = await runSphere(on, { gravity: tilted, friction: 0.1 }, 100);
  return [
    exact('sliding becomes rolling: v', slid.velocity[0], 5 / 7),
    exact('incline, mu = 0.3, rolls: a', rolls.velocity[0], (5 / 7) * Math.sin(angle)),
    exact('incline, mu = 0.1, slips: a', slips.velocity[0], Math.sin(angle) - 0.1 * Math.cos(angle)),
    exact('incline, mu = 0.1, slips: angular acceleration', slips.turn[1], 2.5 * 0.1 * Math.cos(angle)),
  ];
}

async function torques(on: Run): Promise<Row[]> {
  const gravity: Vector = [0, 0, -1];
  const steps = 200;
  const time = 2;
  const free = await runSphere(on, { gravity, angularVelocity: [0, 3, 0], rollingFriction: 0.1 }, steps);
  const rolling = await runSphere(
    on,
    { gravity, velocity: [3, 0, 0], angularVelocity: [0, 3, 0], friction: 0.5, rollingFriction: 0.1 },
    steps,
  );
  const top = await runSphere(on, { gravity, angularVelocity: [0, 0, 3], torsionFriction: 0.1 }, steps);
  // An incline of 0.5, which a sphere stays on where both coefficients are at least tan(0.5) = 0.546.
  const [sine, cosine] = [Math.sin(0.5), Math.cos(0.5)];
  const onIncline = async (friction: number, rollingFriction: number) =>
    (await runSphere(on, { gravity: [sine, 0, -cosine], friction, rollingFriction }, 100)).velocity[0];
  return [
    exact('rolling friction without friction: w', free.turn[1], 3 - 2.5 * 0.1 * time),
    exact('rolling friction while rolling: w', rolling.turn[1], 3 - (5 / 7) * 0.1 * time),
    exact('incline of 0.5, mu = mu_t = 0.56, stays: v', await onIncline(0.56, 0.56), 0),
    exact('incline of 0.5, mu = 0.53, mu_t = 0.56, slides: a', await onIncline(0.53, 0.56), sine - 0.53 * cosine),
    exact('incline of 0.5, mu = 0.56, mu_t = 0.53, rolls: a', await onIncline(0.56, 0.53), (5 / 7) * (sine - 0.53 * cosine)),
    exact('torsion friction: w', top.turn[2], 3 - 2.5 * 0.1 * time),
  ];
}

/** A ball launched from the floor: heights fall by e^2, and the bounces end. */
async function bounces(on: Run): Promise<Row[]> {
  // A step is a stage of kernels on the GPU: as few as will do there. The errors grow with the step.
  const [e, speed, timeStep] = [0.7, 1, byPrecision(on, 1e-4, 1e-3)];
  const scene: SceneInput = {
    format: 'contact-dynamics/1',
    gravity: [0, 0, -1],
    timeStep,
    steps: Math.ceil(10 / timeStep),
    materials: { grain: { density: 1 } },
    contacts: [{ between: ['grain', 'grain'], restitution: e }],
    grains: [{ material: 'grain', list: [{ position: [0, 0, 1], radius: 1, velocity: [0, 0, speed] }] }],
    walls: [{ name: 'floor', material: 'grain', plane: { point: [0, 0, 0], normal: [0, 0, 1] } }],
  };
  const simulation = await on.simulate(scene);
  const speeds = (await simulation.step(Math.ceil(8 / timeStep))).map(
    ({ momentum }) => momentum[2] / simulation.problem.grains.masses[0],
  );
  simulation.dispose();
  // The largest speed upwards after each bounce, which is that with which it leaves the floor.
  // (Where a bounce has stopped it rounding may leave it a speed upwards, less than gravity gives in a step.)
  const launches = speeds.filter((v, k) => k > 0 && v > timeStep && speeds[k - 1] <= timeStep);
  const lastMove = speeds.findLastIndex((v) => Math.abs(v) > 2 * timeStep);
  return [
    ...[0, 1, 2].map((k) =>
      near(
        `height of bounce ${k + 1} over the one before, e = ${e}`,
        (launches[k] / (launches[k - 1] ?? speed)) ** 2,
        e ** 2,
        byPrecision(on, 5e-3, 1e-2),
      ),
    ),
    near(
      'time until it rests',
      (lastMove + 1) * timeStep,
      (2 * speed) / (1 - e),
      byPrecision(on, 0.02, 0.04) * ((2 * speed) / (1 - e)),
    ),
    near('speed at the end', speeds[speeds.length - 1], 0, byPrecision(on, 1e-9, 1e-6)),
  ];
}

/** Two unequal spheres that touch and collide off the line of centres, with friction and torques: what the pair has, it keeps. */
async function pairs(on: Run): Promise<Row[]> {
  const scene: SceneInput = {
    format: 'contact-dynamics/1',
    timeStep: 1,
    steps: 5,
    materials: { grain: { density: 1 } },
    contacts: [{ between: ['grain', 'grain'], friction: 0.2, restitution: 0.5, rollingFriction: 0.3, torsionFriction: 0.2 }],
    grains: [
      {
        material: 'grain',
        list: [
          { position: [0, 0, 0], radius: 0.8, velocity: [0.2, 0.1, 0], angularVelocity: [0.3, 0, -0.1] },
          { position: [1.1, 0, 0], radius: 0.3, velocity: [-0.05, 0.02, 0], angularVelocity: [0, 0.5, 0.2] },
        ],
      },
    ],
    solver: { momentum: 0, coarse: 'off', convergence: { criterion: 'residual', tolerance: byPrecision(on, 1e-12, 1e-5) } },
  };
  const simulation = await on.simulate(scene);
  const { grains } = simulation.problem;
  const before = totals(grains, grains.positions, grains.velocities, grains.angularVelocities);
  await simulation.step(1);
  const { positions, velocities, angularVelocities } = await simulation.read();
  simulation.dispose();
  const after = totals(grains, positions, velocities, angularVelocities);
  const change = (from: number, to: number) =>
    Math.hypot(...after.slice(from, to).map((x, k) => x - before[from + k])) / Math.hypot(...before.slice(from, to));
  const rounding = byPrecision(on, 1e-13, 1e-6);
  return [
    near('momentum of a pair, change as a share', change(0, 3), 0, rounding),
    near('angular momentum of a pair, change as a share', change(3, 6), 0, rounding),
  ];
}

/** Momentum (0 to 2) and angular momentum about the origin (3 to 5). */
function totals(
  { masses, radii, count }: Grains,
  positions: Float64Array,
  velocities: Float64Array,
  turns: Float64Array,
): number[] {
  const sums = new Array<number>(6).fill(0);
  for (let i = 0; i < count; i++) {
    for (let axis = 0; axis < 3; axis++) {
      const [a, b] = [3 * i + ((axis + 1) % 3), 3 * i + ((axis + 2) % 3)];
      sums[axis] += masses[i] * velocities[3 * i + axis];
      sums[3 + axis] += masses[i] * (positions[a] * velocities[b] - positions[b] * velocities[a]);
      sums[3 + axis] += 0.4 * masses[i] * radii[i] ** 2 * turns[3 * i + axis];
    }
  }
  return sums;
}

export const closedForms: Figure[] = [
  {
    id: 'G-sphere',
    title: 'One sphere on a plane: impacts, slopes, rolling and torsion friction',
    quick: true,
    gpu: 'quick',
    run: async (on) => ({ rows: [...(await impacts(on)), ...(await slopes(on)), ...(await torques(on))], plots: [] }),
  },
  {
    id: 'G-ball',
    title: 'A bouncing ball, and a collision of two spheres',
    quick: true,
    gpu: 'quick',
    run: async (on) => ({ rows: [...(await bounces(on)), ...(await pairs(on))], plots: [] }),
  },
];
