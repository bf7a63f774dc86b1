import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { EventRecord } from '../../events/schedule';
import { seriesColumns, seriesHeader } from '../../io/series';
import { createNodeSimulation, loadSceneFile, type Resumption, resumeFrom } from '../../node';
import { MAX_STEPS } from '../../scene/limits';
import type { Problem } from '../../scene/problem';
import { filesOf, renameFiles } from '../../scene/sceneFiles';
import type { Scene } from '../../scene/schema';
import type { SimulationSnapshot } from '../../simulation';
import { Checkpoints } from '../checkpoints';
import { type EarlierPart, findEarlier, liesIn, SERIES } from '../earlierPart';
import { describeError, EXIT, UsageError } from '../exit';
import { figure } from '../format';
import { collectionOf, frameKinds, textFrames } from '../frames';
import { withInterrupt } from '../interrupt';
import { LastingSimulation } from '../lastingSimulation';
import { OutputFolder } from '../outputFolder';
import { Progress } from '../progress';
import { withReadProgress } from '../readProgress';
import { type RunOutcome, runScene } from '../runScene';
import { summaryTable } from '../summaryTable';

export interface RunOptions {
  out: string;
  backend: 'auto' | 'webgpu' | 'cpu';
  steps?: string;
  set?: string[];
  allowOutside?: boolean;
  resume?: string;
  checkpointEvery?: string;
  force?: boolean;
  quiet?: boolean;
  json?: boolean;
}

const EXIT_OF = { done: EXIT.done, interrupted: EXIT.interrupted, failed: EXIT.failed } as const;

/** Runs a scene; nothing is written before the scene is known to be right and the backend to be there. */
export async function runCommand(scenePath: string, options: RunOptions): Promise<number> {
  const { out, backend, steps, force = false, quiet = false } = options;
  const set = [...(options.set ?? []), ...(steps === undefined ? [] : [`steps=${steps}`])];
  const every = checkpointInterval(options.checkpointEvery);
  const { allowOutside } = options;
  const { scene, problem } = await withReadProgress(quiet, (onRead) => loadSceneFile(scenePath, { set, allowOutside, onRead }));
  const folder = new OutputFolder(out);
  const resumed = options.resume === undefined ? undefined : await resume(options.resume, problem);
  const earlier = resumed && (await liesIn(out, options.resume!)) ? await earlierPart(folder, resumed, problem) : undefined;
  const inputs = [...inputFiles(scene, scenePath), ...(options.resume === undefined ? [] : [options.resume])];
  await folder.check(force, inputs, earlier);
  const checkpoints = new Checkpoints(folder, problem, every, options.resume);

  const outcome = await withInterrupt(quiet, async (signal) => {
    const open = (from: SimulationSnapshot | undefined, on: RunOptions['backend']) =>
      createNodeSimulation(problem, {
        backend: on,
        signal,
        from,
        onCheckpoint: async (snapshot) => {
          await checkpoints.write(snapshot, simulation.backend);
        },
      });
    const simulation: LastingSimulation = new LastingSimulation(
      await open(resumed?.snapshot, backend),
      (from, on) => open(from, on === 'cpu' ? 'cpu' : simulation.backend),
      resumed?.snapshot,
    );
    try {
      await folder.prepare(earlier);
      await folder.write('scene.json', `${JSON.stringify(sceneAsRun(scene, scenePath, out), null, 2)}\n`);
      const progress = new Progress(process.stderr, problem.steps, quiet);
      const listener = {
        onReport: progress.update.bind(progress),
        onWarning: (message: string) => progress.say(`warning: ${message}`),
        onEvent: ({ step, time, text }: EventRecord) => progress.say(`event: step ${step}, time ${figure(time)}: ${text}`),
      };
      for (const warning of resumed ? resumeWarnings(resumed, simulation.backend, earlier) : []) simulation.warn(warning);
      const result = await runScene(simulation, folder, signal, listener, checkpoints, problem, earlier);
      progress.end();
      return result;
    } finally {
      simulation.dispose();
      await folder.release();
    }
  });
  tell(outcome, options, checkpoints.last, [...textFrames(problem.output), ...frameKinds(problem.output).map(collectionOf)]);
  return EXIT_OF[outcome.status];
}

/** @throws UsageError for what is no number of steps */
function checkpointInterval(text: string | undefined): number {
  if (text === undefined) return 0;
  const every = Number(text);
  if (/^\d+$/.test(text) && every >= 1 && every <= MAX_STEPS) return every;
  throw new UsageError(`--checkpoint-every: expected a whole number of steps from 1 to ${MAX_STEPS}, got "${text}".`);
}

/** @throws UsageError where nothing is left to be done; CheckpointError */
async function resume(path: string, problem: Problem): Promise<Resumption> {
  const checkpoint = await resumeFrom(path, problem);
  if (checkpoint.step < problem.steps) return checkpoint;
  throw new UsageError(
    `${path} is the state after step ${checkpoint.step}, and the run ends at step ${problem.steps}: give a larger --steps, which counts from the scene's start.`,
  );
}

/** What the folder has of the run that goes on there. */
async function earlierPart(folder: OutputFolder, { step }: Resumption, problem: Problem): Promise<EarlierPart> {
  return findEarlier(folder.path, await folder.results(), step, seriesHeader(seriesColumns(problem)));
}

function resumeWarnings({ warnings, backend, step }: Resumption, now: string, earlier?: EarlierPart): string[] {
  const all = [...warnings];
  if (backend !== now) all.push(`The checkpoint was made on ${backend} and goes on on ${now}: not with the same bits.`);
  const { lastRow = 0 } = earlier?.series ?? {};
  if (earlier && lastRow < step) all.push(`${SERIES} lacks the rows of steps ${lastRow + 1} to ${step}: they were not there.`);
  return all;
}

/** The scene file and the files that it names. */
function inputFiles(scene: Scene, scenePath: string): string[] {
  return [scenePath, ...filesOf(scene).map((file) => resolve(dirname(scenePath), file))];
}

/** The scene with its defaults filled in, its files named from the folder of the run, so that it can be run from there. */
function sceneAsRun({ $schema: _, ...scene }: Scene, scenePath: string, out: string): Scene {
  return renameFiles(scene, (file) => relative(resolve(out), resolve(dirname(scenePath), file)).replaceAll('\\', '/'));
}

function tell(
  { status, summary, error, missing = [] }: RunOutcome,
  { out, json, quiet }: RunOptions,
  checkpoint: string | undefined,
  frames: string[],
): void {
  const known = checkpoint === undefined ? 'there is no checkpoint' : `the last checkpoint is ${checkpoint}`;
  if (status === 'failed') {
    const kept = existsSync(out) ? `what was done is in ${out}` : `${out} is gone`;
    process.stderr.write(
      `The run failed after ${summary.steps} steps; ${kept}; ${known}.\n${[error, ...missing].map(describeError).join('')}`,
    );
  }
  if (status === 'interrupted' && !quiet) {
    const onward = checkpoint === undefined ? '' : `; to go on give --resume ${checkpoint}`;
    process.stderr.write(`Interrupted after ${summary.steps} steps; they are in ${out}; ${known}${onward}.\n`);
  }
  const files = ['summary.json', 'series.csv', ...frames].filter((name) => existsSync(join(out, name.replace(/[^/]*\*.*/, ''))));
  process.stdout.write(json ? `${JSON.stringify(summary, null, 2)}\n` : summaryTable(summary, out, files));
}
