import { describe, expect, test } from 'vitest';
import { createSimulation, EventError } from '../src/index';
import { backends, simulate } from './support/backends';
import { floor, heights, marked, open, scene, sphere } from './support/eventScenes';
import { expectFault } from './support/scenes';

describe.each(backends)('events on %s', (backend) => {
  test('a wall that goes lets go what leaned on it, exactly at its step; gravity turns at a time; a stop ends the run', async () => {
    const shelf = { name: 'shelf', material: 'steel', plane: { point: [0, 0, 3], normal: [0, 0, 1] } };
    const simulation = await open(
      {
        walls: [floor, shelf],
        grains: [sphere([0, 0, 3.5])],
        events: [
          { when: { step: 7 }, removeWalls: ['shelf'] },
          { when: { time: 0.6 }, setGravity: [0.5, 0, 0] },
          { when: { step: 20 }, stop: true },
        ],
      },
      backend,
    );
    const reports = await simulation.step(100);
    expect(reports).toHaveLength(20);
    expect(simulation.stopped).toBe(true);
    expect(marked(reports)).toEqual([
      [7, 'removeWalls shelf'],
      [12, 'setGravity 0.5 0 0'],
      [20, 'stop'],
    ]);
    expect(simulation.events.map(({ event, step, time }) => [event, step, time])).toEqual([
      [0, 7, 0.35],
      [1, 12, 0.6],
      [2, 20, 1],
    ]);
    // Rests for 7 steps, falls for 5, then goes on at that speed, pulled along x for 8: v = n g dt, x = n (n + 1) / 2 g dt^2.
    expect(reports[6].kineticEnergy).toBeLessThan(1e-9);
    expect(reports[7].contacts).toBe(0);
    const { positions, velocities } = await simulation.read();
    expect(velocities[2]).toBeCloseTo(-5 * 0.05, 5);
    expect(velocities[0]).toBeCloseTo(8 * 0.05 * 0.5, 5);
    expect(positions[2]).toBeCloseTo(3.5 - (15 + 8 * 5) * 0.05 ** 2, 5);
    expect(positions[0]).toBeCloseTo(36 * 0.5 * 0.05 ** 2, 5);
    expect(simulation.problem.walls.map(({ name }) => name)).toEqual(['floor']);
    expect(await simulation.step(3)).toEqual([]);
  });

  test('a face of a box goes, and the load of the others is where it belongs', async () => {
    const box = { name: 'box', material: 'steel', box: { min: [-2, -2, 0], max: [2, 2, 4], open: ['+z'] } };
    const events = [
      {
        when: { step: 3 },
        removeWalls: ['box.-x'],
        addWalls: [{ ...floor, name: 'far', plane: { point: [-9, 0, 0], normal: [1, 0, 0] } }],
      },
    ];
    const simulation = await open(
      { walls: [box], gravity: [-1, 0, -1], contacts: [], grains: [sphere([-1.5, 0, 0.5])], events },
      backend,
    );
    const weight = 2500 * (Math.PI / 6);
    const reports = await simulation.step(5);
    const load = (k: number, name: string, axis: number) => {
      const walls =
        k < 3 ? ['box.-x', 'box.+x', 'box.-y', 'box.+y', 'box.-z'] : simulation.problem.walls.map((wall) => wall.name);
      return reports[k].wallLoads[6 * walls.indexOf(name) + axis] / weight;
    };
    expect(load(2, 'box.-x', 0)).toBeCloseTo(-1, 3);
    expect(simulation.problem.walls.map(({ name }) => name)).toEqual(['box.+x', 'box.-y', 'box.+y', 'box.-z', 'far']);
    expect(load(4, 'box.-z', 2)).toBeCloseTo(-1, 3);
    expect((await simulation.read()).velocities[0]).toBeLessThan(-0.02);
  });

  test('behind a rest that came later than their times events come at once, with one warning', async () => {
    const simulation = await open(
      {
        timeStep: 0.005,
        grains: [sphere([0, 0, 0.5])],
        events: [
          { when: { rest: 1e-3 }, checkpoint: true },
          { when: { time: 0.01 }, setGravity: [0, 0, -2] },
          { when: { step: 3 }, setGravity: [0, 0, -3] },
          { when: { step: 900 }, stop: true },
        ],
        steps: 1000,
      },
      backend,
    );
    const reports = await simulation.step(30);
    const [[rest, text]] = marked(reports);
    expect(text).toBe('checkpoint; setGravity 0 0 -2; setGravity 0 0 -3');
    expect(simulation.warnings).toEqual([
      `events[1] to events[2] come after step ${rest}, behind the time or step asked for, which counts from the start of the run: events[0] came so late`,
    ]);
    simulation.dispose();
  });

  test('at rest: not before the grains lie still for 20 steps, and not while they are let go', async () => {
    const simulation = await open(
      { timeStep: 0.005, grains: [sphere([0, 0, 0.55])], events: [{ when: { rest: 1e-3 }, stop: true }], steps: 1000 },
      backend,
    );
    const reports = await simulation.step(1000);
    // Falls 0.05 in sqrt(0.1) = 0.316: 63 steps, of which the first 8 have an energy below 1e-3.
    const landed = reports.findIndex(({ contacts }) => contacts > 0) + 1;
    expect(landed).toBeGreaterThan(55);
    expect(reports.length).toBeGreaterThanOrEqual(landed + 19);
    expect(reports.length).toBeLessThanOrEqual(landed + 22);
    expect(marked(reports)).toEqual([[reports.length, 'stop']]);
  });

  test('grains are put in where there is room, and wait where there is none', async () => {
    const insert = [{ material: 'glass', list: [sphere([0, 0, 2.2]).list[0], sphere([3, 0, 2]).list[0]] }];
    const simulation = await open({ grains: [sphere([0, 0, 2])], events: [{ when: { step: 5 }, insert }] }, backend);
    const reports = await simulation.step(12);
    expect(simulation.problem.grains.count).toBe(2);
    expect(simulation.unfinished).toEqual(['events[0].insert: 1 of 2 grains have not come in yet']);
    // The first grain must be below 1.2: it has fallen 0.8 after 1.265, 26 steps; tries are made at multiples of 10.
    reports.push(...(await simulation.step(18)));
    expect(simulation.problem.grains.count).toBe(3);
    expect(simulation.events.map(({ step, text }) => [step, text])).toEqual([
      [5, 'insert 2 grains'],
      [30, 'the last of 2 grains is in'],
    ]);
    expect(Math.max(...reports.map(({ maxPenetration }) => maxPenetration))).toBeLessThan(1e-6);
    const [first, second, third] = await heights(simulation);
    expect(third).toBeCloseTo(2.2, 6);
    expect(first).toBeLessThan(1.2);
    expect(second).toBeCloseTo(2 - 0.5 * (25 * 26) * 0.05 ** 2, 4);
    await simulation.step(60);
    expect(Math.min(...(await heights(simulation)))).toBeGreaterThan(0.499);
  });

  test('a scene without grains fills by a pour at its rate, which never overlaps', async () => {
    const pour = {
      ...{ material: 'glass', count: 40, radius: { uniform: [0.3, 0.5] }, rate: 16, velocity: [0, 0, -2] },
      region: { cylinder: { point: [0, 0, 6], axis: [0, 0, 1], radius: 2, height: 3 } },
    };
    const tube = { name: 'tube', material: 'steel', cylinder: { point: [0, 0, 0], axis: [0, 0, 1], radius: 2, side: 'inside' } };
    const simulation = await open({ grains: [], walls: [floor, tube], events: [{ when: { step: 0 }, pour }] }, backend);
    const counts: number[] = [];
    const overlaps: number[] = [];
    for (let k = 0; k < 6; k++) {
      for (const { maxPenetration } of await simulation.step(10)) overlaps.push(maxPenetration);
      counts.push(simulation.problem.grains.count);
    }
    // 16 per time in steps of 0.05: 8 in 10 steps.
    expect(counts).toEqual([8, 16, 24, 32, 40, 40]);
    expect(Math.max(...overlaps)).toBeLessThan(5e-3);
    expect(simulation.unfinished).toEqual([]);
    expect(Math.min(...(await heights(simulation)))).toBeGreaterThan(0.29);
  });

  test('a run goes on in mid-schedule with the same bits', async () => {
    const pour = { material: 'glass', count: 30, radius: 0.5, rate: 16, region: { box: { min: [-2, -2, 6], max: [2, 2, 9] } } };
    const insert = [{ material: 'glass', lattice: { count: [2, 1, 1], spacing: 1.1, origin: [-0.5, 0, 1.2], radius: 0.5 } }];
    const pen = { name: 'pen', material: 'steel', box: { min: [-2, -2, 0], max: [2, 2, 12], open: ['+z'] } };
    const problem = await scene({
      walls: [pen],
      solver: { convergence: { criterion: 'fixed', iterations: 15 } },
      events: [
        { when: { step: 2 }, pour, insert },
        { when: { step: 27 }, removeWalls: ['pen.+x'] },
        { when: { rest: 5e-2 }, setGravity: [0, 0, -2] },
      ],
    });
    const whole = await simulate(problem, backend);
    const first = await simulate(problem, backend);
    const [reports] = [await whole.step(60)];
    await first.step(33);
    const second = await simulate(problem, backend, structuredClone(await first.capture()));
    expect(second.steps).toBe(33);
    expect(await second.step(27)).toEqual(reports.slice(33));
    expect(await second.read()).toEqual(await whole.read());
    expect(second.problem.grains).toMatchObject({ count: whole.problem.grains.count, radii: whole.problem.grains.radii });
    expect(second.unfinished).toEqual(whole.unfinished);
  });
});

test('without events a run is what it was', async () => {
  const plain = await open({}, 'cpu');
  const waiting = await open({ events: [{ when: { step: 900 }, stop: true }] }, 'cpu');
  expect(await waiting.step(30)).toEqual(await plain.step(30));
  expect(plain.events).toEqual([]);
});

describe.each(backends)('a wall that comes where grains are, on %s', (backend) => {
  const comes = async (wall: object, when: object = { step: 4 }) =>
    open({ events: [{ when, addWalls: [{ ...floor, name: 'late', plane: undefined, ...wall }] }] }, backend);
  const lid = (z: number) => ({ plane: { point: [0, 0, z], normal: [0, 0, -1] } });
  const drum = (radius: number) => ({
    cylinder: { point: [0, 0, 0.5], axis: [0, 1, 0], radius, side: 'inside' },
    motion: { angularVelocity: [0, 1, 0] },
  });
  const plate = { plane: { point: [0, 0, 0.6], normal: [0, 0, 1], disk: 1 } };

  test.each([
    ['leaves one behind it', lid(0.3), '0.700'],
    ['goes through one, and turns', drum(0.2), '0.300'],
    ['is a plate in one', plate, '0.400'],
  ])('ends the run with event, wall, grain and mend where it %s', async (_, wall, depth) => {
    const simulation = await comes(wall);
    const failure = await simulation.step(10).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(EventError);
    expect(failure).toMatchObject({ event: 0, step: 4 });
    expect(String(failure)).toMatch(
      /events\[0\].addWalls: wall "late" would go through 1 grains, .* after step 4: grain 0 reaches .* beyond it; put it elsewhere/,
    );
    expect(String(failure)).toContain(`grain 0 reaches ${depth} beyond it`);
  });

  // What comes of it is the same on both, and turning walls take kernels of their own.
  const shallow: [string, object][] = [
    ['lid', lid(0.9)],
    ...(backend === 'cpu' ? [['drum', drum(0.4)] as [string, object]] : []),
  ];
  test.each(shallow)('is told of where a %s overlaps one', async (_, wall) => {
    const simulation = await comes(wall);
    await simulation.step(5);
    expect(simulation.warnings.at(-1)).toMatch(/1 grains overlap with wall "late" as it comes: grain 0 reaches 0.100 beyond it/);
  });

  test('is refused before the run where it comes before the first step', async () => {
    for (const when of [{ step: 0 }, { time: 0 }])
      await expectFault(() => comes(drum(0.2), when), 'grains[0].list[0]', /wall "late" goes through it; move one of them/);
  });
});

test('a listener that throws, or a signal, leaves the events in order', async () => {
  const controller = new AbortController();
  const problem = await scene({
    events: [
      { when: { step: 3 }, setGravity: [0, 0, 0] },
      { when: { step: 6 }, stop: true },
    ],
  });
  const simulation = await createSimulation(problem, { backend: 'cpu', signal: controller.signal });
  const thrown = simulation.step(10, ({ step }) => {
    if (step === 3) throw new Error('no more');
  });
  await expect(thrown).rejects.toThrow('no more');
  expect(simulation.problem.gravity[2]).toBe(-1);
  const reports = await simulation.step(10, ({ step }) => {
    if (step === 5) controller.abort();
  });
  expect(reports.map(({ step }) => step)).toEqual([4, 5]);
  expect(simulation.problem.gravity[2]).toBe(0);
  expect(simulation.stopped).toBe(false);
});

test.each(backends)(
  'a piston keeps its place through an event, a plane becomes one, and a force changes, on %s',
  async (backend) => {
    const lid = {
      name: 'lid',
      material: 'steel',
      plane: { point: [0, 0, 3], normal: [0, 0, -1] },
      piston: { mass: 2000, force: 100 },
    };
    const events = [
      { when: { step: 4 }, insert: [sphere([3, 0, 2.3]), sphere([6, 0, 0.5])] },
      { when: { step: 8 }, setPiston: { lid: { force: 0 }, side: { mass: 1000, force: 200 } } },
    ];
    const side = { name: 'side', material: 'steel', plane: { point: [-5, 0, 0], normal: [1, 0, 0] } };
    const simulation = await open({ contacts: [], gravity: [0, 0, 0], walls: [floor, lid, side], events }, backend);
    const reports = await simulation.step(12);
    const motion = (step: number, wall: number) => reports[step - 1].wallMotions.slice(6 * wall, 6 * wall + 6);
    // n steps of a = F/M: v = n a dt, x = n (n + 1)/2 a dt^2.
    const a = (100 / 2000) * 0.05;
    expect(motion(4, 1)[5]).toBeCloseTo(-4 * a, 6);
    expect(motion(8, 1)[5]).toBeCloseTo(-8 * a, 6);
    expect(motion(12, 1)[5]).toBeCloseTo(-8 * a, 6);
    expect(motion(12, 1)[2]).toBeCloseTo(3 - (36 + 4 * 8) * a * 0.05, 5);
    expect(motion(8, 2)[3]).toBe(0);
    expect(motion(12, 2)[3]).toBeCloseTo(4 * 0.2 * 0.05, 6);
    expect(simulation.problem.grains.count).toBe(3);
  },
);

test('a change of a piston that a program leaves undefined is none', async () => {
  const lid = { ...floor, name: 'lid', plane: { point: [0, 0, 3], normal: [0, 0, -1] }, piston: { mass: 2000, force: 100 } };
  const events = [{ when: { step: 2 }, setPiston: { lid: { mass: undefined, force: undefined } } }];
  const simulation = await open({ walls: [floor, lid], events }, 'cpu');
  const reports = await simulation.step(4);
  expect(reports[3].wallMotions[6 + 5]).toBeCloseTo(-4 * (100 / 2000) * 0.05, 9);
});

test('a grain does not come in where a piston has moved to', async () => {
  const lid = {
    name: 'lid',
    material: 'steel',
    plane: { point: [0, 0, 3], normal: [0, 0, -1] },
    piston: { mass: 2000, force: 1e5 },
  };
  const insert = [sphere([3, 0, 2.4])];
  const simulation = await open({ gravity: [0, 0, 0], walls: [floor, lid], events: [{ when: { step: 4 }, insert }] }, 'cpu');
  await simulation.step(20);
  expect(simulation.problem.grains.count).toBe(1);
});
