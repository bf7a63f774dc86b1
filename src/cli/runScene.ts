import { softnessWarning, systemLength } from '../analysis/diffusion';
import type { EventRecord } from '../events/schedule';
import { type SeriesColumns, seriesColumns, seriesHeader, seriesRow } from '../io/series';
import { RunFigures, type Summary, type SummarySource } from '../io/summary';
import type { State, StepReport } from '../report';
import type { Problem } from '../scene/problem';
import type { SimulationSnapshot } from '../simulation';
import type { Checkpoints } from './checkpoints';
import { type EarlierPart, SERIES } from './earlierPart';
import { OutputError } from './exit';
import { firstOfAlike } from './firstOfAlike';
import { FrameWriter } from './frames';
import type { OutputFolder } from './outputFolder';

/** What a run needs of a simulation. */
export interface RunnableSimulation extends SummarySource {
  readonly steps: number;
  readonly stopped: boolean;
  readonly unfinished: readonly string[];
  step(count?: number, onReport?: (report: StepReport) => void): Promise<unknown>;
  read(): Promise<State>;
  capture(): Promise<SimulationSnapshot>;
}

export interface RunListener {
  onReport(report: StepReport): void;
  onWarning(message: string): void;
  onEvent(event: EventRecord): void;
}

export interface RunOutcome {
  status: 'done' | 'interrupted' | 'failed';
  summary: Summary;
  /** Why the run failed. */
  error?: unknown;
  /** Results that are missing beside what `error` tells, such as the summary. */
  missing?: OutputError[];
}

/** Stepping returns after about so long, for the series to reach the disk and Ctrl-C to be seen. */
const BATCH_SECONDS = 0.5;
const MAX_BATCH = 200;

/**
 * Runs a simulation to the end of its scene and leaves the series, the frames and the summary in the folder.
 * Whatever ends the run early, the figures and the state of the last good step are written if they can be.
 * @param scene before its events, where the simulation goes on behind some
 * @param earlier what the folder has of this run already
 */
export async function runScene(
  simulation: RunnableSimulation,
  folder: OutputFolder,
  signal: AbortSignal,
  listener: RunListener,
  checkpoints?: Checkpoints,
  scene: Problem = simulation.problem,
  earlier?: EarlierPart,
): Promise<RunOutcome> {
  const run = new Run(simulation, folder, signal, listener, scene, checkpoints, earlier);
  let failure: { error: unknown } | undefined;
  const missing = new Map<string, OutputError>();
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      if (failure && error instanceof OutputError) missing.set(error.message, error);
      failure ??= { error };
    }
  };
  await attempt(() => run.start());
  if (!failure) await attempt(() => run.stepToEnd());
  await attempt(() => run.writeLastState());
  await attempt(() => folder.checkWhole());
  const interrupted = signal.aborted && simulation.steps < simulation.problem.steps && !simulation.stopped;
  if (interrupted && !failure) await attempt(() => run.keepState());
  const status = failure ? 'failed' : interrupted ? 'interrupted' : 'done';
  const summary = run.summary(status, failure?.error);
  await attempt(() => folder.write('summary.json', `${JSON.stringify(summary, null, 2)}\n`));
  if (!failure) return { status, summary };
  const { error } = failure;
  // A frame can fail twice.
  if (error instanceof OutputError) missing.delete(error.message);
  return { status: 'failed', summary, error, missing: [...missing.values()] };
}

class Run {
  private readonly figures: RunFigures;
  private readonly frames: FrameWriter;
  private series: Awaited<ReturnType<OutputFolder['openLines']>> | undefined;
  private stepSeconds = 0;
  private warned = 0;
  /** Steps that did not converge though the residual held. */
  private unbalanced = 0;
  private systemLength: number | null = null;
  private told = 0;
  private readonly columns: SeriesColumns;
  /** What happened before the first step, until it has a row of the series. */
  private early: string[];

  constructor(
    private readonly simulation: RunnableSimulation,
    private readonly folder: OutputFolder,
    private readonly signal: AbortSignal,
    private readonly listener: RunListener,
    scene: Problem,
    private readonly checkpoints?: Checkpoints,
    private readonly earlier?: EarlierPart,
  ) {
    this.figures = new RunFigures(simulation.steps);
    this.frames = new FrameWriter(folder, simulation, earlier?.frames);
    this.columns = seriesColumns(scene);
    this.early = simulation.events.map(({ text }) => text);
  }

  async start(): Promise<void> {
    this.tell();
    const goesOn = (this.earlier?.series?.bytes ?? 0) > 0;
    this.series = await this.folder.openLines(SERIES, goesOn);
    if (!goesOn) this.series.add(seriesHeader(this.columns));
    await this.series.flush();
    await this.frames.begin();
    await this.writeWantedFrame();
    // What events bring before the first step.
    await this.simulation.step(0);
  }

  async stepToEnd(): Promise<void> {
    const { simulation } = this;
    const { steps, output } = simulation.problem;
    let batch = 1;
    while (simulation.steps < steps && !this.signal.aborted && !simulation.stopped) {
      const toFrame = output.every > 0 ? output.every - (simulation.steps % output.every) : MAX_BATCH;
      const toCheckpoint = this.checkpoints?.stepsToNext(simulation.steps) ?? MAX_BATCH;
      const count = Math.min(batch, toFrame, toCheckpoint, steps - simulation.steps);
      const seconds = await this.stepBatch(count);
      batch = Math.max(1, Math.min(MAX_BATCH, Math.round((count * BATCH_SECONDS) / seconds)));
      this.tell();
      await this.folder.checkHeld();
      await this.series?.flush();
      await this.writeWantedFrame();
      await this.writeDueCheckpoint();
      await new Promise((resolve) => setImmediate(resolve)); // Signals are delivered between macrotasks.
    }
  }

  async writeLastState(): Promise<void> {
    const { simulation } = this;
    try {
      const state = await simulation.read();
      if (state.step > 0) this.systemLength = systemLength(simulation.problem, state);
      await this.frames.write(simulation.steps, async () => state);
    } finally {
      await this.series?.close();
    }
  }

  private async writeDueCheckpoint(): Promise<void> {
    const { simulation, checkpoints } = this;
    if (checkpoints?.isDue(simulation.steps)) await checkpoints.writeRegular(await simulation.capture(), simulation.backend);
  }

  /** For the run to go on from where it was interrupted. */
  async keepState(): Promise<void> {
    await this.checkpoints?.write(await this.simulation.capture(), this.simulation.backend);
  }

  summary(status: RunOutcome['status'], error: unknown): Summary {
    const summary = this.figures.summary(this.simulation, this.stepSeconds);
    summary.systemLength = this.systemLength;
    summary.warnings = firstOfAlike(summary.warnings);
    const { diffusionLength, unconvergedSteps } = summary;
    const late: string[] = [];
    if (unconvergedSteps > 0) late.push(unconvergedWarning(unconvergedSteps, this.unbalanced, this.figures.stepsSeen));
    if (diffusionLength !== null && this.systemLength !== null && diffusionLength < this.systemLength) {
      late.push(softnessWarning(diffusionLength, this.systemLength));
    }
    for (const warning of late) {
      summary.warnings.push(warning);
      this.listener.onWarning(warning);
    }
    const progress = `after ${summary.steps} of ${this.simulation.problem.steps} steps`;
    if (status === 'done') summary.warnings.push(...this.simulation.unfinished);
    if (status === 'interrupted') summary.warnings.push(`Interrupted ${progress}.`);
    if (status === 'failed') summary.warnings.push(`Failed ${progress}: ${error instanceof Error ? error.message : error}`);
    if (status !== 'done' && this.checkpoints?.last) summary.warnings.push(`The last checkpoint is ${this.checkpoints.last}.`);
    return summary;
  }

  /** @returns seconds that the steps took */
  private async stepBatch(count: number): Promise<number> {
    const start = performance.now();
    try {
      await this.simulation.step(count, (report) => {
        const { problem } = this.simulation;
        this.figures.add(report, problem.walls);
        const { convergence } = problem.solver;
        const held = convergence.criterion === 'residual' && report.residual <= convergence.tolerance;
        if (held && !report.converged) this.unbalanced++;
        const events = [...this.early.splice(0), ...(report.events ? [report.events] : [])];
        this.series?.add(seriesRow(report, problem, this.columns, events.join('; ')));
        this.listener.onReport(report);
      });
    } finally {
      this.stepSeconds += (performance.now() - start) / 1000;
    }
    return (performance.now() - start) / 1000;
  }

  private async writeWantedFrame(): Promise<void> {
    if (this.frames.wanted(this.simulation.steps)) await this.frames.write(this.simulation.steps, () => this.simulation.read());
  }

  private tell(): void {
    const { warnings, events } = this.simulation;
    for (; this.told < events.length; this.told++) this.listener.onEvent(events[this.told]);
    for (const warning of firstOfAlike(warnings.slice(this.warned))) this.listener.onWarning(warning);
    this.warned = warnings.length;
  }
}

/** @param unbalanced of the unconverged steps: those in which the residual held, the balance alone did not */
function unconvergedWarning(unconverged: number, unbalanced: number, steps: number): string {
  const balance =
    unbalanced > 0
      ? ` Of these ${unbalanced} by the balance alone: where the load changes all the time solver.convergence.balance may be larger, or null.`
      : '';
  return (
    `${unconverged} of ${steps} steps used up their sweeps before the criterion of convergence held. A few are harmless, in impacts.${balance} ` +
    'Against it helps a shorter timeStep, or a larger solver.convergence.maxIterations.'
  );
}
