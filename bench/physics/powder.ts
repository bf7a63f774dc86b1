import { createSimulation, type Region, type SceneInput, stress, volumeFraction } from '../../src/index';
import { between, type Figure, info, type Result } from './figure';

/** Units: radius, density and force of cohesion are 1. */
const SIDE = 25;
const SPHERES = 1015;
const PRESSURE = 1 / 400;
const PISTON_MASS = 1000;
const REST = 1e-3;
const MOST_STEPS = 8000;
const CAPTURE_RADIUS = 3;
/** Room above the deposit for grains to fall from. */
const TOP = 400;

function powderScene(rolling: number, torsion: number, pistonAt: number): SceneInput {
  const cohesion = { force: 1, range: 0.01 };
  return {
    format: 'contact-dynamics/1',
    title: `Cohesive powder, rolling friction ${rolling}, torsion friction ${torsion}`,
    timeStep: 0.2,
    steps: MOST_STEPS,
    periodic: { axes: 'xy', min: [0, 0, 0], max: [SIDE, SIDE, TOP] },
    materials: { grain: { density: 1 } },
    contacts: [{ between: ['grain', 'grain'], friction: 0.3, rollingFriction: rolling, torsionFriction: torsion, cohesion }],
    grains: [
      {
        material: 'grain',
        ballistic: {
          count: SPHERES,
          radius: 1,
          captureRadius: CAPTURE_RADIUS,
          box: { min: [0, 0, 0], max: [SIDE, SIDE, TOP] },
          seed: 4,
        },
      },
    ],
    walls: [
      { name: 'floor', material: 'grain', plane: { point: [0, 0, 0], normal: [0, 0, 1] } },
      {
        name: 'piston',
        material: 'grain',
        plane: { point: [0, 0, pistonAt], normal: [0, 0, -1] },
        piston: { mass: PISTON_MASS, force: PRESSURE * SIDE ** 2 },
      },
    ],
    solver: { momentum: 0.8, coarse: 'off', convergence: { criterion: 'residual', tolerance: 1e-3, maxIterations: 200 } },
  };
}

/** The deposit's highest point, where the piston starts. */
async function depositTop(): Promise<number> {
  const { problem, dispose } = await createSimulation(powderScene(0, 0, TOP), { backend: 'cpu' }).then((simulation) => ({
    problem: simulation.problem,
    dispose: () => simulation.dispose(),
  }));
  dispose();
  const { positions, radii, count } = problem.grains;
  return Array.from({ length: count }, (_, i) => positions[3 * i + 2] + radii[i]).reduce((a, b) => Math.max(a, b));
}

async function compact(
  rolling: number,
  torsion: number,
  porosity: [number, number],
  progress: (m: string) => void,
): Promise<Result> {
  const simulation = await createSimulation(powderScene(rolling, torsion, await depositTop()), { backend: 'cpu' });
  const applied = PRESSURE * SIDE ** 2;
  const [times, heights]: [number[], number[]] = [[], []];
  let [resting, difference, top] = [0, 1, TOP];
  while (resting < 20 && simulation.steps < MOST_STEPS) {
    const [report] = await simulation.step();
    difference = Math.max(Math.abs(-report.wallLoads[2] - applied), Math.abs(report.wallLoads[8] - applied)) / applied;
    resting = difference < REST ? resting + 1 : 0;
    top = report.wallMotions[8];
    times.push(report.step * simulation.problem.timeStep);
    heights.push(top);
    if (report.step % 250 === 0)
      progress(`step ${report.step}, height ${top.toFixed(2)}, unbalanced ${difference.toExponential(1)}`);
  }
  const { problem } = simulation;
  const state = await simulation.read();
  simulation.dispose();
  const region: Region = { kind: 'box', min: [0, 0, 0], max: [SIDE, SIDE, top] };
  const { total, compressive, tensile } = stress(problem, state, region);
  const share = (tensor: Float64Array) => (tensor[8] / PRESSURE).toFixed(2);
  const name = `rolling ${rolling}, torsion ${torsion}`;
  return {
    rows: [
      between(`forces unbalanced at the end, ${name}`, difference, 0, REST),
      between(`porosity, ${name}`, 1 - volumeFraction(problem, state.positions, region), ...porosity),
      between(`sigma_zz over the pressure, ${name}`, total[8] / PRESSURE, 0.99, 1.01),
      info('its compressive and tensile parts (they depend on the history)', `${share(compressive)} and ${share(tensile)}`),
    ],
    plots: [
      {
        title: `Cohesive powder, ${name}`,
        xLabel: 't',
        yLabel: 'height of the piston',
        series: [{ name: 'piston', x: times, y: heights, kind: 'line' }],
      },
    ],
  };
}

const powderFigure = (id: string, rolling: number, torsion: number, porosity: [number, number]): Figure => ({
  id,
  title: `Cohesive powder under a piston: rolling ${rolling}, torsion ${torsion}`,
  quick: false,
  run: (progress) => compact(rolling, torsion, porosity, progress),
});

/** Porosities: the reference's range, or its one value with what the range of cohesion changes. */
export const powder: Figure[] = [
  powderFigure('C-none', 0, 0, [0.51, 0.58]),
  powderFigure('C-both-weak', 0.1, 0.1, [0.68, 0.75]),
  powderFigure('C-torsion', 0, 0.3, [0.59, 0.65]),
  powderFigure('C-rolling', 0.3, 0, [0.68, 0.75]),
  powderFigure('C-both-strong', 1, 1, [0.82, 0.9]),
];
