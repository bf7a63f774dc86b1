/**
 * Tells, now and whenever it changes, whether an element can be seen: on the screen, in a tab that is not hidden.
 * @returns ends the watch
 */
export function watchSight(element: Element, onChange: (seen: boolean) => void): () => void {
  let onScreen = false;
  let seen = false;
  const look = () => {
    const now = onScreen && document.visibilityState === 'visible';
    if (now === seen) return;
    seen = now;
    onChange(seen);
  };
  const observer = new IntersectionObserver((entries) => {
    onScreen = entries.at(-1)!.isIntersecting;
    look();
  });
  observer.observe(element);
  document.addEventListener('visibilitychange', look);
  return () => {
    observer.disconnect();
    document.removeEventListener('visibilitychange', look);
  };
}
