import { formatNumber } from '../../src/page/formatNumber';
import type { GrainFigures } from '../../src/viewer/index';
import type { GrainUnits } from './units';

/** The figures of a grain that was clicked; null hides them. */
export function showPicked(place: HTMLElement, figures: GrainFigures | null, units: GrainUnits): void {
  place.hidden = figures === null;
  if (!figures) return;
  const list = document.createElement('dl');
  const rows: [string, string][] = [
    ['Grain', String(figures.id)],
    ['Radius', withUnit(figures.radius, units.length)],
    ['Place', `${figures.position.map(formatNumber).join('  ')} ${units.length}`],
    ['Speed', withUnit(figures.speed, units.speed)],
    ['Rotation', withUnit(figures.angularSpeed, units.rotation)],
    ['Sum of normal forces', withUnit(figures.force, units.force)],
    ['Contacts', String(figures.contacts)],
    ['Material', figures.material],
    ['Group', String(figures.group)],
  ];
  for (const [name, text] of rows) {
    const [term, value] = [document.createElement('dt'), document.createElement('dd')];
    term.textContent = name;
    value.textContent = text;
    list.append(term, value);
  }
  place.replaceChildren(list);
}

const withUnit = (value: number, unit: string) => `${formatNumber(value)} ${unit}`;
