import { createSimulation, type Problem, type Simulation } from '../../src/index';

export type BackendName = 'cpu' | 'webgpu';

/** The backends that every test of the physics runs on. */
export const backends: readonly BackendName[] = ['cpu'];

/** Relative error that rounding may leave in figures after some dozen steps. */
export const rounding: Record<BackendName, number> = { cpu: 1e-9, webgpu: 1e-4 };

export function simulate(problem: Problem, backend: BackendName): Promise<Simulation> {
  return createSimulation(problem, { backend });
}
