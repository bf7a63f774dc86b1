import { describe, expect, test } from 'vitest';
import { chooseGpu } from '../../src/backend';
import { describeFault } from '../../src/errors';
import { singleFaults } from '../../src/gpu/singleRange';
import { BackendError, createSimulation } from '../../src/index';
import { simulate } from '../support/backends';
import { load, sceneWith } from '../support/scenes';

const at = (x: number, y: number, z: number, parts: object = {}) => ({ position: [x, y, z], radius: 1, ...parts });
const listed = (...list: object[]) => ({ grains: [{ material: 'glass', list }] });
const later = (event: object) => ({ events: [{ when: { step: 1 }, ...event }] });
const floor = (parts: object) => ({
  walls: [{ name: 'floor', material: 'steel', plane: { point: [0, 0, 0], normal: [0, 0, 1] }, ...parts }],
});
const lid = (piston: object) => floor({ plane: { point: [0, 0, 9], normal: [0, 0, -1] }, piston });
const air = { materials: { glass: { density: 2500 }, steel: {}, air: { density: 1e-12 } } };
const cloud = { material: 'air', list: [at(9, 0, 2)] };
const mixed = (...densities: number[]) => ({
  materials: { light: { density: densities[0] }, heavy: { density: densities[1] } },
  contacts: ['light', 'heavy'].map((name) => ({ between: [name, 'heavy'], friction: 0.3 })),
  grains: ['light', 'heavy'].map((material, k) => ({ material, list: [at(9 * k, 0, 1)] })),
  walls: [{ name: 'floor', material: 'heavy', plane: { point: [0, 0, 0], normal: [0, 0, 1] } }],
});

describe('figures that single precision does not hold', () => {
  test.each<[string, object, RegExp]>([
    ['a short step', { gravity: [0, 0, -10], timeStep: 1e-20 }, /^gravity: .* by 5\.00e-40 mean diameters.* longer timeStep/],
    ['gravity', { gravity: [0, -1e-30, 0] }, /^gravity: /],
    ['gravity in an event', later({ setGravity: [1e-30, 0, 0] }), /^events\[0\]\.setGravity: /],
    ['all velocities', listed(at(0, 0, 2, { velocity: [0, 1e-30, 0] })), /^grains\[0\]: its velocity/],
    ['all forces', listed(at(0, 0, 2, { force: [0, 1e-30, 0] })), /^grains\[0\]: its force/],
    ['all torques', listed(at(0, 0, 2, { torque: [0, 1e-30, 0] })), /^grains\[0\]: its torque/],
    ['the motion of a wall', floor({ motion: { velocity: [1e-30, 0, 0] } }), /^motion of wall "floor": /],
    ['a turn', floor({ motion: { angularVelocity: [0, 0, 1e-30] } }), /^motion of wall "floor": /],
    ['a swing', floor({ motion: { oscillation: { amplitude: [1e-30, 0, 0], frequency: 1 } } }), /^motion of wall "floor": /],
    ['motion in an event', later({ setMotion: { floor: { velocity: [1e-30, 0, 0] } } }), /^events\[0\]\.setMotion\.floor: /],
    ['the force of a piston', lid({ mass: 1, force: 1e-30 }), /^piston of wall "floor"\.force: /],
    ['the mass of a piston', lid({ mass: 1e-20, force: 0 }), /^piston of wall "floor"\.mass: .*1e-16/],
    ['a heavy piston', lid({ mass: 1e25, force: 0 }), /^piston of wall "floor"\.mass: .* up to 1e16/],
    [
      'a piston in an event',
      { ...lid({ mass: 1, force: 1 }), ...later({ setPiston: { floor: { force: 1e-30 } } }) },
      /^events\[0\]\.setPiston\.floor\.force: /,
    ],
    [
      'cohesion',
      { contacts: [{ between: ['glass', 'glass'], cohesion: { force: 1e-30, range: 0.1 } }] },
      /^contacts\[0\]\.cohesion\.force: /,
    ],
    ['a light grain', { ...mixed(1e-12, 1), gravity: [0, 0, -10] }, /^grains\[0\]: grain 0 has 2\.00e-12 of the mean mass/],
    [
      'a light grain that comes',
      { ...air, gravity: [0, 0, -10], ...later({ insert: [cloud] }) },
      /^events\[0\]\.insert: grain 0 has /,
    ],
  ])('are named: %s', async (_, parts, told) => {
    expect(singleFaults(await load(sceneWith(parts))).map(describeFault)).toEqual([expect.stringMatching(told)]);
  });

  test.each<[string, object]>([
    ['nothing moves', {}],
    ['components that rounding left', { gravity: [6e-17, 0, -10], timeStep: 1e-4 }],
    ['velocities of grains at rest', { ...listed(at(0, 0, 1, { velocity: [0, 1e-30, 0] })), gravity: [0, 0, -10] }],
    ['units of any size', { gravity: [0, 0, -1e-29], ...listed(at(0, 0, 1e-30, { radius: 1e-30 })) }],
  ])('are not seen where there are none: %s', async (_, parts) => {
    expect(singleFaults(await load(sceneWith(parts)))).toEqual([]);
  });

  test('are told all together, also why auto takes the CPU', async () => {
    const weak = { cohesion: { force: 1e-30, range: 0.1 } };
    const parts = { ...lid({ mass: 1e25, force: 0 }), contacts: [{ between: ['glass', 'glass'], ...weak }] };
    const problem = await load(sceneWith({ ...parts, gravity: [0, 0, -1e-30] }));
    const paths = ['gravity', 'piston of wall "floor".mass', 'contacts[0].cohesion.force'];
    expect(await chooseGpu(problem, {})).toMatchObject({ unheld: paths.map((path) => ({ path })) });
    const error: Error = await chooseGpu(problem, { backend: 'webgpu' }).then(
      () => expect.fail(),
      (reason) => reason,
    );
    expect(error).toBeInstanceOf(BackendError);
    expect(error.message.split('\n').map((line) => line.split(': it ')[0])).toEqual(paths);
  });

  test('are refused before a GPU is asked for; auto takes the CPU', async () => {
    const gpu = { requestAdapter: () => Promise.reject(new Error('asked')) } as unknown as GPU;
    const scene = sceneWith(later({ setGravity: [1e-30, 0, 0] }));
    await expect(createSimulation(scene, { backend: 'webgpu', gpu })).rejects.toThrow(BackendError);
    expect((await createSimulation(scene, { gpu })).backend).toBe('cpu');
  });

  test.each([
    ['slow', [1, 1], 3e-10],
    ['light', [3e-10, 1], 1],
  ] as const)('begin below what slides as on the CPU: %s', async (_, densities, gravity) => {
    const problem = await load(sceneWith({ ...mixed(...densities), gravity: [0.6 * gravity, 0, -gravity] }));
    expect(singleFaults(problem)).toEqual([]);
    const speeds = [];
    for (const backend of ['cpu', 'webgpu'] as const) {
      const simulation = await simulate(problem, backend);
      await simulation.step(5);
      speeds.push((await simulation.read()).velocities);
    }
    const [right, found] = speeds;
    for (const k of [0, 3]) expect(found[k] / right[k]).toBeCloseTo(1, 3);
  });
});
