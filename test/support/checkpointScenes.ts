import type { Problem, SceneInput } from '../../src/index';
import { load, sceneWith } from './scenes';

export const floor = { name: 'floor', material: 'steel', plane: { point: [0, 0, 0], normal: [0, 0, 1] } };
export const tray = { name: 'tray', material: 'steel', box: { min: [0, 0, 0], max: [3, 3, 8], open: ['+z', '-z'] } };
export const lid = {
  name: 'lid',
  material: 'steel',
  plane: { point: [0, 0, 4.2], normal: [0, 0, -1] },
  piston: { mass: 2, force: 5 },
};

export const pour = {
  material: 'glass',
  count: 10,
  radius: 0.15,
  region: { box: { min: [0.5, 0.5, 5], max: [2.5, 2.5, 6] } },
  rate: 50,
};

/** Every law of contacts, a giant that is a hub, a piston that comes and goes, a wall that moves, grains that wait and that pour. */
export const everything = (parts: Partial<SceneInput> | Record<string, unknown> = {}): Promise<Problem> =>
  load(
    sceneWith({
      title: '',
      gravity: [0, 0, -10],
      timeStep: 0.01,
      steps: 40,
      materials: { glass: { density: 2 }, steel: {} },
      contacts: [
        {
          between: ['glass', 'glass'],
          friction: { static: 0.5, dynamic: 0.3 },
          restitution: { normal: 0.6, tangential: 0.2 },
          rollingFriction: 0.1,
          torsionFriction: 0.05,
          cohesion: { force: 0.5, range: 0.02 },
        },
        { between: ['glass', 'steel'], friction: 0.2 },
      ],
      grains: [
        { material: 'glass', list: [{ position: [1.5, 1.5, 1], radius: 0.9 }] },
        { material: 'glass', random: { count: 60, radius: { uniform: [0.15, 0.2] }, box: { min: [0, 0, 0], max: [3, 3, 3.5] } } },
      ],
      walls: [floor, tray, lid],
      events: [
        {
          when: { step: 8 },
          removeWalls: ['lid'],
          pour,
          insert: [
            {
              material: 'glass',
              list: [
                { position: [1.5, 1.5, 1], radius: 0.2 },
                { position: [1, 1, 7], radius: 0.2 },
              ],
            },
          ],
        },
        {
          when: { step: 15 },
          setMotion: { floor: { oscillation: { amplitude: [0, 0, 0.02], frequency: 5 } } },
          setGravity: [1, 0, -9],
        },
        {
          when: { step: 20 },
          checkpoint: true,
          addWalls: [{ ...lid, name: 'upper', plane: { point: [0, 0, 7.5], normal: [0, 0, -1] } }],
        },
        { when: { rest: 1e-9 }, stop: true },
      ],
      solver: { convergence: { criterion: 'residual', tolerance: 1e-3, maxIterations: 100 } },
      ...parts,
    }),
  );
