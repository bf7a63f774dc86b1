import { createViewer } from './index';
import type { Viewer, ViewSource } from './types';

/**
 * A viewer like one that there is, on a canvas that takes the place of its canvas: where a GPU has drawn and is gone nothing else can
 * draw.
 */
export async function reopenViewer(old: Viewer, source: ViewSource): Promise<Viewer> {
  const canvas = old.canvas.cloneNode() as HTMLCanvasElement;
  old.canvas.replaceWith(canvas);
  old.dispose();
  return createViewer(canvas, source, old.options);
}
