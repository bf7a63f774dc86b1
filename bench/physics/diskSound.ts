import type { SceneInput, SimulationSnapshot } from '../../src/index';
import { type DampedOscillation, fitDampedOscillation } from './dampedOscillation';
import { between, type Figure, info, mean, type Row, type Run } from './figure';

const DISKS = 1000;
/** Of the periodic box, across, in units of the smallest radius; the largest is 2. */
const WIDTH = 40;
/** Area fraction of the gas that is compressed. */
const GAS_FRACTION = 0.6;
const FORCE = 1;
/** What the piston's force becomes: a small step, for contacts that slide damp too (at 1.1 tau goes like N_I^-0.86). */
const RAISED = 1.02 * FORCE;
const REST = 1e-6;
const MOST_STEPS = 4000;
/** Numbers of sweeps per step that are compared. */
const SWEEPS = [20, 40, 80, 160, 320];
const SETTLING = { momentum: 0.9, convergence: { criterion: 'fixed', iterations: 100 } } as const;

/** Disks between a floor and a piston, periodic across; no gravity. In steps of 1 with disks of mass pi r^2. */
function scene(force: number, solver: SceneInput['solver']): SceneInput {
  const area = (DISKS * Math.PI * 7) / 3;
  const top = area / GAS_FRACTION / WIDTH;
  const max: [number, number, number] = [WIDTH, top, 0];
  return {
    format: 'contact-dynamics/1',
    title: `${DISKS} disks under a piston`,
    dimension: 2,
    timeStep: 1,
    steps: 100_000,
    periodic: { axes: 'x', min: [0, 0, 0], max },
    materials: { disk: { density: 1 } },
    contacts: [{ between: ['disk', 'disk'], friction: 0.05 }],
    grains: [{ material: 'disk', random: { count: DISKS, radius: { uniform: [1, 2] }, box: { min: [0, 0, 0], max }, seed: 3 } }],
    walls: [
      { name: 'floor', material: 'disk', plane: { point: [0, 0, 0], normal: [0, 1, 0] } },
      { name: 'piston', material: 'disk', plane: { point: [0, top, 0], normal: [0, -1, 0] }, piston: { mass: 10, force } },
    ],
    solver: { coarse: 'off', ...solver },
  };
}

/** Compresses the gas until floor and piston bear the same. */
async function settle({ simulate, progress }: Run): Promise<{ end: SimulationSnapshot; height: number }> {
  const simulation = await simulate(scene(FORCE, SETTLING));
  let [resting, height] = [0, 0];
  while (resting < 50 && simulation.steps < MOST_STEPS) {
    const [{ wallLoads, wallMotions }] = await simulation.step();
    resting = Math.abs(-wallLoads[1] / FORCE - 1) < REST ? resting + 1 : 0;
    height = wallMotions[7];
    if (simulation.steps % 250 === 0) progress(`step ${simulation.steps}, height ${height.toFixed(2)}`);
  }
  if (resting < 50) throw new Error(`The disks did not come to rest in ${MOST_STEPS} steps`);
  const end = await simulation.capture();
  simulation.dispose();
  return { end, height };
}

/** The ringing of the floor's force once the piston's is raised; t in steps. */
async function ring({ simulate }: Run, from: SimulationSnapshot, iterations: number, guess: { omega: number; tau: number }) {
  const solver = { momentum: 0, convergence: { criterion: 'fixed', iterations } } as const;
  const simulation = await simulate(scene(RAISED, solver), { from });
  const skipped = Math.round(0.5 * guess.tau);
  const reports = await simulation.step(skipped + Math.round(4 * guess.tau));
  simulation.dispose();
  const samples = reports.slice(skipped).map(({ wallLoads }) => -wallLoads[1] - RAISED);
  return { samples, fit: bestFit(samples, guess) };
}

/** The best of fits that begin at and around the guess. */
function bestFit(samples: readonly number[], { omega, tau }: { omega: number; tau: number }): DampedOscillation {
  const squares = ({ fitted }: DampedOscillation) => fitted.reduce((sum, y, t) => sum + (y - samples[t]) ** 2, 0);
  return [0.6, 0.8, 1, 1.25, 1.6]
    .flatMap((factor) => [0.6, 1, 1.6].map((slower) => ({ omega: factor * omega, tau: slower * tau })))
    .map((guess) => fitDampedOscillation(samples, guess))
    .reduce((best, one) => (squares(one) < squares(best) ? one : best));
}

const sound: Figure = {
  id: 'A-disks',
  title: `${DISKS} disks: frequency and damping of their false sound against the number of sweeps`,
  quick: false,
  gpu: 'full',
  async run(on) {
    const { end, height } = await settle(on);
    const diameter = 3;
    const omegas: number[] = [];
    const taus: number[] = [];
    // The chain of as many diameters, with the wall at one end.
    const wave = (Math.PI * diameter) / (2 * height);
    for (const sweeps of SWEEPS) {
      const guess = { omega: wave * Math.sqrt(sweeps), tau: 2 / (wave ** 2 * sweeps) };
      const { fit } = await ring(on, end, sweeps, guess);
      on.progress(`${sweeps} sweeps: omega ${fit.omega.toFixed(4)} (chain ${guess.omega.toFixed(4)}), tau ${fit.tau.toFixed(1)}`);
      omegas.push(fit.omega);
      taus.push(fit.tau);
    }
    const rows: Row[] = [
      between('exponent of omega against N_I', exponent(SWEEPS, omegas), 0.45, 0.55),
      between('exponent of tau against N_I', exponent(SWEEPS, taus), -1.1, -0.9),
      info('omega dt', omegas.map((omega) => omega.toPrecision(3)).join(', '), `at N_I = ${SWEEPS.join(', ')}`),
      info('tau/dt', taus.map((tau) => tau.toPrecision(3)).join(', ')),
    ];
    return {
      rows,
      plots: [
        {
          title: `${DISKS} disks under a piston`,
          xLabel: 'N_I',
          yLabel: 'omega dt, tau/dt',
          logX: true,
          logY: true,
          series: [
            { name: 'omega dt', x: SWEEPS, y: omegas, kind: 'points' },
            { name: 'tau/dt', x: SWEEPS, y: taus, kind: 'points' },
          ],
        },
      ],
    };
  },
};

/** Slope of the logarithms, by least squares. */
function exponent(x: readonly number[], y: readonly number[]): number {
  const [u, v] = [x.map(Math.log), y.map(Math.log)];
  const [mu, mv] = [mean(u), mean(v)];
  return u.reduce((sum, a, k) => sum + (a - mu) * (v[k] - mv), 0) / u.reduce((sum, a) => sum + (a - mu) ** 2, 0);
}

export const diskSound: Figure[] = [sound];
