import { describe, expect, test } from 'vitest';
import type { Problem, SolverOptions } from '../../src/index';
import { backends, rounding, simulate } from '../support/backends';
import { violations } from '../support/laws';
import { pouring } from '../support/packings';

const TOLERANCE = 1e-4;
const solver = (options: Partial<SolverOptions> = {}): Partial<SolverOptions> => ({
  momentum: 0.9,
  convergence: { criterion: 'residual', tolerance: TOLERANCE, balance: 1, maxIterations: 20_000 },
  ...options,
});

const unequal = { count: 100, radii: [0.35, 0.5] as [number, number] };
const scenes: Record<string, Problem> = {
  'equal spheres': pouring({ count: 100, radii: [0.5, 0.5], solver: solver() }),
  'unequal spheres without momentum': pouring({ ...unequal, solver: solver({ momentum: 0 }) }),
  'random order of colours': pouring({ ...unequal, solver: solver({ order: 'random' }) }),
  'fixed grains among the others': pouring({ ...unequal, solver: solver() }, true),
  'no friction': pouring({ ...unequal, friction: 0, solver: solver() }),
  'cold start': pouring({ ...unequal, solver: solver({ warmStart: false }) }),
};

describe.each(backends)('contact laws on %s', (backend) => {
  const coneError = Math.max(1e-6, rounding[backend]);

  test.each(Object.entries(scenes))('Signorini and Coulomb hold at every contact: %s', async (_, problem) => {
    const simulation = await simulate(problem, backend);
    let seen = { bearing: 0, sliding: 0 };
    for (let k = 0; k < 4; k++) {
      const reports = await simulation.step(15);
      for (const { converged, residual } of reports) {
        expect(converged).toBe(true);
        expect(residual).toBeLessThanOrEqual(TOLERANCE);
      }
      const worst = violations(problem, await simulation.read());
      expect(worst.bearing).toBe(reports[14].contacts);
      // The residual is a mean square: one contact may be off by more, by how much the report says.
      const allowed =
        (reports[14].residualMax + rounding[backend]) * 4 * worst.mean * (reports[14].candidates / Math.max(1, worst.bearing));
      expect(worst.pull).toBeLessThanOrEqual(0);
      expect(worst.cone).toBeLessThan(coneError * worst.mean + 1e-15);
      for (const law of ['approach', 'distance', 'slip', 'direction'] as const) expect(worst[law], law).toBeLessThan(allowed);
      expect(allowed).toBeLessThan(0.1 * worst.mean * (reports[14].candidates / Math.max(1, worst.bearing)));
      seen = { bearing: seen.bearing + worst.bearing, sliding: seen.sliding + worst.sliding };
    }
    expect(seen.bearing).toBeGreaterThan(150);
    if (problem.laws[1].dynamicFriction > 0) expect(seen.sliding).toBeGreaterThan(20);
  });

  test('each pair of materials has its own friction', async () => {
    const problem = pouring({
      count: 60,
      radii: [0.4, 0.5],
      friction: [
        [0.1, 0.6],
        [0.6, 0.3],
      ],
      solver: solver(),
    });
    problem.grains.materials.forEach((_, i, materials) => {
      materials[i] = i % 2;
    });
    const simulation = await simulate(problem, backend);
    await simulation.step(20);
    const worst = violations(problem, await simulation.read());
    expect(worst.sliding).toBeGreaterThan(3);
    expect(worst.cone).toBeLessThan(coneError * worst.mean);
  });
});
