import { openCpu } from '../cpuBackend';
import type { Problem } from '../scene/problem';
import { beginSimulation, type Simulation, type SimulationSnapshot } from '../simulation';
import {
  buffersOf,
  type FromWorker,
  packError,
  type ToWorker,
  unpackError,
  type WorkerStart,
  type WorkerStatus,
} from './workerMessages';

/** The worker that createWorkerSimulation starts: one simulation on the CPU reference. */

let simulation: Simulation | undefined;
/** The problem as the page knows it. */
let known: Problem | undefined;
/** Ends the wait for the page to keep a state. */
let endKeeping: ((error: Error | undefined) => void) | undefined;

const say = (message: FromWorker, transfer: Transferable[] = []) => postMessage(message, { transfer });

async function open({ problem, from, keeps }: WorkerStart): Promise<void> {
  known = problem;
  simulation = await beginSimulation(problem, { from, onCheckpoint: keeps ? keep : undefined }, openCpu);
}

function keep(snapshot: SimulationSnapshot): Promise<void> {
  say({ keep: snapshot });
  return new Promise((resolve, reject) => {
    endKeeping = (error) => (error ? reject(error) : resolve());
  });
}

async function answer(message: Exclude<ToWorker, { kept: unknown }>): Promise<void> {
  if (message.call === 'open') {
    await open(message.input);
    return say({ result: undefined, status: status() });
  }
  if (!simulation) throw new Error('The first call of a worker is "open"');
  if (message.call === 'read') {
    const state = await simulation.read();
    return say({ result: state, status: status() }, buffersOf(state));
  }
  const result = message.call === 'step' ? (await simulation.step()).at(0) : await simulation.capture();
  say({ result, status: status() });
}

function status(): WorkerStatus {
  const { steps, warnings, events, stopped, unfinished, problem } = simulation!;
  const changed = problem !== known;
  known = problem;
  return { steps, warnings, events, stopped, unfinished, ...(changed ? { problem } : {}) };
}

addEventListener('message', ({ data }: MessageEvent<ToWorker>) => {
  if ('kept' in data) return endKeeping?.(data.kept ? unpackError(data.kept) : undefined);
  void answer(data).catch((error) => say({ error: packError(error), ...(simulation ? { status: status() } : {}) }));
});
