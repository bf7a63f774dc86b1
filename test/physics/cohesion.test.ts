import { describe, expect, test } from 'vitest';
import { backends, rounding, simulate } from '../support/backends';
import { makeProblem, plane, type TestScene } from '../support/problems';
import { at, dot } from '../support/vectors';

const RADIUS = 0.5;
const [FORCE, RANGE] = [2, 0.01];
const cohesion = { cohesionForce: FORCE, cohesionRange: RANGE };
const STICKING = 1;
const SLIDING = 2;

/** Two unit masses in touch along x, pulled apart by `pull` each; `apart` is how fast they part at first. */
const pair = (pull: number, timeStep: number, { apart = 0, gap = 0 } = {}): TestScene => ({
  grains: [
    { position: [0, 0, 0], mass: 1, force: [-pull, 0, 0], velocity: [-apart / 2, 0, 0] },
    { position: [2 * RADIUS + gap, 0, 0], mass: 1, force: [pull, 0, 0], velocity: [apart / 2, 0, 0] },
  ],
  timeStep,
  law: cohesion,
});

const gapOf = (positions: Float64Array) => positions[3] - positions[0] - 2 * RADIUS;

describe.each(backends)('cohesion on %s', (backend) => {
  const tiny = rounding[backend];

  test('two grains pulled with less than the force never part, and the bond pulls as they are pulled', async () => {
    const simulation = await simulate(makeProblem(pair(0.99 * FORCE, 1e-3)), backend);
    await simulation.step(backend === 'cpu' ? 500 : 50);
    const { positions, contacts } = await simulation.read();
    expect(Math.abs(gapOf(positions))).toBeLessThan(10 * tiny);
    expect(Math.abs(dot(at(contacts.forces, 0), at(contacts.normals, 0)) + 0.99 * FORCE)).toBeLessThan(10 * tiny);
  });

  test('a bond of long range holds until the gap is beyond it, however slowly the grains part', async () => {
    const range = 0.3;
    const scene = { ...pair(1.1 * FORCE, 0.1), law: { cohesionForce: FORCE, cohesionRange: range } };
    const simulation = await simulate(makeProblem(scene), backend);
    let [gap, held] = [0, 0];
    while (gap <= range) {
      await simulation.step();
      const { positions, contacts } = await simulation.read();
      expect(contacts.count, `gap ${gap}`).toBe(1);
      expect(Math.abs(dot(at(contacts.forces, 0), at(contacts.normals, 0)) + FORCE)).toBeLessThan(100 * tiny);
      if (gap > 0.15) held++;
      gap = gapOf(positions);
      expect(gap).toBeLessThan(1);
    }
    expect(held).toBeGreaterThan(2);
  });

  test('pulled with more they part with the work done beyond the range times the force, whatever the step', async () => {
    for (const pull of [1.05 * FORCE, 3 * FORCE]) {
      const expected = (pull - FORCE) * RANGE;
      for (const timeStep of backend === 'cpu' ? [1e-2, 1e-3, 1e-4] : [2e-1, 2e-2, 2e-3]) {
        // Steps of the software adapter are slow, and here they would be 160.
        if (timeStep === 2e-3 && pull < 2 * FORCE) continue;
        const simulation = await simulate(makeProblem(pair(pull, timeStep)), backend);
        let energy = 0;
        for (let step = 0; ; step++) {
          const [{ kineticEnergy }] = await simulation.step();
          energy = kineticEnergy;
          const { positions } = await simulation.read();
          if (gapOf(positions) > RANGE) break;
          expect(step).toBeLessThan(20_000);
        }
        const speed = 2 * Math.sqrt(energy);
        expect(Math.abs(energy - expected)).toBeLessThan(2 * pull * speed * timeStep);
        // From here on nothing holds them.
        await simulation.step();
        const before = (await simulation.read()).velocities[3];
        await simulation.step(2);
        const { velocities, contacts } = await simulation.read();
        expect(Math.abs((velocities[3] - before) / (2 * pull * timeStep) - 1)).toBeLessThan(1e4 * tiny);
        expect(contacts.forces.every((force) => force === 0)).toBe(true);
      }
    }
  }, 60_000);

  test.each([
    ['short', RANGE, 0.12],
    ['long', 0.2, 0.6],
  ])('a contact of %s range that began to open is held where it comes to a stop, not pulled back', async (_, range, apart) => {
    const [pull, timeStep] = [0.5 * FORCE, backend === 'cpu' ? 3e-4 : 3e-3];
    const steps = backend === 'cpu' ? 1200 : 240;
    const scene = { ...pair(pull, timeStep, { apart }), law: { cohesionForce: FORCE, cohesionRange: range } };
    const simulation = await simulate(makeProblem(scene), backend);
    await simulation.step(steps);
    const opened = gapOf((await simulation.read()).positions);
    // The reduced mass is 1/2: apart^2/4 = (FORCE - pull) opened.
    expect(Math.abs(opened - apart ** 2 / (4 * (FORCE - pull)))).toBeLessThan(apart * timeStep);
    expect(opened).toBeLessThan(range);
    await simulation.step(steps / 4);
    const { positions, velocities } = await simulation.read();
    expect(Math.abs(gapOf(positions) - opened)).toBeLessThan(10 * tiny);
    expect(Math.abs(velocities[3])).toBeLessThan(10 * tiny);
  });

  test('an opened contact that is pushed closes freely', async () => {
    const problem = makeProblem(pair(-0.5, 1e-3, { apart: 0.1 }));
    const simulation = await simulate(problem, backend);
    let widest = 0;
    for (let step = 0; step < 80; step++) {
      await simulation.step();
      const { positions, velocities, contacts } = await simulation.read();
      const gap = gapOf(positions);
      widest = Math.max(widest, gap);
      // Once it closes, nothing holds it back before the grains touch.
      if (velocities[3] < -1e-6 && gap > 1e-4) expect(contacts.forces[0]).toBe(0);
    }
    expect(widest).toBeGreaterThan(5e-4);
    expect(Math.abs(gapOf((await simulation.read()).positions))).toBeLessThan(10 * tiny);
  });

  test('a pair that never touched does not attract, one that collided is bonded', async () => {
    const apart = await simulate(makeProblem(pair(0, 1e-3, { gap: 0.5 * RANGE, apart: 1e-3 })), backend);
    await apart.step(200);
    const { velocities } = await apart.read();
    expect(Math.abs(velocities[3] - 5e-4)).toBeLessThan(tiny);

    const collided = await simulate(
      makeProblem({
        grains: [
          { position: [0, 0, 0], mass: 1, force: [-1, 0, 0], velocity: [0.5, 0, 0] },
          { position: [2 * RADIUS + 3e-4, 0, 0], mass: 1, force: [1, 0, 0], velocity: [-0.5, 0, 0] },
        ],
        timeStep: 1e-3,
        law: cohesion,
      }),
      backend,
    );
    await collided.step(200);
    expect(Math.abs(gapOf((await collided.read()).positions))).toBeLessThan(100 * tiny);
  });

  test('a grain hangs from a ceiling; friction, rolling and torsion have the bond to hold on to', async () => {
    const [mu, weight, pressing] = [0.3, 0.5, FORCE - 0.5];
    for (const along of [0.9, 1.5, 20]) {
      // The grain may not turn, so that it slides from the limit of friction on.
      const problem = makeProblem({
        grains: [{ position: [0, 0, 0], mass: 1, force: [along * mu * pressing, 0, 0] }],
        walls: [plane([0, 0, RADIUS], [0, 0, -1])],
        gravity: [0, 0, -weight],
        timeStep: 1e-3,
        friction: mu,
        law: { ...cohesion, rollingFriction: 10 },
      });
      const simulation = await simulate(problem, backend);
      const reports = await simulation.step(100);
      const { positions, velocities, contacts } = await simulation.read();
      expect(Math.abs(positions[2])).toBeLessThan(10 * tiny);
      expect(Math.abs(reports[99].wallLoads[2] + weight)).toBeLessThan(100 * tiny);
      const acceleration = Math.max(along - 1, 0) * mu * pressing;
      expect(Math.abs(velocities[0] - acceleration * 0.1)).toBeLessThan(1e3 * tiny);
      expect(contacts.states[0]).toBe(along < 1 ? STICKING : SLIDING);
    }
  });

  test('a piston lifts what is bonded to it, up to the force', async () => {
    for (const share of [0.9, 1.2]) {
      const problem = makeProblem({
        grains: [{ position: [0, 0, RADIUS], mass: 1 }],
        walls: [
          plane([0, 0, 0], [0, 0, 1]),
          { ...plane([0, 0, 2 * RADIUS], [0, 0, -1]), piston: { mass: 5, force: -share * FORCE } },
        ],
        timeStep: 1e-3,
        law: cohesion,
      });
      const simulation = await simulate(problem, backend);
      const reports = await simulation.step(300);
      const lifted = reports[299].wallMotions[8] - 2 * RADIUS;
      if (share < 1) {
        expect(Math.abs(lifted)).toBeLessThan(10 * tiny);
        expect(Math.abs(reports[299].wallLoads[2] - share * FORCE)).toBeLessThan(1e3 * tiny);
      } else expect(lifted).toBeGreaterThan(1e-3);
    }
  });
});
