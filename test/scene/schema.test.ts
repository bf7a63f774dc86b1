import { expect, test } from 'vitest';
import { parseScene } from '../../src/scene/schema';
import { expectFault, faultsOf, sceneWith } from '../support/scenes';

const grains = (group: object) => ({ grains: [{ material: 'glass', ...group }] });
const listed = (entry: object) => grains({ list: [{ position: [0, 0, 2], radius: 1, ...entry }] });
const wall = (parts: object) => ({ walls: [{ name: 'floor', material: 'steel', ...parts }] });
const plane = (parts: object) => wall({ plane: { point: [0, 0, 0], normal: [0, 0, 1], ...parts } });
const box = (parts: object) => wall({ box: { min: [0, 0, 0], max: [1, 1, 1], ...parts } });
const random = (parts: object) =>
  grains({ random: { count: 3, radius: 0.1, box: { min: [0, 0, 0], max: [1, 1, 1] }, ...parts } });
const law = (parts: object) => ({ contacts: [{ between: ['glass', 'glass'], ...parts }] });
const floor = { name: 'floor', material: 'steel', plane: { point: [0, 0, 0], normal: [0, 0, 1] } };

const refused: [string, object, string, RegExp][] = [
  ['another format', { format: 'contact-dynamics/2' }, 'format', /expected "contact-dynamics\/1"/],
  ['no format', { format: undefined }, 'format', /is missing/],
  ['an unknown key', { gravty: [0, 0, 1] }, 'gravty', /not a known key \(did you mean "gravity"\?\)/],
  ['an unknown key inside', listed({ raduis: 2 }), 'grains[0].list[0].raduis', /did you mean "radius"/],
  ['a text for a number', { timeStep: '1e-3' }, 'timeStep', /expected a finite number, got "1e-3"/],
  ['a time step of zero', { timeStep: 0 }, 'timeStep', /above 0/],
  ['no time step', { timeStep: undefined }, 'timeStep', /is missing/],
  ['a fraction for steps', { steps: 1.5 }, 'steps', /expected a whole number, got 1.5/],
  ['steps beyond 32 bits', { steps: 2 ** 32 }, 'steps', /at most 4294967295/],
  ['no steps', { steps: 0 }, 'steps', /at least 1/],
  ['NaN', listed({ position: [0, Number.NaN, 2] }), 'grains[0].list[0].position[1]', /finite number, got NaN/],
  ['infinity', listed({ radius: Number.POSITIVE_INFINITY }), 'grains[0].list[0].radius', /finite number, got Infinity/],
  ['a vector of two', { gravity: [0, 1] }, 'gravity', /at least 3 entries, got 2/],
  ['a vector of four', { gravity: [0, 1, 2, 3] }, 'gravity', /at most 3 entries, got 4/],
  ['a radius of zero', listed({ radius: 0 }), 'grains[0].list[0].radius', /above 0, got 0/],
  ['a negative radius', listed({ radius: -1 }), 'grains[0].list[0].radius', /above 0, got -1/],
  ['no radius', listed({ radius: undefined }), 'grains[0].list[0].radius', /is missing/],
  ['a negative density', { materials: { glass: { density: -1 }, steel: {} } }, 'materials.glass.density', /above 0/],
  ['no density', { materials: { glass: {}, steel: {} } }, 'materials.glass.density', /missing: grains\[0\] is made of/],
  ['an unknown material of grains', { grains: [{ material: 'glas', list: [] }] }, 'grains[0].material', /did you mean "glass"/],
  ['an unknown material of a wall', wall({ material: 'wood' }), 'walls[0].material', /"glass" or "steel"/],
  ['an unknown material of a law', law({ between: ['glass', 'ice'] }), 'contacts[0].between[1]', /"ice" is not in "materials"/],
  ['a pair twice', { contacts: [law({}).contacts[0], law({}).contacts[0]] }, 'contacts[1].between', /contacts\[0\] again/],
  [
    'a pair twice, turned round',
    { contacts: [{ between: ['glass', 'steel'] }, { between: ['steel', 'glass'] }] },
    'contacts[1].between',
    /again; keep one/,
  ],
  ['a negative friction', law({ friction: -0.1 }), 'contacts[0].friction', /at least 0/],
  ['an infinite friction', law({ friction: Infinity }), 'contacts[0].friction', /expected a number from 0/],
  ['friction as a text', law({ friction: 'high' }), 'contacts[0].friction', /"static": mu_s/],
  [
    'a negative dynamic friction',
    law({ friction: { static: 0.5, dynamic: -0.1 } }),
    'contacts[0].friction.dynamic',
    /at least 0/,
  ],
  [
    'more friction in motion than at rest',
    law({ friction: { static: 0.4, dynamic: 0.5 } }),
    'contacts[0].friction.dynamic',
    /must not exceed "static"/,
  ],
  ['static friction alone', law({ friction: { static: 0.4 } }), 'contacts[0].friction.dynamic', /is missing/],
  ['a restitution above 1', law({ restitution: 1.1 }), 'contacts[0].restitution', /at most 1/],
  ['a negative restitution', law({ restitution: -0.1 }), 'contacts[0].restitution', /at least 0/],
  ['a restitution in words', law({ restitution: 'high' }), 'contacts[0].restitution', /from 0 to 1/],
  [
    'a tangential restitution above 1',
    law({ restitution: { normal: 0.5, tangential: 2 } }),
    'contacts[0].restitution.tangential',
    /at most 1/,
  ],
  ['a tangential restitution alone', law({ restitution: { tangential: 0.2 } }), 'contacts[0].restitution.normal', /is missing/],
  ['cohesion without range', law({ cohesion: { force: 1 } }), 'contacts[0].cohesion.range', /is missing/],
  ['cohesion of no range', law({ cohesion: { force: 1, range: 0 } }), 'contacts[0].cohesion.range', /above 0/],
  ['a negative cohesion', law({ cohesion: { force: -1, range: 1 } }), 'contacts[0].cohesion.force', /at least 0/],
  ['cohesion as a number', law({ cohesion: 3 }), 'contacts[0].cohesion', /expected an object/],
  ['a negative rolling friction', law({ rollingFriction: -1 }), 'contacts[0].rollingFriction', /at least 0/],
  ['a rolling friction without end', law({ rollingFriction: 1e10 }), 'contacts[0].rollingFriction', /at most 1000000000/],
  ['a torsion friction that is none', law({ torsionFriction: NaN }), 'contacts[0].torsionFriction', /finite number/],
  ['a mesh without a file', wall({ mesh: {} }), 'walls[0].mesh.file', /is missing/],
  ['a mesh from a file of another kind', wall({ mesh: { file: 'a.ply' } }), 'walls[0].mesh.file', /ends in .stl or .obj/],
  ['a mesh of scale 0', wall({ mesh: { file: 'a.stl', scale: 0 } }), 'walls[0].mesh.scale', /above 0/],
  ['a piston without mass', { walls: [{ ...floor, piston: { force: 1 } }] }, 'walls[0].piston.mass', /is missing/],
  ['a piston of mass 0', { walls: [{ ...floor, piston: { mass: 0, force: 1 } }] }, 'walls[0].piston.mass', /above 0, got 0/],
  ['a piston of negative mass', { walls: [{ ...floor, piston: { mass: -1, force: 1 } }] }, 'walls[0].piston.mass', /above 0/],
  ['a piston without force', { walls: [{ ...floor, piston: { mass: 1 } }] }, 'walls[0].piston.force', /is missing/],
  [
    'a vector for the force of a piston',
    { walls: [{ ...floor, piston: { mass: 1, force: [0, 0, 1] } }] },
    'walls[0].piston.force',
    /expected a finite number/,
  ],
  [
    'a cylinder as a piston',
    {
      ...wall({ cylinder: { point: [0, 0, 0], axis: [0, 0, 1], radius: 9, side: 'inside' }, piston: { mass: 1, force: 1 } }),
    },
    'walls[0].piston',
    /only a plane can be a piston, not a cylinder/,
  ],
  [
    'the faces of a box as pistons',
    wall({ box: { min: [0, 0, 0], max: [9, 9, 9] }, piston: { mass: 1, force: 1 } }),
    'walls[0].piston',
    /faces of a box cannot be pistons/,
  ],
  [
    'a piston with a motion of its own',
    { walls: [{ ...floor, piston: { mass: 1, force: 1 }, motion: { velocity: [0, 0, 1] } }] },
    'walls[0]',
    /motion and piston at once/,
  ],
  ['no grains', { grains: [] }, 'grains', /no event inserts or pours grains/],
  ['an empty list', grains({ list: [] }), 'grains[0].list', /at least 1 entries/],
  ['a group from nothing', grains({}), 'grains[0]', /needs one of file, list, lattice, random/],
  [
    'a group from two things',
    grains({ file: 'a.dump', list: [{ position: [0, 0, 0], radius: 1 }] }),
    'grains[0]',
    /file and list/,
  ],
  ['a wall twice by one name', { walls: [floor, floor] }, 'walls[1].name', /walls\[0\] is called "floor" too/],
  [
    'a wall named as the face of a box',
    {
      walls: [
        { ...floor, name: 'b.+x' },
        { name: 'b', material: 'steel', box: { min: [0, 0, 0], max: [9, 9, 9] } },
      ],
    },
    'walls[1].name',
    /called "b\.\+x" too/,
  ],
  ['a wall without a name', { walls: [{ ...floor, name: '' }] }, 'walls[0].name', /must not be empty/],
  ['a wall without a shape', wall({}), 'walls[0]', /needs one of plane, cylinder, sphere, box/],
  ['a zero normal', plane({ normal: [0, 0, 0] }), 'walls[0].plane.normal', /must not be zero/],
  [
    'a zero axis',
    wall({ cylinder: { point: [0, 0, 0], axis: [0, 0, 0], radius: 5, side: 'inside' } }),
    'walls[0].cylinder.axis',
    /must not be zero/,
  ],
  [
    'a cylinder without a side',
    wall({ cylinder: { point: [0, 0, 0], axis: [0, 0, 1], radius: 5 } }),
    'walls[0].cylinder.side',
    /is missing: expected "inside" or "outside"/,
  ],
  [
    'a sphere without a side',
    wall({ sphere: { centre: [0, 0, 0], radius: 5 } }),
    'walls[0].sphere.side',
    /is missing: expected "inside" or "outside"/,
  ],
  ['a disk of radius 0', plane({ disk: 0 }), 'walls[0].plane.disk', /above 0/],
  ['a ring inside out', plane({ ring: [2, 2] }), 'walls[0].plane.ring', /the inner radius first/],
  ['a ring without a hole', plane({ ring: [0, 2] }), 'walls[0].plane.ring[0]', /above 0/],
  ['a disk and a ring', plane({ disk: 1, ring: [1, 2] }), 'walls[0].plane', /disk and ring at once/],
  [
    'a phase without digits for an oscillation',
    { walls: [{ ...floor, motion: { oscillation: { amplitude: [0, 0, 1], frequency: 1, phase: 1e15 } } }] },
    'walls[0].motion.oscillation.phase',
    /at most 1000000/,
  ],
  [
    'a negative frequency',
    { walls: [{ ...floor, motion: { oscillation: { amplitude: [0, 0, 1], frequency: -1 } } }] },
    'walls[0].motion.oscillation.frequency',
    /at least 0/,
  ],
  [
    'a velocity of two components',
    { walls: [{ ...floor, motion: { velocity: [0, 1] } }] },
    'walls[0].motion.velocity',
    /3 entries/,
  ],
  ['an unknown key of a motion', { walls: [{ ...floor, motion: { speed: 1 } }] }, 'walls[0].motion.speed', /not a known key/],
  ['a motion and a piston', { walls: [{ ...floor, motion: {}, piston: {} }] }, 'walls[0]', /motion and piston at once/],
  ['a box inside out', box({ max: [1, -1, 1] }), 'walls[0].box.max', /must exceed "min"/],
  ['a box without faces', box({ open: ['-x', '+x', '-y', '+y', '-z', '+z'] }), 'walls[0].box.open', /at most 5/],
  ['a fill of no region', random({ box: undefined }), 'grains[0].random', /needs one of box, cylinder/],
  ['a fill of too many', random({ count: 2 ** 24 + 1 }), 'grains[0].random.count', /at most 16777216/],
  ['radii of no kind', random({ radius: {} }), 'grains[0].random.radius', /needs one of uniform, normal, list/],
  ['radii as a text', random({ radius: 'big' }), 'grains[0].random.radius', /"uniform": \[a, b\]/],
  ['radii the wrong way round', random({ radius: { uniform: [2, 1] } }), 'grains[0].random.radius.uniform', /smallest, largest/],
  [
    'a mean outside its bounds',
    random({ radius: { normal: { mean: 3, deviation: 1, min: 1, max: 2 } } }),
    'grains[0].random.radius.normal.mean',
    /between "min" and "max"/,
  ],
  ['an unknown sweep', { solver: { sweep: 'red-black' } }, 'solver.sweep', /"coloured" or "random"/],
  ['a momentum of one', { solver: { momentum: 1 } }, 'solver.momentum', /at most 0.95/],
  [
    'an unknown criterion',
    { solver: { convergence: { criterion: 'fast' } } },
    'solver.convergence.criterion',
    /"fixed", "local"/,
  ],
  [
    'the figure of another criterion',
    { solver: { convergence: { criterion: 'fixed', iterations: 5, tolerance: 1 } } },
    'solver.convergence.tolerance',
    /not a known key/,
  ],
  ['a coarse level that there is not', { solver: { coarse: 'fine' } }, 'solver.coarse', /"auto", "on" or "off"/],
  ['a balance of 0', { solver: { convergence: { criterion: 'residual', balance: 0 } } }, 'solver.convergence.balance', /above 0/],
  ['a file of unknown kind', grains({ file: 'grains.txt' }), 'grains[0].file', /ends in \.dump, .*\.lammpstrj, .*\.vtp/],
];

test.each(refused)('refuses %s', (_, parts, path, message) => expectFault(() => parseScene(sceneWith(parts)), path, message));

test('lists every fault at once, of single values and between parts', async () => {
  const faults = await faultsOf(() =>
    parseScene(
      sceneWith({ steps: 1.5, ...listed({ radius: -1, colour: 'red' }), walls: [floor, { ...floor, material: 'wood' }] }),
    ),
  );
  expect(faults.map(({ path }) => path).sort()).toEqual([
    'grains[0].list[0].colour',
    'grains[0].list[0].radius',
    'steps',
    'walls[1].material',
    'walls[1].name',
  ]);
});

test.each([null, [], 'scene', 3])('refuses %j as a scene', (json) =>
  expectFault(() => parseScene(json), '', /expected an object/),
);

test('a number far out of range is one fault, with the bound that counts', async () => {
  const faultsFor = (steps: number) => faultsOf(() => parseScene(sceneWith({ steps })));
  expect(await faultsFor(1e300)).toEqual([{ path: 'steps', message: 'must be at most 4294967295, got 1e+300' }]);
  expect(await faultsFor(-1e300)).toEqual([{ path: 'steps', message: 'must be at least 1, got -1e+300' }]);
});

test('fills in the defaults, and takes what it filled in', () => {
  const scene = parseScene(sceneWith({ contacts: [{ between: ['glass', 'glass'] }] }));
  expect(scene).toMatchObject({
    title: '',
    dimension: 3,
    gravity: [0, 0, 0],
    contacts: [{ friction: 0 }],
    grains: [{ list: [{ angularVelocity: [0, 0, 0], torque: [0, 0, 0], fixed: false }] }],
    output: { every: 0, frames: 'vtp', contacts: false },
  });
  expect(scene.solver).toEqual({
    sweep: 'coloured',
    order: 'fixed',
    momentum: 0.9,
    coarse: 'auto',
    convergence: { criterion: 'residual', tolerance: 1e-3, balance: 5e-2, maxIterations: 1000 },
    warmStart: true,
    seed: 1,
  });
  expect(parseScene(JSON.parse(JSON.stringify(scene)))).toEqual(scene);
});

test('takes values that mean what the program does anyway', () => {
  const parts = { dimension: 3, ...law({ restitution: 0, rollingFriction: 0, torsionFriction: 0 }), solver: { coarse: 'off' } };
  expect(() => parseScene(sceneWith(parts))).not.toThrow();
});

test('materials may be called anything but what objects have for themselves', async () => {
  const scene = sceneWith({
    materials: JSON.parse('{"__proto__": {"density": 1}, "constructor": {"density": 1}, "fine sand": {"density": -1}}'),
    contacts: [],
    grains: [{ material: 'constructor', list: [{ position: [0, 0, 2], radius: 1 }] }],
    walls: [{ ...floor, material: 'toString' }],
  });
  const faults = await faultsOf(() => parseScene(scene));
  expect(faults.map(({ path }) => path)).toEqual(['materials["fine sand"].density', 'materials.__proto__', 'walls[0].material']);
});

test('more faults in a list than the library of schemas can take are faults all the same', async () => {
  const right = { position: [0, 0, 2], radius: 1 };
  const wrong = { position: [0, 0, 2], radius: '1' };
  const many = (first: object) => {
    const list = [...Array(1000).fill(first), ...Array(200_000).fill(wrong)];
    return faultsOf(() => parseScene(sceneWith(grains({ list }))));
  };
  const cut = /too many faults to tell: of each list the first 1000 entries/;
  const told = await many(wrong);
  expect(told[0]).toMatchObject({ path: 'grains[0].list[0].radius', message: expect.stringMatching(/a finite number, got "1"/) });
  expect(told.map(({ message }) => message)).toContainEqual(expect.stringMatching(cut));
  expect(await many(right)).toMatchObject([{ path: '', message: expect.stringMatching(cut) }]);
});
