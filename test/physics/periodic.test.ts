import { describe, expect, test } from 'vitest';
import type { SolverOptions, Vector } from '../../src/index';
import { randomNumbers } from '../../src/scene/generators/randomNumbers';
import { backends, rounding, simulate } from '../support/backends';
import { floor, scene } from '../support/eventScenes';
import { moved, periodicCrowd } from '../support/periodic';
import { makeProblem, plane } from '../support/problems';

const sweeps = (iterations: number, momentum = 0): Partial<SolverOptions> => ({
  momentum,
  convergence: { criterion: 'fixed', iterations },
});

describe.each(backends)('periodic space on %s', (backend) => {
  test.each<[string, Vector, Vector]>([
    ['along x and y', [4.6, 5.1, 0], [2.3, 2.55, 0]],
    ['along y, a few grains wide', [0, 2.7, 0], [0, 1.35, 0]],
  ])('forces are the same wherever the box begins, %s', async (_, lengths, shift) => {
    // From rest, and pulled equally hard in all directions, grains have the same reach whatever cells they are in.
    const problem = periodicCrowd(180, lengths, {
      walls: [plane([0, 0, 2], [0, 0, 1])],
      solver: sweeps(60),
    });
    problem.grains.velocities.fill(0);
    problem.grains.angularVelocities.fill(0);
    problem.grains.masses.fill(1);
    const random = randomNumbers(5);
    for (let k = 0; k < problem.grains.forces.length; k += 3) {
      const [angle, height] = [2 * Math.PI * random(), 2 * random() - 1];
      const across = Math.sqrt(1 - height * height);
      problem.grains.forces.set([0.01 * across * Math.cos(angle), 0.01 * across * Math.sin(angle), 0.01 * height], k);
    }
    const states = await Promise.all(
      [problem, moved(problem, shift)].map(async (at) => {
        const simulation = await simulate(at, backend);
        const [report] = await simulation.step();
        return { report, state: await simulation.read() };
      }),
    );
    const [here, there] = states.map(({ state }) => state.contacts);
    expect(states[0].report.contacts).toBeGreaterThan(60);
    expect([...there.first]).toEqual([...here.first]);
    expect([...there.second]).toEqual([...here.second]);
    const across = Array.from(here.first).filter((i, c) => {
      const j = here.second[c];
      return (
        j < problem.grains.count && Math.abs(problem.grains.positions[3 * i + 1] - problem.grains.positions[3 * j + 1]) > 1.3
      );
    });
    expect(across.length).toBeGreaterThan(3);
    const tolerance = (backend === 'cpu' ? 1e-9 : 1e-3) * states[0].report.meanForce;
    for (const [k, force] of here.forces.entries()) expect(Math.abs(there.forces[k] - force)).toBeLessThan(tolerance);
  });

  test('a gas keeps its momentum and gains no energy while grains collide across the sides of the box', async () => {
    const problem = periodicCrowd(60, [5.2, 4.7, 5.6], { solver: sweeps(40, 0.9), timeStep: 0.5 });
    const { positions, radii, velocities } = problem.grains;
    // On a lattice that fits: no overlaps.
    for (let i = 0; i < 60; i++) {
      const cell = [i % 4, Math.floor(i / 4) % 4, Math.floor(i / 16)];
      for (let axis = 0; axis < 3; axis++) positions[3 * i + axis] = problem.periodic!.min[axis] + 1.15 * cell[axis];
    }
    for (let k = 0; k < 180; k++) velocities[k] *= 12;
    const simulation = await simulate(problem, backend);
    const reports = await simulation.step(40);
    const mass = (i: number) => (4 / 3) * Math.PI * radii[i] ** 3;
    const total = [0, 1, 2].map((axis) => radii.reduce((sum, _, i) => sum + mass(i) * velocities[3 * i + axis], 0));
    const scale = radii.reduce((sum, _, i) => sum + mass(i) * Math.hypot(...velocities.subarray(3 * i, 3 * i + 3)), 0);
    expect(Math.max(...reports.map(({ contacts }) => contacts))).toBeGreaterThan(5);
    for (const { momentum } of reports) {
      for (let axis = 0; axis < 3; axis++) expect(Math.abs(momentum[axis] - total[axis])).toBeLessThan(rounding[backend] * scale);
    }
    reports.slice(1).forEach(({ kineticEnergy }, k) => {
      expect(kineticEnergy).toBeLessThan(reports[k].kineticEnergy * (1 + 1e-4));
    });
    expect(reports[39].kineticEnergy).toBeLessThan(0.8 * reports[0].kineticEnergy);
    expect(Math.max(...reports.map(({ maxPenetration }) => maxPenetration))).toBeLessThan(0.05);
    const { positions: after } = await simulation.read();
    for (let k = 0; k < 180; k++) {
      expect(after[k]).toBeGreaterThanOrEqual(problem.periodic!.min[k % 3]);
      expect(after[k]).toBeLessThanOrEqual(problem.periodic!.min[k % 3] + problem.periodic!.lengths[k % 3]);
    }
  });

  test('a ring of touching grains around the box moves as one: one grain pushed along it gives all the same velocity', async () => {
    const count = 7;
    const grains = Array.from({ length: count }, (_, k) => ({
      position: [3 + ((k + 0.4) % count), 0, 0] as Vector,
      velocity: [k === 2 ? 0.07 : 0, 0, 0] as Vector,
    }));
    const problem = makeProblem({ grains, periodic: { min: [3, 0, 0], lengths: [count, 0, 0] } });
    const simulation = await simulate(problem, backend);
    await simulation.step(3);
    const { velocities, positions } = await simulation.read();
    for (let i = 0; i < count; i++) {
      expect(Math.abs(velocities[3 * i] - 0.01)).toBeLessThan(backend === 'cpu' ? 1e-9 : 1e-6);
      const next = (i + 1) % count;
      const way = positions[3 * next] - positions[3 * i];
      expect(Math.abs(way - count * Math.round(way / count) - 1)).toBeLessThan(backend === 'cpu' ? 1e-9 : 1e-5);
    }
  });

  test.each([2, 3] as const)(
    'two rows of grains around the box, one in the hollows of the other, bear their weight in %i dimensions',
    async (dimension) => {
      // A zigzag of two touching rows around a box 6 long; the upper row rests in the hollows of the lower one, on the floor.
      const height = Math.sqrt(3) / 2;
      const grains = Array.from({ length: 12 }, (_, k) => ({
        position: [k < 6 ? k + 0.2 : (k + 0.7) % 6, 0.5 + (k < 6 ? 0 : height), 0] as Vector,
        mass: 1,
      }));
      const problem = makeProblem({
        grains,
        walls: [plane([0, 0, 0], [0, 1, 0])],
        gravity: [0, -0.01, 0],
        periodic: { min: [0, 0, 0], lengths: [6, 0, 0] },
      });
      const simulation = await simulate({ ...problem, dimension }, backend);
      const reports = await simulation.step(5);
      const { wallLoads, kineticEnergy } = reports[4];
      expect(Math.abs(wallLoads[1] + 0.12)).toBeLessThan(backend === 'cpu' ? 1e-8 : 1e-5);
      expect(kineticEnergy).toBeLessThan(1e-9);
      // Each of the upper ones leans on two of the lower, at 30 degrees from the vertical: m g in all.
      const { contacts } = await simulation.read();
      const borne = new Float64Array(12);
      let leaning = 0;
      for (let c = 0; c < contacts.count; c++) {
        const [first, second] = [contacts.first[c], contacts.second[c]];
        if (first >= 6 || second < 6 || second >= 12) continue;
        borne[second] += height * Math.hypot(...contacts.forces.subarray(3 * c, 3 * c + 3));
        leaning++;
      }
      expect(leaning).toBe(12);
      for (let i = 6; i < 12; i++) expect(borne[i]).toBeCloseTo(0.01, 6);
    },
  );

  test('a grain that goes round the box several times meets another, and overlaps across its ends are told', async () => {
    const grains = [
      { position: [0.5, 0, 0] as Vector, velocity: [0.5, 0.06, 0] as Vector },
      { position: [1.8, 2.6, 0] as Vector },
      // Two that overlap by 0.1 across the ends, far from these.
      { position: [0.2, 0, 5] as Vector, fixed: true },
      { position: [4.3, 0, 5] as Vector },
    ];
    const simulation = await simulate(makeProblem({ grains, periodic: { min: [0, 0, 0], lengths: [5, 0, 0] } }), backend);
    // It passes the other at x = 1.8 four times, each time 0.6 nearer along y.
    const reports = await simulation.step(28);
    expect([...(await simulation.read()).velocities.subarray(3, 6)]).toEqual([0, 0, 0]);
    reports.push(...(await simulation.step(10)));
    const { velocities } = await simulation.read();
    expect(velocities[3]).toBeGreaterThan(0.1);
    expect(velocities[0] + velocities[3]).toBeCloseTo(0.5, 6);
    for (const { maxPenetration } of reports) expect(maxPenetration).toBeCloseTo(0.1, 6);
  });

  test('an empty box fills by a pour at its rate, onto a floor that rises and swings', async () => {
    const region = { box: { min: [0, 0, 3], max: [2.5, 2.5, 5] } };
    const pour = { ...{ material: 'glass', count: 8, radius: { uniform: [0.3, 0.5] }, rate: 2.6, velocity: [0, 0, -1] }, region };
    const motion = { velocity: [0, 0, 0.1], oscillation: { amplitude: [0, 0, 0.05], frequency: 0.5 } };
    const problem = await scene({
      periodic: { axes: 'xy', min: [0, 0, 0], max: [2.5, 2.5, 0] },
      grains: [],
      walls: [{ ...floor, motion }],
      events: [{ when: { step: 0 }, pour }],
    });
    const simulation = await simulate(problem, backend);
    const counts: number[] = [];
    for (let k = 1; k <= 7; k++) {
      for (const { maxPenetration } of await simulation.step(10)) expect(maxPenetration).toBeLessThan(1e-4);
      counts.push(simulation.problem.grains.count);
    }
    // 1.3 in 10 steps of 0.05.
    expect(counts).toEqual([1, 2, 3, 5, 6, 7, 8]);
    const { positions, walls } = await simulation.read();
    expect(walls[2]).toBeCloseTo(0.35 + 0.05 * Math.sin(3.5 * Math.PI), 9);
    const { radii } = simulation.problem.grains;
    const heights = Array.from(radii, (radius, i) => positions[3 * i + 2] - radius - walls[2]);
    expect(Math.abs(Math.min(...heights))).toBeLessThan(1e-5);
  });

  test('grains that slide down a slope leave the box at one side and come back at the other', async () => {
    const [steps, period, gravity] = [120, 5, 0.002];
    const starts = [0.3, 2.2, 4.9];
    const problem = makeProblem({
      grains: starts.map((x) => ({ position: [x - 1, 0, 0.5] })),
      walls: [plane([0, 0, 0], [0, 0, 1])],
      gravity: [gravity, 0, -0.01],
      periodic: { min: [-1, 0, 0], lengths: [period, 0, 0] },
    });
    const simulation = await simulate(problem, backend);
    const reports = await simulation.step(steps);
    const { positions, velocities } = await simulation.read();
    // Implicit Euler: x = g dt^2 n (n + 1)/2.
    const way = (gravity * steps * (steps + 1)) / 2;
    expect(way).toBeGreaterThan(2 * period);
    starts.forEach((x, i) => {
      expect(Math.abs(positions[3 * i] + 1 - ((x + way) % period))).toBeLessThan(backend === 'cpu' ? 1e-9 : 2e-5);
      expect(positions[3 * i + 2]).toBeCloseTo(0.5, 6);
      expect(velocities[3 * i]).toBeCloseTo(gravity * steps, 6);
    });
    expect(reports[steps - 1].contacts).toBe(3);
  });
});
