import { formatNumber } from '../../src/page/formatNumber';
import type { Reading } from '../demo';

/** Names and figures; what is expected stands below what was measured. */
export function showReadings(list: HTMLElement, readings: readonly Reading[]): void {
  // Rows are kept where the names are the same, so that screen readers and selections stay where they are.
  if (list.children.length !== 2 * readings.length) {
    list.replaceChildren(...readings.flatMap(() => [document.createElement('dt'), document.createElement('dd')]));
  }
  readings.forEach(({ label, value, unit, expected }, k) => {
    const [name, figure] = [list.children[2 * k], list.children[2 * k + 1]];
    setText(name, label);
    const text = `${formatNumber(value)}${unit && value !== null ? ` ${unit}` : ''}`;
    if (figure.getAttribute('data-shown') === `${text}|${expected}`) return;
    figure.setAttribute('data-shown', `${text}|${expected}`);
    figure.replaceChildren(text);
    if (expected === undefined) return;
    const beside = document.createElement('small');
    beside.textContent = expected;
    figure.append(beside);
  });
}

function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
