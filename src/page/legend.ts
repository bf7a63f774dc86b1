import type { Legend } from '../viewer/types';
import { formatNumber } from './formatNumber';

/** What the colours mean: a stripe with its ends, or names. Hidden where they mean nothing. */
export function showLegend(place: HTMLElement, legend: Legend | null): void {
  place.hidden = legend === null;
  if (!legend) return;
  const { label, unit, min, max, colours, categories } = legend;
  const shown = JSON.stringify([label, unit, formatNumber(min), formatNumber(max), colours, categories]);
  if (place.dataset.shown === shown) return;
  place.dataset.shown = shown;
  place.replaceChildren(unit ? `${label}, ${unit}` : label, categories ? swatches(colours, categories) : bar(legend));
}

/** Names that fit over a picture. */
const MOST_NAMES = 12;

function swatches(colours: readonly string[], categories: readonly string[]): HTMLElement {
  const list = document.createElement('div');
  categories.slice(0, MOST_NAMES).forEach((name, k) => {
    const entry = document.createElement('div');
    const swatch = document.createElement('span');
    swatch.className = 'swatch';
    swatch.style.background = colours[k % colours.length];
    entry.append(swatch, name);
    list.append(entry);
  });
  if (categories.length > MOST_NAMES) list.append(`and ${categories.length - MOST_NAMES} more`);
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
