import { createCpuSimulation, createWorkerSimulation, loadProblem, NumericalError, parseScene, SceneError } from '../cpu.js';

/** What a run gives, on the page's own thread or in a worker. */
async function run(create, scene) {
  const kept = [];
  const simulation = await create(scene, { onCheckpoint: async ({ solver }) => void kept.push(solver.step) });
  const seen = [];
  const reports = await simulation.step(100, (report) => seen.push(report.step));
  const { steps, stopped, events, unfinished, warnings, problem } = simulation;
  const state = await simulation.read();
  const middle = await simulation.capture();
  simulation.dispose();
  const resumed = await create(scene, { from: middle });
  const again = (await resumed.read()).positions;
  resumed.dispose();
  return { reports, seen, kept, steps, stopped, events, unfinished, warnings, grains: problem.grains.count, state, again };
}

const outcome = (work) =>
  work().then(
    () => 'done',
    (error) => error,
  );

window.compare = async (scene) => {
  const [here, there] = [await run(createCpuSimulation, scene), await run(createWorkerSimulation, scene)];
  return { here: JSON.stringify(here), there: JSON.stringify(there) };
};

window.faults = async (scene) => {
  const invalid = await outcome(() => createWorkerSimulation({ ...scene, timeStep: -1 }));
  const problem = await loadProblem(parseScene(scene), async () => '');
  problem.grains.forces[0] = Number.NaN;
  const broken = await createWorkerSimulation(problem);
  const lost = await outcome(() => broken.step(3));
  broken.dispose();
  const keeping = await createWorkerSimulation(scene, {
    onCheckpoint: () => {
      throw new Error('no room to keep it');
    },
  });
  const unkept = await outcome(() => keeping.step(100));
  const stepping = keeping.step(1);
  const crowded = await outcome(() => keeping.read());
  await stepping;
  const stopped = outcome(() => keeping.step(100000));
  keeping.dispose();
  return {
    invalid: [invalid instanceof SceneError, invalid.faults?.[0].path],
    lost: [lost instanceof NumericalError, lost.step, lost.grain],
    unkept: unkept.message,
    crowded: crowded.message,
    disposed: (await stopped).message,
  };
};
