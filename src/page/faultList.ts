import type { Fault } from '../errors';

/** Faults of a scene, each with its place. Texts of users are set as texts, never as markup. */
export function faultList(faults: readonly Fault[]): HTMLUListElement {
  const list = document.createElement('ul');
  for (const { path, message } of faults) {
    const code = document.createElement('code');
    code.textContent = path;
    const item = document.createElement('li');
    item.append(...(path ? [code, ': '] : []), message);
    list.append(item);
  }
  return list;
}
