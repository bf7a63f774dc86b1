import { checkArgument, DEVICE, OBJECT } from '../arguments';
import { CANVAS, SOURCE } from './settings';
import type { Viewer, ViewOptions, ViewSource } from './types';
import { OpenViewer } from './viewer';

export {
  type CameraPlace,
  COLOURINGS,
  type Colouring,
  type GrainFigures,
  type Legend,
  type Viewer,
  type ViewOptions,
  type ViewSource,
} from './types';

/**
 * Draws a simulation on a canvas, as it is now; on its own device where it runs on the GPU.
 * @param options how it is drawn, and a device for what does not come from a GPU (default: one of its own, or WebGL 2)
 * @throws RangeError naming an option that is none, or a value that it cannot have
 * @throws TypeError naming an argument that is not what it must be
 * @throws Error where neither WebGPU nor WebGL 2 is to be had
 */
export async function createViewer(
  canvas: HTMLCanvasElement,
  source: ViewSource,
  options: Partial<ViewOptions> & { device?: GPUDevice } = {},
): Promise<Viewer> {
  checkArgument('createViewer', 'canvas', canvas, CANVAS);
  checkArgument('createViewer', 'source', source, SOURCE);
  checkArgument('createViewer', 'options', options, OBJECT);
  const { device = null } = options;
  if (device !== null) checkArgument('createViewer', 'option device', device, DEVICE);
  const viewer = new OpenViewer(canvas, source, options);
  try {
    await viewer.update();
    viewer.render();
  } catch (error) {
    viewer.dispose();
    throw error;
  }
  return viewer;
}
