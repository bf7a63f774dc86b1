import { createSimulation, indeterminacy, type Region, type SceneInput } from '../../src/index';
import { between, type Figure, info, type Row } from './figure';

const DISKS = 200;
const WIDTH = 21;
const RADII: [number, number] = [0.5, 1];
/** Of the middle of the packing, whose forces are sampled. */
const SLICE = 14;
const GAS_HEIGHT = 45;
const PRESSURE = 1;
const REST = 1e-6;
const MOST_STEPS = 6000;

function diskScene(friction: number): SceneInput {
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
        random: { count: DISKS, radius: { uniform: RADII }, box: { min: [0, 0, 0], max: [WIDTH, GAS_HEIGHT, 0] }, seed: 5 },
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
async function jam(friction: number, sampling = { samples: 100, maxIterations: 5000 }) {
  const simulation = await createSimulation(diskScene(friction), { backend: 'cpu' });
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
/** Two packings that each lie within the spread between packings, 1.5, of their mean. */
const SPREAD = 1.5 ** 2;
/** Reference for mu = 1: about 1e-3 or zero. */
const STICKY = { friction: 1, eta: 1e-3 };

const indeterminateForces: Figure = {
  id: 'F-eta',
  title: 'Indeterminacy of forces in packings of disks',
  quick: true,
  async run(progress) {
    const rows: Row[] = [];
    const etas: number[] = [];
    for (const [friction, expected] of EXPECTED) {
      const { eta, samples, rejected, contacts, steps, difference } = await jam(friction);
      etas.push(eta);
      progress(`mu = ${friction}: ${steps} steps, unbalanced ${difference.toExponential(1)}, eta ${eta.toExponential(2)}`);
      rows.push(between(`eta, mu = ${friction}`, eta, expected / SPREAD, expected * SPREAD));
      rows.push(info('contacts, states found and rejected', `${contacts.length}, ${samples} and ${rejected}`));
    }
    // Few states, and many sweeps for each: with 5,000 none of forty random forces led back to balance, with these every other.
    const sticky = await jam(STICKY.friction, { samples: 20, maxIterations: 20_000 });
    progress(`mu = ${STICKY.friction}: eta ${sticky.eta.toExponential(2)}`);
    rows.push(between(`eta, mu = ${STICKY.friction}`, sticky.eta, 0, STICKY.eta * SPREAD));
    rows.push(info('contacts, states found and rejected', `${sticky.contacts.length}, ${sticky.samples} and ${sticky.rejected}`));
    const x = EXPECTED.map(([friction]) => Math.log10(friction));
    const series = [
      { name: 'simulation', x, y: etas, kind: 'points' as const },
      { name: 'reference', x, y: EXPECTED.map(([, eta]) => eta), kind: 'line' as const },
    ];
    return { rows, plots: [{ title: 'Indeterminacy of forces', xLabel: 'log10 mu', yLabel: 'eta', logY: true, series }] };
  },
};

export const forceStates: Figure[] = [indeterminateForces];
