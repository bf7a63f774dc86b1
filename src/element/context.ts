import type { Show } from '../viewer/showScene';

export const NO_CONTEXT =
  'The browser has taken WebGL from this picture, as it does where a page has many: the run goes on, and is seen again once it is given back.';

/** Whether the browser has taken WebGL from the canvas. */
export function lacksContext({ viewer }: Show): boolean {
  return viewer.canvas.getContext('webgl2')?.isContextLost() ?? false;
}

/** Disposes of it, and of what drew it: of WebGL contexts a browser has few, and frees them late. */
export function release(show: Show): void {
  show.dispose();
  const context = show.viewer.canvas.getContext('webgl2');
  if (context && !context.isContextLost()) context.getExtension('WEBGL_lose_context')?.loseContext();
}
