import { packBodies } from '../../src/cpu/bodies';
import { CandidateList } from '../../src/cpu/candidateList';
import { CandidateFinder } from '../../src/cpu/candidates';
import { Colourer, type Colouring } from '../../src/cpu/colouring';
import { ContactBlock } from '../../src/cpu/contacts';
import { buildGrid, type Grid, layOutGrid } from '../../src/cpu/grid';
import { chooseSizeLevels } from '../../src/cpu/sizeLevels';
import { randomNumbers } from '../../src/scene/generators/randomNumbers';
import { isPlain } from '../../src/scene/laws';
import type { PairLaw, SolverOptions } from '../../src/scene/problem';
import type { System } from '../../src/scene/system';
import { toSystem } from '../../src/scene/units';
import { extentOf } from '../../src/snapshot';
import { cylinder, makeProblem, plane, plate, type TestGrain } from './problems';

/** Spheres one on the other, on a floor. */
export const stack = (count: number, solver: Partial<SolverOptions> = {}): System =>
  toSystem(
    makeProblem({
      grains: Array.from({ length: count }, (_, k): TestGrain => ({ position: [0, 0, 0.5 + k], radius: 0.5 })),
      walls: [plane([0, 0, 0], [0, 0, 1])],
      gravity: [0, 0, -1],
      timeStep: 0.01,
      solver: { momentum: 0.9, ...solver },
    }),
  );

/**
 * A column of 30 on a small plate, or on a fixed grain, and below it two grains that fall and press each other next to nothing. Between the
 * lowest grain of the column and what it stands on goes an edge of the coarse grid.
 */
export function outlet(base: 'a plate' | 'a fixed grain', solver: Partial<SolverOptions>): System {
  const column = Array.from({ length: 30 }, (_, k): TestGrain => ({ position: [0, 0, 0.5 + k], radius: 0.5 }));
  const falling = [0, 1].map((k): TestGrain => ({ position: [0, 0, k - 4.21], radius: 0.5, velocity: [0, 0, -1e-7 * k] }));
  const below: TestGrain[] = base === 'a plate' ? [] : [{ position: [0, 0, -0.5], radius: 0.5, fixed: true }];
  const walls = base === 'a plate' ? [plate([0, 0, 0], 0, 1)] : [];
  return toSystem(makeProblem({ grains: [...below, ...column, ...falling], walls, gravity: [0, 0, -1], timeStep: 0.01, solver }));
}

/** Grains of sizes 1:10, some overlapping, with random motion, in a cylinder on a floor. Two materials. */
export function crowd(count: number, seed = 1, law: Partial<PairLaw> = {}): System {
  const random = randomNumbers(seed);
  const width = 0.8 * Math.cbrt(count);
  const grains = Array.from({ length: count }, (_, k): TestGrain => {
    const radius = random() < 0.02 ? 1 : 0.1 + 0.4 * random();
    return {
      position: [width * (random() - 0.5), width * (random() - 0.5), radius + width * random()],
      radius,
      velocity: [0.1 * (random() - 0.5), 0.1 * (random() - 0.5), 0.1 * (random() - 0.5)],
      angularVelocity: [0.1 * (random() - 0.5), 0.1 * (random() - 0.5), 0.1 * (random() - 0.5)],
      fixed: random() < 0.05,
      material: k % 2,
    };
  });
  const friction = [
    [0.3, 0.6],
    [0.6, 0],
  ];
  return toSystem(makeProblem({ grains, walls: [plane([0, 0, 0], [0, 0, 1]), cylinder(0.65 * width, 'inside')], friction, law }));
}

/** The stages up to the sweeps, with one reach for all. */
export interface Prepared {
  grid: Grid;
  list: CandidateList;
  colouring: Colouring;
  block: ContactBlock;
  motion: Float64Array;
}

/** The linked cells of a system for such a reach. */
export function gridOf(system: System, reach: number, sizeLevels = chooseSizeLevels(system)): Grid {
  const { positions, periods } = system;
  return buildGrid(positions, layOutGrid(sizeLevels, extentOf(positions), reach, periods), sizeLevels.levelOf, periods);
}

export function prepare(system: System, reach = 0.05, sizeLevels = chooseSizeLevels(system)): Prepared {
  const general = !system.laws.every(isPlain);
  const grid = gridOf(system, reach, sizeLevels);
  const list = new CandidateList(system.grains, general);
  new CandidateFinder(system).find(grid, new Float64Array(system.grains).fill(reach), list, 1);
  list.impulses.fill(0);
  list.torques.fill(0);
  const colouring = new Colourer(system.inverseMasses).colour(list);
  const motion = packBodies(system.velocities, system.spins, system.inverseMasses);
  const block = new ContactBlock(general);
  block.gather(list, colouring, motion, system);
  return { grid, list, colouring, block, motion };
}
