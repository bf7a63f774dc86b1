import {
  type Camera,
  Color,
  Group,
  LinearSRGBColorSpace,
  type NodeMaterial,
  RenderTarget,
  Scene,
  WebGPURenderer,
} from 'three/webgpu';
import { ChainUniforms, chainMaterial } from './chains';
import type { Theme } from './colours';
import { glassMaterial, grainMaterial, numberMaterial, ViewUniforms } from './grains';
import type { RowPiece } from './instances';
import { RowMeshes } from './rowMeshes';
import { CHAIN_COLUMNS, CHAIN_ROW, GRAIN_COLUMNS, GRAIN_ROW } from './rows';
import { WallMaterials } from './wallMaterials';
import { Walls } from './walls';

export interface DrawingOptions {
  /** Where to draw, and where rows may lie; absent: what the browser offers, WebGPU before WebGL 2. */
  device?: GPUDevice;
  planar: boolean;
  /** Several samples of each pixel, so that edges are smooth. */
  smooth: boolean;
}

/** What is drawn, and the renderer that draws it on one canvas with one device. Lengths in mean diameters. */
export class Drawing {
  readonly view = new ViewUniforms();
  readonly chainUniforms = new ChainUniforms();
  readonly planar: boolean;
  readonly walls: Walls;
  private readonly scene = new Scene();
  private readonly grainMaterials: Record<'solid' | 'glass' | 'number', NodeMaterial>;
  private readonly chainMaterial: NodeMaterial;
  private readonly wallMaterials: WallMaterials;
  private readonly grains: RowMeshes;
  private readonly chains: RowMeshes;
  private size: [width: number, height: number, pixelRatio: number] | undefined;
  private readonly target = new RenderTarget(1, 1);
  private readonly others = new Group();

  private constructor(
    private readonly renderer: WebGPURenderer,
    /** Undefined under WebGL 2. */
    readonly device: GPUDevice | undefined,
    private readonly ownsDevice: boolean,
    { planar, smooth }: DrawingOptions,
  ) {
    const { view } = this;
    this.planar = planar;
    this.grainMaterials = {
      solid: grainMaterial(view, planar, smooth),
      glass: planar ? grainMaterial(view, planar, smooth) : glassMaterial(view),
      number: numberMaterial(view, planar),
    };
    this.chainMaterial = chainMaterial(view, this.chainUniforms, planar);
    this.wallMaterials = new WallMaterials(view);
    this.walls = new Walls(this.wallMaterials, planar);
    this.grains = new RowMeshes(renderer, GRAIN_ROW, GRAIN_COLUMNS, this.grainMaterials.solid);
    this.chains = new RowMeshes(renderer, CHAIN_ROW, CHAIN_COLUMNS, this.chainMaterial);
    this.scene.add(this.others, this.grains.group);
    this.others.add(this.walls.group, this.chains.group);
  }

  /**
   * Undefined while the browser has taken WebGL 2 from the canvas, as it does where a page has many.
   * @throws Error where neither WebGPU nor WebGL 2 is to be had
   */
  static async open(canvas: HTMLCanvasElement, options: DrawingOptions): Promise<Drawing | undefined> {
    const adapter = options.device ? undefined : await navigator.gpu?.requestAdapter();
    // After a device was lost an adapter may refuse another; WebGL 2 draws then.
    const device = options.device ?? (await adapter?.requestDevice({ label: 'viewer' }).catch(() => undefined));
    // Asked of this canvas alone: browsers have few WebGL contexts for a page.
    const context = device ? null : canvas.getContext('webgl2', { antialias: options.smooth });
    if (!device && !context) throw new Error('The packing cannot be drawn: this browser offers neither WebGPU nor WebGL 2');
    if (context?.isContextLost()) return undefined;
    const renderer = new WebGPURenderer({
      canvas,
      alpha: false,
      antialias: options.smooth,
      ...(device ? { device } : { forceWebGL: true }),
    });
    // Materials give sRGB themselves: no pass over the whole picture.
    renderer.outputColorSpace = LinearSRGBColorSpace;
    const onError = device?.onuncapturederror ?? null;
    await renderer.init();
    if (device) device.onuncapturederror = onError;
    // Who owns the simulation hears of it by its own errors.
    renderer.onDeviceLost = () => undefined;
    const drawing = new Drawing(renderer, device, device !== options.device, options);
    if (!context?.isContextLost()) return drawing;
    drawing.dispose();
    return undefined;
  }

  /** @param width CSS pixels @returns whether it is another size, which empties the canvas */
  setSize(width: number, height: number, pixelRatio: number): boolean {
    if (this.size?.every((x, k) => x === [width, height, pixelRatio][k])) return false;
    this.size = [width, height, pixelRatio];
    this.renderer.setDrawingBufferSize(width, height, pixelRatio);
    return true;
  }

  setTheme(theme: Theme): void {
    const { view, chainUniforms } = this;
    view.background.value.set(...theme.background);
    const [weak, strong] = theme.chain;
    chainUniforms.weak.value.set(...weak);
    chainUniforms.strong.value.set(...strong);
    this.wallMaterials.setTheme(theme);
    this.renderer.setClearColor(new Color(...theme.background), 1);
  }

  setGrains(rows: readonly RowPiece[]): void {
    this.grains.set(rows);
  }

  setChains(rows: readonly RowPiece[]): void {
    this.chains.set(rows);
  }

  /** Draws now. */
  render(camera: Camera, { walls, chains }: { walls: boolean; chains: boolean }): void {
    this.walls.group.visible = walls;
    this.chains.group.visible = chains;
    this.chains.show(this.chainMaterial, 10);
    // Glass is drawn over the chains, disks beneath them.
    if (chains) this.grains.show(this.grainMaterials.glass, this.planar ? 0 : 15);
    else this.grains.show(this.grainMaterials.solid, 0);
    this.renderer.render(this.scene, camera);
  }

  /** Which row of the grains is drawn at the only pixel of the camera's view; undefined where none is. */
  async rowInView(camera: Camera): Promise<number | undefined> {
    const { renderer, target } = this;
    this.grains.show(this.grainMaterials.number, 0);
    this.others.visible = false;
    renderer.setRenderTarget(target);
    renderer.setClearColor(new Color(0, 0, 0), 0);
    try {
      renderer.render(this.scene, camera);
    } finally {
      renderer.setRenderTarget(null);
      renderer.setClearColor(new Color(...this.view.background.value.toArray()), 1);
      this.others.visible = true;
    }
    const [r, g, b, a] = await renderer.readRenderTargetPixelsAsync(target, 0, 0, 1, 1);
    return a > 0 ? r + (g << 8) + (b << 16) : undefined;
  }

  dispose(): void {
    this.grains.dispose();
    this.chains.dispose();
    this.walls.dispose();
    this.wallMaterials.dispose();
    for (const material of [...Object.values(this.grainMaterials), this.chainMaterial]) material.dispose();
    this.view.dispose();
    this.target.dispose();
    this.renderer.dispose();
    if (this.ownsDevice) this.device?.destroy();
  }
}
