import { describe, expect, test } from 'vitest';
import { packBodies } from '../../src/cpu/bodies';
import { CandidateList, carryOver } from '../../src/cpu/candidateList';
import { CandidateFinder } from '../../src/cpu/candidates';
import { NO_COLOUR } from '../../src/cpu/colouring';
import { buildGrid, CELL_PARTS } from '../../src/cpu/grid';
import { tooManyPairs } from '../../src/cpu/pairLimit';
import { findReach } from '../../src/cpu/reach';
import { NumericalError } from '../../src/errors';
import { coulomb } from '../../src/scene/laws';
import type { WallShape } from '../../src/scene/problem';
import type { System } from '../../src/scene/system';
import { toSystem } from '../../src/scene/units';
import { pouringDisks } from '../support/packings';
import { makeProblem } from '../support/problems';
import { crowd, gridOf, prepare } from '../support/systems';
import { at, length, subtract } from '../support/vectors';

const REACH = 0.05;

/** Linked cells of one size, in mean diameters. */
function oneLevel(
  { positions, grains, radii }: Pick<System, 'positions' | 'grains' | 'radii'>,
  cellSize: number,
  dims: [number, number, number],
) {
  return buildGrid(
    positions,
    [
      {
        dims,
        cellParts: cellSize * CELL_PARTS,
        firstCell: 0,
        largestRadius: Math.max(...radii),
        meanRadius: 1,
        grains: radii.length,
      },
    ],
    new Uint8Array(grains),
  );
}

/** All pairs by brute force, written from the definition: (first, second, gap) sorted. */
function bruteForce({ grains, positions, radii, inverseMasses, walls }: System, reach: number): [number, number, number][] {
  const pairs: [number, number, number][] = [];
  for (let i = 0; i < grains; i++) {
    const x = at(positions, i);
    for (let j = i + 1; j < grains; j++) {
      const gap = length(subtract(at(positions, j), x)) - radii[i] - radii[j];
      if (gap > 2 * reach || inverseMasses[i] + inverseMasses[j] === 0) continue;
      pairs.push(radii[i] <= radii[j] ? [i, j, gap] : [j, i, gap]);
    }
    if (inverseMasses[i] === 0) continue;
    walls.forEach((wall, w) => {
      const e = subtract(x, wall.point);
      const gap =
        wall.kind === 'plane'
          ? e[0] * wall.normal[0] + e[1] * wall.normal[1] + e[2] * wall.normal[2] - radii[i]
          : (wall as Extract<WallShape, { kind: 'cylinder' }>).radius - Math.hypot(e[0], e[1]) - radii[i];
      if (gap <= reach) pairs.push([i, grains + w, gap]);
    });
  }
  return pairs.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
}

describe('candidates', () => {
  test.each([1, 2])('are all pairs within reach, sorted, the smaller first, seed %i', (seed) => {
    const system = crowd(400, seed);
    const { list } = prepare(system, REACH);
    const expected = bruteForce(system, REACH);
    expect(list.count).toBeGreaterThan(500);
    expect(expected.some(([, second]) => second >= system.grains)).toBe(true);
    const found = Array.from({ length: list.count }, (_, c) => [list.first[c], list.second[c], expect.closeTo(list.gaps[c], 10)]);
    expect(expected).toEqual(found);
    for (let i = 0; i < system.grains; i++) {
      for (let c = list.starts[i]; c < list.starts[i + 1]; c++) expect(list.first[c]).toBe(i);
    }
  });

  test.each([
    { where: 'one far away', strays: 1 },
    { where: 'a fifth strewn over a wide space', strays: 400 },
  ])('lie in cells of a few grains, though $where', ({ strays }) => {
    const packed = Array.from({ length: 2000 - strays }, (_, k) => {
      return [1 + (k % 12), 1 + (Math.floor(k / 12) % 12), 1 + Math.floor(k / 144)];
    });
    const strewn = (k: number) => [k % 8, Math.floor(k / 8) % 8, Math.floor(k / 64)].map((place) => 500 + 20 * place);
    const far = Array.from({ length: strays }, (_, k) => strewn(k));
    const system = toSystem(makeProblem({ grains: [...packed, ...far].map(([x, y, z]) => ({ position: [x, y, z] })) }));
    const { starts } = gridOf(system, REACH);
    expect(Math.max(...starts.subarray(1).map((end, cell) => end - starts[cell]))).toBeLessThan(12);
  });

  test('are all pairs of disks in one layer of cells', () => {
    const system = toSystem(pouringDisks({ count: 200, radii: [0.6, 0.8] }));
    const { grid, list } = prepare(system, 0.3);
    expect(grid.levels).toHaveLength(1);
    expect(grid.levels[0].dims[2]).toBe(1);
    expect(grid.levels[0].dims[0] * grid.levels[0].dims[1]).toBeGreaterThan(50);
    const expected = bruteForce(system, 0.3);
    expect(expected.length).toBeGreaterThan(200);
    const found = Array.from({ length: list.count }, (_, c) => [list.first[c], list.second[c], expect.closeTo(list.gaps[c], 10)]);
    expect(expected).toEqual(found);
  });

  test('have unit normals from first to second and the law of their materials', () => {
    const system = crowd(300);
    const { list } = prepare(system, REACH);
    for (let c = 0; c < list.count; c++) {
      const [i, j] = [list.first[c], list.second[c]];
      const normal = at(list.normals, c);
      expect(length(normal)).toBeCloseTo(1, 12);
      expect(list.laws[c]).toBe(system.lawOf[2 * system.materials[i] + system.materials[j]]);
      if (j >= system.grains) continue;
      const distance = list.gaps[c] + system.radii[i] + system.radii[j];
      const centre = subtract(at(system.positions, j), at(system.positions, i));
      for (let axis = 0; axis < 3; axis++) expect(normal[axis] * distance).toBeCloseTo(centre[axis], 12);
    }
  });

  test('are given up where a step is so long that all pairs could touch', () => {
    const system = crowd(800);
    expect(() => prepare(system, 100)).toThrow(NumericalError);
  });

  test.each([
    [[0.5, 5e-5], 0, /^Step 3: more than 7 pairs could touch in it\. .* up to 0\.020 mean .* 0\.00010 wide: bring the sizes/],
    [[0.5, 0.2], 0.5, /up to 1\.0 mean diameters apart, and the smallest grain is 0\.40 wide: shorten the range of cohesion/],
    [[0.5, 0.2], 0, /overlap deeply\.$/],
  ])('are too many for another cause than the length of the step: radii %s, bonds of range %s', (radii, cohesionRange, told) => {
    const laws = [{ ...coulomb(0), cohesionRange }];
    expect(tooManyPairs(3, 7, { radii: Float64Array.from(radii), laws }).message).toMatch(told);
  });

  test('start from the impulse and the colour of the same pair in the last step, others from none', () => {
    const last = Object.assign(new CandidateList(3), {
      count: 4,
      starts: Uint32Array.of(0, 2, 3, 4),
      second: Uint32Array.of(1, 4, 2, 3),
      impulses: Float64Array.from({ length: 12 }, (_, k) => k + 1),
      colours: Uint32Array.of(3, 5, 2, 0),
    });
    const list = Object.assign(new CandidateList(3), {
      count: 5,
      starts: Uint32Array.of(0, 3, 4, 5),
      second: Uint32Array.of(2, 3, 4, 2, 4),
      impulses: new Float64Array(15).fill(99),
      colours: new Uint32Array(5),
    });
    carryOver(last, list, true);
    expect([...list.impulses]).toEqual([0, 0, 0, 0, 0, 0, 4, 5, 6, 7, 8, 9, 0, 0, 0]);
    expect([...list.colours]).toEqual([NO_COLOUR, NO_COLOUR, 5, 2, NO_COLOUR]);
    carryOver(last, list, false);
    expect([...list.impulses]).toEqual(new Array(15).fill(0));
  });
});

describe('linked cells', () => {
  test('hold every grain once, by cell, ids ascending', () => {
    const { grid } = prepare(crowd(500));
    expect([...grid.grains].sort((a, b) => a - b)).toEqual(Array.from({ length: 500 }, (_, i) => i));
    for (let cell = 0; cell + 1 < grid.starts.length; cell++) {
      const members = grid.grains.slice(grid.starts[cell], grid.starts[cell + 1]);
      for (let k = 0; k < members.length; k++) {
        expect(grid.cells[members[k]]).toBe(cell);
        if (k > 0) expect(members[k]).toBeGreaterThan(members[k - 1]);
      }
    }
  });

  test('may be as many as there are walls around each grain', () => {
    const walls = Array.from({ length: 4096 }, () => ({ kind: 'plane', point: [0, 0, -0.5], normal: [0, 0, 1] }) as const);
    const grains = Array.from({ length: 100 }, (_, k) => ({ position: [2 * k, 0, 0] as [number, number, number] }));
    const system = { ...toSystem(makeProblem({ grains })), walls: walls as unknown as System['walls'] };
    const bodies = { ...system, materials: new Uint32Array(100 + walls.length) };
    const list = new CandidateList(100);
    const grid = oneLevel(system, 1.1, [10, 3, 3]);
    new CandidateFinder(bodies).find(grid, new Float64Array(100).fill(REACH), list, 1);
    expect(list.count).toBe(100 * walls.length);
  });

  test('wrap around: grains far outside find each other', () => {
    const grains = [
      { position: [0, 0, 0] as [number, number, number] },
      { position: [1.02, 0, 0] as [number, number, number] },
      { position: [1e4, 7, -3e3] as [number, number, number] },
      { position: [1e4 + 1.02, 7, -3e3] as [number, number, number] },
    ];
    const system = toSystem(makeProblem({ grains }));
    const grid = oneLevel(system, 1.1, [3, 3, 3]);
    const list = new CandidateList(4);
    new CandidateFinder(system).find(grid, new Float64Array(4).fill(REACH), list, 1);
    expect([...list.first.slice(0, list.count)]).toEqual([0, 2]);
    expect([...list.second.slice(0, list.count)]).toEqual([1, 3]);
    const outside = { positions: new Float64Array(3).fill(-0.1), grains: 1, radii: new Float64Array(1) };
    expect([...oneLevel(outside, 1.1, [3, 4, 5]).cells]).toEqual([2 + 3 * 3 + 4 * 12]);
  });

  test('reach goes by the fastest grain in the cells around, and by the floor', () => {
    const grains = [0, 1.1, 10].map((x) => ({ position: [x, 0, 0] as [number, number, number] }));
    const system = toSystem(
      makeProblem({ grains: grains.map((grain, i) => ({ ...grain, velocity: [0, 0, [0.3, 0.1, 0.02][i]] })) }),
    );
    const motion = packBodies(system.velocities, system.spins, system.inverseMasses);
    const grid = oneLevel(system, 1.2, [12, 3, 3]);
    const reach = new Float64Array(3);
    expect(findReach(grid, motion, Float64Array.of(0, 0, 0), reach, 0)).toBeCloseTo(0.31, 12);
    expect([...reach]).toEqual([0.31, 0.31, 0.03].map((x) => expect.closeTo(x, 12)));
    findReach(grid, motion, Float64Array.of(0, 0.7, 0), reach, 0);
    expect(reach[1]).toBe(0.7);
  });
});
