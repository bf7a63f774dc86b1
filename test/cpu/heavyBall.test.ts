import { describe, expect, test, vi } from 'vitest';
import { HeavyBall } from '../../src/cpu/heavyBall';
import { CpuSolver } from '../../src/cpu/solver';
import { toSystem } from '../../src/scene/units';
import { pouring } from '../support/packings';

describe('momentum within a step', () => {
  const after = (residuals: number[], most = 0.9) => {
    const ball = new HeavyBall(most);
    ball.begin();
    for (const residual of residuals) ball.observe(residual);
    return ball.momentum;
  };

  test('stays while the residual is smaller than two tests before, however little', () => {
    expect(after(Array.from({ length: 60 }, (_, k) => 0.999 ** k))).toBe(0.9);
    expect(after(Array.from({ length: 60 }, (_, k) => 0.9 ** k * (k % 2 === 0 ? 1 : 1.5)))).toBe(0.9);
  });

  test('is taken back step by step where it does not fall, and never below zero', () => {
    const stalled = new Array<number>(60).fill(1);
    expect(after(stalled.slice(0, 2))).toBe(0.9);
    expect(after(stalled.slice(0, 3))).toBeCloseTo(0.8, 12);
    // A new factor has two tests to show what it does.
    expect(after(stalled.slice(0, 4))).toBeCloseTo(0.8, 12);
    expect(after(stalled.slice(0, 5))).toBeCloseTo(0.6, 12);
    expect(after(stalled)).toBe(0);
    expect(after(stalled, 0)).toBe(0);
  });

  test('is nearer to one while the step is far from balance, and never more than asked for after it', () => {
    const ball = new HeavyBall(0.9);
    ball.begin();
    ball.goFar(true);
    expect(ball.momentum).toBeCloseTo(0.95, 12);
    ball.goFar(false);
    expect(ball.momentum).toBe(0.9);
    for (let k = 0; k < 3; k++) ball.observe(1);
    ball.goFar(false);
    expect(ball.momentum).toBeCloseTo(0.8, 12);
    const none = new HeavyBall(0);
    none.goFar(true);
    expect(none.momentum).toBe(0);
  });

  test('is whole again in the next step', () => {
    const ball = new HeavyBall(0.9);
    for (let k = 0; k < 20; k++) ball.observe(1);
    ball.begin();
    expect(ball.momentum).toBe(0.9);
    for (let k = 0; k < 2; k++) ball.observe(1);
    expect(ball.momentum).toBe(0.9);
  });

  test('grains with much friction come to rest in fewer sweeps than with a factor that stays', async () => {
    const convergence = { criterion: 'residual', tolerance: 1e-3, balance: null, maxIterations: 1000 } as const;
    const problem = pouring({
      count: 200,
      radii: [0.4, 0.5],
      friction: 0.8,
      solver: { momentum: 0.9, coarse: 'off', convergence },
    });
    const sweeps = async () => {
      let sum = 0;
      await new CpuSolver(toSystem(problem)).step(60, ({ iterations }) => {
        sum += iterations;
      });
      return sum;
    };
    const taken = await sweeps();
    const observe = vi.spyOn(HeavyBall.prototype, 'observe').mockImplementation(() => {});
    const kept = await sweeps();
    observe.mockRestore();
    expect(taken).toBeLessThan(kept / 2);
  });
});
