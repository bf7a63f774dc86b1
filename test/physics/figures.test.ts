import { expect, test } from 'vitest';
import { measure } from '../../bench/physics/chain';

test('a chain with 40 coloured sweeps a step rings as the theory of diffusing forces says', async () => {
  const { expected, omega, tau } = await measure('two colours, fixed order', 40, 1);
  expect(omega.mean / expected.omega).toBeCloseTo(1, 3);
  expect(Math.abs(tau.mean / expected.tau - 1)).toBeLessThan(1e-3);
});

test('a chain with 40 sweeps in random order rings lower', async () => {
  const { expected, omega, tau } = await measure('random sweep', 40, 2);
  expect(Math.abs(omega.mean / expected.omega - 1)).toBeLessThan(3e-3);
  expect(Math.abs(tau.mean / expected.tau - 1)).toBeLessThan(0.05);
});
