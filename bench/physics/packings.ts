import type { Series } from '../../src/cli/plot';
import { coordination, forceDistribution, type Region, type SceneInput, type State, volumeFraction } from '../../src/index';
import { between, byPrecision, type Figure, figure, info, near, RANDOM_SWEEPS, type Row, type Run } from './figure';

const SPHERES = 600;
/** Of the periodic box, across; radii are about 1. */
const SIDE = 12;
const RADII: [number, number] = [0.9, 1.1];
const GAS_FRACTION = 0.3;
const PRESSURE = 1;
/** How far from the plates the bulk begins. */
const MARGIN = 4;
/** Of the coordination number of packings of this size. */
const CONTACTS_TOLERANCE = 0.05;
const FRACTION_TOLERANCE = 0.01;
/** Difference of the forces on piston and floor, as a share of the applied one, at rest. */
const REST = 1e-3;
/** For so many steps in turn: the last contacts close after the forces on the plates balance. */
const RESTING_STEPS = 200;
const MOST_STEPS = 4000;
/** Of the gases that packings come from. */
const SEEDS = [3, 4, 5];

/** How well each step is solved. */
type Solver = NonNullable<SceneInput['solver']>;

/** Few sweeps do: the warm start goes on with the forces from step to step, and a packing at rest ends with a residual of 1e-6. */
const TIGHT: Solver = { momentum: 0.8, coarse: 'off', convergence: { criterion: 'fixed', iterations: 60 } };

function packingScene(friction: number, solver: Solver, seed: number): SceneInput {
  const volume = (SPHERES * (4 / 3) * Math.PI * (RADII[1] ** 4 - RADII[0] ** 4)) / (4 * (RADII[1] - RADII[0]));
  const top = volume / GAS_FRACTION / SIDE ** 2;
  return {
    format: 'contact-dynamics/1',
    title: `Packing of ${SPHERES} spheres, mu = ${friction}`,
    timeStep: 0.1,
    steps: MOST_STEPS,
    periodic: { axes: 'xy', min: [0, 0, 0], max: [SIDE, SIDE, top] },
    materials: { grain: { density: 1 } },
    contacts: [{ between: ['grain', 'grain'], friction }],
    grains: [
      {
        material: 'grain',
        random: { count: SPHERES, radius: { uniform: RADII }, box: { min: [0, 0, 0], max: [SIDE, SIDE, top] }, seed },
      },
    ],
    walls: [
      { name: 'floor', material: 'grain', plane: { point: [0, 0, 0], normal: [0, 0, 1] } },
      {
        name: 'piston',
        material: 'grain',
        plane: { point: [0, 0, top], normal: [0, 0, -1] },
        piston: { mass: SPHERES, force: PRESSURE * SIDE ** 2 },
      },
    ],
    solver,
  };
}

/** Of one packing: what is not at rest as a share of the applied force, its bulk's figures, its forces, its overlaps in diameters. */
async function compress({ simulate, progress }: Run, friction: number, solver: Solver, seed: number) {
  const simulation = await simulate(packingScene(friction, solver, seed));
  const applied = PRESSURE * SIDE ** 2;
  let resting = 0;
  let top = 0;
  let difference = 0;
  while (resting < RESTING_STEPS && simulation.steps < MOST_STEPS) {
    const [report] = await simulation.step();
    const [floor, piston] = [-report.wallLoads[2], report.wallLoads[8]];
    difference = Math.max(Math.abs(floor - applied), Math.abs(piston - applied)) / applied;
    resting = difference < REST ? resting + 1 : 0;
    top = report.wallMotions[8];
    if (report.step % 250 === 0)
      progress(`step ${report.step}, height ${top.toFixed(2)}, unbalanced ${difference.toExponential(1)}`);
  }
  const { problem } = simulation;
  const { positions, contacts } = await simulation.read();
  simulation.dispose();
  const region: Region = { kind: 'box', min: [0, 0, MARGIN], max: [SIDE, SIDE, top - MARGIN] };
  return {
    difference,
    counts: coordination(contacts, positions, { needed: friction > 0 ? 2 : 4, region }),
    fraction: volumeFraction(problem, positions, region),
    forces: forceDistribution(contacts),
    overlap: meanOverlap(contacts) / (RADII[0] + RADII[1]),
  };
}

/** Of the contacts that bear. */
function meanOverlap({ count, gaps, forces }: State['contacts']): number {
  let [sum, bearing] = [0, 0];
  for (let c = 0; c < count; c++) {
    if (forces.subarray(3 * c, 3 * c + 3).every((force) => force === 0)) continue;
    sum += Math.max(0, -gaps[c]);
    bearing++;
  }
  return sum / Math.max(1, bearing);
}

/** Reference: coordination number and volume fraction, with overlaps. */
const REFERENCE = [
  [0, 6.15, 0.641],
  [0.1, 5.29, 0.615],
  [0.5, 4.45, 0.584],
];

/** The reference's manner, random sweeps, so few that grains overlap by as much as makes 6.15 of the 6 contacts of mu = 0. */
const LOOSE: Solver = { sweep: 'random', momentum: 0, coarse: 'off', convergence: { criterion: 'fixed', iterations: 30 } };

const meanOf = (values: readonly number[]) => values.reduce((sum, x) => sum + x, 0) / values.length;

/** Several packings that differ by their gas, and means over them. */
async function packingsOf(on: Run, friction: number, solver: Solver, seeds: readonly number[]) {
  const packings: Awaited<ReturnType<typeof compress>>[] = [];
  for (const seed of seeds) packings.push(await compress(on, friction, solver, seed));
  const numbers = packings.map(({ counts }) => counts.withoutRattlers);
  return {
    packings,
    numbers,
    number: meanOf(numbers),
    fractions: meanOf(packings.map(({ fraction }) => fraction)),
    overlap: meanOf(packings.map(({ overlap }) => overlap)),
  };
}

const overlapping: Figure = {
  id: 'D-overlaps',
  title: `Packings as the reference solved them: spheres that overlap, means of ${SEEDS.length} packings`,
  quick: true,
  gpu: RANDOM_SWEEPS,
  async run(on) {
    const rows: Row[] = [];
    for (const [friction, contacts, fraction] of REFERENCE) {
      const { numbers, number, fractions, overlap } = await packingsOf(on, friction, LOOSE, SEEDS);
      rows.push(
        near(`coordination number with overlaps, mu = ${friction}`, number, contacts, CONTACTS_TOLERANCE),
        near(`volume fraction with overlaps, mu = ${friction}`, fractions, fraction, FRACTION_TOLERANCE),
        info('of each packing', numbers.map((one) => one.toFixed(2)).join(', ')),
        info('mean overlap, diameters', figure(overlap, 2)),
      );
    }
    return { rows, plots: [] };
  },
};

/** Of packings with friction: fewer contacts cannot hold rigid spheres that all bear. */
const ISOSTATIC = 4;

interface Rigid {
  friction: number;
  /** What the coordination number is compared with. */
  contacts(name: string, got: number): Row;
  fraction?: number;
}

/** Overlaps close contacts and open none: the reference's number is the most that rigid spheres have. */
const belowOverlapping = (reference: number) => (name: string, got: number) =>
  between(`${name} (isostatic, and reference with overlaps)`, got, ISOSTATIC, reference + CONTACTS_TOLERANCE);

const RIGID: Rigid[] = [
  { friction: 0, contacts: (name, got) => near(name, got, 6, CONTACTS_TOLERANCE, ' (isostatic)'), fraction: REFERENCE[0][2] },
  { friction: 0.1, contacts: belowOverlapping(REFERENCE[1][1]), fraction: REFERENCE[1][2] },
  {
    friction: 0.3,
    // Given to one decimal: half of that, and what packings of this size differ by.
    contacts: (name, got) => near(name, got, 4.5, 0.05 + CONTACTS_TOLERANCE, ' (Agnolin and Roux 2007, rigid limit)'),
    fraction: 0.593,
  },
  { friction: 0.5, contacts: belowOverlapping(REFERENCE[2][1]), fraction: REFERENCE[2][2] },
  { friction: 10, contacts: belowOverlapping(REFERENCE[2][1]) },
];
/** Of those, what is run on the GPU: one packing takes as long there as ten on the CPU. */
const ON_GPU = { frictions: [0.1], seeds: SEEDS.slice(0, 1) };

const rigid: Figure = {
  id: 'D-rigid',
  title: `Packings of ${SPHERES} rigid spheres under a piston, solved tightly`,
  quick: true,
  gpu: 'quick',
  async run(on) {
    const rows: Row[] = [];
    const series: Series[] = [];
    const numbers: number[] = [];
    const seeds = byPrecision(on, SEEDS, ON_GPU.seeds);
    for (const { friction, contacts, fraction } of RIGID) {
      if (on.backend === 'webgpu' && !ON_GPU.frictions.includes(friction)) continue;
      const measured = await packingsOf(on, friction, TIGHT, seeds);
      const { packings } = measured;
      numbers.push(measured.number);
      const { forces } = packings[0];
      const x = Array.from(forces.density, (_, k) => (forces.edges[k] + forces.edges[k + 1]) / 2);
      series.push({ name: `mu = ${friction}`, x, y: [...forces.density], kind: 'points' });
      const volume = `volume fraction, mu = ${friction}`;
      rows.push(
        between(`forces unbalanced at the end, mu = ${friction}`, Math.max(...packings.map((one) => one.difference)), 0, REST),
        contacts(`coordination number, mu = ${friction}`, measured.number),
        info('of each packing', measured.numbers.map((number) => number.toFixed(2)).join(', ')),
        fraction === undefined
          ? info(volume, figure(measured.fractions))
          : near(volume, measured.fractions, fraction, FRACTION_TOLERANCE),
        between(`tail of P(F), beta, mu = ${friction}`, meanOf(packings.map((one) => one.forces.tail.beta)), 1, 2),
        info('with rattlers', meanOf(packings.map(({ counts }) => counts.mean)).toFixed(2)),
        info('mean overlap, diameters', figure(measured.overlap, 2)),
      );
    }
    if (numbers.length > 1) {
      const falls = numbers.every((number, k) => k === 0 || number < numbers[k - 1]);
      rows.push({
        name: `coordination numbers, mu = ${RIGID.map(({ friction }) => friction).join(', ')}`,
        expected: 'each below the one before',
        got: numbers.map((number) => number.toFixed(2)).join(', '),
        verdict: falls ? 'pass' : 'FAIL',
      });
    }
    return { rows, plots: [{ title: 'Distribution of normal forces', xLabel: 'F/<F>', yLabel: 'P', logY: true, series }] };
  },
};

export const packings: Figure[] = [overlapping, rigid];
