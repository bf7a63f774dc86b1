import { COUNT, checkArgument, checkOptions, FUNCTION, having, LIMIT } from '../arguments';
import { DeviceLostError } from '../errors';
import { deviceLost } from '../gpu/lostDevice';
import { checkStepCount } from '../oneCall';
import { Recovery } from '../recovery';
import type { StepReport } from '../report';
import type { Simulation, SimulationSnapshot } from '../simulation';
import { watchSight } from './sight';
import type { Viewer } from './types';

export interface PlayerOptions {
  /** Steps between two pictures; default 1. */
  stepsPerFrame?: number;
  /** Steps done after which it goes no further; default: only an event ends it. */
  end?: number;
  /**
   * Makes the simulation anew, from its start or where a state goes on: for `reset`, and where the GPU device was lost. Without it
   * `reset` is refused, and a lost device ends the run.
   * @param without 'device': the device was lost twice in one step, so the CPU is to do it
   */
  open?: (from: SimulationSnapshot | undefined, without: 'nothing' | 'device') => Promise<Simulation>;
  /**
   * Makes another viewer, on another canvas, for a simulation on the CPU that goes on for one whose device was lost: where a GPU has drawn,
   * nothing else can. Default: the viewer stays.
   */
  openViewer?: (source: Simulation) => Promise<Viewer>;
  /** Gets each step's report; steps that are done again after a loss are not reported again. */
  onReport?: (report: StepReport) => void | Promise<void>;
  /** It plays or no longer plays, has ended, or goes on with another simulation. */
  onChange?: (change: PlayerChange) => void;
  /** It has stopped for good: a figure is no longer finite, an event cannot happen, or there is nothing left to run on. */
  onError?: (error: Error) => void;
}

export type PlayerChange = 'play' | 'pause' | 'end' | 'reset' | 'recover';

/** Steps a simulation and shows it, one step at a time, only while its canvas can be seen. */
export interface Player {
  /** What it plays now; another after a reset or a lost device. Its calls go through `between`. */
  readonly source: Simulation;
  /** `play` was called, and not yet `pause`; it may wait for being seen. */
  readonly playing: boolean;
  /** The steps are done, or an event has stopped the run. */
  readonly ended: boolean;
  /** Steps done after which it goes no further; Infinity where there is no such end. */
  readonly end: number;
  /** Steps between two pictures. */
  stepsPerFrame: number;
  play(): void;
  pause(): void;
  /** Pauses, does so many steps (default 1) and shows them. @throws RangeError for a count that is no whole number from 0 */
  step(count?: number): Promise<void>;
  /** From the start again; goes on playing where it did. @throws Error without the option `open` */
  reset(): Promise<void>;
  /** Does something with the simulation between two steps, such as `read` or `capture`. */
  between<T>(work: (source: Simulation) => Promise<T>): Promise<T>;
  /** Stops and disposes of the simulation; the viewer stays the caller's. */
  dispose(): void;
}

export const PLAYER_OPTIONS = {
  ...{ stepsPerFrame: COUNT, end: LIMIT, open: FUNCTION, openViewer: FUNCTION },
  ...{ onReport: FUNCTION, onChange: FUNCTION, onError: FUNCTION },
};

/**
 * Plays a simulation in a viewer. From here on the simulation is the player's, which disposes of it.
 * It begins to play when `play` is called.
 * @throws TypeError naming an argument that is not what it must be
 */
export function createPlayer(source: Simulation, viewer: Viewer, options: PlayerOptions = {}): Player {
  checkArgument('createPlayer', 'source', source, having('a simulation', 'step'));
  checkArgument('createPlayer', 'viewer', viewer, having('what createViewer gave', 'render'));
  checkOptions('createPlayer', options, PLAYER_OPTIONS);
  return openPlayer(source, viewer, options);
}

/** createPlayer for what was checked before; options of others are passed over. */
export function openPlayer(source: Simulation, viewer: Viewer, options: PlayerOptions): Player {
  return new FramePlayer(source, viewer, options);
}

class FramePlayer implements Player {
  playing = false;
  ended = false;
  readonly end: number;
  stepsPerFrame: number;
  private seen = false;
  private disposed = false;
  private failed = false;
  /** A picture is asked for or in the making. */
  private busy = false;
  /** What is to be done with the simulation, one after the other. */
  private last: Promise<unknown> = Promise.resolve();
  private endWatch: () => void;
  private recovery: Recovery;

  constructor(
    public source: Simulation,
    private viewer: Viewer,
    private readonly options: PlayerOptions,
  ) {
    this.end = options.end ?? Number.POSITIVE_INFINITY;
    this.stepsPerFrame = options.stepsPerFrame ?? 1;
    this.recovery = this.newRecovery();
    this.endWatch = this.watch();
    this.watchDevice();
    this.checkEnd();
  }

  private newRecovery(): Recovery {
    const { open } = this.options;
    return new Recovery((from, backend) => {
      if (!open) throw new Error('A lost device needs the option "open"');
      return open(from, backend === 'cpu' ? 'device' : 'nothing');
    });
  }

  private watch(): () => void {
    return watchSight(this.viewer.canvas, (seen) => {
      this.seen = seen;
      this.ask();
    });
  }

  play(): void {
    if (this.playing || this.ended || this.failed || this.disposed) return;
    this.playing = true;
    this.options.onChange?.('play');
    this.ask();
  }

  pause(): void {
    if (!this.playing) return;
    this.playing = false;
    this.options.onChange?.('pause');
  }

  async step(count = 1): Promise<void> {
    checkStepCount(count);
    this.pause();
    await this.between(() => this.advance(count));
  }

  reset(): Promise<void> {
    return this.between(async () => {
      const { open } = this.options;
      if (!open) throw new Error('reset() makes the simulation anew: give createPlayer the option "open"');
      this.source.dispose();
      this.recovery = this.newRecovery();
      const next = await open(undefined, 'nothing').catch((error) => {
        this.fail(error);
        throw error;
      });
      this.ended = false;
      this.failed = false;
      await this.take(next, 'reset');
    });
  }

  async between<T>(work: (source: Simulation) => Promise<T>): Promise<T> {
    checkArgument('between', 'work', work, FUNCTION);
    const done = this.last.then(() => {
      if (this.disposed) throw new Error('The player is disposed');
      return work(this.source);
    });
    this.last = done.catch(() => undefined);
    return done;
  }

  dispose(): void {
    if (this.disposed) return;
    this.disposed = true;
    this.playing = false;
    this.endWatch();
    this.source.dispose();
  }

  /** Asks for the next picture, with the steps before it. */
  private ask(): void {
    if (this.busy || !this.playing || !this.seen || this.disposed) return;
    this.busy = true;
    requestAnimationFrame(async () => {
      if (this.playing && this.seen) await this.between(() => this.advance(this.stepsPerFrame)).catch(() => undefined);
      this.busy = false;
      this.ask();
    });
  }

  /** Does steps and shows them. Never throws: what ends the run goes to `onError`. */
  private async advance(count: number): Promise<void> {
    const { source, end } = this;
    const { onReport } = this.options;
    if (this.failed) return;
    try {
      await source.step(Math.max(0, Math.min(count, end - source.steps)), onReport);
      await this.show();
      if (this.options.open) await this.recovery.keep(source);
    } catch (error) {
      if (this.disposed) return;
      if (error instanceof DeviceLostError) await this.recover(source, error);
      else this.fail(error);
    }
    this.checkEnd();
  }

  private async show(): Promise<void> {
    await this.viewer.update();
    if (!this.disposed) this.viewer.render();
  }

  private checkEnd(): void {
    const { source, options } = this;
    if (this.ended || this.failed || !(source.stopped || source.steps >= this.end)) return;
    this.ended = true;
    this.playing = false;
    options.onChange?.('end');
  }

  private fail(error: unknown): void {
    this.failed = true;
    this.playing = false;
    this.options.onError?.(error instanceof Error ? error : new Error(String(error)));
  }

  /** A device can also be lost while nothing is asked of it. */
  private watchDevice(): void {
    const { source } = this;
    void source.gpuState()?.device.lost.then((lost) => {
      if (this.disposed || this.source !== source) return;
      void this.between(() => this.recover(source, deviceLost(source.steps, lost))).catch(() => undefined);
    });
  }

  /** Goes on from the last state that was kept, on a new device, else on the CPU, and does again what was done since. */
  private async recover(lost: Simulation, error: DeviceLostError): Promise<void> {
    const { open } = this.options;
    if (this.source !== lost || this.failed) return;
    if (!open) return this.fail(error);
    const { steps } = lost;
    lost.dispose();
    try {
      await this.take(await this.recovery.goOn(steps), 'recover');
    } catch (fault) {
      if (!this.disposed) this.fail(fault);
    }
  }

  /** Goes on with another simulation. */
  private async take(next: Simulation, change: PlayerChange): Promise<void> {
    if (this.disposed) return next.dispose();
    this.source = next;
    if (change === 'recover' && next.backend === 'cpu') await this.changeViewer(next);
    else this.viewer.setSource(next);
    this.watchDevice();
    await this.show();
    this.options.onChange?.(change);
    this.ask();
  }

  private async changeViewer(source: Simulation): Promise<void> {
    const { openViewer } = this.options;
    if (!openViewer) return this.viewer.setSource(source);
    this.viewer = await openViewer(source);
    this.endWatch();
    this.seen = false;
    this.endWatch = this.watch();
    if (this.disposed) this.endWatch();
  }
}
