import type { SceneInput, SimulationSnapshot, State } from '../../src/index';
import { between, type Figure, figure, info, mean, median, near, type Run } from './figure';
import { cuts, janssen, saturationOf } from './janssen';

const SPHERES = 640;
/**
 * In grain radii, which are 1: 12 across. The published w_inf of 186 weights over 2.2 radii of the silo is a volume fraction of 0.52
 * with this radius and of 0.065 with twice as much.
 */
const RADIUS = 6;
const FRICTION = 0.5;
/** Position in the scene's list of walls. */
const SILO_WALL = 1;
const STEP = 0.05;
const REST = 1e-4;
const MOST_STEPS = 4000;

/** Published: one packing, and what others differ by. */
const SATURATION = 186;
const DECAY = 2.2;
const SPREAD = 0.15;

/** Packings of which the medians are taken: now and then one bears half as much again on its floor. */
const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8, 9];

/**
 * How far the floor goes down, and how slowly. It stops by halving its speed: to stop at once takes SPHERES * SPEED / STEP = 32 weights
 * in one step, and this jolt leaves the floor 30 weights more than it bore as it sank, up to 100 in some packings.
 */
const LOWERED = 0.16;
const LOWERING_STEPS = 1280;
/** As the floor sinks the grains stick and slip, and what the cuts bear goes up and down: taken so often, so many steps apart. */
const MOMENTS = 5;
const STEPS_OF_MOMENT = 100;
const HALVINGS = 6;
const STEPS_OF_HALVING = 64;
const SPEED = LOWERED / ((LOWERING_STEPS + STEPS_OF_HALVING * (1 - 2 ** -HALVINGS)) * STEP);

/** @param floor where the floor is at time 0, and its velocity */
function siloScene(seed: number, floor: { height: number; velocity: number } = { height: 0, velocity: 0 }): SceneInput {
  return {
    format: 'contact-dynamics/1',
    title: `Silo of ${SPHERES} spheres`,
    gravity: [0, 0, -1],
    timeStep: STEP,
    steps: MOST_STEPS,
    materials: { grain: { density: 3 / (4 * Math.PI) } },
    contacts: [{ between: ['grain', 'grain'], friction: FRICTION }],
    grains: [
      {
        material: 'grain',
        random: {
          count: SPHERES,
          radius: 1,
          cylinder: { point: [0, 0, 0], axis: [0, 0, 1], radius: RADIUS, height: 100 },
          seed,
        },
      },
    ],
    walls: [
      {
        name: 'floor',
        material: 'grain',
        plane: { point: [0, 0, floor.height], normal: [0, 0, 1] },
        ...(floor.velocity === 0 ? {} : { motion: { velocity: [0, 0, floor.velocity] as [number, number, number] } }),
      },
      { name: 'silo', material: 'grain', cylinder: { point: [0, 0, 0], axis: [0, 0, 1], radius: RADIUS, side: 'inside' } },
    ],
    solver: { momentum: 0.9, coarse: 'off', convergence: { criterion: 'fixed', iterations: 60 } },
  };
}

interface Stage {
  scene: SceneInput;
  from?: SimulationSnapshot;
  /** Steps to do; absent: until the grains rest. */
  steps?: number;
}

interface Loads {
  steps: number[];
  floor: number[];
  wall: number[];
}

/** Masses and gravity are 1, so forces are in weights of a grain. @returns what the next stage begins from, and what the walls fail to carry */
async function runStage({ simulate, progress }: Run, { scene, from, steps }: Stage, loads: Loads) {
  const simulation = await simulate(scene, { from });
  const start = simulation.steps;
  const isOver = (resting: number) => (steps === undefined ? resting >= 20 : simulation.steps >= start + steps);
  let [resting, missing] = [0, 1];
  while (!isOver(resting) && simulation.steps < start + MOST_STEPS) {
    const [{ step, wallLoads }] = await simulation.step();
    const [floor, wall] = [-wallLoads[2], -wallLoads[8]];
    missing = Math.abs((floor + wall) / SPHERES - 1);
    resting = missing < REST ? resting + 1 : 0;
    loads.steps.push(step);
    loads.floor.push(floor);
    loads.wall.push(wall);
    if (step % 250 === 0) progress(`step ${step}, floor ${floor.toFixed(1)}, wall ${wall.toFixed(1)}`);
  }
  const end = await simulation.capture();
  const state = await simulation.read();
  simulation.dispose();
  return { end, state, missing, floor: loads.floor.at(-1)! };
}

/** Janssen's law fitted to what the cuts through a packing bear; the decay is in radii of the silo. */
function fitJanssen(state: State) {
  const { weights, carried, perLength } = cuts(state, SPHERES + SILO_WALL);
  const saturation = saturationOf(weights, carried);
  return { weights, carried, saturation, decay: saturation / perLength / RADIUS };
}

/** One packing from its fall to the floor's stop, and what its cuts bear. */
async function lowerFloor(on: Run, seed: number) {
  const loads: Loads = { steps: [], floor: [], wall: [] };
  const settled = await runStage(on, { scene: siloScene(seed) }, loads);
  let height = 0;
  const sink = async (from: SimulationSnapshot, speed: number, steps: number) => {
    // A motion is a function of the time since the start: where the floor would have been then.
    const start = { height: height + speed * from.solver.step * STEP, velocity: -speed };
    height -= speed * steps * STEP;
    return runStage(on, { scene: siloScene(seed, start), from, steps }, loads);
  };
  let { end } = await sink(settled.end, SPEED, LOWERING_STEPS - MOMENTS * STEPS_OF_MOMENT);
  const moments: ReturnType<typeof fitJanssen>[] = [];
  for (let k = 0; k < MOMENTS; k++) {
    const moment = await sink(end, SPEED, STEPS_OF_MOMENT);
    end = moment.end;
    moments.push(fitJanssen(moment.state));
  }
  const sinking = mean(loads.floor.slice(-MOMENTS * STEPS_OF_MOMENT));
  const mobilised = {
    ...moments[MOMENTS - 1],
    saturation: mean(moments.map(({ saturation }) => saturation)),
    decay: mean(moments.map(({ decay }) => decay)),
  };
  for (let k = 1; k <= HALVINGS; k++) ({ end } = await sink(end, SPEED / 2 ** k, STEPS_OF_HALVING));
  const lowered = await runStage(on, { scene: siloScene(seed, { height, velocity: 0 }), from: end }, loads);
  return { loads, settled, sinking, mobilised, lowered, stopped: fitJanssen(lowered.state) };
}

const silos: Figure = {
  id: 'E-silo',
  title: `Silo: ${SPHERES} spheres that fell, left alone, then the floor lowered by ${LOWERED} radii`,
  quick: true,
  gpu: 'full',
  async run(on) {
    const packings: Awaited<ReturnType<typeof lowerFloor>>[] = [];
    for (const seed of SEEDS) {
      const progress = (message: string) => on.progress(`packing ${seed}, ${message}`);
      packings.push(await lowerFloor({ ...on, progress }, seed));
    }
    const middle = (figure: (packing: (typeof packings)[number]) => number) => median(packings.map(figure));
    const most = (figure: (packing: (typeof packings)[number]) => number) => Math.max(...packings.map(figure));
    const saturations = (state: 'mobilised' | 'stopped') =>
      packings.map((packing) => figure(packing[state].saturation, 3)).join(', ');
    const saturation = middle(({ mobilised }) => mobilised.saturation);
    const {
      loads,
      mobilised: { weights, carried },
    } = packings[0];
    return {
      rows: [
        between(
          'floor and wall carry the weight: what is missing at most, as a share',
          most(({ settled }) => settled.missing),
          0,
          REST,
        ),
        between(
          'share of the weight that the floor carries',
          middle(({ settled }) => settled.floor / SPHERES),
          0.6,
          1,
        ),
        info('the same in one other packing', '', '504/646 = 0.780'),
        between(
          'floor lowered: what is missing at most',
          most(({ lowered }) => lowered.missing),
          0,
          REST,
        ),
        between(
          `weights on the floor as it sinks, mean of the last ${MOMENTS * STEPS_OF_MOMENT} steps`,
          middle(({ sinking }) => sinking),
          167 / 1.3,
          167 * 1.3,
        ),
        between(
          'weights on the floor once it has stopped',
          middle(({ lowered }) => lowered.floor),
          167 / 1.3,
          167 * 1.3,
        ),
        near(
          'w_inf, weights, of w = w_inf (1 - exp(-W/w_inf)) at cuts through the packing as the floor sinks',
          saturation,
          SATURATION,
          SPREAD * SATURATION,
        ),
        info('w_inf of each packing', saturations('mobilised')),
        near(
          'lambda = w_inf over the weights per length, radii of the silo',
          middle(({ mobilised }) => mobilised.decay),
          DECAY,
          SPREAD * DECAY,
        ),
        info('w_inf of each packing once the floor has stopped', saturations('stopped')),
      ],
      plots: [
        {
          title: 'Silo, floor sinking: what a cut bears of the weight above it, first packing',
          xLabel: 'W, weights above the cut',
          yLabel: 'w, weights that the cut bears',
          series: [
            { name: 'simulation', x: weights, y: carried, kind: 'points' },
            {
              name: `w_inf = ${saturation.toFixed(0)}, median`,
              x: weights,
              y: weights.map((W) => janssen(W, saturation)),
              kind: 'line',
            },
          ],
        },
        {
          title: 'Silo: who carries the grains, first packing',
          xLabel: 'step',
          yLabel: 'force, in weights of a grain',
          series: [
            { name: 'floor', x: loads.steps, y: loads.floor, kind: 'line' },
            { name: 'wall', x: loads.steps, y: loads.wall, kind: 'line' },
          ],
        },
      ],
    };
  },
};

export const silo: Figure[] = [silos];
