import { formatNumber } from '../../src/page/formatNumber';
import type { GrainFigures } from '../../src/viewer/index';

/** The figures of a grain that was clicked; null hides them. */
export function showPicked(place: HTMLElement, figures: GrainFigures | null): void {
  place.hidden = figures === null;
  if (!figures) return;
  const list = document.createElement('dl');
  const rows: [string, string][] = [
    ['Grain', String(figures.id)],
    ['Radius', formatNumber(figures.radius)],
    ['Place', figures.position.map(formatNumber).join('  ')],
    ['Speed', formatNumber(figures.speed)],
    ['Sum of forces', formatNumber(figures.force)],
    ['Contacts', String(figures.contacts)],
    ['Material', figures.material],
  ];
  for (const [name, text] of rows) {
    const [term, value] = [document.createElement('dt'), document.createElement('dd')];
    term.textContent = name;
    value.textContent = text;
    list.append(term, value);
  }
  place.replaceChildren(list);
}
