import type { SceneInput, Simulation } from '../../src/index';
import { showLegend } from '../../src/page/legend';
import { lostNotice } from '../../src/page/lostNotice';
import { type CameraPlace, COLOURINGS, type Colouring, type ViewOptions } from '../../src/viewer/index';
import type { AnyDemo, Probe } from '../demo';
import { demos } from '../demos/index';
import { ControlPanel } from './controls';
import { hideFaults, showFaults } from './faults';
import { download, Recorder } from './files';
import { fromHash, type LinkState, startOf, toHash } from './link';
import { chooseBackend, chooseGrains, type Machine } from './machine';
import { changedDemo } from './ownScene';
import { markCurrent, page, showText } from './page';
import { showPicked } from './picked';
import { Plots } from './plots';
import { showReadings } from './readings';
import { Stage } from './stage';
import { type GrainUnits, unitsOf, withUnit } from './units';

/** What changes the picture alone. */
type ViewState = Pick<LinkState, 'colourBy' | 'forceChains' | 'walls' | 'clip'>;

/** Milliseconds after the last move of a slider until the scene begins anew. */
const SETTLE = 250;

/** One demo at a time, as the address has it. */
export class Gallery {
  private demo: AnyDemo = demos[0];
  private state: LinkState = startOf(demos[0]);
  /** Of the reader's own, in place of the demo's. */
  private ownScene: SceneInput | undefined;
  private shown: { probe: Probe; simulation: Simulation } | undefined;
  private waiting = 0;
  private noting = 0;
  private readonly stage: Stage;
  private readonly recorder = new Recorder();
  private readonly panel = new ControlPanel(page.controls);
  private readonly plots = new Plots(page.plots);

  constructor(private readonly machine: Machine) {
    this.stage = new Stage(page.canvas, {
      onFigures: (probe, simulation) => this.showFigures(probe, simulation),
      onPlaying: (playing) => this.showPlaying(playing),
      onRecover: (backend) => {
        page.note.textContent = lostNotice(backend);
      },
      onError: (error) => showFaults(page.faults, error),
      onView: () => {
        this.noteCamera();
        this.tellColours();
      },
    });
  }

  /** Shows what the address asks for. @param playing whether it runs at once */
  read(hash: string, playing: boolean): Promise<void> {
    const { state, demo, ignored } = fromHash(hash, demos, COLOURINGS);
    [this.state, this.demo, this.ownScene] = [state, demo, undefined];
    showText(demo);
    markCurrent(demo.id);
    showReadings(page.readings, []);
    this.showPanel();
    return this.begin(playing && !state.paused, ignored.length > 0 ? `Passed over in the link: ${ignored.join(', ')}` : '');
  }

  private get backend(): 'cpu' | 'webgpu' {
    return chooseBackend(this.machine, this.demo, this.state.backend);
  }

  private get grains() {
    const range = chooseGrains(this.machine, this.demo, this.backend);
    return { ...range, value: Math.min(range.max, this.state.grains ?? range.value) };
  }

  /** The scene as it runs. */
  get scene(): SceneInput {
    return this.ownScene ?? this.demo.scene(this.state.values, this.grains.value);
  }

  /** What is measured of it. */
  private get running(): AnyDemo {
    return this.ownScene ? changedDemo(this.demo) : this.demo;
  }

  private get view(): Partial<ViewOptions> {
    const { forceChains, walls, clip } = this.state;
    const theme = document.documentElement.dataset.theme;
    return {
      colourBy: this.state.colourBy as Colouring,
      forceChains,
      walls,
      clip,
      theme: theme === 'light' || theme === 'dark' ? theme : 'auto',
    };
  }

  private async begin(playing: boolean, note = ''): Promise<void> {
    hideFaults(page.faults);
    showPicked(page.picked, null, this.units);
    this.showAddress();
    page.note.textContent = note || 'Putting the grains in place …';
    await new Promise((resolve) => setTimeout(resolve));
    let scene: SceneInput;
    try {
      scene = this.scene;
    } catch (error) {
      return showFaults(page.faults, error);
    }
    const { backend, running: demo } = this;
    const { values, camera } = this.state;
    const opened = this.stage.open({ demo, values, scene, backend, view: this.view, camera, playing });
    // What ran before is closed: it has no figures for these plots any more.
    this.shown = undefined;
    this.plots.show(demo.plots);
    await opened;
    if (note) return;
    const gone = backend === 'webgpu' && this.backendInUse === 'cpu';
    const where = gone ? 'On the processor: the graphics card gives no device any more' : this.grains.note;
    page.note.textContent = `${this.grains.value.toLocaleString('en')} grains. ${where}.`;
  }

  private showPanel(): void {
    this.panel.show(this.demo, this.state.values, this.grains, {
      onValues: (values) => this.change({ values }),
      onGrains: (grains) => this.change({ grains }),
    });
  }

  /** Settings that make another scene. */
  private change(part: Partial<LinkState>): void {
    Object.assign(this.state, part, { paused: false });
    this.ownScene = undefined;
    clearTimeout(this.waiting);
    this.waiting = window.setTimeout(() => void this.begin(true), SETTLE);
  }

  private showFigures(probe: Probe, simulation: Simulation): void {
    this.shown = { probe, simulation };
    showReadings(page.readings, probe.readings());
    this.plots.draw(probe.data());
    this.tellColours();
  }

  private showPlaying(playing: boolean): void {
    const button = document.getElementById('play')!;
    button.textContent = playing ? 'Pause' : 'Play';
  }

  toggle(): void {
    this.keepPaused(this.stage.playing);
    if (this.stage.playing) this.stage.pause();
    else this.stage.play();
  }

  private keepPaused(paused: boolean): void {
    this.state.paused = paused;
    this.showAddress();
  }

  private showAddress(): void {
    history.replaceState(null, '', toHash(this.state, this.demo));
  }

  /** Once the camera is at rest: browsers refuse addresses that change at every frame. */
  private noteCamera(): void {
    clearTimeout(this.noting);
    this.noting = window.setTimeout(() => {
      const { moved, ...place } = this.stage.view?.camera ?? { moved: false };
      this.state.camera = moved ? (place as CameraPlace) : undefined;
      this.showAddress();
    }, SETTLE);
  }

  step(): Promise<void> {
    this.keepPaused(true);
    return this.stage.step();
  }

  /** From the start, with the settings as they are. */
  reset(): Promise<void> {
    return this.begin(this.stage.playing);
  }

  /** All settings as the demo begins. */
  forget(): Promise<void> {
    return this.read(`#${this.demo.id}`, this.stage.playing);
  }

  go(way: 1 | -1): void {
    const at = demos.indexOf(this.demo);
    location.hash = demos[(at + way + demos.length) % demos.length].id;
  }

  frame(): void {
    this.stage.view?.frameAll();
  }

  /** Cuts the packing open where the camera looks, or closes it. */
  cut(): void {
    const { view } = this.stage;
    if (!view?.camera) return;
    const { position, target } = view.camera;
    const normal = target.map((x, axis) => x - position[axis]) as [number, number, number];
    this.setView({ clip: this.state.clip ? null : { point: target, normal } });
  }

  /** What can change while it runs. */
  setView(part: Partial<ViewState>): void {
    Object.assign(this.state, part);
    this.restyle();
    this.showAddress();
  }

  get viewState(): ViewState {
    return this.state;
  }

  private get units(): GrainUnits {
    return unitsOf(this.running, this.stage.source?.problem.dimension ?? 3);
  }

  /** Their scale may follow the picture a little later. */
  private tellColours(): void {
    showLegend(page.legend, withUnit(this.stage.view?.legend ?? null, this.state.colourBy, this.units));
  }

  restyle(): void {
    this.stage.view?.set(this.view);
    this.tellColours();
  }

  /** After a change between light and dark. */
  redraw(): void {
    this.plots.show(this.running.plots);
    if (this.shown) this.plots.draw(this.shown.probe.data());
    this.restyle();
  }

  async pick(x: number, y: number): Promise<void> {
    showPicked(page.picked, (await this.stage.view?.pick(x, y)) ?? null, this.units);
  }

  /** Steps done; 0 while nothing runs. */
  get steps(): number {
    return this.stage.source?.steps ?? 0;
  }

  get camera(): (CameraPlace & { moved: boolean }) | null {
    return this.stage.view?.camera ?? null;
  }

  get playing(): boolean {
    return this.stage.playing;
  }

  /** What computes; after a lost device it may be another than was asked for. */
  get backendInUse(): 'cpu' | 'webgpu' | undefined {
    return this.stage.source?.backend;
  }

  /** For tests: the GPU's device goes, as when a driver is restarted. */
  loseDevice(): void {
    this.stage.loseDevice();
  }

  /** @throws Error where there is no picture yet */
  image(): Promise<Blob> {
    const { view } = this.stage;
    if (!view) throw new Error('There is no picture yet');
    return view.picture();
  }

  async picture(): Promise<void> {
    download(await this.image(), `${this.demo.id}.png`);
  }

  /** Begins a video, or ends it and gives it to the reader. */
  async video(): Promise<void> {
    try {
      await this.recorder.toggle(this.stage.view?.canvas ?? page.canvas, this.demo.id);
    } catch (error) {
      page.note.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  async copyLink(): Promise<void> {
    try {
      await navigator.clipboard.writeText(location.href);
      page.note.textContent = 'The link is copied: it holds the demo with all its settings.';
    } catch {
      page.note.textContent = `Copy the address of this page: ${location.href}`;
    }
  }

  openScene(): void {
    page.sceneText.value = JSON.stringify(this.scene, null, 1);
    page.scene.showModal();
  }

  downloadScene(): void {
    download(new Blob([page.sceneText.value], { type: 'application/json' }), `${this.demo.id}.json`);
  }

  /** Runs what the reader has written. */
  async runScene(): Promise<void> {
    page.scene.close();
    try {
      this.ownScene = JSON.parse(page.sceneText.value);
    } catch (error) {
      return showFaults(page.faults, error);
    }
    await this.begin(true, 'Your own scene, which the link does not hold.');
  }
}
