import { afterAll } from 'vitest';
import {
  createSimulation,
  type Problem,
  type Simulation,
  type SimulationOptions,
  type SimulationSnapshot,
} from '../../src/index';
import { requestAdapter } from './device';

export type BackendName = 'cpu' | 'webgpu';

/** The backends that every test of the physics runs on. */
export const backends: readonly BackendName[] = ['cpu', 'webgpu'];

/** Relative error that rounding may leave in figures after some dozen steps. */
export const rounding: Record<BackendName, number> = { cpu: 1e-9, webgpu: 1e-5 };

/** How tightly each backend can be asked to solve: single precision does not go below some 1e-6. */
const tightest: Record<BackendName, { tolerance: number; maxIterations: number }> = {
  cpu: { tolerance: 0, maxIterations: Infinity },
  webgpu: { tolerance: 2e-6, maxIterations: 5000 },
};

let shared: Promise<GPUDevice> | undefined;
const open: Simulation[] = [];

/** One device for the tests of a file, since compiling the kernels takes longer than most of them do. */
function device(): Promise<GPUDevice> {
  shared ??= requestAdapter().then((adapter) => adapter.requestDevice());
  return shared;
}

afterAll(async () => {
  for (const simulation of open) simulation.dispose();
  (await shared)?.destroy();
});

/** @param from where to go on; default: the start */
export async function simulate(
  problem: Problem,
  backend: BackendName,
  from?: SimulationSnapshot,
  others: Pick<SimulationOptions, 'onCheckpoint'> = {},
): Promise<Simulation> {
  const { convergence } = problem.solver;
  const solver = { ...problem.solver };
  if (convergence.criterion === 'residual') {
    const { tolerance, maxIterations } = tightest[backend];
    solver.convergence = {
      ...convergence,
      tolerance: Math.max(convergence.tolerance, tolerance),
      maxIterations: Math.min(convergence.maxIterations, maxIterations),
    };
  }
  const options = backend === 'cpu' ? { ...others, backend, from } : { ...others, backend, from, device: await device() };
  const simulation = await createSimulation({ ...problem, solver }, options);
  open.push(simulation);
  return simulation;
}
