import { describe, expect, test } from 'vitest';
import { packBodies } from '../../src/cpu/bodies';
import { CoarseLevel } from '../../src/cpu/coarse';
import { CORNERS, CoarseGrid } from '../../src/cpu/coarseGrid';
import { coarseExtent } from '../../src/cpu/coarseSchedule';
import { CONTACT_STRIDE, EXTRA_STRIDE, IMPULSE, PULL, TORQUE } from '../../src/cpu/contacts';
import { ContactSolver } from '../../src/cpu/solve';
import { CpuSolver } from '../../src/cpu/solver';
import { type Convergence, createSimulation, type Problem, parseScene, type SolverOptions, type Vector } from '../../src/index';

import type { StepReport } from '../../src/report';
import { randomNumbers } from '../../src/scene/generators/randomNumbers';
import type { PairLaw, Piston } from '../../src/scene/problem';
import { toSystem } from '../../src/scene/units';
import { giantsAmongSmall } from '../support/packings';
import { makeProblem, plane } from '../support/problems';
import { crowd, outlet, prepare, stack } from '../support/systems';
import { dot, length, scale, subtract } from '../support/vectors';

const TOWER_SPACING = 1.02;

async function firstStep(system: ReturnType<typeof toSystem>): Promise<StepReport> {
  const reports: StepReport[] = [];
  await new CpuSolver(system).step(1, (report) => reports.push(report));
  return reports[0];
}

describe('grid', () => {
  const positions = Float64Array.of(0.5, 0.5, 0.5, 9.5, 19.5, 39.5);

  test('covers the grains with cells whose corners are nodes', () => {
    const grid = new CoarseGrid();
    grid.layOut(positions);
    expect(grid.extent).toBe(40);
    expect(grid.dims).toEqual([2, 4, 8]);
    expect(grid.nodes).toBe(3 * 5 * 9);
    const last = grid.cellAt(9.5, 19.5, 39.5);
    expect(last).toBe(grid.cells - 1);
    expect(grid.corners[CORNERS * last + 7]).toBe(grid.nodes - 1);
    expect(grid.cellAt(-3, -3, 100)).toBe(grid.cellAt(0.5, 0.5, 39.5));
  });

  test('closes upon itself along periodic axes', () => {
    const grid = new CoarseGrid([10, 0, 0]);
    grid.layOut(positions);
    expect(grid.nodeDims).toEqual([2, 5, 9]);
    expect(grid.corners[CORNERS * grid.cellAt(9, 1, 1) + 1]).toBe(grid.corners[CORNERS * grid.cellAt(1, 1, 1)]);
    expect(grid.cellAt(10.2, 1, 1)).toBe(grid.cellAt(0.2, 1, 1));
    expect(grid.within(0, 11)).toBeCloseTo(grid.within(0, 1), 12);
  });
});

describe('coarse step', () => {
  test('undoes an error of long range at once', () => {
    const system = stack(60);
    const { block, motion } = prepare(system);
    const weight = -system.accelerations[2];
    const exact = Float64Array.from({ length: block.count }, (_, slot) => {
      // The grain that rests on the contact: the upper one of a pair, the only one at the floor.
      const [a, b] = [block.bodies[2 * slot] / 8, block.bodies[2 * slot + 1] / 8];
      return weight * (60 - (b < 60 ? Math.max(a, b) : a));
    });
    for (let slot = 0; slot < block.count; slot++) {
      const wrong = 0.8 + 0.2 * (exact[slot] / (60 * weight));
      for (let axis = 0; axis < 3; axis++) {
        block.data[CONTACT_STRIDE * slot + IMPULSE + axis] = wrong * exact[slot] * block.data[CONTACT_STRIDE * slot + axis];
      }
    }
    for (let i = 0; i < 60; i++) motion[8 * i + 2] = -weight;
    block.applyImpulses(motion);
    const error = () => {
      let sum = 0;
      for (let slot = 0; slot < block.count; slot++) {
        const impulse = block.data.subarray(CONTACT_STRIDE * slot + IMPULSE, CONTACT_STRIDE * slot + IMPULSE + 3);
        sum += Math.abs(Math.hypot(...impulse) - exact[slot]);
      }
      return sum;
    };
    const before = error();
    const level = new CoarseLevel(system);
    level.begin(system.positions);
    const share = level.propose(block, motion);
    const total = exact.reduce((sum, impulse) => sum + impulse);
    expect(share).toBeCloseTo(before / (total - before), 1);
    level.apply(block, motion, motion.slice());
    expect(error()).toBeLessThan(0.25 * before);
  });

  const laws: [string, Partial<PairLaw>][] = [
    ['friction', {}],
    ['rolling and torsion friction', { rollingFriction: 0.2, torsionFriction: 0.1 }],
    ['cohesion', { cohesionForce: 2e-3, cohesionRange: 0.02, rollingFriction: 0.2 }],
  ];

  test.each(laws)('keeps impulses within their bounds and motion the impulses own, with %s', async (_, law) => {
    const system = crowd(200, 3, law);
    const prepared = prepare(system);
    const { block, motion, list } = prepared;
    if (block.general)
      for (let slot = 0; slot < block.count; slot++) block.extra[EXTRA_STRIDE * slot + PULL] = system.laws[1].cohesionForce;
    const options = { ...system.solver, convergence: { criterion: 'fixed', iterations: 10 } } as const;
    await new ContactSolver(options, 200).solve(block, motion, 0);
    const level = new CoarseLevel(system);
    level.begin(system.positions);
    expect(level.propose(block, motion)).toBeGreaterThan(1e-3);
    level.apply(block, motion, motion.slice());
    let bearing = 0;
    for (let slot = 0; slot < block.count; slot++) {
      const { staticFriction, rollingFriction } = system.laws[list.laws[block.order[slot]]];
      const k = CONTACT_STRIDE * slot;
      const [normal, impulse] = [vectorAt(block.data, k), vectorAt(block.data, k + IMPULSE)];
      const pull = block.general ? block.extra[EXTRA_STRIDE * slot + PULL] : 0;
      const pressing = dot(impulse, normal);
      expect(pressing).toBeGreaterThanOrEqual(-pull * (1 + 1e-12));
      const most = (pressing + pull) * (1 + 1e-9) + 1e-12;
      expect(length(subtract(impulse, scale(normal, pressing)))).toBeLessThanOrEqual(staticFriction * most + 1e-12);
      if (block.general) {
        const torque = vectorAt(block.extra, EXTRA_STRIDE * slot + TORQUE);
        expect(length(subtract(torque, scale(normal, dot(torque, normal))))).toBeLessThanOrEqual(rollingFriction * most + 1e-12);
      }
      if (pressing > 0) bearing++;
    }
    expect(bearing).toBeGreaterThan(100);
    const again = packBodies(system.velocities, system.spins, system.inverseMasses);
    block.applyImpulses(again);
    for (let k = 0; k < 8 * 200; k++) expect(motion[k]).toBeCloseTo(again[k], 10);
  });
});

test('a few giants among many small grains gain no energy as they fall', async () => {
  const convergence = { criterion: 'residual', tolerance: 1e-3, balance: 5e-2, maxIterations: 1000 } as const;
  const radii = Float64Array.of(0.5, 0.5, 0.5);
  expect(coarseExtent({ radii })).toBe(20);
  radii[1] = 7;
  expect(coarseExtent({ radii })).toBe(140);
  const random = {
    count: 250,
    radius: {
      list: [
        [0.5, 0.02],
        [0.025, 0.98],
      ],
    },
    box: { min: [0, 0, 0], max: [1.6, 1.6, 6] },
    seed: 5,
  };
  const scene = parseScene({
    ...{
      format: 'contact-dynamics/1',
      gravity: [0, 0, -10],
      timeStep: 0.002,
      steps: 300,
      materials: { grain: { density: 1000 } },
    },
    contacts: [{ between: ['grain', 'grain'], friction: 0.5 }],
    grains: [{ material: 'grain', random }],
    walls: [{ name: 'bin', material: 'grain', box: { min: [0, 0, 0], max: [1.6, 1.6, 12], open: ['+z'] } }],
    solver: { convergence },
  });
  const simulation = await createSimulation(scene, { backend: 'cpu' });
  const { grains } = simulation.problem;
  const energy = grains.masses.reduce((sum, mass, i) => sum + 10 * mass * grains.positions[3 * i + 2], 0);
  await simulation.step(300, ({ kineticEnergy }) => expect(kineticEnergy).toBeLessThan(energy));
  simulation.dispose();
});

describe('convergence', () => {
  const convergence = { criterion: 'residual', tolerance: 1e-3, balance: 5e-2, maxIterations: 3000 } as const;

  test('a tall column bears its weight after a fraction of the sweeps', async () => {
    const off = await firstStep(stack(100, { coarse: 'off', convergence }));
    const auto = await firstStep(stack(100, { coarse: 'auto', convergence }));
    for (const { converged, wallLoads, balance } of [off, auto]) {
      expect(converged).toBe(true);
      expect(balance).toBeLessThan(5e-2);
      expect(Math.abs(wallLoads[2] / (100 * 1e-4) + 1)).toBeLessThan(0.1);
    }
    expect(auto.iterations).toBeLessThan(0.2 * off.iterations);
  });

  test('the residual alone hides that the column does not bear its weight; the balance tells', async () => {
    const off = await firstStep(stack(100, { coarse: 'off', momentum: 0, convergence: { ...convergence, balance: null } }));
    expect(off.converged).toBe(true);
    expect(off.wallLoads[2] / (100 * 1e-4)).toBeGreaterThan(-0.8);
    expect(off.balance).toBeGreaterThan(5e-2);
  });

  test('grains that fall freely are in balance', async () => {
    const { balance, iterations, converged } = await firstStep(
      toSystem(makeProblem({ grains: [{ position: [0, 0, 9], radius: 0.5 }], gravity: [0, 0, -1], solver: { convergence } })),
    );
    expect([balance, iterations, converged]).toEqual([0, 0, true]);
  });

  test.each(['a plate', 'a fixed grain'] as const)(
    'grains that fall away below it do not hold up a column on %s',
    async (base) => {
      const { converged, iterations } = await firstStep(outlet(base, { momentum: 0.9, coarse: 'auto', convergence }));
      expect(converged).toBe(true);
      expect(iterations).toBeLessThan(100);
    },
  );

  test('short packings have no coarse level unless it is asked for', async () => {
    const sweeps = async (coarse: SolverOptions['coarse']) => (await firstStep(stack(15, { coarse, convergence }))).iterations;
    expect(await sweeps('auto')).toBe(await sweeps('off'));
    expect(await sweeps('on')).not.toBe(await sweeps('off'));
  });

  test('a fixed number of sweeps, and the residual alone, have none unless it is asked for', async () => {
    const floor = async (coarse: SolverOptions['coarse'], criterion: Convergence) =>
      (await firstStep(stack(60, { coarse, convergence: criterion }))).wallLoads[2];
    const fixed = { criterion: 'fixed', iterations: 30 } as const;
    const alone = { ...convergence, balance: null };
    expect(await floor('auto', fixed)).toBe(await floor('off', fixed));
    expect(await floor('auto', alone)).toBe(await floor('off', alone));
    expect(await floor('on', fixed)).toBeLessThan(1.2 * (await floor('off', fixed)));
  });

  const scenes: [string, (solver: Partial<SolverOptions>) => Problem][] = [
    ['fixed grains', (solver) => withFixed(tower(solver))],
    ['rolling friction', (solver) => withLaw(tower(solver), { rollingFriction: 0.2, torsionFriction: 0.1 })],
    ['cohesion', (solver) => withLaw(tower(solver), { cohesionForce: 5, cohesionRange: 0.02 })],
    ['restitution', (solver) => withLaw(tower(solver), { normalRestitution: 0.5, tangentialRestitution: 0.2 })],
    ['a piston', (solver) => tower(solver, { mass: 1, force: 200 })],
    ['periodic sides', (solver) => periodicTower(solver)],
    ['a giant', (solver) => giantsAmongSmall({ giants: 1, ratio: 4, solver })],
  ];

  test.each(scenes)('with %s it takes hardly more sweeps than without, to the same overlaps', async (_, scene) => {
    const run = async (coarse: SolverOptions['coarse']) => {
      const solver = new CpuSolver(toSystem(scene({ momentum: 0.9, coarse, convergence })));
      let [sweeps, overlap, unconverged] = [0, 0, 0];
      await solver.step(25, ({ iterations, maxPenetration, converged }) => {
        sweeps += iterations;
        overlap = Math.max(overlap, maxPenetration);
        if (!converged) unconverged++;
      });
      return { sweeps, overlap, unconverged };
    };
    const [off, on] = [await run('off'), await run('on')];
    expect(on.unconverged).toBeLessThanOrEqual(off.unconverged);
    expect(on.sweeps).toBeLessThan(1.1 * off.sweeps);
    expect(on.overlap).toBeLessThan(2 * off.overlap + 1e-3);
  });
});

/** Spheres on a jittered lattice three wide and twenty-four high that fall into an open box, or are pressed into it by a piston. */
function tower(solver: Partial<SolverOptions>, piston?: Piston): Problem {
  const random = randomNumbers(1);
  const grains = Array.from({ length: 216 }, (_, k) => {
    const cell = [k % 3, Math.floor(k / 3) % 3, Math.floor(k / 9)];
    return { position: cell.map((c) => 0.5 + TOWER_SPACING * c + 0.015 * random()) as Vector, radius: 0.47 + 0.03 * random() };
  });
  const width = 3 * TOWER_SPACING;
  const top = 24 * TOWER_SPACING + 0.1;
  const walls = [
    plane([0, 0, 0], [0, 0, 1]),
    plane([0, 0, 0], [0, 1, 0]),
    plane([0, width, 0], [0, -1, 0]),
    plane([0, 0, 0], [1, 0, 0]),
    plane([width, 0, 0], [-1, 0, 0]),
    ...(piston ? [{ ...plane([0, 0, top], [0, 0, -1]), piston }] : []),
  ];
  return makeProblem({ grains, walls, gravity: [0, 0, -10], timeStep: 0.02, friction: 0.3, solver });
}

/** Without the walls across x, along which it repeats itself. */
function periodicTower(solver: Partial<SolverOptions>): Problem {
  const problem = tower(solver);
  return { ...problem, walls: problem.walls.slice(0, 3), periodic: { min: [0, 0, 0], lengths: [3 * TOWER_SPACING, 0, 0] } };
}

function withFixed(problem: Problem): Problem {
  return { ...problem, grains: { ...problem.grains, fixed: problem.grains.fixed.map((_, i) => (i % 10 === 3 ? 1 : 0)) } };
}

const vectorAt = (values: Float64Array, k: number): Vector => [values[k], values[k + 1], values[k + 2]];

function withLaw(problem: Problem, law: Partial<PairLaw>): Problem {
  return { ...problem, laws: problem.laws.map((plain) => ({ ...plain, ...law })) };
}
