import { loadProblem, type Problem, parseScene, type SceneInput, type SimulationSnapshot } from '../../src/index';
import { advance, type Limits } from './advance';
import { checkMemory, type Host } from './host';
import type { BackendName, Coarse } from './names';
import type { Settling } from './result';
import { SCENES, type SceneName } from './scenes';

const solver = (coarse: Coarse, tolerance: number, maxIterations: number) => ({
  coarse,
  convergence: { criterion: 'residual' as const, tolerance, balance: 5e-2, maxIterations },
});
export const measuredSolver = (coarse: Coarse) => solver(coarse, 1e-3, 100);
/** Without the balance a column 110 high takes five times the steps to come to rest, and ten times the overlap. */
const settlingSolver = (coarse: Coarse) => solver(coarse, 1e-2, 50);

/** Kinetic energy per grain, in mean weights times diameters, below which grains count as settled (docs/scene-events.md). */
const REST = 1e-3;

/** A scene, and the state that every backend is measured from. */
export interface PreparedScene {
  scene: SceneName;
  problem: Problem;
  from: SimulationSnapshot;
  settling: Settling;
}

const noFiles = () => Promise.reject(new Error('the scenes of the benchmark name no files'));
export const loadBenchScene = (scene: SceneInput): Promise<Problem> => loadProblem(parseScene(scene), noFiles);

/**
 * Lets a scene settle, or flow as far as it is measured, to a residual of 0.01, and on to rest where it comes to rest.
 * @param backend what is fastest here
 * @throws RangeError where main memory does not suffice
 */
export async function prepare(
  host: Host,
  scene: SceneName,
  grains: number,
  { backend, coarse, ...limits }: Limits & { backend: BackendName; coarse: Coarse },
): Promise<PreparedScene> {
  if (backend === 'cpu') checkMemory(host, grains);
  const { make, measuredAt, rests } = SCENES[scene];
  const stopAtRest: SceneInput['events'] = rests ? [{ when: { rest: REST }, stop: true }] : [];
  const settled = await loadBenchScene({ ...make(grains, settlingSolver(coarse)), events: stopAtRest });
  const simulation = await host.createSimulation(settled, { backend, signal: limits.signal });
  const start = performance.now();
  try {
    const seconds = () => (performance.now() - start) / 1000;
    await advance(simulation, { ...limits, steps: Math.min(limits.steps, measuredAt ?? Infinity) });
    const { solver } = await simulation.capture();
    const left = { ...limits, steps: limits.steps - simulation.steps, seconds: limits.seconds - seconds() };
    if (rests && left.steps > 0 && left.seconds > 0) await advance(simulation, left);
    const { steps, stopped: atRest } = simulation;
    return {
      scene,
      problem: await loadBenchScene(make(grains, measuredSolver(coarse))),
      from: { solver },
      settling: {
        ...{ scene, backend, grains: settled.grains.count, steps, seconds: seconds(), atRest: rests ? atRest : null },
        measuredFrom: solver.step,
      },
    };
  } finally {
    simulation.dispose();
  }
}
