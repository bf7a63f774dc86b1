import { indeterminacy, type Region, type SceneInput } from '../../src/index';
import { between, type Figure, figure, info, median, type Result, type Row, type Run } from './figure';

const DISKS = 200;
const WIDTH = 21;
const RADII: [number, number] = [0.5, 1];
/** Of the middle of the packing, whose forces are sampled. */
const SLICE = 14;
const GAS_HEIGHT = 45;
const PRESSURE = 1;
const REST = 1e-6;
const MOST_STEPS = 6000;

function diskScene(friction: number, seed: number): SceneInput {
  return {
    format: 'contact-dynamics/1',
    title: `${DISKS} disks under a piston, mu = ${friction}`,
    dimension: 2,
    timeStep: 0.1,
    steps: MOST_STEPS,
    periodic: { axes: 'x', min: [0, 0, 0], max: [WIDTH, GAS_HEIGHT, 0] },
    materials: { disk: { density: 1 } },
    contacts: [{ between: ['disk', 'disk'], friction }],
    grains: [
      {
        material: 'disk',
        random: { count: DISKS, radius: { uniform: RADII }, box: { min: [0, 0, 0], max: [WIDTH, GAS_HEIGHT, 0] }, seed },
      },
    ],
    walls: [
      { name: 'floor', material: 'disk', plane: { point: [0, 0, 0], normal: [0, 1, 0] } },
      {
        name: 'piston',
        material: 'disk',
        plane: { point: [0, GAS_HEIGHT, 0], normal: [0, -1, 0] },
        piston: { mass: DISKS, force: PRESSURE * WIDTH },
      },
    ],
    solver: { momentum: 0.8, coarse: 'off', convergence: { criterion: 'fixed', iterations: 100 } },
  };
}

/** A packing at rest, and how open the forces in its middle are. */
async function jam({ simulate }: Run, friction: number, seed: number, sampling = { samples: 100, maxIterations: 5000 }) {
  const simulation = await simulate(diskScene(friction, seed));
  const applied = PRESSURE * WIDTH;
  let [resting, difference, top] = [0, 1, GAS_HEIGHT];
  while (resting < 50 && simulation.steps < MOST_STEPS) {
    const [{ wallLoads, wallMotions, residual }] = await simulation.step();
    difference = Math.max(Math.abs(-wallLoads[1] - applied), Math.abs(wallLoads[7] - applied)) / applied;
    resting = difference < REST && residual < REST ? resting + 1 : 0;
    top = wallMotions[7];
  }
  const state = await simulation.read();
  const { problem, steps } = simulation;
  simulation.dispose();
  const region: Region = { kind: 'box', min: [0, (top - SLICE) / 2, 0], max: [WIDTH, (top + SLICE) / 2, 0] };
  return { ...indeterminacy(problem, state, { region, ...sampling }), steps, difference };
}

/** Reference: one packing for each mu. */
const EXPECTED = [
  [0.001, 3.1e-3],
  [0.01, 1.7e-2],
  [0.1, 4.8e-2],
];
/** Between packings (reference). */
const SPREAD = 1.5;
/** Between two packings that each lie within 1.5 of their mean, as five did here, in nineteen of twenty cases. */
const SPREAD_OF_TWO = 3;
/** Seeds of the gases that packings come from. */
const SEEDS = [5, 6, 7, 8, 9];
/** Reference for mu = 1: about 1e-3 or zero. Some packings have a handful of contacts whose forces are open, some none. */
const STICKY = { friction: 1, eta: 1e-3 };

/** Etas of several packings that differ by their gas. */
async function etasOf(on: Run, friction: number, seeds: readonly number[]): Promise<number[]> {
  const etas: number[] = [];
  for (const seed of seeds) {
    const { eta, samples, rejected, contacts, steps, difference } = await jam(on, friction, seed);
    on.progress(
      `mu = ${friction}: ${steps} steps, unbalanced ${difference.toExponential(1)}, ${contacts.length} contacts, ` +
        `${samples} states and ${rejected} rejected, eta ${eta.toExponential(2)}`,
    );
    etas.push(eta);
  }
  return etas;
}

/** In each decade packings differ by a factor, not by an amount: mean and standard error of the logarithm. */
function meanOf(etas: readonly number[]): { mean: number; factor: number } {
  const logs = etas.map(Math.log);
  const mean = logs.reduce((a, b) => a + b, 0) / logs.length;
  const variance = logs.reduce((sum, x) => sum + (x - mean) ** 2, 0) / Math.max(logs.length - 1, 1);
  return { mean: Math.exp(mean), factor: Math.exp(Math.sqrt(variance / logs.length)) };
}

/** @param seeds of one packing, which is compared by what two differ by, or of several, whose mean is by what one differs */
async function compareEtas(on: Run, seeds: readonly number[]): Promise<Result> {
  const rows: Row[] = [];
  const means: number[] = [];
  for (const [friction, expected] of EXPECTED) {
    const etas = await etasOf(on, friction, seeds);
    const { mean, factor } = meanOf(etas);
    means.push(mean);
    // The reference is of one packing; of the mean of several its standard error counts twice.
    const spread = seeds.length === 1 ? SPREAD_OF_TWO : SPREAD * factor ** 2;
    rows.push(between(`eta, mu = ${friction}, ${seeds.length} packings`, mean, expected / spread, expected * spread));
    if (seeds.length === 1) continue;
    rows.push(
      info('packings, and factor of the standard error', `${etas.map((eta) => figure(eta, 3)).join(', ')}; ${figure(factor, 3)}`),
    );
  }
  const x = EXPECTED.map(([friction]) => Math.log10(friction));
  const series = [
    { name: 'simulation', x, y: means, kind: 'points' as const },
    { name: 'reference', x, y: EXPECTED.map(([, eta]) => eta), kind: 'line' as const },
  ];
  return { rows, plots: [{ title: 'Indeterminacy of forces', xLabel: 'log10 mu', yLabel: 'eta', logY: true, series }] };
}

const indeterminateForces: Figure = {
  id: 'F-eta',
  title: 'Indeterminacy of forces in packings of disks',
  quick: true,
  gpu: { not: 'it asks for a packing that is balanced to 1e-6, which is less than single precision leaves' },
  async run(on) {
    const { rows, plots } = await compareEtas(on, SEEDS.slice(0, 1));
    // Few states, and many sweeps for each: with 5,000 none of forty random forces led back to balance, with these every other.
    const sticky: number[] = [];
    for (const seed of SEEDS) {
      const { eta, samples, rejected } = await jam(on, STICKY.friction, seed, { samples: 20, maxIterations: 20_000 });
      on.progress(`mu = ${STICKY.friction}: ${samples} states and ${rejected} rejected, eta ${eta.toExponential(2)}`);
      sticky.push(eta);
    }
    rows.push(
      between(`eta, mu = ${STICKY.friction}, median of ${sticky.length} packings`, median(sticky), 0, STICKY.eta * SPREAD),
    );
    rows.push(info('packings', sticky.map((eta) => figure(eta, 2)).join(', ')));
    return { rows, plots };
  },
};

const severalPackings: Figure = {
  id: 'F-eta-mean',
  title: `Indeterminacy of forces, means over ${SEEDS.length} packings`,
  quick: false,
  gpu: { not: 'it asks for a packing that is balanced to 1e-6, which is less than single precision leaves' },
  run: (on) => compareEtas(on, SEEDS),
};

export const forceStates: Figure[] = [indeterminateForces, severalPackings];
