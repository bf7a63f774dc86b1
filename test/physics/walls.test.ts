import { describe, expect, test } from 'vitest';
import type { Simulation, Vector } from '../../src/index';
import { backends, rounding, simulate } from '../support/backends';
import { makeProblem, plane, plate } from '../support/problems';
import { at } from '../support/vectors';

const GRAVITY = 10;
const STEP = 0.01;
const DOWN: Vector = [0, 0, -GRAVITY];
const UP: Vector = [0, 0, 1];
const floor = plane([0, 0, 0], UP);

/** Does the steps one by one, with the state after each. */
async function follow(simulation: Simulation, steps: number, look: (state: Awaited<ReturnType<Simulation['read']>>) => void) {
  for (let step = 0; step < steps; step++) {
    await simulation.step();
    look(await simulation.read());
  }
}

describe.each(backends)('walls that move, on %s', (backend) => {
  const tiny = rounding[backend];

  test('a belt drags a sphere at mu g until it rolls with 2/7 of its speed', async () => {
    const [u, mu, radius] = [0.7, 0.2, 0.4];
    const problem = makeProblem({
      grains: [{ position: [0, 0, radius], radius, mass: 2 }],
      walls: [{ ...floor, motion: { velocity: [u, 0, 0] } }],
      gravity: DOWN,
      timeStep: STEP,
      friction: mu,
    });
    const simulation = await simulate(problem, backend);
    let step = 0;
    await follow(simulation, 14, ({ velocities, angularVelocities, walls }) => {
      const time = ++step * STEP;
      const rolls = time >= (2 * u) / (7 * mu * GRAVITY);
      expect(Math.abs(velocities[0] - (rolls ? (2 / 7) * u : mu * GRAVITY * time))).toBeLessThan(10 * tiny);
      expect(Math.abs(angularVelocities[1] * radius + (rolls ? (5 / 7) * u : 2.5 * mu * GRAVITY * time))).toBeLessThan(20 * tiny);
      expect(walls[0]).toBeCloseTo(u * time, 12);
    });
    expect(step * STEP).toBeGreaterThan((2 * u) / (7 * mu * GRAVITY));
  });

  test('a plane that rises obliquely lifts a grain exactly, also from a gap', async () => {
    const velocity: Vector = [0.1, 0, 0.3];
    const gap = 0.01;
    const problem = makeProblem({
      grains: [{ position: [0, 0, 0.5 + gap], mass: 2 }],
      walls: [{ ...floor, motion: { velocity } }],
      gravity: DOWN,
      timeStep: STEP,
    });
    const simulation = await simulate(problem, backend);
    const reports = await simulation.step(30);
    const { positions, velocities, walls } = await simulation.read();
    expect(Math.abs(positions[2] - (0.5 + 30 * STEP * velocity[2]))).toBeLessThan(10 * tiny);
    expect(Math.abs(velocities[2] - velocity[2])).toBeLessThan(10 * tiny);
    expect(Math.abs(velocities[0])).toBe(0);
    expect([...walls]).toEqual([0.03, 0, 0.09, 0, 0, 0, 1].map((x) => expect.closeTo(x, 12)));
    expect([...reports[29].wallMotions]).toEqual([0.03, 0, 0.09, ...velocity].map((x) => expect.closeTo(x, 12)));
    expect(Math.abs(reports[29].wallLoads[2] / (-2 * GRAVITY) - 1)).toBeLessThan(1e3 * tiny);
    expect(reports[29].maxPenetration).toBeLessThan(tiny);
  });

  test('on a floor that swings with less than g a grain stays; with more it takes off where the floor falls away', async () => {
    const [amplitude, step] = [0.2, 0.002];
    const swing = async (frequency: number, steps: number) => {
      const motion = { oscillation: { amplitude: [0, 0, amplitude] as Vector, frequency, phase: 0 } };
      const problem = makeProblem({
        grains: [{ position: [0, 0, 0.5] }],
        walls: [{ ...floor, motion }],
        gravity: DOWN,
        timeStep: step,
      });
      const simulation = await simulate(problem, backend);
      const heights: number[] = [];
      await follow(simulation, steps, ({ positions, walls }) => heights.push(positions[2] - 0.5 - walls[2]));
      return heights;
    };
    const critical = Math.sqrt(GRAVITY / amplitude) / (2 * Math.PI);
    const slow = 0.9 * critical;
    expect(Math.max(...(await swing(slow, Math.ceil(1 / slow / step))).map(Math.abs))).toBeLessThan(20 * tiny);

    const fast = 1.5 * critical;
    const rate = 2 * Math.PI * fast;
    const takeOff = Math.asin(GRAVITY / (amplitude * rate * rate)) / rate;
    const heights = await swing(fast, Math.ceil(0.4 / fast / step));
    heights.forEach((height, k) => {
      const time = (k + 1) * step;
      const flight = Math.max(time - takeOff, 0);
      const floorHeight = amplitude * Math.sin(rate * time);
      const launched = amplitude * Math.sin(rate * takeOff) + amplitude * rate * Math.cos(rate * takeOff) * flight;
      const expected = flight > 0 ? launched - (GRAVITY / 2) * flight ** 2 - floorHeight : 0;
      // Implicit Euler takes off up to a step late or early, and falls g dt/2 faster.
      expect(Math.abs(height - expected)).toBeLessThan(1.5 * GRAVITY * step * (flight + step));
    });
    expect(heights.at(-1)).toBeGreaterThan(0.05);
  });

  test('a wall that meets grains at many diameters per step pushes them ahead, and none passes it', async () => {
    const problem = makeProblem({
      grains: Array.from({ length: 4 }, (_, k) => ({ position: [0, 0, 2 + 1.5 * k] as Vector })),
      walls: [{ ...floor, motion: { velocity: [0, 0, 500] } }],
      timeStep: STEP,
    });
    const simulation = await simulate(problem, backend);
    await follow(simulation, 3, ({ positions, walls, step }) => {
      expect(walls[2]).toBeCloseTo(5 * step, 9);
      for (let i = 0; i < 4; i++) expect(positions[3 * i + 2] - (walls[2] + 0.5 + i)).toBeGreaterThan(-1e-4);
    });
  });

  test('a drum drives the sphere at its lowest point to roll in place, and feels the friction as a torque', async () => {
    const [radius, drum, turning, mu, mass] = [0.5, 5, 0.8, 0.1, 3];
    const motion = { angularVelocity: [0, turning, 0] as Vector };
    const walls = [
      {
        kind: 'cylinder' as const,
        point: [1, 2, 3] as Vector,
        axis: [0, 1, 0] as Vector,
        radius: drum,
        side: 'inside' as const,
        motion,
      },
    ];
    const bottom: Vector = [1, 2, 3 - drum + radius];
    const start = (spin: number) =>
      simulate(
        makeProblem({
          grains: [{ position: bottom, radius, mass, angularVelocity: [0, spin, 0] }],
          walls,
          gravity: DOWN,
          timeStep: 1e-3,
          friction: mu,
        }),
        backend,
      );
    const slipping = await start(0);
    const reports = await slipping.step(20);
    const slipped = await slipping.read();
    // The wall goes to -x at the bottom: Omega x (0, 0, -R).
    expect(Math.abs(slipped.velocities[0] / (-mu * GRAVITY * 0.02) - 1)).toBeLessThan(1e-3);
    expect(Math.abs(slipped.angularVelocities[1] / ((2.5 * mu * GRAVITY * 0.02) / radius) - 1)).toBeLessThan(1e-3);
    const loads = reports[19].wallLoads;
    expect(Math.abs(loads[2] / (-mass * GRAVITY) - 1)).toBeLessThan(1e-3);
    expect(Math.abs(loads[4] / (-mu * mass * GRAVITY * drum) - 1)).toBeLessThan(2e-3);

    const rolling = await start((turning * drum) / radius);
    const [, last] = [await rolling.step(199), (await rolling.step())[0]];
    const rolled = await rolling.read();
    expect(Math.abs(rolled.angularVelocities[1] * radius - turning * drum)).toBeLessThan(1e-3);
    expect(Math.abs(rolled.positions[0] - bottom[0])).toBeLessThan(1e-4);
    expect(Math.abs(last.wallLoads[4])).toBeLessThan(1e-3 * mu * mass * GRAVITY * drum);
    expect(last.maxPenetration).toBeLessThan(1e-6);
    const angle = turning * 0.2;
    expect([...rolled.walls]).toEqual(
      [1, 2, 3, 0, Math.sin(angle / 2), 0, Math.cos(angle / 2)].map((x) => expect.closeTo(x, 12)),
    );
  });

  test('in a bowl a bead swings as a pendulum, damped as implicit Euler damps it', async () => {
    const [radius, bowl, step, start] = [0.5, 4.5, 0.01, 0.05];
    const arm = bowl - radius;
    const problem = makeProblem({
      grains: [{ position: [arm * Math.sin(start), 1, 7 - arm * Math.cos(start)] }],
      walls: [{ kind: 'sphere', point: [0, 1, 7], radius: bowl, side: 'inside' }],
      gravity: DOWN,
      timeStep: step,
    });
    const simulation = await simulate(problem, backend);
    const rate = Math.sqrt(GRAVITY / arm);
    const half = Math.PI / rate;
    const reports = await simulation.step(Math.round(half / step));
    const { positions } = await simulation.read();
    const left = Math.exp((-rate * rate * step * half) / 2);
    expect(Math.abs(positions[0] / (-arm * Math.sin(start) * left) - 1)).toBeLessThan(0.02);
    expect(Math.abs(Math.hypot(positions[0], positions[1] - 1, positions[2] - 7) - arm)).toBeLessThan(1e-4);
    const mass = problem.grains.masses[0];
    const energy = mass * GRAVITY * arm * (1 - Math.cos(start));
    for (const { kineticEnergy } of reports) expect(kineticEnergy).toBeLessThan(energy);
    expect(Math.max(...reports.map(({ kineticEnergy }) => kineticEnergy))).toBeGreaterThan(0.8 * energy);
  });

  test('a ball rolls on a turntable round a circle at 2/7 of its rate', async () => {
    const [turning, distance, step] = [0.5, 3, 0.005];
    const rate = (2 / 7) * turning;
    const problem = makeProblem({
      grains: [{ position: [distance, 0, 0.5], velocity: [0, turning * distance, 0] }],
      walls: [{ ...plate([0, 0, 0], 0, 20), motion: { angularVelocity: [0, 0, turning] } }],
      gravity: DOWN,
      timeStep: step,
      friction: 1,
    });
    const simulation = await simulate(problem, backend);
    await simulation.step(200);
    const { positions, velocities } = await simulation.read();
    const speed = turning * distance;
    expect(Math.abs(positions[0] - (distance - (speed / rate) * (1 - Math.cos(rate))))).toBeLessThan(2 * rate * speed * step);
    expect(Math.abs(positions[1] - (speed / rate) * Math.sin(rate))).toBeLessThan(2 * rate * speed * step);
    expect(Math.abs(Math.hypot(velocities[0], velocities[1]) / speed - 1)).toBeLessThan(1e-3);
    expect(Math.abs(positions[2] - 0.5)).toBeLessThan(10 * tiny);
  });

  test('a ring turns about a disk that rests: grains on the disk rest, and none feels the joint', async () => {
    const turning = 0.5;
    const problem = makeProblem({
      grains: [
        { position: [1, 0, 0.5] },
        { position: [0, 6, 0.5] },
        // Slides without turning over to the ring and beyond, past where the rims are.
        { position: [3.5, 0, 0.5], velocity: [2, 0, 0], material: 1 },
      ],
      walls: [plate([0, 0, 0], 0, 4), { ...plate([0, 0, 0], 4, 9), motion: { angularVelocity: [0, 0, turning] } }],
      gravity: DOWN,
      timeStep: STEP,
      friction: [
        [0.3, 0],
        [0, 0],
      ],
    });
    const simulation = await simulate(problem, backend);
    await simulation.step(50);
    const { positions, velocities } = await simulation.read();
    expect(at(positions, 0)).toEqual([1, 0, 0.5].map((x) => expect.closeTo(x, 5)));
    expect(velocities[3]).toBeLessThan(-0.5);
    // In single precision too to 1e-6 of a diameter.
    expect(Math.abs(positions[6] - 4.5)).toBeLessThan(tiny / 10);
    expect(Math.abs(velocities[6] - 2)).toBeLessThan(tiny / 10);
    expect(Math.abs(positions[8] - 0.5)).toBeLessThan(tiny / 10);
  });

  test('a grain that leaves a plate turns over its rim and falls past it, one below passes under it', async () => {
    const problem = makeProblem({
      grains: [
        { position: [3.8, 0, 0.5], velocity: [1, 0, 0] },
        { position: [0, 0, -0.6], velocity: [0, 0, 0] },
      ],
      walls: [plate([0, 0, 0], 0, 4)],
      gravity: DOWN,
      timeStep: 0.005,
    });
    const simulation = await simulate(problem, backend);
    let rimmed = 0;
    await follow(simulation, 160, ({ positions }) => {
      const beside = Math.hypot(positions[0] - 4, positions[2]);
      if (positions[0] > 4) expect(beside).toBeGreaterThan(0.5 - 2e-3);
      if (positions[0] > 4.01 && beside < 0.5 + 2e-3) rimmed++;
    });
    const { positions, velocities } = await simulation.read();
    expect(rimmed).toBeGreaterThan(5);
    expect(positions[2]).toBeLessThan(-0.5);
    expect(velocities[0]).toBeGreaterThan(1.2);
    expect(velocities[5]).toBeCloseTo(-GRAVITY * 0.8, 3);
  });

  test('a paddle lifts a grain along its arc without cutting in', async () => {
    const problem = makeProblem({
      grains: [{ position: [3, 0, 0.5], mass: 2 }],
      walls: [{ ...floor, motion: { angularVelocity: [0, -0.5, 0], point: [0, 0, 0] } }],
      gravity: DOWN,
      timeStep: STEP,
      friction: 10,
    });
    const simulation = await simulate(problem, backend);
    const reports = await simulation.step(60);
    const { positions } = await simulation.read();
    const height = -Math.sin(0.3) * positions[0] + Math.cos(0.3) * positions[2];
    expect(Math.abs(height - 0.5)).toBeLessThan(100 * tiny);
    for (const { maxPenetration } of reports) expect(maxPenetration).toBeLessThan(100 * tiny);
    expect(positions[2]).toBeGreaterThan(1);
  });

  test('containers that are carried along carry their grains as if they rested', async () => {
    for (const kind of ['cylinder', 'sphere'] as const) {
      const problem = makeProblem({
        grains: [{ position: [-1.5, 0, 0], velocity: [0.3, 0.2, 0.1] }],
        walls: [
          { kind, point: [0, 0, 0], axis: [0, 0, 1], radius: 2, side: 'inside', motion: { velocity: [0.3, 0.2, 0.1] } } as never,
        ],
        gravity: [-GRAVITY, 0, 0],
        timeStep: STEP,
      });
      const simulation = await simulate(problem, backend);
      const reports = await simulation.step(40);
      const { positions, walls } = await simulation.read();
      expect(positions[0] - walls[0]).toBeCloseTo(-1.5, 5);
      expect(positions[1] - walls[1]).toBeCloseTo(0, 5);
      for (const { maxPenetration } of reports) expect(maxPenetration).toBeLessThan(100 * tiny);
    }
  });
});
