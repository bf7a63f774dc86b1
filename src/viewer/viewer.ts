import type { Box3, OrthographicCamera, PerspectiveCamera } from 'three/webgpu';
import { checkArgument } from '../arguments';
import { chooseUnits } from '../scene/units';
import { Rig } from './camera';
import { THEMES, type Theme } from './colours';
import { watchContext } from './context';
import { Drawing } from './drawing';
import { GpuRows } from './gpuRows';
import { GRAIN_ROW, rowsOf } from './rows';
import { changed, checkPlace, DEFAULTS, SOURCE } from './settings';
import { Shown } from './shown';
import { watchSize } from './size';
import { style } from './style';
import type { CameraPlace, GrainFigures, Legend, Viewer, ViewOptions, ViewSource } from './types';

/** Pixels of the screen for one of the page's, at most. */
const MOST_PIXELS = 2;

export class OpenViewer implements Viewer {
  onChange: () => void = () => this.renderSoon();
  private current: ViewOptions;
  private drawing: Drawing | undefined;
  private gpuRows: GpuRows | undefined;
  private rig: Rig | undefined;
  private shown: Shown | undefined;
  private rows: Float32Array | undefined;
  private updating: Promise<void> = Promise.resolve();
  private disposed = false;
  private nextFrame = 0;
  private nextTurn = 0;
  private readonly device: GPUDevice | undefined;
  private readonly dark = matchMedia('(prefers-color-scheme: dark)');
  private readonly calm = matchMedia('(prefers-reduced-motion: reduce)');
  private readonly endSizes: () => void;
  private readonly endContexts: () => void;
  /** Width and height in pixels of the page; undefined until it is known. */
  private size: [width: number, height: number] | undefined;

  constructor(
    readonly canvas: HTMLCanvasElement,
    private source: ViewSource,
    { device, ...options }: Partial<ViewOptions> & { device?: GPUDevice },
  ) {
    this.current = changed(DEFAULTS, options);
    this.device = device;
    this.dark.addEventListener('change', this.restyle);
    this.calm.addEventListener('change', this.keepTurning);
    this.endSizes = watchSize(canvas, () => this.resize());
    this.endContexts = watchContext(canvas, () => this.close(), this.drawAnew);
    if (!canvas.hasAttribute('tabindex')) canvas.tabIndex = 0;
  }

  get options(): Readonly<ViewOptions> {
    return this.current;
  }

  get legend(): Legend | null {
    return this.shown?.legends.of(this.current.colourBy, this.theme) ?? null;
  }

  get chainForce(): number | null {
    return this.shown && this.current.forceChains ? this.shown.legends.chains.scene : null;
  }

  private get theme(): Theme {
    const { theme } = this.current;
    return THEMES[theme === 'auto' ? (this.dark.matches ? 'dark' : 'light') : theme];
  }

  set(options: Partial<ViewOptions>): void {
    const before = this.current;
    this.current = changed(before, options);
    if (this.current.quality !== before.quality) this.resize();
    if (this.current.forceChains && !before.forceChains) this.drawAgain();
    this.keepTurning();
    this.restyle();
  }

  setSource(source: ViewSource): void {
    checkArgument('setSource', 'source', source, SOURCE);
    this.source = source;
  }

  update(): Promise<void> {
    this.updating = this.updating.catch(() => undefined).then(() => this.take(this.source));
    return this.updating;
  }

  private async take(source: ViewSource): Promise<void> {
    if (this.disposed) return;
    const planar = source.problem.dimension === 2;
    const device = source.gpuState?.()?.device;
    await this.prepare(planar, device);
    if (this.disposed || !this.drawing) return;
    // Asked for anew: while compiling was waited for, buffers may have been replaced.
    const state = source.gpuState?.() ?? null;
    const read = state ? undefined : await source.read();
    if (this.disposed || !this.drawing) return;
    if (this.shown?.source !== source) this.begin(new Shown(source, state?.units ?? chooseUnits(source.problem)));
    const shown = this.shown!;
    shown.state = read;
    const counted = this.draw(shown);
    // Later scales follow the figures an update late, rather than have every picture wait for them.
    if (!shown.measured) await counted;
    else counted.catch(() => undefined);
    this.style();
    shown.measured = true;
  }

  /** A renderer for the source, on its device where it has one. */
  private async prepare(planar: boolean, device: GPUDevice | undefined): Promise<void> {
    const wanted = device ?? this.device;
    if (!this.drawing || this.drawing.planar !== planar || (wanted && this.drawing.device !== wanted)) {
      this.close();
      const smooth = this.current.quality !== 'low';
      const drawing = await Drawing.open(this.canvas, { planar, smooth, ...(wanted ? { device: wanted } : {}) });
      if (this.disposed) return drawing?.dispose();
      if (!drawing) return;
      this.drawing = drawing;
      // Whoever owns the simulation hears of the loss; the next update draws on another device.
      void drawing.device?.lost.then(() => this.drawing === drawing && this.close());
      this.resize();
    }
    if (device && !this.gpuRows) this.gpuRows = await GpuRows.create(device);
  }

  private begin(shown: Shown): void {
    this.shown = shown;
    const planar = shown.source.problem.dimension === 2;
    if (this.rig?.planar === planar) {
      this.rig.contain(shown.box);
      return;
    }
    this.rig?.dispose();
    this.rig = new Rig(this.canvas, planar, shown.up, () => this.changed());
    this.rig.resize(...(this.size ?? [1, 1]));
    this.rig.frame(shown.box);
    this.keepTurning();
  }

  /** Takes the state that was read, or the one on the GPU. @returns once figures are counted */
  private async draw(shown: Shown): Promise<void> {
    const { source, units, legends, state } = shown;
    const { forceChains } = this.current;
    const drawing = this.drawing!;
    const onGpu = state ? null : source.gpuState!()!;
    const { problem } = source;
    shown.poses = state?.walls ?? onGpu!.walls;
    drawing.walls.update(problem, shown.poses, units, shown.wallBox);
    if (state) {
      const rows = rowsOf(problem, state, units, forceChains);
      this.rows = rows.grains;
      shown.order = null;
      drawing.setGrains([{ data: rows.grains, count: problem.grains.count }]);
      if (forceChains) drawing.setChains([{ data: rows.chains, count: state.contacts.count }]);
      legends.follow(rows.histograms);
      this.contain(shown, rows.box);
      return;
    }
    const gpuRows = this.gpuRows!;
    gpuRows.update(onGpu!, problem.grains.groups, forceChains);
    shown.order = onGpu!.order;
    drawing.setGrains(gpuRows.grains);
    if (forceChains) drawing.setChains(gpuRows.chains);
    await gpuRows.survey(({ histograms, box }) => {
      if (legends.follow(histograms)) this.restyle();
      this.contain(shown, box);
    });
  }

  /** Grains that go beyond what was there at first are not cut off by the range of depths. */
  private contain(shown: Shown, grains: Box3): void {
    shown.grains = grains;
    this.rig?.contain(shown.box.clone().union(grains));
  }

  /** With chains, which were not made before; in mid-step the next update does it. */
  private drawAgain(): void {
    if (this.shown && this.drawing) this.draw(this.shown).catch(() => undefined);
  }

  render(): void {
    cancelAnimationFrame(this.nextFrame);
    const { drawing, rig } = this;
    if (!drawing || !rig || !this.shown?.measured) return;
    const { walls, forceChains } = this.current;
    drawing.view.pixel.value = rig.pixel;
    drawing.render(rig.camera, { walls, chains: forceChains });
  }

  async pick(x: number, y: number): Promise<GrainFigures | null> {
    const { drawing, rig, shown, gpuRows } = this;
    if (!drawing || !rig || !shown) return null;
    const place = await drawing.rowInView(this.pixelView(rig.camera, x, y));
    if (place === undefined) return null;
    const row = shown.state ? this.rows!.subarray(GRAIN_ROW * place, GRAIN_ROW * (place + 1)) : await gpuRows!.row(place);
    return shown.figures(place, row);
  }

  /** The camera's view of one pixel. */
  private pixelView(camera: PerspectiveCamera | OrthographicCamera, x: number, y: number) {
    const view = camera.clone();
    const { clientWidth, clientHeight } = this.canvas;
    view.setViewOffset(clientWidth, clientHeight, x - 0.5, y - 0.5, 1, 1);
    view.updateMatrixWorld();
    return view;
  }

  frameAll(): void {
    if (this.shown) this.rig?.frame(this.shown.present);
    this.changed();
  }

  get camera(): (CameraPlace & { moved: boolean }) | null {
    const { rig, shown } = this;
    if (!rig || !shown) return null;
    const { camera, target, byReader: moved } = rig;
    return { position: shown.outward(camera.position), target: shown.outward(target), zoom: camera.zoom, moved };
  }

  setCamera(place: CameraPlace): void {
    checkPlace(place);
    const { rig, shown } = this;
    if (!rig || !shown) return;
    rig.place(shown.inward(place.position), shown.inward(place.target), place.zoom);
    this.changed();
  }

  picture(type = 'image/png'): Promise<Blob> {
    this.render();
    return new Promise((resolve, reject) => {
      const give = (blob: Blob | null) =>
        blob ? resolve(blob) : reject(new Error(`The canvas gives no picture of type ${type}`));
      this.canvas.toBlob(give, type);
    });
  }

  private changed(): void {
    if (!this.disposed) this.onChange();
  }

  private renderSoon(): void {
    cancelAnimationFrame(this.nextFrame);
    this.nextFrame = requestAnimationFrame(() => this.render());
  }

  /** The picture follows the canvas; while that is not laid out it keeps its size, at first that of the canvas's attributes. */
  private resize(): void {
    const { canvas, drawing, rig } = this;
    if (!drawing) return;
    if (canvas.clientWidth > 0 && canvas.clientHeight > 0) this.size = [canvas.clientWidth, canvas.clientHeight];
    this.size ??= [canvas.width, canvas.height];
    const [width, height] = this.size;
    if (width === 0 || height === 0) return;
    const pixelRatio = this.current.quality === 'low' ? 1 : Math.min(MOST_PIXELS, devicePixelRatio);
    if (!drawing.setSize(width, height, pixelRatio)) return;
    // A canvas that no style gives a size takes that of its pixels: it would grow with each measurement.
    if (canvas.clientWidth > 0 && canvas.clientWidth !== width) canvas.style.width = `${width}px`;
    if (canvas.clientHeight > 0 && canvas.clientHeight !== height) canvas.style.height = `${height}px`;
    rig?.resize(width, height);
    // Another size empties the canvas.
    this.render();
    this.changed();
  }

  private readonly restyle = (): void => {
    this.style();
    this.changed();
  };

  private style(): void {
    const { drawing, shown, current, theme } = this;
    if (drawing && shown) style(drawing, shown, current, theme);
  }

  /** The turntable turns while it is wanted, and the page is seen. */
  private readonly keepTurning = (): void => {
    cancelAnimationFrame(this.nextTurn);
    if (this.disposed || !this.current.turntable || this.calm.matches || this.rig?.planar !== false) return;
    let last = performance.now();
    const turn = (now: number) => {
      this.rig?.turn(Math.min(0.1, (now - last) / 1000));
      last = now;
      this.nextTurn = requestAnimationFrame(turn);
    };
    this.nextTurn = requestAnimationFrame(turn);
  };

  /** Where the canvas can be drawn on again; in mid-step the next update does it. */
  private readonly drawAnew = (): void => {
    this.update()
      .then(() => this.changed())
      .catch(() => undefined);
  };

  private close(): void {
    this.gpuRows?.dispose();
    this.drawing?.dispose();
    this.gpuRows = undefined;
    this.drawing = undefined;
  }

  dispose(): void {
    this.disposed = true;
    cancelAnimationFrame(this.nextFrame);
    cancelAnimationFrame(this.nextTurn);
    this.endSizes();
    this.endContexts();
    this.dark.removeEventListener('change', this.restyle);
    this.calm.removeEventListener('change', this.keepTurning);
    this.rig?.dispose();
    this.close();
    this.shown = undefined;
    this.rows = undefined;
  }
}
