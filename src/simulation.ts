import type { BackendChoice, BackendOpener, OpenBackend } from './backend';
import { remap } from './events/remap';
import { type EventRecord, Schedule, type ScheduleState } from './events/schedule';
import type { GpuState } from './gpu/gpuState';
import { checkStepCount, Listener, OneCall } from './oneCall';
import type { State, StepReport } from './report';
import { wrapPositions } from './scene/periodic';
import type { Problem, Vector, WallShape } from './scene/problem';
import type { System } from './scene/system';
import { chooseUnits, toSceneReport, toSceneState, toSceneWalls, toSystem } from './scene/units';
import { DEEP_OVERLAP, LONG_STEP_DISPLACEMENT } from './settings';
import { planeAnchor, type Snapshot } from './snapshot';
import { checkSnapshot } from './snapshotFault';

export interface SimulationOptions extends BackendChoice {
  /** Stops the run after the step in progress. */
  signal?: AbortSignal;
  /** Text of a grain file that the scene names; default: fetched, relative to the page. */
  readText?: (path: string) => Promise<string>;
  /** Bytes of a mesh file that the scene names; default: fetched, relative to the page. */
  readBytes?: (path: string) => Promise<Uint8Array>;
  /** Where to go on: what `capture` of a simulation of the same scene gave. A RangeError says what does not fit the scene. */
  from?: SimulationSnapshot;
  /** Takes the state that an event "checkpoint" of the scene wants kept; awaited before the next step. What it throws, `step` throws. */
  onCheckpoint?: (snapshot: SimulationSnapshot) => void | Promise<void>;
}

/** Everything that a run needs to go on with the same bits as if it had not stopped, beside its scene. */
export interface SimulationSnapshot {
  solver: Snapshot;
  /** Absent where the scene has no events. */
  schedule?: ScheduleState;
}

/** A packing that is stepped through time. All figures are in the units of the scene. */
export interface Simulation {
  /** As it is now: with the grains that came, and the walls and the gravity that events have changed. */
  readonly problem: Problem;
  readonly backend: 'webgpu' | 'cpu';
  /** What the GPU adapter says of itself; null on the CPU. */
  readonly adapter: string | null;
  /** Whether that adapter computes on the CPU. */
  readonly softwareAdapter: boolean;
  readonly gpuMemoryBytes: number;
  /** What the scene's checks and the run so far have to say; each kind of trouble once. */
  readonly warnings: readonly string[];
  /** Steps done so far. */
  readonly steps: number;
  /** Events that happened so far. */
  readonly events: readonly EventRecord[];
  /** An event has ended the run; `step` does no more. */
  readonly stopped: boolean;
  /** What of the scene's events is still to come, in words. */
  readonly unfinished: readonly string[];
  /**
   * Does `count` steps (default 1), fewer where the signal aborts or an event stops the run, and gives their reports; `onReport` gets each as it comes.
   * What `onReport` throws, or a promise of its rejects with, `step` throws; it ends no sooner than such promises.
   * @throws RangeError for a count that is no whole number from 0
   * @throws TypeError for an onReport that is no function
   * @throws NumericalError where a figure is no longer finite
   * @throws DeviceLostError where the GPU is lost
   * @throws EventError where an event cannot happen
   */
  step(count?: number, onReport?: (report: StepReport) => void | Promise<void>): Promise<StepReport[]>;
  /** Positions, motions and contacts after the last step; angular velocities in radians per time, contact forces as forces. */
  read(): Promise<State>;
  /** From where a simulation of the same scene goes on with the same bits. */
  capture(): Promise<SimulationSnapshot>;
  /**
   * Where the state after the last step lies on the GPU, to be drawn there without being read back; null on the CPU. Good until the
   * next step begins: to be asked for anew then, since buffers are replaced where events or growing contacts need others.
   */
  gpuState(): GpuState | null;
  /** Milliseconds that each stage took on the GPU so far; null without `profile`, on the CPU, or on a device without timestamps. */
  stageTimes(): Promise<Record<string, number> | null>;
  /** Gives back what the backend holds. A device that was passed in is not destroyed. */
  dispose(): void;
}

/**
 * Makes a simulation of a problem and does what its events want before the first step.
 * @param open makes the backend
 * @throws RangeError for a snapshot to go on from that is damaged or of another scene
 */
export async function beginSimulation(problem: Problem, options: SimulationOptions, open: BackendOpener): Promise<Simulation> {
  const { from } = options;
  if (from !== undefined) checkSnapshot(from, problem);
  const schedule = problem.events || from?.schedule ? new Schedule(problem, from?.schedule) : undefined;
  const system = toSystem(schedule?.problem ?? problem, chooseUnits(problem));
  const simulation = new OpenSimulation(problem, system, await open(system, options, from?.solver), options, schedule);
  await simulation.begin();
  return simulation;
}

class OpenSimulation implements Simulation {
  readonly backend: 'webgpu' | 'cpu';
  readonly adapter: string | null;
  readonly softwareAdapter: boolean;
  steps: number;
  private readonly ownWarnings: string[];
  private readonly calls = new OneCall();
  private warnedOfLongStep = false;
  private warnedOfOverlap = false;
  private readonly deepOverlap: number;

  constructor(
    private readonly start: Problem,
    private system: System,
    private readonly open: OpenBackend,
    private readonly options: Pick<SimulationOptions, 'signal' | 'onCheckpoint'>,
    private readonly schedule: Schedule | undefined,
  ) {
    this.backend = open.name;
    this.adapter = open.adapter;
    this.softwareAdapter = open.softwareAdapter;
    this.steps = open.solver.steps;
    this.ownWarnings = [...start.warnings];
    this.deepOverlap = system.radii.reduce((least, radius) => Math.min(least, radius), DEEP_OVERLAP);
  }

  get problem(): Problem {
    return this.schedule?.problem ?? this.start;
  }

  get warnings(): readonly string[] {
    return this.schedule ? [...this.ownWarnings, ...this.schedule.warnings] : this.ownWarnings;
  }

  get events(): readonly EventRecord[] {
    return this.schedule?.log ?? [];
  }

  get stopped(): boolean {
    return this.schedule?.stopped ?? false;
  }

  get unfinished(): readonly string[] {
    return this.schedule?.unfinished() ?? [];
  }

  get gpuMemoryBytes(): number {
    return this.open.solver.gpuMemoryBytes;
  }

  /** What happens before the first step. */
  async begin(): Promise<void> {
    try {
      await this.change();
    } catch (error) {
      this.dispose();
      throw error;
    }
  }

  step(count = 1, onReport?: (report: StepReport) => void | Promise<void>): Promise<StepReport[]> {
    return this.calls.run(async () => {
      checkStepCount(count);
      const listener = new Listener(onReport);
      const reports: StepReport[] = [];
      const receive = (internal: StepReport) => {
        const report = toSceneReport(internal, this.system.units);
        this.steps = report.step;
        const events = this.schedule?.observe(report) ?? [];
        if (events.length > 0) report.events = events.map(({ text }) => text).join('; ');
        this.warnOfLongStep(report);
        this.warnOfOverlap(report);
        reports.push(report);
        listener.tell(report);
      };
      if (this.schedule) await this.stepByEvents(this.schedule, count, receive);
      else await this.open.solver.step(count, receive, this.options.signal);
      await listener.end();
      return reports;
    });
  }

  /** As far as nothing can change, then what changes, and on. */
  private async stepByEvents(schedule: Schedule, count: number, receive: (report: StepReport) => void): Promise<void> {
    // Steps that a backend had begun when a listener threw are done, though not seen.
    await this.change();
    await this.keep(schedule);
    const { signal } = this.options;
    const end = this.open.solver.steps + count;
    while (this.open.solver.steps < end && !schedule.stopped && !signal?.aborted) {
      const { steps } = this.open.solver;
      await this.open.solver.step(Math.min(end - steps, schedule.safeSteps(steps)), receive, signal);
      await this.change();
      await this.keep(schedule);
    }
  }

  /** Gives away the state that an event wants kept, with all that the event has changed. */
  private async keep(schedule: Schedule): Promise<void> {
    if (!schedule.checkpointDue) return;
    schedule.checkpointDue = false;
    const { onCheckpoint } = this.options;
    if (onCheckpoint) await onCheckpoint(await this.snapshot());
  }

  /** Acts on the events that are due: a new system, and a solver that goes on from the state of the old one. */
  private async change(): Promise<void> {
    const { schedule, open } = this;
    const { units } = this.system;
    const { steps } = open.solver;
    schedule?.fire(steps);
    if (!schedule?.changesAfter(steps)) return;
    const snapshot = await open.solver.capture();
    const places = snapshot.positions.map((x, k) => units.origin[k % 3] + (x + snapshot.remainders[k]) * units.length);
    if (this.problem.periodic) wrapPositions(places, this.problem.periodic);
    const change = schedule.apply(steps, places, this.pistonWays(snapshot));
    if (!change) return;
    const system = toSystem(schedule.problem, units);
    await open.replace(system, remap(snapshot, this.system, system, change.wallOf));
    this.system = system;
    if (this.calls.disposed) throw new Error('The simulation was disposed in mid-step');
  }

  /** How far pistons have moved, by name, in units of the scene. */
  private pistonWays({ pistons }: Snapshot): Map<string, Vector> {
    const { units, walls } = this.system;
    return new Map(
      pistons.map(({ wall, anchor, remainder }) => {
        const shape = walls[wall] as Extract<WallShape, { kind: 'plane' }>;
        const start = planeAnchor(shape);
        const way = anchor.map((x, axis) => (x + remainder[axis] - start[axis]) * units.length) as Vector;
        return [this.problem.walls[wall].name, way];
      }),
    );
  }

  read(): Promise<State> {
    return this.calls.run(async () => {
      const state = toSceneState(await this.open.solver.read(), this.system.units, this.problem.grains.radii);
      // Where onReport threw, the backend may have finished steps that it had begun.
      this.steps = state.step;
      return state;
    });
  }

  capture(): Promise<SimulationSnapshot> {
    return this.calls.run(() => this.snapshot());
  }

  private async snapshot(): Promise<SimulationSnapshot> {
    const solver = await this.open.solver.capture();
    return this.schedule ? { solver, schedule: this.schedule.state(solver.step) } : { solver };
  }

  gpuState(): GpuState | null {
    this.calls.check();
    const state = this.open.solver.gpuState();
    return state && { ...state, walls: toSceneWalls(state.walls, this.system.units) };
  }

  stageTimes(): Promise<Record<string, number> | null> {
    return this.calls.run(() => this.open.stageTimes());
  }

  dispose(): void {
    if (this.calls.dispose()) this.open.dispose();
  }

  private warnOfLongStep({ step, fastestGrain, fastestDisplacement }: StepReport): void {
    if (this.warnedOfLongStep || fastestDisplacement <= LONG_STEP_DISPLACEMENT) return;
    this.warnedOfLongStep = true;
    this.ownWarnings.push(
      `Step ${step} is long: grain ${fastestGrain} moved ${fastestDisplacement.toPrecision(2)} of its diameter in it. ` +
        'A shorter timeStep would resolve the motion.',
    );
  }

  private warnOfOverlap({ step, maxPenetration }: StepReport): void {
    if (this.warnedOfOverlap || maxPenetration <= this.deepOverlap) return;
    this.warnedOfOverlap = true;
    const small = maxPenetration < DEEP_OVERLAP ? ' The smallest grains, of a smaller radius, may get behind walls by it.' : '';
    this.ownWarnings.push(
      `Step ${step} leaves an overlap of ${maxPenetration.toPrecision(2)} mean diameters, where rigid grains should have none.${small} ` +
        'It may come from the start, or from walls that press; else a shorter timeStep or more sweeps would help.',
    );
  }
}
