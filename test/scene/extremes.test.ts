import { describe, expect, test } from 'vitest';
import { at, expectFault, listed, load, sceneWith } from '../support/scenes';

describe('what would leave the range of numbers', () => {
  const wall = (shape: object) => ({ walls: [{ name: 'w', material: 'steel', ...shape }] });
  const plane = (...point: number[]) => wall({ plane: { point, normal: [0, 0, 1] } });
  const pipe = (point: number[], radius: number) => wall({ cylinder: { point, axis: [0, 0, 1], radius, side: 'inside' } });
  const box = (max: number) => wall({ box: { min: [-9, -9, 0], max: [9, 9, max] } });
  const moving = (parts: object) => listed(at(0, 0, 2), at(5, 0, 2, parts));
  const materials = { glass: { density: 1 }, steel: {}, air: { density: 1e-40 } };
  const air = [...listed(at(5, 0, 2)).grains, { material: 'air', list: [at(0, 0, 2)] }];
  const piston = (parts: object) =>
    wall({ plane: { point: [0, 0, 9], normal: [0, 0, -1] }, piston: { mass: 1, force: 1, ...parts } });
  const pushed = (change: object) => ({ ...piston({}), events: [{ when: { step: 1 }, setPiston: { w: change } }] });
  const later = (event: object) => ({ events: [{ when: { step: 1 }, ...event }] });
  const pouring = (top: number) => ({
    ...{ material: 'glass', count: 1, radius: 1, rate: 1 },
    region: { box: { min: [0, 0, 5], max: [9, 9, top] } },
  });
  const far = { material: 'glass', list: [at(0, 0, 1e9)] };
  const tiny = listed(at(0, 0, 2, { radius: 1e-3 }));
  const bonded = (cohesion: object) => ({ contacts: [{ between: ['glass', 'glass'], cohesion }] });
  const all = (density: number) => ({ materials: { glass: { density }, steel: {} } });

  test.each<[string, object, string, RegExp, object?]>([
    ['a plane without end', plane(1e308, 0, 0), 'walls[0].plane.point', /10\^9 diameters.*leave it out/],
    ['a plane far away', plane(0, 0, -2.1e9), 'walls[0].plane.point', /2\.10e\+9 is more/],
    ['a cylinder far away', pipe([0, 1e200, 0], 3), 'walls[0].cylinder.point', /10\^9 diameters/],
    ['a cylinder too wide', pipe([0, 0, 0], 1e200), 'walls[0].cylinder.radius', /10\^9 diameters/],
    ['a box too high', box(1e30), 'walls[0].box.max', /10\^9 diameters/],
    ['a grain far larger than another', listed(at(0, 0, 2), at(0, 0, 1e12, { radius: 9e11 })), 'grains', /radii from 1/],
    ['a step whose square is 0', { timeStep: 1e-200 }, 'timeStep', /leaves the range of numbers/],
    ['a step too long', { timeStep: 1e150 }, 'timeStep', /leaves the range of numbers/],
    ['a density too small', all(1e-300), 'materials', /leaves the range of numbers/],
    ['a density too large', all(1e300), 'materials', /leaves the range of numbers/],
    ['a gravity', { gravity: [0, 0, -1e308] }, 'gravity', /in one step by .* shorter timeStep/],
    ['a velocity', moving({ velocity: [0, 1e200, 0] }), 'grains[0].list[1]', /its velocity moves/],
    ['an angular velocity', moving({ angularVelocity: [0, 1e200, 0] }), 'grains[0].list[1]', /its angular velocity/],
    ['a force', moving({ force: [0, 0, -1e300] }), 'grains[0].list[1]', /its force/],
    ['a torque', moving({ torque: [1e308, 0, 0] }), 'grains[0].list[1]', /its torque/],
    ['a grain far lighter than another', { materials, grains: air }, 'grains[1].list[0]', /less than 10\^-30 of the mean/],
    ['a friction', { contacts: [{ between: ['glass', 'glass'], friction: 1e10 }] }, 'contacts[0].friction', /at most 1000000000/],
    ['a piston that is pushed', piston({ force: -1e300 }), 'walls[0].piston.force', /it moves the piston .* shorter timeStep/],
    ['a piston next to nothing', piston({ mass: 1e-300 }), 'walls[0].piston.mass', /10\^-30/],
    ['a piston beyond all grains', piston({ mass: 1e300 }), 'walls[0].piston.mass', /10\^30/],
    ['a push in an event', pushed({ force: 1e300 }), 'events[0].setPiston.w.force', /it moves the piston/],
    ['a gravity in an event', later({ setGravity: [0, 1e300, 0] }), 'events[0].setGravity', /in one step by/],
    ['a pour far away', later({ pour: pouring(1e300) }), 'events[0].pour.region', /10\^9 diameters/],
    [
      'grains that come far from smaller ones',
      later({ insert: [far] }),
      'events[0].insert[0].list[0]',
      /10\^9 diameters of the smallest/,
      tiny,
    ],
    ['a cohesion that pulls', bonded({ force: 1e300, range: 0.1 }), 'contacts[0].cohesion.force', /shorter timeStep/],
    ['a cohesion that reaches', bonded({ force: 1, range: 3 }), 'contacts[0].cohesion.range', /mean grain diameter, 2\.00/],
  ])('is refused: %s', (_, parts, path, message, more = {}) =>
    expectFault(() => load(sceneWith({ ...parts, ...more })), path, message),
  );

  test('what is merely large or small is not', async () => {
    const parts = { ...plane(0, 0, -1.9e9), gravity: [0, 0, -1e3], timeStep: 1e-30 };
    expect((await load(sceneWith(parts))).walls).toHaveLength(1);
    const fixed = moving({ velocity: [0, 1e200, 0], fixed: true });
    expect((await load(sceneWith(fixed))).grains.count).toBe(2);
  });
});
