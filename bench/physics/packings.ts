import { coordination, createSimulation, forceDistribution, type Region, type SceneInput, volumeFraction } from '../../src/index';
import { between, type Figure, info, near, type Result } from './figure';

const SPHERES = 600;
/** Of the periodic box, across; radii are about 1. */
const SIDE = 12;
const RADII: [number, number] = [0.9, 1.1];
const GAS_FRACTION = 0.3;
const PRESSURE = 1;
/** How far from the plates the bulk begins. */
const MARGIN = 4;
/** Of packings of this size. Those of mu = 0.5 have 4.28 to 4.39 here, by the steps, the sweeps and the piston that compressed them; why not 4.45: docs/decisions/packings.md. */
const CONTACTS_TOLERANCE = 0.05;
/** Difference of the forces on piston and floor, as a share of the applied one, at rest. */
const REST = 1e-3;
/** For so many steps in turn: the last contacts close after the forces on the plates balance. */
const RESTING_STEPS = 200;
const MOST_STEPS = 4000;

function packingScene(friction: number): SceneInput {
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
        random: { count: SPHERES, radius: { uniform: RADII }, box: { min: [0, 0, 0], max: [SIDE, SIDE, top] }, seed: 3 },
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
    // Few sweeps do: the warm start goes on with the forces from step to step, and a packing at rest ends with a residual of 1e-6.
    solver: { momentum: 0.8, coarse: 'off', convergence: { criterion: 'fixed', iterations: 60 } },
  };
}

async function measurePacking(
  friction: number,
  expected: { contacts: number; fraction: number },
  progress: (m: string) => void,
): Promise<Result> {
  const simulation = await createSimulation(packingScene(friction), { backend: 'cpu' });
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
  const counts = coordination(contacts, positions, { needed: friction > 0 ? 2 : 4, region });
  const forces = forceDistribution(contacts);
  const middles = Array.from(forces.density, (_, k) => (forces.edges[k] + forces.edges[k + 1]) / 2);
  const series = [{ name: `mu = ${friction}`, x: middles, y: [...forces.density], kind: 'points' as const }];
  return {
    rows: [
      between(`forces unbalanced at the end, mu = ${friction}`, difference, 0, REST),
      near(`coordination number, mu = ${friction}`, counts.withoutRattlers, expected.contacts, CONTACTS_TOLERANCE),
      near(`volume fraction, mu = ${friction}`, volumeFraction(problem, positions, region), expected.fraction, 0.01),
      between(`tail of P(F), beta, mu = ${friction}`, forces.tail.beta, 1, 2),
      info('with rattlers', counts.mean.toFixed(2)),
    ],
    plots: [{ title: 'Distribution of normal forces', xLabel: 'F/<F>', yLabel: 'P', logY: true, series }],
  };
}

function packingFigure(friction: number, contacts: number, fraction: number, quick: boolean): Figure {
  return {
    id: `D-mu-${friction}`,
    title: `Packing of ${SPHERES} spheres under a piston, mu = ${friction}`,
    quick,
    run: (progress) => measurePacking(friction, { contacts, fraction }, progress),
  };
}

export const packings: Figure[] = [
  packingFigure(0.5, 4.45, 0.584, true),
  packingFigure(0.1, 5.29, 0.615, true),
  packingFigure(0, 6, 0.641, true),
];
