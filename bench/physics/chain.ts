import type { SceneInput } from '../../src/index';
import { type DampedOscillation, fitDampedOscillation } from './dampedOscillation';
import { byPrecision, type Figure, info, near, RANDOM_SWEEPS, type Row, type Run } from './figure';

/** Useful half-sweeps of a sweep over 2 (closed forms of one dimension): what forces diffuse by. */
export type Sweeps = 'random sweep' | 'two colours, random order' | 'two colours, fixed order';

const DIFFUSION: Record<Sweeps, number> = {
  'random sweep': (4 * Math.sqrt(Math.E) - 5) / 2,
  'two colours, random order': 3 / 4,
  'two colours, fixed order': 1,
};

const GRAINS = 50;
const FORCE = 0.05;
/** Gaps below this are rounding, in double and in single precision. */
const CLOSED = [1e-9, 1e-5] as const;
/** Of the longest wave of a chain with one end held and the other free, in 1/d. */
const WAVE_NUMBER = Math.PI / (2 * GRAINS);

/** Angular frequency and damping time of a chain with N_I sweeps a step, exact in discrete time; in units of dt = d = m = 1. */
export function theory(sweeps: Sweeps, iterations: number): { omega: number; tau: number } {
  const decay = 1 - Math.exp(-DIFFUSION[sweeps] * iterations * WAVE_NUMBER ** 2);
  return { omega: Math.asin(Math.sqrt(decay)), tau: -2 / Math.log(1 - decay) };
}

/**
 * A line of grains of diameter, mass and step 1, a wall one diameter away, pushed towards it at the last grain. Colours are kept
 * from step to step, so the coloured chain starts as pairs a little apart: contacts within pairs get the first colour, those
 * between them the second as they close, on the way to the wall. All at once, greedy colouring would take three.
 */
function chainScene(sweeps: Sweeps, iterations: number, seed: number, momentum = 0): SceneInput {
  // Wider than the reach of candidates in the first step: twice its margin and the speed that the force gives.
  const slit = sweeps === 'random sweep' ? 0 : 2 * (0.01 + FORCE) + 0.01;
  return {
    format: 'contact-dynamics/1',
    title: `Chain of ${GRAINS} grains, ${sweeps}, ${iterations} sweeps`,
    timeStep: 1,
    steps: 1000,
    materials: { grain: { density: 6 / Math.PI } },
    contacts: [{ between: ['grain', 'grain'] }],
    grains: [
      {
        material: 'grain',
        list: Array.from({ length: GRAINS }, (_, k) => ({
          position: [1.5 + k + slit * Math.floor(k / 2), 0, 0] as [number, number, number],
          radius: 0.5,
          ...(k === GRAINS - 1 ? { force: [-FORCE, 0, 0] as [number, number, number] } : {}),
        })),
      },
    ],
    walls: [{ name: 'wall', material: 'grain', plane: { point: [0, 0, 0], normal: [1, 0, 0] } }],
    solver: {
      sweep: sweeps === 'random sweep' ? 'random' : 'coloured',
      order: sweeps === 'two colours, random order' ? 'random' : 'fixed',
      momentum,
      coarse: 'off',
      warmStart: true,
      seed,
      convergence: { criterion: 'fixed', iterations },
    },
  };
}

export interface Ringing extends DampedOscillation {
  /** Speed of the last grain in the steps of the fit. */
  speeds: number[];
  /** Steps done before the first of them. */
  start: number;
}

/** Runs a chain until it has rung out, and fits its ringing from 0.6 tau after the last step with a contact open, 5 tau long. */
export async function ring(on: Run, scene: SceneInput, expected: { omega: number; tau: number }): Promise<Ringing> {
  const simulation = await on.simulate(scene);
  const closed = byPrecision(on, ...CLOSED);
  const speeds: number[] = [];
  let lastOpen = 0;
  let struck = false;
  while (!struck || speeds.length < lastOpen + Math.ceil(5.7 * expected.tau)) {
    const [report] = await simulation.step();
    const { velocities, contacts } = await simulation.read();
    speeds.push(velocities[3 * (GRAINS - 1)]);
    // A contact that opened in the last step bears again in this one, to close.
    const whole = report.contacts === GRAINS && contacts.gaps.every((gap) => gap < closed);
    struck ||= whole;
    if (!whole) lastOpen = speeds.length;
    if (speeds.length > 20_000) throw new Error('The chain never comes to rest at the wall');
  }
  simulation.dispose();
  const start = lastOpen + Math.round(0.6 * expected.tau);
  const fitted = speeds.slice(start, start + Math.round(5 * expected.tau));
  return { ...fitDampedOscillation(fitted, expected), speeds: fitted, start };
}

/** Mean, and what its 95 % interval allows, of a few seeds; a fixed order has no noise. */
function statistics(values: number[]): { mean: number; error: number } {
  const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
  const variance = values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / Math.max(1, values.length - 1);
  return { mean, error: Math.sqrt(variance / values.length) };
}

/** With software for a GPU a seed takes as long as all ten on the CPU. */
const SEEDS_ON_GPU = 2;

/** Published deviations of the mean of ten seeds, relative, from the closed form: what a right code is allowed. */
const ALLOWED: Record<Sweeps, { omega: number; tau: number }> = {
  'random sweep': { omega: 0.003, tau: 0.05 },
  'two colours, random order': { omega: 0.004, tau: 0.04 },
  'two colours, fixed order': { omega: 5e-4, tau: 2e-3 },
};

export async function measure(on: Run, sweeps: Sweeps, iterations: number, seeds: number) {
  const expected = theory(sweeps, iterations);
  const runs: Ringing[] = [];
  for (let seed = 1; seed <= seeds; seed++) runs.push(await ring(on, chainScene(sweeps, iterations, seed), expected));
  return { expected, runs, omega: statistics(runs.map(({ omega }) => omega)), tau: statistics(runs.map(({ tau }) => tau)) };
}

function sweepFigure(id: string, sweeps: Sweeps, seeds: number, gpu: Figure['gpu']): Figure {
  return {
    id,
    title: `Chain with 40 sweeps a step: ${sweeps}`,
    quick: true,
    gpu,
    async run(on) {
      const count = byPrecision(on, seeds, Math.min(seeds, SEEDS_ON_GPU));
      const { expected, runs, omega, tau } = await measure(on, sweeps, 40, count);
      const allowed = ALLOWED[sweeps];
      const note = count > 1 ? `, mean of ${count} seeds` : '';
      const x = runs[0].speeds.map((_, k) => k + runs[0].start);
      const fitted = runs[0].speeds.map((_, k) => runs[0].fitted[k]);
      return {
        rows: [
          near(`omega dt, ${sweeps}${note}`, omega.mean, expected.omega, allowed.omega * expected.omega),
          near(`tau/dt, ${sweeps}${note}`, tau.mean, expected.tau, allowed.tau * expected.tau),
          ...(count > 1 ? [info('standard errors of the two', `${omega.error.toExponential(1)}, ${tau.error.toFixed(1)}`)] : []),
        ],
        plots: [
          {
            title: `Chain, ${sweeps}: speed of the last grain`,
            xLabel: 't/dt',
            yLabel: 'v dt/d',
            series: [
              { name: 'simulation', x, y: runs[0].speeds, kind: 'points' },
              { name: 'fit', x, y: fitted, kind: 'line' },
            ],
          },
        ],
      };
    },
  };
}

/** omega ~ sqrt(N_I), tau ~ 1/N_I, against the exact values, which bend away from these powers at many sweeps. */
const scaling: Figure = {
  id: 'A-scaling',
  title: 'Chain: omega and tau against the number of sweeps',
  quick: true,
  gpu: 'quick',
  async run(on) {
    const iterations = byPrecision(on, [20, 40, 80, 160, 320], [80, 320]);
    const rows: Row[] = [];
    const points: { omega: number; tau: number; exact: { omega: number; tau: number } }[] = [];
    for (const count of iterations) {
      on.progress(`${count} sweeps`);
      const { expected, omega, tau } = await measure(on, 'two colours, fixed order', count, 1);
      points.push({ omega: omega.mean, tau: tau.mean, exact: expected });
      rows.push(near(`omega dt, fixed order, ${count} sweeps`, omega.mean, expected.omega, 0.005 * expected.omega));
      rows.push(near(`tau/dt, fixed order, ${count} sweeps`, tau.mean, expected.tau, 0.01 * expected.tau));
    }
    const curve = (pick: (point: (typeof points)[number]) => number) => points.map(pick);
    return {
      rows,
      plots: [
        {
          title: 'Chain: frequency and damping time, two colours in fixed order',
          xLabel: 'N_I',
          yLabel: 'omega dt, tau/dt',
          logX: true,
          logY: true,
          series: [
            { name: 'omega dt', x: iterations, y: curve(({ omega }) => omega), kind: 'points' },
            { name: 'tau/dt', x: iterations, y: curve(({ tau }) => tau), kind: 'points' },
            { name: 'omega dt, exact', x: iterations, y: curve(({ exact }) => exact.omega), kind: 'line' },
            { name: 'tau/dt, exact', x: iterations, y: curve(({ exact }) => exact.tau), kind: 'line' },
          ],
        },
      ],
    };
  },
};

/** No theory is known for the heavy ball: what it gives, for the record. */
const heavyBall: Figure = {
  id: 'A-momentum',
  title: 'Chain with the heavy ball',
  quick: true,
  gpu: 'full',
  async run(on) {
    const plain = theory('two colours, fixed order', 40);
    const rows: Row[] = [];
    for (const momentum of [0.5, 0.8, 0.9]) {
      const { omega, tau } = await ring(on, chainScene('two colours, fixed order', 40, 1, momentum), plain);
      rows.push(
        info(`omega dt and tau/dt at momentum ${momentum}`, `${omega.toFixed(4)}, ${tau.toFixed(1)}`, 'plain: 0.1980, 50.7'),
      );
    }
    return { rows, plots: [] };
  },
};

export const chain: Figure[] = [
  sweepFigure('A-random', 'random sweep', 10, RANDOM_SWEEPS),
  sweepFigure('A-random-colours', 'two colours, random order', 10, 'quick'),
  sweepFigure('A-fixed-colours', 'two colours, fixed order', 1, 'quick'),
  scaling,
  heavyBall,
];
