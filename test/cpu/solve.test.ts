import { describe, expect, test } from 'vitest';
import { CONTACT_STRIDE, IMPULSE, PREVIOUS_IMPULSE } from '../../src/cpu/contacts';
import { countBearing, measureBodies, measurePenetration, measureWallLoads } from '../../src/cpu/measure';
import { residual } from '../../src/cpu/residual';
import { applyShockLaw } from '../../src/cpu/shockLaw';
import { ContactSolver } from '../../src/cpu/solve';
import { wallSteps } from '../../src/cpu/walls';
import type { Convergence, SolverOptions } from '../../src/index';
import { toSystem } from '../../src/scene/units';
import { makeProblem, plane } from '../support/problems';
import { crowd, type Prepared, prepare } from '../support/systems';
import { add, at, cross, dot, length, scale, subtract } from '../support/vectors';

const options = (convergence: Convergence, others: Partial<SolverOptions> = {}): SolverOptions => ({
  sweep: 'coloured',
  order: 'fixed',
  momentum: 0.9,
  coarse: 'off',
  convergence,
  warmStart: true,
  seed: 1,
  ...others,
});

const impulse = ({ block }: Prepared, slot: number, offset = IMPULSE) =>
  at(block.data.subarray(CONTACT_STRIDE * slot + offset, CONTACT_STRIDE * slot + offset + 3), 0);

describe('shock law', () => {
  test('after an update the contact itself is satisfied: Signorini and Coulomb', () => {
    const system = crowd(150);
    const prepared = prepare(system);
    const { block, list, motion } = prepared;
    const seen = { open: 0, sticking: 0, sliding: 0 };
    for (let slot = 0; slot < block.count; slot++) {
      applyShockLaw(block, slot, slot + 1, motion, 0);
      const c = block.order[slot];
      const friction = system.laws[list.laws[c]].dynamicFriction;
      const [a, b] = [motion.subarray(8 * list.first[c]), motion.subarray(8 * list.second[c])];
      const normal = at(list.normals, c);
      const spins = add(at(a.subarray(3), 0), at(b.subarray(3), 0));
      const velocity = subtract(subtract(at(b, 0), at(a, 0)), cross(spins, normal));
      const closing = dot(velocity, normal) + Math.max(list.gaps[c], 0);
      const tangential = subtract(velocity, scale(normal, dot(velocity, normal)));
      const p = impulse(prepared, slot);
      const pn = dot(p, normal);
      const pt = subtract(p, scale(normal, pn));
      if (pn === 0) {
        seen.open++;
        expect(closing).toBeGreaterThan(-1e-12);
        expect(length(p)).toBe(0);
        continue;
      }
      expect(pn).toBeGreaterThan(0);
      expect(Math.abs(closing)).toBeLessThan(1e-12);
      if (length(tangential) < 1e-12) {
        seen.sticking++;
        expect(length(pt)).toBeLessThanOrEqual(friction * pn + 1e-12);
      } else {
        seen.sliding++;
        const against = scale(tangential, (-friction * pn) / length(tangential));
        expect(length(subtract(pt, against))).toBeLessThan(1e-12);
      }
    }
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20);
  });

  test('the residual changes nothing', () => {
    const { block, motion } = prepare(crowd(100));
    const [data, bodies] = [block.data.slice(), motion.slice()];
    expect(residual(block, motion).rms).toBeGreaterThan(0);
    expect(block.data).toEqual(data);
    expect(motion).toEqual(bodies);
  });

  test('the residual is what the law would still change, over the mean impulse of the active contacts', () => {
    const system = crowd(100);
    const prepared = prepare(system);
    const { block, motion } = prepared;
    applyShockLaw(block, 0, block.count, motion, 0);
    const answers = new Float64Array(3 * block.count);
    for (let slot = 0; slot < block.count; slot++) {
      // The law of this contact alone, in a copy.
      const { bodies, inertiaFactor } = block;
      const data = block.data.slice();
      applyShockLaw({ data, bodies, inertiaFactor }, slot, slot + 1, motion.slice(), 0);
      const p = CONTACT_STRIDE * slot + IMPULSE;
      answers.set(data.subarray(p, p + 3), 3 * slot);
    }
    const active = Array.from({ length: block.count }, (_, slot) => slot).filter(
      (slot) => length(impulse(prepared, slot)) > 0 || length(at(answers, slot)) > 0,
    );
    const changes = active.map((slot) => length(subtract(at(answers, slot), impulse(prepared, slot))));
    const mean = active.reduce((sum, slot) => sum + length(impulse(prepared, slot)), 0) / active.length;
    const rms = Math.sqrt(changes.reduce((sum, change) => sum + change ** 2, 0) / active.length);
    expect(active.length).toBeLessThan(block.count);
    expect(residual(block, motion).rms).toBeCloseTo(rms / mean, 10);
    expect(residual(block, motion).max).toBeCloseTo(Math.max(...changes) / mean, 10);
  });
});

describe('convergence', () => {
  const sizes = (prepared: Prepared, offset: number) =>
    Array.from({ length: prepared.block.count }, (_, slot) => length(impulse(prepared, slot, offset)));
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

  /** The criteria written from their definitions. */
  const holds: Record<string, (prepared: Prepared) => boolean> = {
    local: (prepared) => {
      const now = sizes(prepared, IMPULSE);
      return now.every((size, slot) => {
        const change = length(subtract(impulse(prepared, slot), impulse(prepared, slot, PREVIOUS_IMPULSE)));
        return change <= 1e-2 * size + 1e-3 * mean(now);
      });
    },
    global: (prepared) => {
      const [now, before] = [mean(sizes(prepared, IMPULSE)), mean(sizes(prepared, PREVIOUS_IMPULSE))];
      return Math.abs(now - before) <= 1e-4 * now;
    },
    residual: ({ block, motion }) => residual(block, motion).rms <= 1e-3,
  };

  test.each<Exclude<Convergence, { criterion: 'fixed' }>>([
    { criterion: 'local', epsilon: 1e-2, delta: 1e-3, maxIterations: 5000 },
    { criterion: 'global', epsilon: 1e-4, maxIterations: 5000 },
    { criterion: 'residual', tolerance: 1e-3, balance: 1, maxIterations: 5000 },
  ])('$criterion stops at the first tested sweep at which it holds', async (convergence) => {
    const run = async (maxIterations: number) => {
      const prepared = prepare(crowd(200));
      const solver = new ContactSolver(options({ ...convergence, maxIterations }), 200);
      return { prepared, ...(await solver.solve(prepared.block, prepared.motion, 0)) };
    };
    const done = await run(convergence.maxIterations);
    expect(done.converged).toBe(true);
    expect(done.iterations % 5).toBe(0);
    expect(done.iterations).toBeGreaterThan(5);
    expect(holds[convergence.criterion](done.prepared)).toBe(true);
    for (let sweeps = 5; sweeps < done.iterations; sweeps += 5) {
      const early = await run(sweeps);
      expect(early).toMatchObject({ iterations: sweeps, converged: false });
      expect(holds[convergence.criterion](early.prepared)).toBe(false);
    }
  });

  test('fixed holds after its number of sweeps', async () => {
    const { block, motion } = prepare(crowd(20));
    const solution = await new ContactSolver(options({ criterion: 'fixed', iterations: 3 }), 20).solve(block, motion, 0);
    expect(solution).toMatchObject({ iterations: 3, converged: true });
  });

  test('momentum needs far fewer sweeps than plain Gauss-Seidel', async () => {
    const grains = Array.from({ length: 40 }, (_, k) => ({ position: [0, 0, 0.5 + k] as [number, number, number] }));
    const problem = makeProblem({ grains, walls: [plane([0, 0, 0], [0, 0, 1])] });
    const count = async (momentum: number) => {
      const prepared = prepare(toSystem(problem));
      for (let i = 0; i < 40; i++) prepared.motion[8 * i + 2] = -1e-3;
      const convergence: Convergence = { criterion: 'residual', tolerance: 1e-6, balance: 1, maxIterations: 100_000 };
      return (await new ContactSolver(options(convergence, { momentum }), 40).solve(prepared.block, prepared.motion, 0))
        .iterations;
    };
    expect(await count(0.9)).toBeLessThan((await count(0)) / 4);
  });

  test('bodies and impulses stay together: velocities are the free ones plus all impulses', async () => {
    for (const others of [{}, { order: 'random' as const }, { sweep: 'random' as const }]) {
      const system = crowd(150);
      const prepared = prepare(system);
      const expected = prepared.motion.slice();
      await new ContactSolver(options({ criterion: 'fixed', iterations: 57 }, others), 150).solve(
        prepared.block,
        prepared.motion,
        0,
      );
      prepared.block.applyImpulses(expected);
      prepared.motion.forEach((value, k) => {
        expect(value).toBeCloseTo(expected[k], 10);
      });
    }
  });
});

describe('measures', () => {
  test('loads, contacts, energy and overlaps by their definitions', () => {
    const system = crowd(150);
    const prepared = prepare(system);
    const { block, list, motion } = prepared;
    for (let k = 0; k < 20; k++) applyShockLaw(block, 0, block.count, motion, 0);
    block.scatter(list);
    const bearing = Array.from({ length: list.count }, (_, c) => c).filter((c) => length(at(list.impulses, c)) > 0);
    expect(countBearing(block)).toBe(bearing.length);

    const loads = measureWallLoads(system, wallSteps(system, 0), system.positions, list);
    for (let w = 0; w < 2; w++) {
      let [force, torque] = [at([0, 0, 0], 0), at([0, 0, 0], 0)];
      for (const c of bearing.filter((candidate) => list.second[candidate] === system.grains + w)) {
        const arm = scale(at(list.normals, c), system.radii[list.first[c]]);
        const place = subtract(add(at(system.positions, list.first[c]), arm), system.walls[w].point);
        force = add(force, at(list.impulses, c));
        torque = add(torque, cross(place, at(list.impulses, c)));
      }
      expect(length(force)).toBeGreaterThan(0);
      expect(length(subtract(at(loads, 2 * w), force))).toBeLessThan(1e-12);
      expect(length(subtract(at(loads, 2 * w + 1), torque))).toBeLessThan(1e-12);
    }

    let energy = 0;
    for (let i = 0; i < system.grains; i++) {
      if (system.inverseMasses[i] === 0) continue;
      const [v, s] = [at(motion.subarray(8 * i), 0), at(motion.subarray(8 * i + 3), 0)];
      energy += (0.5 * (dot(v, v) + 0.4 * dot(s, s))) / system.inverseMasses[i];
    }
    expect(measureBodies(motion, system).kineticEnergy).toBeCloseTo(energy, 10);

    const touching = [...list.gaps.slice(0, list.count)].filter((gap) => gap < 1e-3);
    const overlaps = touching.map((gap) => Math.max(0, -gap));
    const { mean, max } = measurePenetration(system, wallSteps(system, 0), system.positions, list);
    expect(mean).toBeCloseTo(overlaps.reduce((sum, overlap) => sum + overlap, 0) / touching.length, 10);
    expect(max).toBeCloseTo(Math.max(...overlaps), 10);
  });
});
