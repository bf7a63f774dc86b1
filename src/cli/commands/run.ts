import { dirname, relative, resolve } from 'node:path';
import type { EventRecord } from '../../events/schedule';
import { createNodeSimulation, loadSceneFile } from '../../node';
import type { Scene, SceneGroup } from '../../scene/schema';
import { describeError, EXIT } from '../exit';
import { figure } from '../format';
import { collectionOf, frameKinds } from '../frames';
import { withInterrupt } from '../interrupt';
import { OutputFolder } from '../outputFolder';
import { Progress } from '../progress';
import { type RunOutcome, runScene } from '../runScene';
import { summaryTable } from '../summaryTable';

export interface RunOptions {
  out: string;
  backend: 'auto' | 'webgpu' | 'cpu';
  steps?: string;
  set?: string[];
  force?: boolean;
  quiet?: boolean;
  json?: boolean;
}

const EXIT_OF = { done: EXIT.done, interrupted: EXIT.interrupted, failed: EXIT.failed } as const;

/** Runs a scene; nothing is written before the scene is known to be right and the backend to be there. */
export async function runCommand(scenePath: string, options: RunOptions): Promise<number> {
  const { out, backend, steps, force = false, quiet = false } = options;
  const set = [...(options.set ?? []), ...(steps === undefined ? [] : [`steps=${steps}`])];
  const { scene, problem } = await loadSceneFile(scenePath, { set });
  const folder = new OutputFolder(out);
  await folder.check(force, inputFiles(scene, scenePath));

  const outcome = await withInterrupt(quiet, async (signal) => {
    const simulation = await createNodeSimulation(problem, { backend, signal });
    try {
      await folder.prepare();
      await folder.write('scene.json', `${JSON.stringify(sceneAsRun(scene, scenePath, out), null, 2)}\n`);
      const progress = new Progress(process.stderr, problem.steps, quiet);
      const listener = {
        onReport: progress.update.bind(progress),
        onWarning: (message: string) => progress.say(`warning: ${message}`),
        onEvent: ({ step, time, text }: EventRecord) => progress.say(`event: step ${step}, time ${figure(time)}: ${text}`),
      };
      const result = await runScene(simulation, folder, signal, listener);
      progress.end();
      return result;
    } finally {
      simulation.dispose();
    }
  });
  tell(outcome, options, frameKinds(problem.output).map(collectionOf));
  return EXIT_OF[outcome.status];
}

/** The scene file and the grain files that it names. */
function inputFiles({ grains, events }: Scene, scenePath: string): string[] {
  const groups = [...grains, ...events.flatMap(({ insert = [] }) => insert)];
  const named = groups.flatMap(({ file }) => (file === undefined ? [] : [resolve(dirname(scenePath), file)]));
  return [scenePath, ...named];
}

/** The scene with its defaults filled in, its files named from the folder of the run, so that it can be run from there. */
function sceneAsRun(scene: Scene, scenePath: string, out: string): Scene {
  const rebase = (file: string) => relative(resolve(out), resolve(dirname(scenePath), file)).replaceAll('\\', '/');
  const rebased = (groups: SceneGroup[]) =>
    groups.map((group) => (group.file === undefined ? group : { ...group, file: rebase(group.file) }));
  return {
    ...scene,
    grains: rebased(scene.grains),
    events: scene.events.map((event) => (event.insert ? { ...event, insert: rebased(event.insert) } : event)),
  };
}

function tell({ status, summary, error }: RunOutcome, { out, json, quiet }: RunOptions, collections: string[]): void {
  if (status === 'failed') {
    process.stderr.write(`The run failed after ${summary.steps} steps; what was done is in ${out}.\n${describeError(error)}`);
  }
  if (status === 'interrupted' && !quiet) process.stderr.write(`Interrupted after ${summary.steps} steps; they are in ${out}.\n`);
  process.stdout.write(json ? `${JSON.stringify(summary, null, 2)}\n` : summaryTable(summary, out, collections));
}
