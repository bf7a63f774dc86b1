import { describe, expect, test } from 'vitest';
import type { Simulation } from '../src/index';
import { backends, simulate } from './support/backends';
import { floor, heights, marked, open, scene, sheet, sphere } from './support/eventScenes';

describe.each(backends)('walls that events set moving on %s', (backend) => {
  const plate = { name: 'plate', material: 'steel', plane: { point: [0, 0, 0], normal: [0, 0, 1], disk: 2 } };
  const poseOf = async (simulation: Simulation) => [...(await simulation.read()).walls];

  test.each([plate, sheet])('go on from where they are, carry what lies on them, and rest there: $name', async (wall) => {
    const { name } = wall;
    const events = [
      { when: { step: 4 }, setMotion: { [name]: { velocity: [0, 0, 0.2] } } },
      { when: { step: 10 }, setMotion: { [name]: { angularVelocity: [0, 0, 2], velocity: [0, 0, 0.1] } } },
      { when: { step: 20 }, setMotion: { [name]: null } },
    ];
    const simulation = await open({ walls: [wall], events }, backend);
    const reports = await simulation.step(4);
    expect(await poseOf(simulation)).toEqual([0, 0, 0, 0, 0, 0, 1]);
    reports.push(...(await simulation.step(6)));
    expect((await heights(simulation))[0]).toBeCloseTo(0.5 + 6 * 0.01, 4);
    reports.push(...(await simulation.step(20)));
    expect(marked(reports)).toEqual([
      [4, `setMotion ${name} velocity 0 0 0.2`],
      [10, `setMotion ${name} velocity 0 0 0.1 angularVelocity 0 0 2`],
      [20, `setMotion ${name} stops`],
    ]);
    const velocities = reports.map(({ wallMotions }) => wallMotions[5]);
    expect(velocities.map((v) => Number(v.toFixed(6)))).toEqual([
      ...Array(4).fill(0),
      ...Array(6).fill(0.2),
      ...Array(10).fill(0.1),
      ...Array(10).fill(0),
    ]);
    // 6 steps at 0.2, 10 at 0.1 and 2 rad per time: 1 rad.
    const [x, y, z, ...turned] = await poseOf(simulation);
    expect(Math.hypot(x, y, z - 0.11)).toBeLessThan(1e-6);
    expect(turned.map((q) => Number(q.toFixed(6)))).toEqual([0, 0, 0.479426, 0.877583]);
    const { positions, velocities: grain } = await simulation.read();
    expect(positions[2]).toBeGreaterThan(0.61 - 1e-4);
    expect(Math.hypot(...grain.subarray(0, 2))).toBeLessThan(1e-4);
  });

  test('swing from where they are, turn about their own point, and may go while they move', async () => {
    const piece = { ...plate, name: 'added', motion: { velocity: [0.5, 0, 0] }, plane: { ...plate.plane, point: [0, 0, -3] } };
    const events = [
      { when: { step: 3 }, addWalls: [piece] },
      { when: { step: 5 }, setMotion: { added: { angularVelocity: [0, 1, 0] } } },
      { when: { step: 8 }, setMotion: { added: { oscillation: { amplitude: [0, 1, 0], frequency: 1, phase: 1 } } } },
      { when: { step: 12 }, removeWalls: ['added'] },
    ];
    const simulation = await open({ events }, backend);
    await simulation.step(5);
    const near = async (expected: number[]) =>
      expect(await poseOf(simulation)).toEqual(expected.map((x) => expect.closeTo(x, 6)));
    const rest = [0, 0, 0, 0, 0, 0, 1];
    await near([...rest, 0.05, 0, -3, 0, 0, 0, 1]);
    await simulation.step(3);
    await near([...rest, 0.05, 0, -3, 0, Math.sin(0.075), 0, Math.cos(0.075)]);
    await simulation.step(4);
    expect((await poseOf(simulation)).length).toBe(7);
    const before = await open({ events: events.slice(0, 3) }, backend);
    await before.step(12);
    const y = Math.sin(2 * Math.PI * 0.2 + 1) - Math.sin(1);
    expect((await poseOf(before))[8]).toBeCloseTo(y, 6);
    expect((await poseOf(before))[11]).toBeCloseTo(Math.sin(0.075), 6);
  });

  test('a mesh that was tilted twice and rests is an incline, which may go', async () => {
    const [first, second, steps] = [0.4, -0.15, 10];
    const turn = (angle: number, about: number) => {
      const angularVelocity = [0, 0, 0];
      angularVelocity[about] = angle / (steps * 0.05);
      return { sheet: { angularVelocity, velocity: [0, 0, -0.3] } };
    };
    const events = [
      { when: { step: 0 }, setMotion: turn(first, 1) },
      { when: { step: steps }, setMotion: turn(second, 0) },
      { when: { step: 2 * steps }, setMotion: { sheet: null } },
      { when: { step: 80 }, removeWalls: ['sheet'] },
    ];
    const simulation = await open({ walls: [sheet], grains: [sphere([0, 0, 0.7])], events, contacts: [] }, backend);
    // What was level turns about y, then about x.
    const normal = [Math.sin(first), -Math.sin(second) * Math.cos(first), Math.cos(second) * Math.cos(first)];
    await simulation.step(60);
    const before = await simulation.read();
    await simulation.step(20);
    const { positions, velocities } = await simulation.read();
    const over = positions[0] * normal[0] + positions[1] * normal[1] + (positions[2] + 0.3) * normal[2];
    expect(over).toBeCloseTo(0.5, 5);
    // Without friction: g less its part along the normal.
    for (let axis = 0; axis < 3; axis++) {
      const pull = normal[2] * normal[axis] - (axis === 2 ? 1 : 0);
      expect(velocities[axis] - before.velocities[axis]).toBeCloseTo(pull, 4);
    }
    await simulation.step(4);
    expect((await simulation.read()).velocities[2] - velocities[2]).toBeCloseTo(-0.2, 5);
  });

  test('resumed in mid-schedule, keep their bits', async () => {
    const drum = { name: 'drum', material: 'steel', cylinder: { point: [0, 0, 3], axis: [0, 1, 0], radius: 3, side: 'inside' } };
    const problem = await scene({
      walls: [drum, { ...sheet, motion: { velocity: [0, 0, 0.1] } }],
      grains: [sphere([0, 0, 0.6]), sphere([0.9, 0.2, 1.1])],
      events: [
        {
          when: { time: 0.15 },
          setMotion: {
            drum: { angularVelocity: [0, 1.1, 0], velocity: [0.1, 0.03, 0] },
            sheet: { angularVelocity: [0, 0.3, 0] },
          },
        },
        { when: { time: 0.35 }, setMotion: { drum: { oscillation: { amplitude: [0.1, 0, 0], frequency: 2 } } } },
        { when: { time: 0.6 }, setMotion: { drum: null, sheet: null } },
      ],
    });
    const whole = await simulate(problem, backend);
    await whole.step(15);
    for (const stop of [3, 5, 9]) {
      const first = await simulate(problem, backend);
      await first.step(stop);
      const second = await simulate(problem, backend, await first.capture());
      await second.step(15 - stop);
      const [a, b] = [await whole.read(), await second.read()];
      expect(b.positions).toEqual(a.positions);
      expect(b.angularVelocities).toEqual(a.angularVelocities);
      expect(b.walls).toEqual(a.walls);
    }
  });
});

test.each([
  [
    'wall',
    4.4,
    { name: 'lid', material: 'steel', plane: { point: [0, 0, 5], normal: [0, 0, -1] }, motion: { velocity: [0, 0, -1] } },
  ],
  ['mesh', 0.8, { ...sheet, motion: { velocity: [0, 0, 0.5], angularVelocity: [0, 0.02, 0] } }],
] as const)('a grain does not come in where a %s that moves by itself has moved to', async (_, height, moving) => {
  const events = [{ when: { step: 20 }, insert: [sphere([1, 0, height])] }];
  const low = { ...floor, plane: { point: [0, 0, -3.5], normal: [0, 0, 1] } };
  const simulation = await open({ walls: [low, moving], grains: [sphere([0, 0, -3])], events }, 'cpu');
  await simulation.step(40);
  expect(simulation.problem.grains.count).toBe(1);
  expect(simulation.unfinished[0]).toMatch(/1 of 1 grains/);
});

test('plates that an event moves apart get their rims back', async () => {
  const table = { name: 'table', material: 'steel', plane: { point: [0, 0, 0], normal: [0, 0, 1], disk: 2 } };
  const brim = { name: 'brim', material: 'steel', plane: { point: [0, 0, 0], normal: [0, 0, 1], ring: [2, 4] } };
  const events = [
    { when: { step: 1 }, setMotion: { table: { angularVelocity: [0, 0, 1] } } },
    { when: { step: 2 }, setMotion: { table: { velocity: [0, 0, 1] } } },
  ];
  const simulation = await open({ walls: [table, brim], events }, 'cpu');
  const rims = () => simulation.problem.walls.map(({ shape }) => shape.kind === 'plane' && shape.region?.rims);
  for (const joined of [true, true, false]) {
    expect(rims()).toEqual([
      [false, !joined],
      [!joined, true],
    ]);
    await simulation.step();
  }
});
