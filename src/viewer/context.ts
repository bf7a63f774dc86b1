/**
 * Tells when the browser takes WebGL from a canvas, as it does where a page has many, and when it gives it back.
 * @returns ends the watch
 */
export function watchContext(canvas: HTMLCanvasElement, onLost: () => void, onRestored: () => void): () => void {
  const lose = (event: Event) => {
    // Else it is not given back.
    event.preventDefault();
    onLost();
  };
  canvas.addEventListener('webglcontextlost', lose);
  canvas.addEventListener('webglcontextrestored', onRestored);
  return () => {
    canvas.removeEventListener('webglcontextlost', lose);
    canvas.removeEventListener('webglcontextrestored', onRestored);
  };
}
