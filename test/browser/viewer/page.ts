import { createSimulation, type SceneInput, type SimulationOptions } from '../../../src/index';
import { createViewer, type GrainFigures, type Legend, type Viewer, type ViewOptions } from '../../../src/viewer/index';

/** What is to be drawn: a scene after some steps, a picture for each set of options. */
export interface Job {
  scene: SceneInput;
  backend: 'cpu' | 'webgpu';
  steps: number;
  /** Steps before each picture. */
  between?: number;
  options: Partial<ViewOptions>[];
  /** Points of the canvas to pick at, after the last picture. */
  picks?: [x: number, y: number][];
}

export interface Picture {
  /** 200 x 200 x red, green, blue, alpha */
  pixels: number[];
  legend: Legend | null;
  chainForce: number | null;
}

/** Of a canvas, in pixels of the page. */
export type Size = [width: number, height: number];

/** The one round thing on a canvas: its width and height, and those of the canvas, in pixels of the screen. */
export interface Shape {
  disk: Size;
  canvas: Size;
}

export interface Outcome {
  pictures: Picture[];
  picks: (GrainFigures | null)[];
  /** Buffers and textures of the GPU that were made and not destroyed, by label, once all is disposed of. */
  left: string[];
}

declare global {
  interface Window {
    draw(job: Job): Promise<Outcome>;
    replace(scenes: SceneInput[]): Promise<Picture[]>;
    /** Shows a scene on a canvas of that size. */
    show(scene: SceneInput, size: Size): Promise<void>;
    /** Gives the canvas another size, or none. @returns what it shows in the very frame in which it has got it; null where it has none */
    resize(size: Size | null): Promise<Shape | null>;
    /** The same, of a page that goes to a screen with so many pixels to each of its own. */
    rescale(pixelRatio: number): Promise<Shape>;
    endShow(): void;
    /** Frames everything at the start and after some steps. @returns pictures before it and after it, and places of the camera */
    frame(
      job: Pick<Job, 'scene' | 'backend' | 'steps'> & { walls?: boolean },
    ): Promise<{ pictures: Picture[]; cameras: Viewer['camera'][] }>;
  }
}

const alive = new Map<object, string>();

/** Notes what a device makes, and forgets what is destroyed. */
function watch(device: GPUDevice): void {
  for (const name of ['createBuffer', 'createTexture', 'createQuerySet'] as const) {
    const make = device[name].bind(device) as unknown as (descriptor: GPUObjectDescriptorBase) => {
      label: string;
      destroy(): undefined;
    };
    Object.assign(device, {
      [name]: (descriptor: GPUObjectDescriptorBase) => {
        const made = make(descriptor);
        alive.set(made, `${name} ${made.label}`);
        const destroy = made.destroy.bind(made);
        made.destroy = () => {
          alive.delete(made);
          return destroy();
        };
        return made;
      },
    });
  }
}

function newCanvas(): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  document.body.replaceChildren(canvas);
  return canvas;
}

async function pixelsOf(picture: Blob): Promise<number[]> {
  const canvas = new OffscreenCanvas(200, 200);
  const context = canvas.getContext('2d')!;
  context.drawImage(await createImageBitmap(picture), 0, 0);
  return Array.from(context.getImageData(0, 0, 200, 200).data);
}

/** One for the page, since compiling takes longer than drawing. */
let device: GPUDevice | undefined;

async function openDevice(): Promise<GPUDevice | undefined> {
  const opened = await (await navigator.gpu?.requestAdapter())?.requestDevice();
  if (opened) watch(opened);
  return opened;
}

window.draw = async ({ scene, backend, steps, between = 0, options, picks = [] }) => {
  device ??= await openDevice();
  const choice: SimulationOptions = { backend, ...(backend === 'webgpu' && device ? { device } : {}) };
  const simulation = await createSimulation(scene, choice);
  await simulation.step(steps);
  const viewer = await createViewer(newCanvas(), simulation, { ...options[0], ...(device ? { device } : {}) });
  const outcome: Outcome = { pictures: [], picks: [], left: [] };
  for (const option of options) {
    viewer.set(option);
    if (between > 0) {
      await simulation.step(between);
      await viewer.update();
    }
    const { legend, chainForce } = viewer;
    outcome.pictures.push({ pixels: await pixelsOf(await viewer.picture()), legend, chainForce });
  }
  for (const [x, y] of picks) outcome.picks.push(await viewer.pick(x, y));
  viewer.dispose();
  simulation.dispose();
  // three.js destroys some of what it has made a moment later.
  await new Promise((resolve) => setTimeout(resolve));
  outcome.left = [...alive.values()];
  return outcome;
};

/** One viewer shows one simulation after the other. */
window.replace = async (scenes) => {
  const simulations = await Promise.all(scenes.map((scene) => createSimulation(scene, { backend: 'cpu' })));
  const viewer = await createViewer(newCanvas(), simulations[0], { theme: 'light', walls: false });
  const pictures: Picture[] = [];
  for (const simulation of simulations) {
    viewer.setSource(simulation);
    await viewer.update();
    pictures.push({ pixels: await pixelsOf(await viewer.picture()), legend: viewer.legend, chainForce: viewer.chainForce });
  }
  viewer.dispose();
  return pictures;
};

let shownViewer: Viewer | undefined;

window.show = async (scene, size) => {
  const simulation = await createSimulation(scene, { backend: 'cpu' });
  const canvas = newCanvas();
  layOut(canvas, size);
  shownViewer = await createViewer(canvas, simulation, { theme: 'light', colourBy: 'plain' });
};

function layOut({ style }: HTMLCanvasElement, size: Size | null): void {
  style.display = size ? 'block' : 'none';
  if (size) [style.width, style.height] = size.map((pixels) => `${pixels}px`);
}

window.resize = async (size) => {
  const { canvas } = shownViewer!;
  layOut(canvas, size);
  // This observer is told after that of the viewer, before anything is shown.
  return new Promise<Promise<Shape> | null>((resolve) => {
    const observer = new ResizeObserver(([{ contentRect }]) => {
      if (contentRect.width !== (size?.[0] ?? 0) || contentRect.height !== (size?.[1] ?? 0)) return;
      observer.disconnect();
      resolve(size ? shapeOf(canvas) : null);
    });
    observer.observe(canvas);
  });
};

/** What a page asks of the pixels of its screen: Chrome changes them for tests without saying so. */
const resolutions: MediaQueryList[] = [];
const { matchMedia } = window;
window.matchMedia = (query) => {
  const list = matchMedia.call(window, query);
  if (query.includes('resolution')) resolutions.push(list);
  return list;
};

window.rescale = (pixelRatio) => {
  Object.defineProperty(window, 'devicePixelRatio', { value: pixelRatio, configurable: true });
  resolutions.at(-1)!.dispatchEvent(new Event('change'));
  return shapeOf(shownViewer!.canvas);
};

window.endShow = () => {
  shownViewer!.dispose();
  shownViewer = undefined;
};

/** From what the canvas holds now. The upper left corner is background. */
async function shapeOf(canvas: HTMLCanvasElement): Promise<Shape> {
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve));
  const image = await createImageBitmap(blob!);
  const { width, height } = image;
  const context = new OffscreenCanvas(width, height).getContext('2d')!;
  context.drawImage(image, 0, 0);
  const pixels = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
  let [left, right, top, bottom] = [width, -1, height, -1];
  for (let k = 0; k < pixels.length; k++) {
    if (pixels[k] === pixels[0]) continue;
    const [x, y] = [k % width, Math.floor(k / width)];
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  }
  return { disk: [right - left + 1, bottom - top + 1], canvas: [width, height] };
}

window.frame = async ({ scene, backend, steps, walls = false }) => {
  device ??= await openDevice();
  const simulation = await createSimulation(scene, { backend, ...(backend === 'webgpu' ? { device } : {}) });
  const viewer = await createViewer(newCanvas(), simulation, { theme: 'light', walls, ...(device ? { device } : {}) });
  const pictures: Picture[] = [];
  const cameras: Viewer['camera'][] = [];
  const note = async () => {
    pictures.push({ pixels: await pixelsOf(await viewer.picture()), legend: viewer.legend, chainForce: viewer.chainForce });
    cameras.push(viewer.camera);
  };
  await note();
  await simulation.step(steps);
  // What is found of the grains comes an update late.
  await viewer.update();
  await device?.queue.onSubmittedWorkDone();
  await viewer.update();
  await note();
  viewer.frameAll();
  await note();
  viewer.setCamera(cameras[0]!);
  await note();
  viewer.dispose();
  simulation.dispose();
  return { pictures, cameras };
};
