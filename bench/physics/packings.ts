import {
  coordination,
  createSimulation,
  forceDistribution,
  type Region,
  type SceneInput,
  type State,
  volumeFraction,
} from '../../src/index';
import { between, type Figure, figure, info, near, type Result, type Row } from './figure';

const SPHERES = 600;
/** Of the periodic box, across; radii are about 1. */
const SIDE = 12;
const RADII: [number, number] = [0.9, 1.1];
const GAS_FRACTION = 0.3;
const PRESSURE = 1;
/** How far from the plates the bulk begins. */
const MARGIN = 4;
/** Of packings of this size. Rigid ones of mu = 0.5 have 4.28 to 4.39; why not 4.45: docs/decisions/packings.md. */
const CONTACTS_TOLERANCE = 0.05;
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
async function compress(friction: number, solver: Solver, seed: number, progress: (m: string) => void) {
  const simulation = await createSimulation(packingScene(friction, solver, seed), { backend: 'cpu' });
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

interface Expected {
  contacts: number;
  fraction: number;
  tolerance: number;
  /** Whose figures they are. */
  of: string;
}

async function measurePacking(friction: number, expected: Expected, progress: (m: string) => void): Promise<Result> {
  const { difference, counts, fraction, forces, overlap } = await compress(friction, TIGHT, SEEDS[0], progress);
  const middles = Array.from(forces.density, (_, k) => (forces.edges[k] + forces.edges[k + 1]) / 2);
  const series = [{ name: `mu = ${friction}`, x: middles, y: [...forces.density], kind: 'points' as const }];
  return {
    rows: [
      between(`forces unbalanced at the end, mu = ${friction}`, difference, 0, REST),
      near(
        `coordination number, mu = ${friction}`,
        counts.withoutRattlers,
        expected.contacts,
        expected.tolerance,
        ` (${expected.of})`,
      ),
      near(`volume fraction, mu = ${friction}`, fraction, expected.fraction, 0.01),
      between(`tail of P(F), beta, mu = ${friction}`, forces.tail.beta, 1, 2),
      info('with rattlers', counts.mean.toFixed(2)),
      info('mean overlap, diameters', figure(overlap, 2)),
    ],
    plots: [{ title: 'Distribution of normal forces', xLabel: 'F/<F>', yLabel: 'P', logY: true, series }],
  };
}

const rigidPacking = (friction: number, expected: Omit<Expected, 'tolerance'>, tolerance = CONTACTS_TOLERANCE): Figure => ({
  id: `D-mu-${friction}`,
  title: `Packing of ${SPHERES} rigid spheres under a piston, mu = ${friction}`,
  quick: true,
  run: (progress) => measurePacking(friction, { ...expected, tolerance }, progress),
});

/** Reference: coordination number and volume fraction, with overlaps. */
const REFERENCE = [
  [0, 6.15, 0.641],
  [0.1, 5.29, 0.615],
  [0.5, 4.45, 0.584],
];

/** The reference's manner, random sweeps, so few that grains overlap by as much as makes 6.15 of the 6 contacts of mu = 0. */
const LOOSE: Solver = { sweep: 'random', momentum: 0, coarse: 'off', convergence: { criterion: 'fixed', iterations: 30 } };

const meanOf = (values: readonly number[]) => values.reduce((sum, x) => sum + x, 0) / values.length;

const overlapping: Figure = {
  id: 'D-overlaps',
  title: `Packings as the reference solved them: spheres that overlap, means of ${SEEDS.length} packings`,
  quick: true,
  async run(progress) {
    const rows: Row[] = [];
    for (const [friction, contacts, fraction] of REFERENCE) {
      const packings: Awaited<ReturnType<typeof compress>>[] = [];
      for (const seed of SEEDS) packings.push(await compress(friction, LOOSE, seed, progress));
      const numbers = packings.map(({ counts }) => counts.withoutRattlers);
      rows.push(
        near(`coordination number with overlaps, mu = ${friction}`, meanOf(numbers), contacts, CONTACTS_TOLERANCE),
        near(`volume fraction with overlaps, mu = ${friction}`, meanOf(packings.map((one) => one.fraction)), fraction, 0.01),
        info('of each packing', numbers.map((number) => number.toFixed(2)).join(', ')),
        info('mean overlap, diameters', figure(meanOf(packings.map(({ overlap }) => overlap)), 2)),
      );
    }
    return { rows, plots: [] };
  },
};

export const packings: Figure[] = [
  rigidPacking(0.5, { contacts: 4.45, fraction: 0.584, of: 'reference, of spheres that overlap: see D-overlaps' }),
  // A mean of other packings, by isotropic pressure, and no tolerance given: twice that of one packing.
  rigidPacking(0.3, { contacts: 4.5, fraction: 0.593, of: 'Agnolin and Roux 2007, rigid limit' }, 2 * CONTACTS_TOLERANCE),
  rigidPacking(0.1, { contacts: 5.29, fraction: 0.615, of: 'reference, of spheres that overlap' }),
  rigidPacking(0, { contacts: 6, fraction: 0.641, of: 'isostatic' }),
  overlapping,
];
