import { ICONS } from './style';

/** An element of the shadow root, which styles of the page find as a part of that name. */
export function part<Name extends keyof HTMLElementTagNameMap>(name: Name, part: string): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  element.className = part;
  element.setAttribute('part', part);
  return element;
}

export function button(icon: keyof typeof ICONS, label: string, action: () => void): HTMLButtonElement {
  const element = part('button', 'button');
  element.type = 'button';
  draw(element, icon, label);
  element.addEventListener('click', action);
  return element;
}

/** Gives a button another drawing, and the name that goes with it. */
export function draw(element: HTMLButtonElement, icon: keyof typeof ICONS, label: string): void {
  if (element.title === label) return;
  element.title = label;
  element.setAttribute('aria-label', label);
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', ICONS[icon]);
  svg.append(path);
  element.replaceChildren(svg);
}

/** Gives a property that was set before the element was defined to its setter. */
export function upgrade<Name extends string>(element: Record<Name, unknown>, name: Name): void {
  if (!Object.hasOwn(element, name)) return;
  const value = element[name];
  delete (element as Partial<Record<Name, unknown>>)[name];
  Object.assign(element, { [name]: value });
}
