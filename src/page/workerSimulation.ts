import { checkOptions, WORKER_OPTIONS } from '../arguments';
import { checkStepCount, Listener, OneCall } from '../oneCall';
import type { State, StepReport } from '../report';
import type { Problem } from '../scene/problem';
import type { SceneInput } from '../scene/schema';
import type { Simulation, SimulationOptions, SimulationSnapshot } from '../simulation';
import { toProblem } from '../toProblem';
import { type FromWorker, packError, type ToWorker, unpackError, type WorkerCalls, type WorkerStatus } from './workerMessages';

export type WorkerOptions = Pick<SimulationOptions, 'signal' | 'readText' | 'readBytes' | 'from' | 'onCheckpoint'>;

/**
 * A simulation on the CPU reference in a worker of its own, so that the page stays quick; the same bits as on the page's own
 * thread. The scene is read and checked on the page.
 * @throws SceneError listing every fault of the scene
 * @throws TypeError naming an option that is none, or is not what it must be
 * @throws Error where there are no workers, outside of a page
 */
export async function createWorkerSimulation(scene: SceneInput | Problem, options: WorkerOptions = {}): Promise<Simulation> {
  checkOptions('createWorkerSimulation', options, WORKER_OPTIONS);
  if (!globalThis.Worker) throw new Error('There are no workers here, outside of a page: use createCpuSimulation');
  const problem = await toProblem(scene, options);
  // The code of the worker is a text of this package: it runs wherever the package comes from, and from the one-file bundle.
  const { default: SolverWorker } = await import('./worker?worker&inline');
  const calls = new CallsToWorker(new SolverWorker({ name: 'contact-dynamics' }), options.onCheckpoint);
  const simulation = new WorkerSimulation(problem, calls, options.signal);
  try {
    await simulation.open(options.from, options.onCheckpoint !== undefined);
    return simulation;
  } catch (error) {
    simulation.dispose();
    throw error;
  }
}

/** Calls by messages, one at a time. */
class CallsToWorker {
  status: WorkerStatus | undefined;
  /** Why there is no worker any more. */
  private ended: Error | undefined;
  private pending: { resolve: (result: never) => void; reject: (error: Error) => void } | undefined;

  constructor(
    private readonly worker: Worker,
    private readonly onCheckpoint: WorkerOptions['onCheckpoint'],
  ) {
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.receive(data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.end(new Error(`The worker of the simulation failed: ${event.message || 'it could not be started'}`));
    };
    worker.onmessageerror = () => this.end(new Error('The worker of the simulation sent what cannot be read: out of memory?'));
  }

  call<Name extends keyof WorkerCalls>(call: Name, input: WorkerCalls[Name]['input']): Promise<WorkerCalls[Name]['result']> {
    return new Promise<WorkerCalls[Name]['result']>((resolve, reject) => {
      if (this.ended) return reject(this.ended);
      this.pending = { resolve, reject };
      this.say({ call, input } as ToWorker);
    });
  }

  /** Ends the worker, and the call that it is busy with. */
  end(error: Error): void {
    this.ended ??= error;
    this.worker.terminate();
    this.pending?.reject(error);
    this.pending = undefined;
  }

  private say(message: ToWorker): void {
    this.worker.postMessage(message);
  }

  private receive(message: FromWorker): void {
    if ('keep' in message) {
      void this.keep(message.keep);
      return;
    }
    this.status = message.status ?? this.status;
    const { pending } = this;
    this.pending = undefined;
    if ('error' in message) pending?.reject(unpackError(message.error));
    else pending?.resolve(message.result as never);
  }

  private async keep(snapshot: SimulationSnapshot): Promise<void> {
    try {
      await this.onCheckpoint?.(snapshot);
      this.say({ kept: null });
    } catch (error) {
      this.say({ kept: packError(error) });
    }
  }
}

class WorkerSimulation implements Simulation {
  readonly backend = 'cpu';
  readonly adapter = null;
  readonly softwareAdapter = false;
  readonly gpuMemoryBytes = 0;
  private readonly turns = new OneCall();

  constructor(
    private shown: Problem,
    private readonly worker: CallsToWorker,
    private readonly signal: AbortSignal | undefined,
  ) {}

  get problem(): Problem {
    return this.shown;
  }

  get steps(): number {
    return this.status.steps;
  }

  get warnings(): readonly string[] {
    return this.status.warnings;
  }

  get events() {
    return this.status.events;
  }

  get stopped(): boolean {
    return this.status.stopped;
  }

  get unfinished(): readonly string[] {
    return this.status.unfinished;
  }

  private get status(): WorkerStatus {
    return this.worker.status!;
  }

  async open(from: SimulationSnapshot | undefined, keeps: boolean): Promise<void> {
    await this.call('open', { problem: this.shown, from, keeps });
  }

  step(count = 1, onReport?: (report: StepReport) => void | Promise<void>): Promise<StepReport[]> {
    return this.turns.run(async () => {
      checkStepCount(count);
      const listener = new Listener(onReport);
      const reports: StepReport[] = [];
      for (let k = 0; k < count && !this.stopped && !this.signal?.aborted; k++) {
        const report = await this.call('step', undefined);
        if (!report) break;
        reports.push(report);
        listener.tell(report);
      }
      await listener.end();
      return reports;
    });
  }

  read(): Promise<State> {
    return this.turns.run(() => this.call('read', undefined));
  }

  capture(): Promise<SimulationSnapshot> {
    return this.turns.run(() => this.call('capture', undefined));
  }

  gpuState(): null {
    this.turns.check();
    return null;
  }

  stageTimes(): Promise<null> {
    return this.turns.run(async () => null);
  }

  dispose(): void {
    if (this.turns.dispose()) this.worker.end(new Error('The simulation was disposed in mid-step'));
  }

  private async call<Name extends keyof WorkerCalls>(name: Name, input: WorkerCalls[Name]['input']) {
    try {
      return await this.worker.call(name, input);
    } finally {
      this.shown = this.worker.status?.problem ?? this.shown;
    }
  }
}
