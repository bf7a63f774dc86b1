import type { GrainFigures, Legend } from '../../src/viewer/index';
import { formatNumber } from './format';

/** What the colours mean. */
export function showLegend(place: HTMLElement, legend: Legend | null): void {
  place.hidden = legend === null;
  if (!legend) return;
  const { label, unit, min, max, colours, categories } = legend;
  const shown = JSON.stringify([label, unit, formatNumber(min), formatNumber(max), colours, categories]);
  if (place.dataset.shown === shown) return;
  place.dataset.shown = shown;
  place.replaceChildren(unit ? `${label}, ${unit}` : label, categories ? swatches(colours, categories) : bar(legend));
}

function swatches(colours: readonly string[], categories: readonly string[]): HTMLElement {
  const list = document.createElement('div');
  categories.forEach((name, k) => {
    const entry = document.createElement('div');
    const swatch = document.createElement('span');
    swatch.className = 'swatch';
    swatch.style.background = colours[k % colours.length];
    entry.append(swatch, name);
    list.append(entry);
  });
  return list;
}

function bar({ min, max, colours }: Legend): HTMLElement {
  const scale = document.createElement('div');
  const stripe = document.createElement('div');
  stripe.className = 'bar';
  stripe.style.background = `linear-gradient(to right, ${colours.join(', ')})`;
  const ends = document.createElement('div');
  ends.className = 'ends';
  for (const value of [min, max]) {
    const end = document.createElement('span');
    end.textContent = formatNumber(value);
    ends.append(end);
  }
  scale.append(stripe, ends);
  return scale;
}

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
