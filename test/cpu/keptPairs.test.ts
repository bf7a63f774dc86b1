import { afterEach, expect, test, vi } from 'vitest';
import { CandidateList } from '../../src/cpu/candidateList';
import { CandidateFinder } from '../../src/cpu/candidates';
import { buildGrid, layOutGrid } from '../../src/cpu/grid';
import { PairSearch } from '../../src/cpu/pairSearch';
import { chooseSizeLevels } from '../../src/cpu/sizeLevels';
import { CpuSolver } from '../../src/cpu/solver';
import { randomNumbers } from '../../src/scene/generators/randomNumbers';
import { fromZero, wrapPositions } from '../../src/scene/periodic';
import type { Vector } from '../../src/scene/problem';
import type { System } from '../../src/scene/system';
import { toSystem } from '../../src/scene/units';
import { extentOf } from '../../src/snapshot';
import { periodicCrowd } from '../support/periodic';
import { cylinder, makeProblem, plane, plate } from '../support/problems';
import { crowd } from '../support/systems';

/** Reach that the cells allow for, and without motion, mean diameters. */
const [LIMIT, REACH] = [0.1, 0.01];

afterEach(() => vi.restoreAllMocks());

const found = (list: CandidateList) => ({
  count: list.count,
  starts: [...list.starts],
  ...Object.fromEntries(
    (['first', 'second', 'gaps', 'laws'] as const).map((part) => [part, [...list[part].slice(0, list.count)]]),
  ),
  normals: [...list.normals.slice(0, 3 * list.count)],
});

/** Steps of steady motion, each grain up to so far in each and most of that along one axis, and one of them farther where it jumps. */
const PHASES = [
  { steps: 12, most: 0.002 },
  { steps: 4, most: 0.002, jumps: true },
  { steps: 4, most: 0.3 },
  { steps: 10, most: 0.001 },
  { steps: 24, most: 0.01 },
  { steps: 20, most: 0 },
  { steps: 24, most: 0.01 },
  { steps: 24, most: 0.01 },
];

function* motionsOf(system: System, seed: number) {
  const random = randomNumbers(seed);
  const positions = system.positions.slice();
  for (const [phase, { steps, most, jumps }] of PHASES.entries()) {
    const ways = positions.map((_, k) => (k % 3 === phase % 3 ? 0.98 : 0.1) * most * (2 * random() - 1));
    for (let step = 0; step < steps; step++) {
      if (jumps) positions[3 * Math.floor(random() * system.grains)] += 2;
      if (system.periods) wrapPositions(positions, fromZero(system.periods));
      const reach = Float64Array.from({ length: system.grains }, () => Math.min(LIMIT, REACH + most * random()));
      // A new array each time, as where a run goes on from a state.
      yield { positions: positions.slice(), reach };
      for (let k = 0; k < ways.length; k++) positions[k] += ways[k];
    }
  }
}

test.each<[string, () => System]>([
  ['of sizes 1:10 between walls', () => crowd(400)],
  ['in a periodic box', () => toSystem(periodicCrowd(700, [9.3, 8.1, 7.77]))],
  ['in a box of three cells along each axis', () => toSystem(periodicCrowd(60, [2.9, 2.7, 2.8]))],
  [
    'beside planes, a cylinder and a plate with a rim',
    () => {
      const walls = [plane([0, 0, 2.5], [0, 1, 2]), cylinder(1, 'outside'), { ...plate([8, 1, 6], 0, 1.5) }];
      return toSystem(periodicCrowd(300, [0, 0, 8], { walls }));
    },
  ],
])('pairs kept from step to step are those of a new search, grains %s', (_, make) => {
  const system = make();
  const search = vi.spyOn(PairSearch.prototype, 'find');
  const levels = chooseSizeLevels(system);
  const keeping = new CandidateFinder(system);
  const [list, fresh] = [new CandidateList(system.grains), new CandidateList(system.grains)];
  let [steps, searches] = [0, 0];
  for (const { positions, reach } of motionsOf(system, 3)) {
    const layout = layOutGrid(levels, extentOf(system.positions), LIMIT, system.periods);
    const grid = buildGrid(positions, layout, levels.levelOf, system.periods);
    const before = search.mock.calls.length;
    keeping.find(grid, reach, list, 1);
    searches += search.mock.calls.length - before;
    new CandidateFinder(system).find(grid, reach, fresh, 1);
    expect(found(list)).toEqual(found(fresh));
    expect(list.count).toBeGreaterThan(50);
    steps++;
  }
  expect(searches).toBeLessThan(0.6 * steps);
  expect(searches).toBeGreaterThan(5);
});

test('a run goes on with the same bits as one that begins anew from its state in each step', async () => {
  const search = vi.spyOn(PairSearch.prototype, 'find');
  const random = randomNumbers(1);
  const grains = Array.from({ length: 64 }, (_, k) => ({
    position: [k % 4, Math.floor(k / 4) % 4, Math.floor(k / 16)].map((x) => 0.55 + 1.04 * x + 0.02 * random()) as Vector,
    velocity: [0.003, 0.002 * (random() - 0.5), 0] as Vector,
  }));
  const walls = [
    { ...plane([0, 0, 0], [0, 0, 1]), motion: { velocity: [0.002, 0, 0.0005] as Vector } },
    plane([0, 4.3, 0], [0, -1, 0]),
    { ...plane([0, 0, 4.5], [0, 0, -1]), piston: { mass: 10, force: 0.02 } },
  ];
  const solver = { momentum: 0.9, convergence: { criterion: 'fixed', iterations: 10 } } as const;
  const periodic = { min: [0, 0, 0] as Vector, lengths: [4.16, 0, 0] as Vector };
  const problem = makeProblem({ grains, walls, periodic, friction: 0.4, solver, gravity: [0.0002, 0, -0.0005] });
  const system = toSystem(problem);
  const going = new CpuSolver(system);
  let again = new CpuSolver(system);
  let searches = 0;
  for (let step = 0; step < 80; step++) {
    const before = search.mock.calls.length;
    await going.step(1);
    searches += search.mock.calls.length - before;
    await again.step(1);
    expect(await again.capture()).toEqual(await going.capture());
    again = new CpuSolver(system, await again.capture());
  }
  expect(searches).toBeLessThan(40);
});
