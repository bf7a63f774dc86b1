import type { SceneInput } from '../../src/index';

/** Right scenes that together use every part of the format, each small enough to be run in a few milliseconds. */

const head = {
  format: 'contact-dynamics/1',
  title: 'Fuzzed',
  timeStep: 1e-3,
  steps: 3,
  materials: { glass: { density: 2500 }, steel: {} },
  contacts: [
    {
      between: ['glass', 'glass'],
      friction: { static: 0.5, dynamic: 0.3 },
      restitution: { normal: 0.5, tangential: 0.2 },
      rollingFriction: 0.1,
      torsionFriction: 0.1,
      cohesion: { force: 10, range: 0.05 },
    },
    { between: ['glass', 'steel'], friction: 0.2, restitution: 0.3 },
  ],
  output: { every: 2, frames: 'none', contacts: true },
} as const;

const solver = (convergence: Record<string, unknown>) => ({
  sweep: 'coloured',
  order: 'fixed',
  momentum: 0.9,
  coarse: 'off',
  convergence,
  warmStart: true,
  seed: 1,
});
const residual = { criterion: 'residual', tolerance: 1e-3, balance: null, maxIterations: 50 };

const floor = { name: 'floor', material: 'steel', plane: { point: [0, 0, 0], normal: [0, 0, 1] } };
const lid = (z: number) => ({ name: 'lid', material: 'steel', plane: { point: [0, 0, z], normal: [0, 0, -1] } });

/** Every way to give grains. */
const grains = {
  ...head,
  dimension: 3,
  gravity: [0, 0, -9.81],
  solver: solver(residual),
  walls: [floor],
  grains: [
    {
      material: 'glass',
      list: [
        {
          ...{ position: [0, 0, 2], radius: 1, velocity: [0, 0, -1], angularVelocity: [0, 1, 0] },
          ...{ force: [0, 0, 1], torque: [0, 0, 1], fixed: false },
        },
        { position: [0.5, 0, 4], radius: 1, fixed: true },
      ],
      velocity: [0, 0, 0],
      force: [0, 0, 0],
    },
    { material: 'glass', file: 'grains.csv' },
    { material: 'glass', file: 'grains.dump' },
    {
      material: 'glass',
      lattice: {
        ...{ count: [2, 2, 1], spacing: [2.5, 2.5, 2.5], origin: [5, 5, 3] },
        ...{ radius: { uniform: [0.8, 1] }, jitter: 0.05, seed: 3 },
      },
    },
    {
      material: 'glass',
      random: {
        ...{ count: 5, radius: { normal: { mean: 1, deviation: 0.1, min: 0.5, max: 1.5 } } },
        ...{ box: { min: [-20, -20, 1], max: [-10, -10, 9] }, seed: 2 },
      },
    },
    {
      material: 'glass',
      random: {
        ...{ count: 5, radius: { list: [[1, 2] as const, [0.7, 1] as const] }, seed: 2 },
        cylinder: { point: [30, 30, 2], axis: [0, 0, 1], radius: 5, height: 10 },
      },
    },
    {
      material: 'glass',
      ballistic: { count: 6, radius: 1, captureRadius: 2.5, box: { min: [-20, 10, 1], max: [-10, 20, 30] }, seed: 4 },
    },
  ],
};

/** Every wall and motion. */
const walls = {
  ...head,
  gravity: [0, 0, -9.81],
  solver: solver({ criterion: 'local', epsilon: 1e-3, delta: 1e-3, maxIterations: 50 }),
  grains: [{ material: 'glass', lattice: { count: [2, 2, 2], spacing: 2.1, origin: [-2, -2, 1.01], radius: 1 } }],
  walls: [
    {
      ...floor,
      motion: {
        ...{ velocity: [0, 0, 0.01], angularVelocity: [0, 0, 0.1], point: [0, 0, 0] },
        oscillation: { amplitude: [0, 0, 0.01], frequency: 10, phase: 0.3 },
      },
    },
    { ...lid(9), piston: { mass: 10, force: 100 } },
    {
      ...{ name: 'drum', material: 'steel', motion: { angularVelocity: [0, 0, 1] } },
      cylinder: { point: [0, 0, 0], axis: [0, 0, 1], radius: 5, side: 'inside' },
    },
    { name: 'ball', material: 'steel', sphere: { centre: [0, 0, 0], radius: 20, side: 'inside' } },
    {
      ...{ name: 'box', material: 'steel', motion: { velocity: [0.01, 0, 0] } },
      box: { min: [-9, -9, -9], max: [9, 9, 20], open: ['+z'] },
    },
    { name: 'disk', material: 'steel', plane: { point: [0, 0, -0.5], normal: [0, 0, 1], disk: 10 } },
    { name: 'ring', material: 'steel', plane: { point: [0, 0, -0.5], normal: [0, 0, 1], ring: [10, 20] } },
    { name: 'mesh', material: 'steel', mesh: { file: 'floor.obj', scale: 1 }, motion: { velocity: [0, 0, 0.02] } },
    { name: 'ramp', material: 'steel', mesh: { file: 'ramp.stl' } },
  ],
};

const periodic = {
  ...head,
  gravity: [0.1, 0, -9.81],
  solver: solver({ criterion: 'fixed', iterations: 10 }),
  periodic: { axes: 'xy', min: [0, 0, 0], max: [10, 10, 0] },
  grains: [
    {
      material: 'glass',
      random: { count: 12, radius: { uniform: [0.8, 1] }, box: { min: [0, 0, 1], max: [10, 10, 15] }, seed: 2 },
    },
  ],
  walls: [
    { ...floor, motion: { oscillation: { amplitude: [0.01, 0, 0.01], frequency: 10, phase: 0.3 } } },
    { ...lid(17), piston: { mass: 10, force: 100 } },
  ],
};

const planar = {
  ...head,
  dimension: 2,
  contacts: head.contacts.map((contact) => ({ ...contact, torsionFriction: 0 })),
  gravity: [0, -9.81, 0],
  solver: {
    ...solver({ criterion: 'global', epsilon: 1e-3, maxIterations: 20 }),
    ...{ sweep: 'random', order: 'random', momentum: 0 },
  },
  grains: [
    { material: 'glass', list: [{ position: [0, 1, 0], radius: 1, angularVelocity: [0, 0, 1], torque: [0, 0, 1] }] },
    { material: 'glass', random: { count: 10, radius: 1, box: { min: [-10, 2, 0], max: [10, 12, 0] }, seed: 2 } },
    { material: 'glass', lattice: { count: [3, 2, 1], spacing: 2.1, origin: [-2, 20, 0], radius: 1 } },
  ],
  walls: [
    { name: 'box', material: 'steel', box: { min: [-11, 0, 0], max: [11, 40, 0], open: ['+y'] } },
    {
      ...{ name: 'lid', material: 'steel', piston: { mass: 1, force: 3 } },
      plane: { point: [0, 39, 0], normal: [0, -1, 0] },
    },
    {
      ...{ name: 'drum', material: 'steel', motion: { angularVelocity: [0, 0, 1] } },
      cylinder: { point: [0, 10, 0], axis: [0, 0, 1], radius: 80, side: 'inside' },
    },
  ],
};

/** Every event, within the first steps. */
const events = {
  ...head,
  steps: 22,
  gravity: [0, 0, -9.81],
  solver: solver(residual),
  grains: [{ material: 'glass', list: [{ position: [0, 0, 1], radius: 1 }] }],
  walls: [floor, { name: 'bin', material: 'steel', box: { min: [-9, -9, -1], max: [9, 9, 60], open: ['+z'] } }, lid(70)],
  events: [
    {
      when: { step: 1 },
      pour: {
        ...{ material: 'glass', count: 5, radius: { uniform: [0.8, 1] }, velocity: [0, 0, -1], force: [0, 0, 0] },
        ...{ region: { box: { min: [-8, -8, 5], max: [8, 8, 15] } }, rate: 1000, seed: 3 },
      },
    },
    {
      when: { time: 0.002 },
      checkpoint: true,
      insert: [{ material: 'glass', list: [{ position: [0, 0, 20], radius: 1, velocity: [0, 0, -1] }] }],
      setGravity: [0, 0, -5],
    },
    { when: { step: 3 }, setPiston: { lid: { mass: 5, force: 20 } }, removeWalls: ['bin.+x'] },
    {
      when: { step: 4 },
      setMotion: {
        floor: {
          ...{ velocity: [0, 0, 0.1], angularVelocity: [0, 0, 0.1] },
          oscillation: { amplitude: [0, 0, 0.01], frequency: 3, phase: 0.1 },
        },
      },
      addWalls: [
        {
          ...{ name: 'gate', material: 'steel', motion: { velocity: [0.1, 0, 0] } },
          plane: { point: [10, 0, 0], normal: [-1, 0, 0] },
        },
      ],
    },
    { when: { time: 0.005 }, setMotion: { floor: null }, setPiston: { lid: { force: 10 } } },
    {
      when: { step: 6 },
      pour: {
        ...{ material: 'glass', count: 3, radius: 1, rate: 300 },
        region: { cylinder: { point: [0, 0, 30], axis: [0, 0, 1], radius: 5, height: 10 } },
      },
    },
    { when: { rest: 1e9 }, stop: true },
  ],
};

export const rightScenes = { grains, walls, periodic, planar, events } as unknown as Record<string, SceneInput>;

/** The files that these scenes name. */
export const rightFiles: Record<string, string> = {
  'grains.csv': 'x,y,z,radius,vx,vy,vz,wx,wy,wz\n20,0,5,1,0,0,0,0,0,0\n24,0,5,1,0.1,0,0,0,0,1\n',
  'grains.dump': [
    ...['ITEM: TIMESTEP', '10', 'ITEM: NUMBER OF ATOMS', '2', 'ITEM: BOX BOUNDS ff ff ff', '0 50', '0 50', '0 50'],
    ...['ITEM: ATOMS id x y z radius mass vx vy vz', '1 40 0 5 1 10472 0 0 0', '2 44 0 5 1 10472 0 0 -1', ''],
  ].join('\n'),
  'floor.obj': 'v -50 -50 -1\nv 50 -50 -1\nv 50 50 -1\nv -50 50 -1\nf 1 2 3 4\nf 1/1/1 2 -2\n',
  'ramp.stl': `solid ramp
facet normal 0 0 1
outer loop
vertex 20 0 0
vertex 30 0 5
vertex 20 10 0
endloop
endfacet
endsolid ramp
`,
};
