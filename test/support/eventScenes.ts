import type { Problem, SceneInput, Simulation, StepReport } from '../../src/index';
import { type BackendName, simulate } from './backends';
import { load, sceneWith } from './scenes';

export const solver = { convergence: { criterion: 'residual', tolerance: 1e-4, maxIterations: 200 } } as const;
export const floor = { name: 'floor', material: 'steel', plane: { point: [0, 0, 0], normal: [0, 0, 1] } } as const;
export const sphere = (position: [number, number, number], velocity: [number, number, number] = [0, 0, 0]) => ({
  material: 'glass',
  list: [{ position, radius: 0.5, velocity }],
});

/** A level square of triangles about the origin, as an .obj file. */
export const SHEET = 'v -3 -3 0\nv 3 -3 0\nv 3 3 0\nv -3 3 0\nf 1 2 3 4\n';
export const sheet = { name: 'sheet', material: 'steel', mesh: { file: 'sheet.obj' } } as const;

/** Grains of diameter 1 under gravity 1 in steps of 0.05, on a floor. */
export const scene = (parts: Partial<SceneInput> | Record<string, unknown>): Promise<Problem> =>
  load(
    sceneWith({
      gravity: [0, 0, -1],
      timeStep: 0.05,
      steps: 1000,
      solver,
      walls: [floor],
      grains: [sphere([0, 0, 0.5])],
      ...parts,
    }),
    { 'sheet.obj': SHEET },
  );

export async function open(parts: Parameters<typeof scene>[0], backend: BackendName): Promise<Simulation> {
  return simulate(await scene(parts), backend);
}

export const heights = async (simulation: Simulation) => {
  const { positions } = await simulation.read();
  return Array.from({ length: positions.length / 3 }, (_, i) => positions[3 * i + 2]);
};
export const marked = (reports: readonly StepReport[]) =>
  reports.flatMap(({ step, events }) => (events ? [[step, events] as const] : []));
