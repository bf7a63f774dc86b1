import { expect, test } from 'vitest';
import { parseScene } from '../../src/scene/schema';
import { expectFault, load, sceneWith } from '../support/scenes';

const withEvents = (events: unknown[], parts = {}) => sceneWith({ ...parts, events });
const lid = { name: 'lid', material: 'steel', plane: { point: [0, 0, 9], normal: [0, 0, -1] } };
const box = { name: 'box', material: 'steel', box: { min: [-9, -9, 0], max: [9, 9, 9] } };
const pour = { material: 'glass', count: 5, radius: 1, rate: 10, region: { box: { min: [-5, -5, 5], max: [5, 5, 9] } } };

test.each<[what: string, events: unknown[], path: string, message: RegExp, parts?: object]>([
  ['no time', [{ when: {}, stop: true }], 'events[0].when', /needs one of time, step, rest/],
  ['two times', [{ when: { step: 1, rest: 1 }, stop: true }], 'events[0].when', /step and rest at once/],
  ['a time before 0', [{ when: { time: -1 }, stop: true }], 'events[0].when.time', /at least 0/],
  ['nothing to do', [{ when: { step: 1 } }], 'events[0]', /does nothing/],
  ['nothing but what is undefined', [{ when: { step: 1 }, setGravity: undefined }], 'events[0]', /does nothing/],
  ['an unknown key', [{ when: { step: 1 }, removeWall: ['floor'] }], 'events[0].removeWall', /did you mean "removeWalls"/],
  [
    'a wall that is not there',
    [{ when: { step: 1 }, removeWalls: ['flor'] }],
    'events[0].removeWalls[0]',
    /did you mean "floor"/,
  ],
  [
    'a wall that has gone',
    [
      { when: { step: 1 }, removeWalls: ['box'] },
      { when: { step: 2 }, removeWalls: ['box.-x'] },
    ],
    'events[1].removeWalls[0]',
    /no wall is called "box.-x" at that time/,
    { walls: [box] },
  ],
  [
    'a name that is taken',
    [{ when: { step: 1 }, addWalls: [{ ...lid, name: 'floor' }] }],
    'events[0].addWalls[0].name',
    /walls\[0\]/,
  ],
  [
    'a wall of no material',
    [{ when: { step: 1 }, addWalls: [{ ...lid, material: 'wood' }] }],
    'events[0].addWalls[0].material',
    /"wood" is not in/,
  ],
  [
    'a time out of order',
    [
      { when: { step: 5 }, setGravity: [0, 0, 0] },
      { when: { time: 0.003 }, stop: true },
    ],
    'events[1].when.time',
    /before events\[0\] \(step 5\)/,
  ],
  [
    'an event after the end',
    [
      { when: { step: 1 }, stop: true },
      { when: { step: 2 }, removeWalls: ['floor'] },
    ],
    'events[1]',
    /never happens: events\[0\] stops/,
  ],
  [
    'rest without grains',
    [{ when: { rest: 1 }, pour }],
    'events[0].when.rest',
    /never happens: there are no grains/,
    { grains: [] },
  ],
  ['a pour without a rate', [{ when: { step: 1 }, pour: { ...pour, rate: 0 } }], 'events[0].pour.rate', /above 0/],
  [
    'a pour of a material without density',
    [{ when: { step: 1 }, pour: { ...pour, material: 'steel' } }],
    'materials.steel.density',
    /events\[0\].pour is made/,
  ],
  ['no region', [{ when: { step: 1 }, pour: { ...pour, region: {} } }], 'events[0].pour.region', /needs one of box, cylinder/],
  [
    'a piston that is none',
    [{ when: { step: 1 }, setPiston: { floor: { force: 1 } } }],
    'events[0].setPiston.floor',
    /is no piston yet: give mass/,
  ],
  [
    'a piston that cannot be',
    [{ when: { step: 1 }, setPiston: { 'box.-x': { mass: 1, force: 1 } } }],
    'events[0].setPiston["box.-x"]',
    /only a whole plane/,
    { walls: [box] },
  ],
  [
    'a piston made of a plate',
    [{ when: { step: 1 }, setPiston: { lid: { mass: 1, force: 1 } } }],
    'events[0].setPiston.lid',
    /only a whole plane/,
    { walls: [{ ...lid, plane: { ...lid.plane, disk: 3 } }] },
  ],
  [
    'a motion of a wall that is not there',
    [{ when: { step: 1 }, setMotion: { flor: { velocity: [0, 0, 1] } } }],
    'events[0].setMotion.flor',
    /did you mean "floor"/,
  ],
  [
    'a motion of a piston',
    [{ when: { step: 1 }, setMotion: { lid: null } }],
    'events[0].setMotion.lid',
    /is a piston/,
    { walls: [{ ...lid, piston: { mass: 1, force: 1 } }] },
  ],
  [
    'a box that turns about no point',
    [{ when: { step: 1 }, setMotion: { box: { angularVelocity: [0, 0, 1] } } }],
    'events[0].setMotion.box.point',
    /is missing/,
    { walls: [box] },
  ],
  [
    'a piston made of a wall that an event moves',
    [
      { when: { step: 1 }, setMotion: { floor: { velocity: [0, 0, 1] } } },
      { when: { step: 2 }, setPiston: { floor: { mass: 1, force: 1 } } },
    ],
    'events[1].setPiston.floor',
    /does not move by itself/,
  ],
  ['a motion that is none', [{ when: { step: 1 }, setMotion: { floor: 'up' } }], 'events[0].setMotion.floor', /expected/],
  ['motions of no wall', [{ when: { step: 1 }, setMotion: {} }], 'events[0].setMotion', /does nothing/],
  ['pistons of no wall', [{ when: { step: 1 }, setPiston: {} }], 'events[0].setPiston', /does nothing/],
  [
    'a change of a piston that changes nothing',
    [{ when: { step: 1 }, setPiston: { lid: {} } }],
    'events[0].setPiston.lid',
    /does nothing/,
    { walls: [{ ...lid, piston: { mass: 1, force: 1 } }] },
  ],
  [
    'an unknown part of a motion',
    [{ when: { step: 1 }, setMotion: { floor: { speed: 1 } } }],
    'events[0].setMotion.floor.speed',
    /is not a known key/,
  ],
])('refuses %s', (_, events, path, message, parts) => expectFault(() => parseScene(withEvents(events, parts)), path, message));

test('refuses grains that would be put beyond a wall that is there then', () =>
  expectFault(
    () => load(withEvents([{ when: { step: 1 }, insert: [{ material: 'glass', list: [{ position: [0, 0, -3], radius: 1 }] }] }])),
    'events[0].insert[0].list[0]',
    /beyond wall "floor".*never find room/,
  ));

test.each<[what: string, events: unknown[], path: string, message: RegExp, parts?: object]>([
  [
    'a plate that would jump over grains',
    [{ when: { step: 1 }, setMotion: { plate: { velocity: [0, 0, 1e5] } } }],
    'events[0].setMotion.plate.velocity',
    /could jump over grains/,
    { walls: [{ name: 'plate', material: 'steel', plane: { point: [0, 0, 0], normal: [0, 0, 1], disk: 3 } }] },
  ],
  [
    'a wall that comes and turns too far in a step',
    [{ when: { step: 1 }, addWalls: [{ ...lid, motion: { angularVelocity: [0, 0, 2000] } }] }],
    'events[0].addWalls[0].motion.angularVelocity',
    /2\.00 rad in a step/,
  ],
  [
    'a box of which a face swings too fast',
    [{ when: { step: 1 }, setMotion: { 'box.-x': { oscillation: { amplitude: [1, 0, 0], frequency: 300 } } } }],
    'events[0].setMotion["box.-x"].oscillation',
    /0\.300 of an oscillation/,
    { walls: [box] },
  ],
  [
    'a point of turning that is too far',
    [{ when: { step: 1 }, setMotion: { floor: { point: [1e13, 0, 0] } } }],
    'events[0].setMotion.floor.point',
    /far|diameters/,
  ],
  [
    'a region narrower than a grain that is poured into it',
    [
      {
        when: { step: 1 },
        pour: {
          ...{ material: 'glass', count: 9, radius: { uniform: [0.1, 0.5] }, rate: 1 },
          region: { box: { min: [0, 0, 5], max: [0.6, 9, 9] } },
        },
      },
    ],
    'events[0].pour.region',
    /no room for a grain of radius 0\.[34]\d+: make it wider/,
  ],
  [
    'turning across periodic axes',
    [{ when: { step: 1 }, setMotion: { floor: { angularVelocity: [0, 0, 1] } } }],
    'events[0].setMotion.floor.angularVelocity',
    /differ from image to image/,
    { periodic: { axes: 'xy', min: [-9, -9, 0], max: [9, 9, 9] } },
  ],
])('refuses %s', (_, events, path, message, parts) => expectFault(() => load(withEvents(events, parts)), path, message));

test('a time is the first step at or after it; units reckon with all grains that will be', async () => {
  const events = [
    { when: { time: 0.003 }, setGravity: [0, 0, 0] },
    { when: { time: 0.0041 }, pour },
    { when: { step: 99 }, stop: true },
  ];
  const problem = await load(withEvents(events, { grains: [] }));
  expect(problem.events?.map(({ when }) => when)).toEqual([{ step: 3 }, { step: 5 }, { step: 99 }]);
  expect(problem.warnings.at(-1)).toMatch(/events\[2\] comes at step 99, after the last \(10\)/);
  expect(problem.grains.count).toBe(0);
  expect(problem.events?.[1].pour?.grains.masses[0]).toBeCloseTo((4 / 3) * Math.PI * 2500, 6);
});

test('grains of events are groups after those of the scene', async () => {
  const insert = [-3, 3].map((x) => ({ material: 'glass', list: [{ position: [x, 0, 20], radius: 1 }] }));
  const { grains, events } = await load(
    withEvents([
      { when: { step: 1 }, insert },
      { when: { step: 2 }, pour },
    ]),
  );
  expect([...grains.groups]).toEqual(new Array(grains.count).fill(0));
  expect([...events![0].insert!.groups]).toEqual([1, 2]);
  expect([...events![1].pour!.grains.groups]).toEqual([3, 3, 3, 3, 3]);
});

test('an event tells which motion a wall gets, which piston it becomes, and figures with four digits', async () => {
  const turn = { angularVelocity: [0, 0, 1 / 3], oscillation: { amplitude: [0, 0, 0.25], frequency: 2 } };
  const { events } = await load(
    withEvents(
      [
        { when: { step: 1 }, setMotion: { lid: turn }, setGravity: [0.04280406408336387, 0, -9.809906615870405] },
        { when: { step: 2 }, setMotion: { lid: null } },
        { when: { step: 3 }, setPiston: { lid: { mass: 2, force: -0.5 } } },
      ],
      { walls: [lid] },
    ),
  );
  expect(events!.map(({ text }) => text)).toEqual([
    'setMotion lid angularVelocity 0 0 0.3333 amplitude 0 0 0.25 frequency 2; setGravity 0.0428 0 -9.81',
    'setMotion lid stops',
    'setPiston lid mass 2 force -0.5',
  ]);
});
