import { describe, expect, test } from 'vitest';
import { CoarseSchedule } from '../../src/cpu/coarseSchedule';
import type { SolverOptions } from '../../src/index';

describe('turns of the coarse level', () => {
  const solver = {
    ...{ sweep: 'coloured', order: 'fixed', momentum: 0.9, warmStart: true, seed: 1, coarse: 'auto' },
    convergence: { criterion: 'residual', tolerance: 1e-3, balance: 5e-2, maxIterations: 1000 },
  } as const satisfies SolverOptions;

  test('of a step that begins far from balance do not become rarer, until they lead no farther', () => {
    const schedule = new CoarseSchedule(solver, 30);
    expect(schedule.turn(10, 0.5)).toBe(true);
    expect(schedule.far).toBe(true);
    for (let sweeps = 15; sweeps < 60; sweeps += 5) {
      expect(schedule.isDue(sweeps)).toBe(true);
      expect(schedule.turn(sweeps, 0.5 - 0.005 * sweeps + (sweeps === 25 ? 0.2 : 0))).toBe(true);
    }
    expect(schedule.turn(60, 0.4)).toBe(false);
    expect(schedule.far).toBe(false);
    expect(schedule.turn(65, 0.4)).toBe(true);
    expect(schedule.far).toBe(false);
    expect(schedule.turn(70, 0.45)).toBe(false);
  });

  test('are left out where they ask for much, and more than before', () => {
    const schedule = new CoarseSchedule(solver, 30, true);
    expect(schedule.turn(10, 0.05)).toBe(true);
    expect(schedule.turn(15, 0.06)).toBe(false);
    expect(schedule.turn(20, 0.05)).toBe(true);
    expect(schedule.turn(25, 0.02)).toBe(true);
    expect(schedule.turn(30, 0.025)).toBe(true);
  });

  test.each([
    [5e-2, 0.009, false],
    [2e-2, 0.009, true],
    [2e-2, 0.0039, false],
    [0.5, 0.009, false],
    [0.5, 0.011, true],
    [null, 0.009, false],
  ])('for a balance of %d that ask for %d are done: %s', (balance, change, done) => {
    const convergence = { ...solver.convergence, balance };
    expect(new CoarseSchedule({ ...solver, coarse: 'on', convergence }, 30).turn(10, change)).toBe(done);
  });

  test.each([
    ['less than half as much', 0.05, 5e-3, 7.4e-3, true],
    ['half as much again', 0.05, 5e-3, 7.6e-3, false],
    ['half of the tolerance at most', 0.05, 1e-4, 1.4e-3, true],
    ['more than half of the tolerance', 0.05, 1e-4, 1.6e-3, false],
    ['half as much again where nothing was done', 0.005, 5e-3, 7.6e-3, true],
  ])('that add %s to the residual go on: %d, %d, %d, %s', (_, change, before, residual, goesOn) => {
    const schedule = new CoarseSchedule(solver, 30, true);
    expect(schedule.turn(10, 0.1, 1e-3)).toBe(true);
    // A load that has just come on: the first turn may.
    schedule.observe(1);
    expect(schedule.isDue(15)).toBe(true);
    expect(schedule.turn(15, change, before)).toBe(change > 0.01);
    schedule.observe(residual);
    schedule.observe(1);
    expect(schedule.isDue(100)).toBe(goesOn);
    expect(schedule.isDue(125)).toBe(true);
  });

  test('of a packing that is long, and high enough along its load, are far', () => {
    const schedule = new CoarseSchedule(solver, 30, false, 20, 15);
    schedule.turn(10, 0.5);
    expect(schedule.far).toBe(true);
  });

  test('of a step that stays far end with its sweeps', () => {
    const schedule = new CoarseSchedule(solver, 30);
    for (let sweeps = 10; sweeps <= 100; sweeps += 5) schedule.turn(sweeps, 0.5);
    expect(schedule.far).toBe(true);
    schedule.turn(105, 0.5);
    expect(schedule.far).toBe(false);
  });

  test.each<[string, number, boolean, number, number?]>([
    ['short packings', 19, false, 0.5],
    ['packings under pistons', 30, true, 0.5],
    ['packings that bear most of their load', 30, false, 0.1],
    ['packings that are long across their load alone', 30, false, 0.5, 13],
  ])('of %s are never far', (_, extent, pressed, change, height = extent) => {
    const schedule = new CoarseSchedule({ ...solver, coarse: 'on' }, extent, pressed, 20, height);
    schedule.turn(10, change);
    expect(schedule.far).toBe(false);
    expect(schedule.balanceOfChange).toBe(5);
  });
});
