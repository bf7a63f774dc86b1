import { SceneError } from '../errors';
import { formatChoices, formatValue } from '../scene/faults';
import { COLOURINGS, type ViewOptions } from '../viewer/types';

/** What attributes of the element choose between. */
const CHOICES = {
  colour: COLOURINGS,
  quality: ['low', 'medium', 'high'],
  theme: ['light', 'dark', 'auto'],
  backend: ['auto', 'webgpu', 'cpu'],
} as const;
const ON_OFF = ['playing', 'force-chains', 'hide-walls', 'hide-legend', 'turntable', 'controls'];

/** Other scenes, or another way to compute them: these begin anew. */
export const SOURCES = ['scene', 'backend', 'endless'];
export const ATTRIBUTES = [...Object.keys(CHOICES), ...ON_OFF, 'scene', 'endless', 'steps-per-frame'];

/** A value that an attribute cannot have, of a scene that may be right. */
export class AttributeError extends SceneError {}

/** @throws AttributeError naming the first attribute that has a value that it cannot have */
export function viewOf(element: Element): Partial<ViewOptions> {
  return {
    colourBy: choiceOf(element, 'colour') ?? 'speed',
    quality: choiceOf(element, 'quality') ?? 'medium',
    theme: choiceOf(element, 'theme') ?? 'auto',
    forceChains: element.hasAttribute('force-chains'),
    walls: !element.hasAttribute('hide-walls'),
    turntable: element.hasAttribute('turntable'),
  };
}

/** @throws AttributeError where it is no whole number from 1 */
export function stepsPerFrameOf(element: Element): number {
  const text = element.getAttribute('steps-per-frame') ?? '1';
  const steps = Number(text);
  if (Number.isSafeInteger(steps) && steps > 0) return steps;
  throw new AttributeError([{ path: 'steps-per-frame', message: `expected a whole number from 1, got ${formatValue(text)}` }]);
}

/** What an attribute says; undefined where it is not given. @throws AttributeError naming it */
export function choiceOf<Name extends keyof typeof CHOICES>(
  element: Element,
  name: Name,
): (typeof CHOICES)[Name][number] | undefined {
  const text = element.getAttribute(name);
  if (text === null) return undefined;
  const choices: readonly string[] = CHOICES[name];
  if (choices.includes(text)) return text as (typeof CHOICES)[Name][number];
  throw new AttributeError([{ path: name, message: `expected ${formatChoices(choices)}, got ${formatValue(text)}` }]);
}
