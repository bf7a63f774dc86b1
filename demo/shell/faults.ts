import { SceneError } from '../../src/index';

/** Shows what went wrong in place of the picture: of a scene every fault with its path. Texts of users stay texts. */
export function showFaults(place: HTMLElement, error: unknown): void {
  const head = document.createElement('strong');
  const list = document.createElement('ul');
  if (error instanceof SceneError) {
    head.textContent = 'The scene cannot be run';
    for (const { path, message } of error.faults) {
      const item = document.createElement('li');
      const where = document.createElement('code');
      where.textContent = path || 'scene';
      item.append(where, `: ${message}`);
      list.append(item);
    }
  } else {
    head.textContent = 'This does not run';
    const item = document.createElement('li');
    item.textContent = error instanceof Error ? error.message : String(error);
    list.append(item);
  }
  place.replaceChildren(head, list);
  place.hidden = false;
}

export function hideFaults(place: HTMLElement): void {
  place.replaceChildren();
  place.hidden = true;
}
