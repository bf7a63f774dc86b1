import { createSimulation, type SceneInput } from '../../src/index';
import { between, type Figure, info } from './figure';

const SPHERES = 640;
/** In grain radii, which are 1. */
const RADIUS = 12;
const FRICTION = 0.5;
const REST = 1e-4;
const MOST_STEPS = 4000;

function siloScene(): SceneInput {
  return {
    format: 'contact-dynamics/1',
    title: `Silo of ${SPHERES} spheres`,
    gravity: [0, 0, -1],
    timeStep: 0.05,
    steps: MOST_STEPS,
    materials: { grain: { density: 3 / (4 * Math.PI) } },
    contacts: [{ between: ['grain', 'grain'], friction: FRICTION }],
    grains: [
      {
        material: 'grain',
        random: {
          count: SPHERES,
          radius: 1,
          cylinder: { point: [0, 0, 0], axis: [0, 0, 1], radius: RADIUS, height: 30 },
          seed: 2,
        },
      },
    ],
    walls: [
      { name: 'floor', material: 'grain', plane: { point: [0, 0, 0], normal: [0, 0, 1] } },
      { name: 'silo', material: 'grain', cylinder: { point: [0, 0, 0], axis: [0, 0, 1], radius: RADIUS, side: 'inside' } },
    ],
    solver: { momentum: 0.9, coarse: 'off', convergence: { criterion: 'residual', tolerance: 1e-5, maxIterations: 500 } },
  };
}

/** Masses and gravity are 1, so forces are in weights of a grain. */
const settled: Figure = {
  id: 'E-settled',
  title: `Silo: ${SPHERES} spheres that fell, left alone`,
  quick: false,
  async run(progress) {
    const simulation = await createSimulation(siloScene(), { backend: 'cpu' });
    const steps: number[] = [];
    const loads: { floor: number[]; walls: number[] } = { floor: [], walls: [] };
    let resting = 0;
    let missing = 1;
    while (resting < 20 && simulation.steps < MOST_STEPS) {
      const [{ step, wallLoads }] = await simulation.step();
      const [floor, wall] = [-wallLoads[2], -wallLoads[8]];
      missing = Math.abs((floor + wall) / SPHERES - 1);
      resting = missing < REST ? resting + 1 : 0;
      if (step % 10 === 0) {
        steps.push(step);
        loads.floor.push(floor);
        loads.walls.push(wall);
      }
      if (step % 250 === 0) progress(`step ${step}, floor ${floor.toFixed(1)}, wall ${wall.toFixed(1)}`);
    }
    simulation.dispose();
    const floor = loads.floor.at(-1)! / SPHERES;
    return {
      rows: [
        between('floor and wall carry the weight: what is missing, as a share', missing, 0, REST),
        between('share of the weight that the floor carries', floor, 0.6, 1),
        info('the same in one other packing', floor.toFixed(3), '504/646 = 0.780'),
      ],
      plots: [
        {
          title: 'Silo: who carries the grains',
          xLabel: 'step',
          yLabel: 'force, in weights of a grain',
          series: [
            { name: 'floor', x: steps, y: loads.floor, kind: 'line' },
            { name: 'wall', x: steps, y: loads.walls, kind: 'line' },
          ],
        },
      ],
    };
  },
};

export const silo: Figure[] = [settled];
