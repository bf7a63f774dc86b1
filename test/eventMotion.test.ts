import { describe, expect, test } from 'vitest';
import type { Simulation } from '../src/index';
import { backends, simulate } from './support/backends';
import { floor, heights, marked, open, scene, sphere } from './support/eventScenes';

describe.each(backends)('walls that events set moving on %s', (backend) => {
  const plate = { name: 'plate', material: 'steel', plane: { point: [0, 0, 0], normal: [0, 0, 1], disk: 2 } };
  const poseOf = async (simulation: Simulation) => [...(await simulation.read()).walls];

  test('go on from where they are, carry what lies on them, and rest there', async () => {
    const events = [
      { when: { step: 4 }, setMotion: { plate: { velocity: [0, 0, 0.2] } } },
      { when: { step: 10 }, setMotion: { plate: { angularVelocity: [0, 0, 2], velocity: [0, 0, 0.1] } } },
      { when: { step: 20 }, setMotion: { plate: null } },
    ];
    const simulation = await open({ walls: [plate], events }, backend);
    const reports = await simulation.step(4);
    expect(await poseOf(simulation)).toEqual([0, 0, 0, 0, 0, 0, 1]);
    reports.push(...(await simulation.step(6)));
    expect((await heights(simulation))[0]).toBeCloseTo(0.5 + 6 * 0.01, 4);
    reports.push(...(await simulation.step(20)));
    expect(marked(reports)).toEqual([
      [4, 'setMotion plate'],
      [10, 'setMotion plate'],
      [20, 'setMotion plate'],
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

  test('resumed in mid-schedule, keep their bits', async () => {
    const drum = { name: 'drum', material: 'steel', cylinder: { point: [0, 0, 3], axis: [0, 1, 0], radius: 3, side: 'inside' } };
    const problem = await scene({
      walls: [drum],
      grains: [sphere([0, 0, 0.6]), sphere([0.9, 0.2, 1.1])],
      events: [
        { when: { time: 0.15 }, setMotion: { drum: { angularVelocity: [0, 1.1, 0], velocity: [0.1, 0.03, 0] } } },
        { when: { time: 0.35 }, setMotion: { drum: { oscillation: { amplitude: [0.1, 0, 0], frequency: 2 } } } },
        { when: { time: 0.6 }, setMotion: { drum: null } },
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

test('a grain does not come in where a wall that moves by itself has moved to', async () => {
  const ceiling = {
    name: 'lid',
    material: 'steel',
    plane: { point: [0, 0, 5], normal: [0, 0, -1] },
    motion: { velocity: [0, 0, -1] },
  };
  const events = [{ when: { step: 20 }, insert: [sphere([3, 0, 4.4])] }];
  const simulation = await open({ walls: [floor, ceiling], events }, 'cpu');
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
