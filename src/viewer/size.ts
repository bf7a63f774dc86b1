/**
 * Tells when an element may have another size on the screen: its own has changed, or that of the page's pixels, as when the window goes to
 * another screen. In the same frame, so that what is drawn at once is seen without a gap.
 * @returns ends the watch
 */
export function watchSize(element: Element, onChange: () => void): () => void {
  const observer = new ResizeObserver(onChange);
  observer.observe(element);
  let ratio: MediaQueryList | undefined;
  const watchRatio = () => {
    ratio?.removeEventListener('change', ratioChanged);
    ratio = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
    ratio.addEventListener('change', ratioChanged);
  };
  const ratioChanged = () => {
    watchRatio();
    onChange();
  };
  watchRatio();
  return () => {
    observer.disconnect();
    ratio?.removeEventListener('change', ratioChanged);
  };
}
