import { createSimulation, type SceneInput, type SimulationOptions } from '../../../src/index';
import { createViewer, type GrainFigures, type Legend, type ViewOptions } from '../../../src/viewer/index';

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
