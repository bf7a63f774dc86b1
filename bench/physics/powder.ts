import { type Region, type SceneInput, type SimulationSnapshot, type State, stress, volumeFraction } from '../../src/index';
import { between, type Figure, figure, info, type Result, type Run } from './figure';

/** Units: radius, density and force of cohesion are 1, and so the unit of time is (density radius^4/force)^(1/2). */
const SIDE = 25;
const SPHERES = 1015;
const PRESSURE = 1 / 400;
const PISTON_MASS = 1000;
const REST = 1e-3;
const RESTING_STEPS = 20;
/**
 * In the units above; 0.125 where the piston's pressure is the unit in place of the force. The porosity without torques hangs on
 * it, see docs/decisions/cohesive-powder.md.
 */
const STEP = 2.5;
/** As short as the law needs: half of it changes the porosity by 0.01. */
const SHORT_STEP = 0.2;
const RANGE = 0.01;
/** For so long the piston is given to come to rest. */
const MOST_TIME = 5000;
const CAPTURE_RADIUS = 3;
/** Room above the deposit for grains to fall from. */
const TOP = 400;

interface Powder {
  rolling?: number;
  torsion?: number;
  range?: number;
  step?: number;
  captureRadius?: number;
}

const titleOf = ({ rolling = 0, torsion = 0 }: Powder) => `rolling ${rolling}, torsion ${torsion}`;

function powderScene(powder: Powder, pistonAt: number): SceneInput {
  const { rolling = 0, torsion = 0, range = RANGE, step = STEP, captureRadius = CAPTURE_RADIUS } = powder;
  const cohesion = { force: 1, range };
  return {
    format: 'contact-dynamics/1',
    title: `Cohesive powder, ${titleOf(powder)}`,
    timeStep: step,
    steps: Math.ceil(MOST_TIME / step),
    periodic: { axes: 'xy', min: [0, 0, 0], max: [SIDE, SIDE, TOP] },
    materials: { grain: { density: 1 } },
    contacts: [{ between: ['grain', 'grain'], friction: 0.3, rollingFriction: rolling, torsionFriction: torsion, cohesion }],
    grains: [
      {
        material: 'grain',
        ballistic: {
          count: SPHERES,
          radius: 1,
          captureRadius,
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
    // So many sweeps in each step: with those that a residual of 1e-3 asks for, tall deposits go on to swing for thousands of steps.
    solver: { momentum: 0.8, coarse: 'off', convergence: { criterion: 'fixed', iterations: 100 } },
  };
}

/** The deposit's highest point, where the piston starts. */
async function depositTop({ simulate }: Run, powder: Powder): Promise<number> {
  const simulation = await simulate(powderScene(powder, TOP));
  simulation.dispose();
  const { positions, radii, count } = simulation.problem.grains;
  return Array.from({ length: count }, (_, i) => positions[3 * i + 2] + radii[i]).reduce((a, b) => Math.max(a, b));
}

/** Sweeps in which forces that begin at zero reach through the packing. */
const AFRESH = 3000;

/** The state after one more step, whose sweeps forget all forces. */
async function solvedAfresh({ simulate }: Run, scene: SceneInput, from: SimulationSnapshot): Promise<State> {
  const convergence = { criterion: 'fixed', iterations: AFRESH } as const;
  const solver = { ...scene.solver, warmStart: false, convergence };
  const simulation = await simulate({ ...scene, solver, steps: from.solver.step + 1 }, { from });
  await simulation.step();
  const state = await simulation.read();
  simulation.dispose();
  return state;
}

async function compact(on: Run, powder: Powder, expected: [number, number] | string): Promise<Result> {
  const scene = powderScene(powder, await depositTop(on, powder));
  const simulation = await on.simulate(scene);
  const { timeStep, steps: mostSteps } = simulation.problem;
  const applied = PRESSURE * SIDE ** 2;
  const [times, heights]: [number[], number[]] = [[], []];
  let [resting, difference, top] = [0, 1, TOP];
  while (resting < RESTING_STEPS && simulation.steps < mostSteps) {
    const [report] = await simulation.step();
    difference = Math.max(Math.abs(-report.wallLoads[2] - applied), Math.abs(report.wallLoads[8] - applied)) / applied;
    resting = difference < REST ? resting + 1 : 0;
    top = report.wallMotions[8];
    times.push(report.step * timeStep);
    heights.push(top);
    if (report.step % 100 === 0)
      on.progress(`step ${report.step}, height ${top.toFixed(2)}, unbalanced ${difference.toExponential(1)}`);
  }
  const { problem } = simulation;
  const state = await simulation.read();
  const afresh = await solvedAfresh(on, scene, await simulation.capture());
  simulation.dispose();
  const region: Region = { kind: 'box', min: [0, 0, 0], max: [SIDE, SIDE, top] };
  const { total, compressive, tensile } = stress(problem, state, region);
  const share = (tensor: Float64Array) => (tensor[8] / PRESSURE).toFixed(2);
  const parts = (split: { compressive: Float64Array; tensile: Float64Array }) =>
    `${share(split.compressive)} and ${share(split.tensile)}`;
  const name = titleOf(powder);
  const porosity = 1 - volumeFraction(problem, state.positions, region);
  return {
    rows: [
      between(`forces unbalanced at the end, ${name}`, difference, 0, REST),
      typeof expected === 'string'
        ? info(`porosity, ${name}`, figure(porosity, 4), expected)
        : between(`porosity, ${name}`, porosity, ...expected),
      between(`sigma_zz over the pressure, ${name}`, total[8] / PRESSURE, 0.99, 1.01),
      info('its compressive and tensile parts (they depend on the history)', parts({ compressive, tensile })),
      info('the same, forces found anew from zero', parts(stress(problem, afresh, region))),
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

/** @param expected a string where the reference has no value at this step */
const powderFigure = (id: string, powder: Powder, expected: [number, number] | string, quick = false): Figure => ({
  id,
  title: `Cohesive powder under a piston: ${titleOf(powder)}`,
  quick,
  gpu: 'full',
  run: (on) => compact(on, powder, expected),
});

/** Porosities: the reference's, with some 0.035 either way for what the range of cohesion, the step and the packing change. */
export const powder: Figure[] = [
  powderFigure('C-none', {}, [0.51, 0.58], true),
  powderFigure('C-short-range', { range: 0.001 }, [0.485, 0.555]),
  powderFigure('C-both-weak', { rolling: 0.1, torsion: 0.1 }, [0.68, 0.75]),
  powderFigure('C-torsion', { torsion: 0.3 }, [0.59, 0.65]),
  powderFigure('C-rolling', { rolling: 0.3 }, [0.68, 0.75]),
  powderFigure('C-both-strong', { rolling: 1, torsion: 1 }, [0.82, 0.9], true),
  powderFigure('C-both-strong-near', { rolling: 1, torsion: 1, captureRadius: 2 }, [0.8, 0.87]),
  powderFigure('C-long-range', { range: 0.1 }, '0.572 with the reference; why not: docs/decisions/cohesive-powder.md'),
  powderFigure('C-short-step', { step: SHORT_STEP }, `0.556 to 0.572 with a step of ${STEP}; here ${SHORT_STEP}`),
];
