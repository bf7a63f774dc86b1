import { describe, expect, test } from 'vitest';
import type { Vector } from '../../src/index';
import { backends, rounding, simulate } from '../support/backends';
import { pairEnergies } from '../support/energies';
import { makeProblem, plane, type TestGrain } from '../support/problems';
import { add, at, dot, scale, subtract } from '../support/vectors';

const floor = plane([0, 0, 0], [0, 0, 1]);
/** Radii of all grains here. */
const RADIUS = 0.5;

describe.each(backends)('restitution on %s', (backend) => {
  const tiny = rounding[backend];

  describe.each([0, 0.3, 0.7, 1])('e = %f', (restitution) => {
    test.each([0.001, 0.01, 0.1])(
      'spheres that close %f of a radius in a step leave with e times that, wherever the gap closes',
      async (share) => {
        const speed = share * RADIUS;
        // Steps of the software adapter are slow.
        for (const place of backend === 'cpu' ? [0, 1e-3, 0.3, 0.5, 0.999] : [0, 0.5]) {
          for (const mass of backend === 'cpu' ? [1, 5] : [5]) {
            const problem = makeProblem({
              grains: [
                { position: [0, 0, 0], mass, velocity: [0.6 * speed, 0, 0] },
                { position: [1 + (1 + place) * speed, 0, 0], mass: 1, velocity: [-0.4 * speed, 0, 0] },
              ],
              law: { normalRestitution: restitution },
            });
            const simulation = await simulate(problem, backend);
            const reports = await simulation.step(6);
            const { velocities } = await simulation.read();
            expect(Math.abs(velocities[3] - velocities[0] - restitution * speed)).toBeLessThan(10 * tiny * speed);
            const before = 0.5 * mass * (0.6 * speed) ** 2 + 0.5 * (0.4 * speed) ** 2;
            for (const { kineticEnergy, momentum } of reports) {
              expect(kineticEnergy).toBeLessThan(before * (1 + 10 * tiny));
              expect(Math.abs(momentum[0] - (0.6 * mass - 0.4) * speed)).toBeLessThan(10 * tiny * mass * speed);
            }
            if (restitution === 1) expect(Math.abs(reports[5].kineticEnergy / before - 1)).toBeLessThan(10 * tiny);
          }
        }
      },
    );

    test('an oblique impact slips or leaves rolling with 5/7 of its speed', async () => {
      const [mu, normal] = [0.2, 0.01];
      const critical = 3.5 * mu * (1 + restitution);
      for (const tangent of [0.3 * critical, 0.999 * critical, 1.001 * critical, 3 * critical]) {
        const problem = makeProblem({
          grains: [{ position: [0, 0, RADIUS + 0.7 * normal], velocity: [tangent * normal, 0, -normal] }],
          walls: [floor],
          friction: mu,
          law: { normalRestitution: restitution },
        });
        const simulation = await simulate(problem, backend);
        await simulation.step(5);
        const { velocities, angularVelocities } = await simulation.read();
        const slips = tangent > critical;
        const left = slips ? tangent - mu * (1 + restitution) : (5 / 7) * tangent;
        const turn = slips ? 2.5 * mu * (1 + restitution) : left;
        expect(Math.abs(velocities[0] - left * normal)).toBeLessThan(10 * tiny * normal);
        expect(Math.abs(angularVelocities[1] * RADIUS - turn * normal)).toBeLessThan(10 * tiny * normal);
        expect(Math.abs(velocities[2] - restitution * normal)).toBeLessThan(10 * tiny * normal);
      }
    });

    test('a spinning sphere that is dropped is thrown aside', async () => {
      const [mu, normal, spin] = [0.1, 0.01, 1];
      const problem = makeProblem({
        grains: [{ position: [0, 0, RADIUS + 0.2 * normal], velocity: [0, 0, -normal], angularVelocity: [0, spin, 0] }],
        walls: [floor],
        friction: mu,
        law: { normalRestitution: restitution },
      });
      const simulation = await simulate(problem, backend);
      await simulation.step(5);
      const { velocities, angularVelocities } = await simulation.read();
      const impulse = mu * (1 + restitution) * normal;
      expect(Math.abs(Math.abs(velocities[0]) - impulse)).toBeLessThan(10 * tiny * impulse);
      expect(Math.abs(angularVelocities[1] - (spin - (2.5 * impulse) / RADIUS))).toBeLessThan(10 * tiny);
    });
  });

  test('tangential restitution turns the slip round, as far as friction goes', async () => {
    for (const [mu, turned] of [
      [5, true],
      [0.05, false],
    ] as const) {
      const problem = makeProblem({
        grains: [{ position: [0, 0, RADIUS + 0.004], velocity: [0.006, 0, -0.01] }],
        walls: [floor],
        friction: mu,
        law: { normalRestitution: 0.8, tangentialRestitution: 0.6 },
      });
      const simulation = await simulate(problem, backend);
      await simulation.step(5);
      const { velocities, angularVelocities } = await simulation.read();
      // The wall's surface against the grain's is -(v_x - w_y r).
      const slip = velocities[0] - angularVelocities[1] * RADIUS;
      if (turned) expect(Math.abs(slip + 0.6 * 0.006)).toBeLessThan(10 * tiny * 0.01);
      else expect(Math.abs(velocities[0] - (0.006 - mu * 1.8 * 0.01))).toBeLessThan(10 * tiny * 0.01);
    }
  });

  test('friction aims across the normal as it is, though it turns while grazing grains collide', async () => {
    const problem = makeProblem({
      grains: [
        { position: [0, 0, 0], velocity: [0.2, 0, 0] },
        { position: [0.8, 0.65, 0], velocity: [-0.2, 0, 0] },
      ],
      friction: 0.5,
      law: { normalRestitution: 0.5, tangentialRestitution: 1 },
    });
    const simulation = await simulate(problem, backend);
    // The step that closes the gap and the one that stops: Signorini's law along the normal.
    for (const _ of ['closes', 'stops']) {
      await simulation.step();
      const { contacts, velocities } = await simulation.read();
      const normal = at(contacts.normals, 0);
      expect(dot(at(contacts.forces, 0), normal)).toBeGreaterThan(1e-3);
      const approach = dot(subtract(at(velocities, 1), at(velocities, 0)), normal);
      expect(Math.abs(approach + contacts.gaps[0])).toBeLessThan(10 * tiny * 0.2);
    }
  });

  test.each([
    ['smooth spheres', 3, 0, 1e-5],
    ['smooth disks', 2, 0, 1e-5],
    ['spheres that turn their slip round', 3, 1, 1e-2],
    ['disks that turn their slip round', 2, 1, 1e-2],
  ] as const)('%s keep their energy at every angle, in long steps too', async (_, dimension, tangentialRestitution, share) => {
    const speed = 0.1 * RADIUS;
    const [radius, mass] = [0.6 * RADIUS, 3];
    const grains: TestGrain[] = [];
    for (const degrees of [0, 15, 30, 45, 60, 70, 75, 80]) {
      const angle = (degrees * Math.PI) / 180;
      const velocity: Vector = [-speed * Math.cos(angle), speed * Math.sin(angle), 0];
      for (const place of [0.01, 0.3, 0.5, 0.7, 0.99]) {
        const start: Vector = [0, 3 * grains.length, 0];
        grains.push({ position: start, velocity: scale(velocity, -0.3), mass });
        grains.push({
          position: add(start, [RADIUS + radius - place * velocity[0], 0, 0]),
          velocity: scale(velocity, 0.7),
          angularVelocity: [0, 0, 0.1 - 0.2 * place],
          radius,
          mass: 1,
        });
      }
    }
    const problem = makeProblem({
      dimension,
      grains,
      friction: 10 * tangentialRestitution,
      law: { normalRestitution: 1, tangentialRestitution },
    });
    const before = pairEnergies(problem, problem.grains);
    const simulation = await simulate(problem, backend);
    await simulation.step(5);
    const after = pairEnergies(problem, await simulation.read());
    for (const [pair, energy] of after.entries()) {
      expect(energy / before[pair] - 1, `pair ${pair}`).toBeLessThan(100 * tiny);
      expect(energy / before[pair] - 1, `pair ${pair}`).toBeGreaterThan(-share - 100 * tiny);
    }
  });

  test('a ball bounces to e^2 of its height, comes to rest in finite time and stays there', async () => {
    const [restitution, gravity, step, launch] = [0.7, 10, backend === 'cpu' ? 1e-4 : 1e-3, 1];
    // Collisions miss some g dt of their speed: the error goes with the step.
    const close = 200 * step;
    const problem = makeProblem({
      grains: [{ position: [0, 0, RADIUS], velocity: [0, 0, launch] }],
      walls: [floor],
      gravity: [0, 0, -gravity],
      timeStep: step,
      law: { normalRestitution: restitution },
    });
    const simulation = await simulate(problem, backend);
    const total = (2 * launch) / (gravity * (1 - restitution));
    const tops: number[] = [];
    let [height, rising, restedAt] = [0, true, 0];
    for (const report of await simulation.step(Math.round((1.2 * total) / step))) {
      const velocity = report.momentum[2] / problem.grains.masses[0];
      if (rising && velocity <= 0) tops.push(height);
      rising = velocity > 0;
      height += velocity * step;
      if (Math.abs(velocity) > tiny * launch) restedAt = report.step * step;
    }
    for (let bounce = 0; bounce < 4; bounce++) {
      const top = (restitution ** (2 * bounce) * launch ** 2) / (2 * gravity);
      expect(Math.abs(tops[bounce] / top - 1)).toBeLessThan(close);
      if (bounce > 0) expect(tops[bounce]).toBeLessThan(restitution ** 2 * tops[bounce - 1]);
    }
    expect(Math.abs(restedAt / total - 1)).toBeLessThan(close);
    expect(Math.abs(height)).toBeLessThan(10 * tiny);
  }, 60_000);

  test.each([
    [3, 1e-10, 100],
    [3, 1e-3, 100],
    [2, 1e-3, backend === 'cpu' ? 100 : 15],
  ] as const)(
    'a stack in %i dimensions at rest stays at rest, solved to %f',
    async (dimension, tolerance, steps) => {
      const up = (height: number): Vector => (dimension === 3 ? [0, 0, height] : [0, height, 0]);
      const grains = Array.from({ length: 10 }, (_, k): TestGrain => ({ position: up(RADIUS + k) }));
      const problem = makeProblem({
        dimension,
        grains,
        walls: [plane([0, 0, 0], up(1))],
        gravity: up(-10),
        timeStep: 0.01,
        law: { normalRestitution: 0.9 },
        solver: { momentum: 0.9, convergence: { criterion: 'residual', tolerance, balance: null, maxIterations: 2000 } },
      });
      const simulation = await simulate(problem, backend);
      await simulation.step(steps);
      const { positions, velocities } = await simulation.read();
      // In units of the speed that gravity gives in a step.
      expect(Math.max(...velocities.map(Math.abs)) / 0.1).toBeLessThan(10 * Math.max(tolerance, tiny));
      grains.forEach(({ position }, k) => {
        expect(Math.abs(positions[3 * k + dimension - 1] - position[dimension - 1])).toBeLessThan(Math.max(tolerance, 10 * tiny));
      });
    },
    120_000,
  );
});
