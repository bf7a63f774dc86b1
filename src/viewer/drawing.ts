import {
  type Camera,
  Color,
  Group,
  LinearSRGBColorSpace,
  Mesh,
  type NodeMaterial,
  RenderTarget,
  Scene,
  WebGPURenderer,
} from 'three/webgpu';
import { ChainUniforms, chainMaterial } from './chains';
import type { Theme } from './colours';
import { glassMaterial, grainMaterial, numberMaterial, ViewUniforms } from './grains';
import { Instances, type RowData } from './instances';
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
  private grains: Mesh | undefined;
  private chains: Mesh | undefined;
  private grainRows: Instances | undefined;
  private chainRows: Instances | undefined;
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
    this.scene.add(this.others);
    this.others.add(this.walls.group);
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

  /** @param count grains */
  setGrains(data: RowData, count: number): void {
    const { renderer } = this;
    if (!this.grainRows?.fits(data)) {
      this.grainRows?.dispose();
      this.grains?.removeFromParent();
      this.grainRows = new Instances(renderer, data, GRAIN_ROW, GRAIN_COLUMNS);
      this.grains = unculled(new Mesh(this.grainRows.geometry, this.grainMaterials.solid));
      this.scene.add(this.grains);
    }
    this.grainRows!.set(data, count);
  }

  /** @param count contacts */
  setChains(data: RowData, count: number): void {
    const { renderer } = this;
    if (!this.chainRows?.fits(data)) {
      this.chainRows?.dispose();
      this.chains?.removeFromParent();
      this.chainRows = new Instances(renderer, data, CHAIN_ROW, CHAIN_COLUMNS);
      this.chains = unculled(new Mesh(this.chainRows.geometry, this.chainMaterial));
      this.chains.renderOrder = 10;
      this.others.add(this.chains);
    }
    this.chainRows!.set(data, count);
  }

  /** Draws now. */
  render(camera: Camera, { walls, chains }: { walls: boolean; chains: boolean }): void {
    this.walls.group.visible = walls;
    if (this.chains) this.chains.visible = chains;
    if (this.grains) {
      this.grains.material = chains ? this.grainMaterials.glass : this.grainMaterials.solid;
      // Glass is drawn over the chains, disks beneath them.
      this.grains.renderOrder = chains && !this.planar ? 15 : 0;
    }
    this.renderer.render(this.scene, camera);
  }

  /** Which row of the grains is drawn at the only pixel of the camera's view; undefined where none is. */
  async rowInView(camera: Camera): Promise<number | undefined> {
    const { renderer, grains, target } = this;
    if (!grains) return undefined;
    grains.material = this.grainMaterials.number;
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
    this.grainRows?.dispose();
    this.chainRows?.dispose();
    this.walls.dispose();
    this.wallMaterials.dispose();
    for (const material of [...Object.values(this.grainMaterials), this.chainMaterial]) material.dispose();
    this.view.dispose();
    this.target.dispose();
    this.renderer.dispose();
    if (this.ownsDevice) this.device?.destroy();
  }
}

/** Where rows lie may be known to the GPU alone: all are drawn. */
function unculled(mesh: Mesh): Mesh {
  mesh.frustumCulled = false;
  return mesh;
}
