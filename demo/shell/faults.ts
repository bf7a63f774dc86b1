import { SceneError } from '../../src/index';
import { faultList } from '../../src/page/faultList';

/** Shows what went wrong in place of the picture: of a scene every fault with its path. */
export function showFaults(place: HTMLElement, error: unknown): void {
  const head = document.createElement('strong');
  const ofScene = error instanceof SceneError;
  head.textContent = ofScene ? 'The scene cannot be run' : 'This does not run';
  const faults = ofScene ? error.faults : [{ path: '', message: error instanceof Error ? error.message : String(error) }];
  place.replaceChildren(head, faultList(faults));
  place.hidden = false;
}

export function hideFaults(place: HTMLElement): void {
  place.replaceChildren();
  place.hidden = true;
}
