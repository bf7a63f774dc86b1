import { createSimulation, type SceneInput, type Simulation, type SimulationSnapshot } from '../../src/index';
import { createWorkerSimulation } from '../../src/page/workerSimulation';
import { type CameraPlace, createViewer, type Viewer, type ViewOptions } from '../../src/viewer/index';
import { createPlayer, type Player } from '../../src/viewer/player';
import { reopenViewer } from '../../src/viewer/reopen';
import type { AnyDemo, Probe, Settings } from '../demo';
import { openDevice } from './machine';

/** The state is read for figures so often, and seldom where there are many grains; milliseconds. */
const LOOK_EVERY = 120;
const MANY = 50_000;
const LOOK_EVERY_MANY = 2000;

export interface Opening {
  demo: AnyDemo;
  values: Settings;
  scene: SceneInput;
  backend: 'cpu' | 'webgpu';
  view: Partial<ViewOptions>;
  /** Absent: everything is framed. */
  camera?: CameraPlace;
  playing: boolean;
}

export interface StageEvents {
  /** There are new figures. */
  onFigures(probe: Probe, simulation: Simulation): void;
  onPlaying(playing: boolean): void;
  /** The device was lost, and the run goes on. */
  onRecover(backend: 'cpu' | 'webgpu'): void;
  onError(error: unknown): void;
  /** The camera may have moved. */
  onView(): void;
}

/** A canvas with one simulation at a time. */
export class Stage {
  private viewer: Viewer | undefined;
  private player: Player | undefined;
  private probe: Probe | undefined;
  private follows = false;
  private device: GPUDevice | undefined;
  private opened = 0;
  private opening: Promise<void> = Promise.resolve();
  private looking = 0;

  constructor(
    private canvas: HTMLCanvasElement,
    private readonly events: StageEvents,
  ) {}

  get playing(): boolean {
    return this.player?.playing ?? false;
  }

  /** What runs. */
  get source(): Simulation | undefined {
    return this.player?.source;
  }

  get view(): Viewer | undefined {
    return this.viewer;
  }

  /** Takes the place of what runs. Of several that are asked for while one opens, the last is opened. */
  open(opening: Opening): Promise<void> {
    const turn = ++this.opened;
    this.close();
    this.opening = this.opening.then(async () => {
      if (turn !== this.opened) return;
      try {
        await this.openNow(opening);
      } catch (error) {
        this.events.onPlaying(false);
        this.events.onError(error);
      }
    });
    return this.opening;
  }

  private async openNow({ demo, values, scene, backend, view, camera, playing }: Opening): Promise<void> {
    this.close();
    const simulation = await this.simulate(scene, backend);
    const viewer = await this.viewOf(simulation, view);
    const probe = demo.probe(values, simulation.problem);
    const player = createPlayer(simulation, viewer, {
      stepsPerFrame: demo.stepsPerFrame,
      open: (from, without) => this.simulate(scene, without === 'device' ? 'cpu' : backend, from),
      openViewer: (source) => this.changeViewer(this.viewer ?? viewer, source),
      onReport: (report) => probe.onReport(report, player.source.problem),
      onChange: (change) => {
        if (change === 'recover') this.events.onRecover(player.source.backend);
        this.events.onPlaying(this.playing);
      },
      onError: (error) => {
        this.events.onPlaying(false);
        this.events.onError(error);
      },
    });
    [this.player, this.probe, this.follows] = [player, probe, demo.follow ?? false];
    await player.step(0);
    if (camera) viewer.setCamera(camera);
    else viewer.frameAll();
    viewer.render();
    this.events.onFigures(probe, simulation);
    if (playing) player.play();
    else this.events.onPlaying(false);
    this.lookLater();
  }

  /** The same viewer for all scenes, so that nothing is compiled twice. */
  private async viewOf(simulation: Simulation, view: Partial<ViewOptions>): Promise<Viewer> {
    try {
      const device = this.device ? { device: this.device } : {};
      this.viewer ??= this.watched(await createViewer(this.canvas, simulation, { ...view, ...device }));
      this.viewer.setSource(simulation);
      this.viewer.set(view);
      return this.viewer;
    } catch (error) {
      simulation.dispose();
      throw error;
    }
  }

  private watched(viewer: Viewer): Viewer {
    const draw = viewer.onChange;
    viewer.onChange = () => {
      draw();
      this.events.onView();
    };
    return viewer;
  }

  private async simulate(scene: SceneInput, backend: 'cpu' | 'webgpu', from?: SimulationSnapshot): Promise<Simulation> {
    const device = backend === 'cpu' ? undefined : (this.device ?? (await openDevice()));
    // There was a graphics card when the backend was chosen; if it is gone for good, the processor goes on.
    if (!device) return createWorkerSimulation(scene, { from });
    this.device = device;
    void device.lost.then(() => {
      if (this.device === device) this.device = undefined;
    });
    return createSimulation(scene, { backend: 'webgpu', device, from });
  }

  private async changeViewer(old: Viewer, source: Simulation): Promise<Viewer> {
    this.viewer = this.watched(await reopenViewer(old, source));
    this.canvas = this.viewer.canvas;
    return this.viewer;
  }

  private lookLater(): void {
    const { player } = this;
    const every = (player?.source.problem.grains.count ?? 0) > MANY ? LOOK_EVERY_MANY : LOOK_EVERY;
    clearTimeout(this.looking);
    this.looking = window.setTimeout(async () => {
      if (this.playing) await this.look();
      if (this.player === player) this.lookLater();
    }, every);
  }

  /** Takes the figures of the state, between two steps. */
  private async look(): Promise<void> {
    const { player, probe, viewer, follows } = this;
    if (!player || !probe) return;
    try {
      await player.between(async (source) => {
        if (probe.onState && source.steps > 0) probe.onState(await source.read(), source.problem);
      });
    } catch {
      // The player has told why, or it is another's turn.
      return;
    }
    if (this.player !== player) return;
    if (follows && !viewer?.camera?.moved) viewer?.frameAll();
    this.events.onFigures(probe, player.source);
  }

  play(): void {
    this.player?.play();
  }

  pause(): void {
    this.player?.pause();
  }

  async step(): Promise<void> {
    await this.player?.step();
    await this.look();
  }

  loseDevice(): void {
    this.device?.destroy();
  }

  /** Ends what runs; the picture stays. */
  close(): void {
    clearTimeout(this.looking);
    this.player?.dispose();
    this.player = undefined;
  }
}
