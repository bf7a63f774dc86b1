import { HALT } from '../../shaders/control';
import { mostPairs, tooManyPairs } from '../cpu/pairLimit';
import type { Backend, State, StepReport } from '../report';
import type { System } from '../scene/system';
import {
  CANDIDATE_HEADROOM,
  COLOURING_ROUNDS,
  CONVERGENCE_INTERVAL,
  FIRST_COLOURING_ROUNDS,
  INITIAL_CANDIDATES_PER_GRAIN,
  MAX_ATTEMPTS,
  MAX_COLOUR_WORDS,
  STEPS_IN_FLIGHT,
  SUBMISSION_MS,
} from '../settings';
import { type Snapshot, type SnapshotPiston, startOf } from '../snapshot';
import { largestBuffer } from './adapter';
import { failureOf, tooManyAttempts } from './failures';
import { describeState, type GpuState, placedWalls } from './gpuState';
import { unlessLost } from './lostDevice';
import { Pipeline } from './pipeline';
import { Readback } from './readback';
import { capture } from './restart';
import { chooseSizes, contactsPerPage, type Sizes } from './sizes';
import type { SweepPlan } from './stages/solve';
import { readState } from './state';
import { type GpuReport, parseReport } from './stepReport';
import { firstPlan, nextPlan } from './sweepPlan';

export interface GpuSolverOptions {
  /** Times the stages on the GPU, where the device can. */
  profile?: boolean;
  /** Candidates that the buffers hold at first; they grow when there are more. */
  candidates?: number;
  /** Contacts that one buffer of an array holds at most; default: as the device allows. */
  page?: number;
  /** Where to go on; default: the system before its first step. */
  from?: Snapshot;
}

/**
 * Contact Dynamics on the GPU. Steps are submitted whole, a few ahead, and never waited for inside: a step that exceeds a
 * capacity, outruns its candidates or needs more sweeps halts on the GPU before anything has moved, what was submitted after
 * it does nothing, and the host mends the cause and goes on from there.
 */
export class GpuSolver implements Backend {
  private stepsDone: number;
  private candidates: number;
  /** The step whose contacts are mostly new, if it is still to come; counts from 0. */
  private readonly freshStep: number | undefined;
  private pistons: readonly SnapshotPiston[];
  private attempts = 0;
  private stepping = false;
  private disposed = false;
  /** 1 while the grains' floors of reach are kept from attempt to attempt. */
  private retry = 0;
  private expectedSweeps: number;
  private readonly mostSweeps: number;
  private msPerSweep = 0;
  private plan: SweepPlan;

  /** The number by which a user knows the grain at a place. */
  grainAt = (place: number): number => place;

  private constructor(
    private readonly device: GPUDevice,
    private system: System,
    private sizes: Sizes,
    private readonly pipeline: Pipeline,
    private readonly readback: Readback,
    from: Snapshot,
  ) {
    this.stepsDone = from.step;
    this.candidates = from.contacts.count;
    this.pistons = from.pistons;
    this.freshStep = from.fresh ? from.step : undefined;
    const { convergence } = system.solver;
    this.mostSweeps = convergence.criterion === 'fixed' ? convergence.iterations : convergence.maxIterations;
    this.expectedSweeps = Math.min(this.mostSweeps, convergence.criterion === 'fixed' ? Infinity : 10 * CONVERGENCE_INTERVAL);
    this.plan = firstPlan(system);
  }

  /**
   * @throws CapacityError where the device cannot hold the packing
   * @throws ShaderError where a kernel does not compile
   */
  static async create(device: GPUDevice, system: System, options: GpuSolverOptions = {}): Promise<GpuSolver> {
    const { from = startOf(system), profile = false } = options;
    const { extent, reachLimit, colourWords } = from;
    const usual = options.candidates ?? Math.ceil(INITIAL_CANDIDATES_PER_GRAIN * system.grains) + 192;
    const candidates = Math.max(usual, Math.ceil(from.contacts.count * CANDIDATE_HEADROOM));
    const { page = contactsPerPage(system, largestBuffer(device)) } = options;
    const sizes = chooseSizes(system, { extent, reachLimit, candidates, colourWords, page });
    const pipeline = await Pipeline.create(device, system, sizes, from, profile);
    const readback = new Readback(device, pipeline.buffers.get('report').size);
    return new GpuSolver(device, system, sizes, pipeline, readback, from);
  }

  get steps(): number {
    return this.stepsDone;
  }

  get gpuMemoryBytes(): number {
    return this.disposed ? 0 : this.pipeline.bytes;
  }

  /** Milliseconds that each stage took on the GPU so far; undefined where the device has no timestamps or no profile was asked for. */
  async stageTimes(): Promise<Record<string, number> | undefined> {
    return this.pipeline.profiler?.read();
  }

  async step(count: number, onReport?: (report: StepReport) => void, signal?: AbortSignal): Promise<void> {
    const inFlight: Promise<GpuReport>[] = [];
    this.stepping = true;
    try {
      for (let done = 0; done < count; done++) {
        while (!signal?.aborted && inFlight.length < STEPS_IN_FLIGHT && done + inFlight.length < count) {
          const step = this.submitStep(this.stepsDone + inFlight.length);
          // One that fails while those before it are waited for is heard of when its turn comes.
          step.catch(() => undefined);
          inFlight.push(step);
        }
        if (inFlight.length === 0) return;
        const report = await this.complete(inFlight);
        const accepted = this.accept(report);
        if (this.disposed) throw new Error('The simulation was disposed in mid-step');
        onReport?.(accepted);
        await this.adapt(report, inFlight);
      }
    } finally {
      await this.drain(inFlight);
      this.stepping = false;
      if (this.disposed) this.dispose();
    }
  }

  /** The report of the first step in flight, once it is completed. */
  private async complete(inFlight: Promise<GpuReport>[]): Promise<GpuReport> {
    const report = await this.guarded(inFlight[0]);
    inFlight.shift();
    if (report.halt === 0) return report;
    // What was submitted after a halted step does nothing; it must be through before anything is mended.
    await this.guarded(Promise.all(inFlight.splice(0)));
    return this.mend(report);
  }

  /** Takes in what was submitted and not received, where an error ended the steps. */
  private async drain(inFlight: Promise<GpuReport>[]): Promise<void> {
    for (const result of await Promise.allSettled(inFlight)) {
      if (result.status === 'fulfilled' && result.value.halt === 0) this.accept(result.value);
    }
  }

  async read(): Promise<State> {
    const { device, pipeline, system, stepsDone, candidates, pistons } = this;
    const state = await this.guarded(readState(device, pipeline.buffers, system, stepsDone, candidates));
    return { ...state, walls: placedWalls(system, stepsDone, pistons) };
  }

  gpuState(): GpuState {
    const { device, pipeline, system, stepsDone, candidates, pistons } = this;
    const { page } = this.sizes;
    return describeState(device, pipeline.buffers, system, { step: stepsDone, contacts: candidates, page, pistons });
  }

  async capture(): Promise<Snapshot> {
    const { device, pipeline, system, stepsDone, candidates } = this;
    const { extent, reachLimit, colourWords } = this.sizes;
    const held = await this.guarded(capture(device, pipeline.buffers, system, { step: stepsDone, candidates, colourWords }));
    return {
      ...held,
      pistons: this.pistons,
      step: stepsDone,
      fresh: stepsDone === this.freshStep,
      extent,
      reachLimit,
      colourWords,
      order: new Uint32Array(0),
    };
  }

  /** Puts the grains in another order, between steps: the system and what `capture` gave, both in the new one. */
  reload(system: System, from: Snapshot): void {
    this.system = system;
    this.pipeline.reload(system, from);
  }

  /** Frees the GPU memory, at the end of what is submitted where steps are in flight; those fail. */
  dispose(): void {
    this.disposed = true;
    if (this.stepping) return;
    this.pipeline.dispose();
    this.readback.dispose();
  }

  /** @param step counts from 0 */
  private submitStep(step: number): Promise<GpuReport> {
    this.pipeline.placeWalls(step);
    const encoder = this.device.createCommandEncoder({ label: `step ${step + 1}` });
    const rounds = step === this.freshStep ? FIRST_COLOURING_ROUNDS : COLOURING_ROUNDS;
    this.pipeline.encodeContacts(encoder, step % 2, rounds, this.plan);
    return this.submitSweeps(encoder, step % 2, 0, this.expectedSweeps);
  }

  /** Sweeps in submissions that are each bounded in time, then the end of the step. */
  private submitSweeps(first: GPUCommandEncoder, parity: number, done: number, count: number): Promise<GpuReport> {
    const started = performance.now();
    const atOnce = this.msPerSweep === 0 ? 2 * CONVERGENCE_INTERVAL : Math.max(1, Math.floor(SUBMISSION_MS / this.msPerSweep));
    let encoder = first;
    for (let begun = 0; begun < count; begun += atOnce) {
      if (begun > 0) {
        this.submit(encoder);
        encoder = this.device.createCommandEncoder({ label: 'sweeps' });
      }
      this.pipeline.encodeSweeps(encoder, parity, done + begun, Math.min(atOnce, count - begun), this.plan);
    }
    this.pipeline.encodeEnd(encoder, parity);
    const receive = this.readback.encode(encoder, this.pipeline.buffers.get('report'));
    this.submit(encoder);
    return receive().then((words) => {
      const report = parseReport(words, this.system);
      // Sweeps of a step that has converged take no time: they do not count.
      const swept = report.step.iterations - done;
      if (swept > 0) this.msPerSweep = (performance.now() - started) / swept / STEPS_IN_FLIGHT;
      return report;
    });
  }

  private submit(encoder: GPUCommandEncoder): void {
    const timed = this.pipeline.profiler?.collect(encoder);
    this.device.queue.submit([encoder.finish()]);
    timed?.();
  }

  /** Does a halted step again, or goes on with its sweeps, until it is completed. */
  private async mend(halted: GpuReport): Promise<GpuReport> {
    let report = halted;
    while (report.halt !== 0) {
      const failed = this.stepsDone + 1;
      const failure = failureOf(report, failed, this.system, this.grainAt);
      if (failure) throw failure;
      if (++this.attempts > MAX_ATTEMPTS) {
        throw tooManyAttempts(failed, this.grainAt(report.step.fastestGrain), this.system, report);
      }
      if (report.halt & (HALT.candidates | HALT.reach)) await this.grow(report);
      if (report.halt & HALT.outrun) this.retry = 1;
      // The first words of the control block: no halt, no reach required, no bad grain, and whether floors of reach are kept.
      this.pipeline.buffers.write('control', new Uint32Array([0, 0, 0xffffffff, this.retry]));
      report = await this.guarded(report.halt & HALT.sweeps ? this.resume(report) : this.submitStep(this.stepsDone));
    }
    return report;
  }

  /** More sweeps of the same step, as many again as it has had. */
  private resume({ step }: GpuReport): Promise<GpuReport> {
    this.attempts--;
    this.pipeline.placeWalls(this.stepsDone);
    const encoder = this.device.createCommandEncoder({ label: `step ${this.stepsDone + 1} goes on` });
    const count = Math.min(this.mostSweeps - step.iterations, Math.max(step.iterations, CONVERGENCE_INTERVAL));
    return this.submitSweeps(encoder, this.stepsDone % 2, step.iterations, count);
  }

  private async grow({ halt, reachRequired, step }: GpuReport): Promise<void> {
    let { reachLimit, candidates } = this.sizes;
    while (halt & HALT.reach && reachLimit < reachRequired) reachLimit *= 2;
    const most = mostPairs(this.system);
    if (halt & HALT.candidates && step.candidates > most) throw tooManyPairs(this.stepsDone + 1, most, this.system);
    if (halt & HALT.candidates) candidates = Math.ceil(step.candidates * CANDIDATE_HEADROOM);
    await this.resize(chooseSizes(this.system, { ...this.sizes, reachLimit, candidates }));
  }

  private async resize(sizes: Sizes): Promise<void> {
    await this.pipeline.resize(sizes);
    this.sizes = sizes;
  }

  private accept({ step, pistons }: GpuReport): StepReport {
    this.pistons = pistons;
    const report = { ...step, fastestGrain: this.grainAt(step.fastestGrain), redone: this.attempts };
    this.stepsDone = step.step;
    this.candidates = step.candidates;
    this.attempts = 0;
    this.retry = 0;
    return report;
  }

  /** What the step tells about the next ones. */
  private async adapt(report: GpuReport, inFlight: Promise<GpuReport>[]): Promise<void> {
    const { uncoloured, hubs, step } = report;
    this.plan = nextPlan(report, this.system.solver);
    if (this.system.solver.convergence.criterion !== 'fixed') {
      const margin = step.iterations + 2 * CONVERGENCE_INTERVAL;
      this.expectedSweeps = Math.min(this.mostSweeps, CONVERGENCE_INTERVAL * Math.ceil(margin / CONVERGENCE_INTERVAL));
    }
    const slots = 32 * this.sizes.colourWords;
    if (uncoloured === 0 || step.colours - hubs <= slots || this.sizes.colourWords === MAX_COLOUR_WORDS) return;
    // All colours are taken and contacts are left over: more colours, once what was submitted is through.
    const reports = await this.guarded(Promise.all(inFlight));
    if (reports.every(({ halt }) => halt === 0)) {
      await this.resize(chooseSizes(this.system, { ...this.sizes, colourWords: 2 * this.sizes.colourWords }));
    }
  }

  private guarded<T>(work: Promise<T>): Promise<T> {
    return unlessLost(this.device, () => this.stepsDone, work);
  }
}
