import { formatChoices } from '../../../src/scene/faults';
import { RAPIER_SCENES } from '../../rapier/compare';
import { BACKENDS, COARSE_CHOICES, readCount, readCounts, readNames } from '../../suite/names';
import type { SuiteSettings } from '../../suite/runSuite';
import { SCENE_NAMES } from '../../suite/scenes';

/** The fields of the form by their names, and what they are called in a message. The page's address takes the same names. */
export const FIELDS = {
  scenes: 'Scenes',
  backends: 'Solvers',
  rapier: 'Rapier',
  sizes: 'Grains',
  steps: 'Steps of a case',
  minutes: 'Minutes at most',
  seconds: 'Seconds of a case',
  settleSeconds: 'Seconds to settle',
  coarse: 'Coarse level',
  rapierGrains: 'Grains beside Rapier',
  rapierSteps: 'Steps beside Rapier',
  note: 'Note on this run',
};
export type Field = keyof typeof FIELDS;

/**
 * What is run, from the texts of the fields; lists are divided by commas.
 * @throws RangeError that names the field and says what it takes
 */
export function readSettings(texts: Record<Field, string>): SuiteSettings {
  const read = <T>(field: Field, as: (text: string) => T): T => naming(field, () => as(texts[field]));
  const scenes = read('scenes', (text) => readNames(SCENE_NAMES, text));
  const sizes = read('sizes', readCounts);
  const seconds = read('seconds', readCount);
  const rapier = {
    scenes: RAPIER_SCENES.filter((name) => scenes.includes(name)),
    grains: read('rapierGrains', readCount),
    steps: read('rapierSteps', readCount),
    seconds: 3 * seconds,
  };
  return {
    ...{ scenes, backends: read('backends', (text) => readNames(BACKENDS, text)), sizes: { cpu: sizes, webgpu: sizes }, seconds },
    coarse: read('coarse', (text) => readNames(COARSE_CHOICES, text)[0]),
    steps: read('steps', readCount),
    settleSeconds: read('settleSeconds', readCount),
    totalSeconds: 60 * read('minutes', readCount),
    rapier: read('rapier', (text) => readNames(['yes', 'no'], text)[0]) === 'yes' ? rapier : null,
  };
}

/** The texts of a form as they are now. */
export function formTexts(form: HTMLFormElement): Record<Field, string> {
  const data = new FormData(form);
  const texts = Object.fromEntries(Object.keys(FIELDS).map((name) => [name, data.getAll(name).join(',')])) as Record<
    Field,
    string
  >;
  return { ...texts, rapier: texts.rapier || 'no' };
}

/**
 * Fills the form from the page's address.
 * @throws RangeError for a setting, a scene or a backend that there is not
 */
export function fillForm(form: HTMLFormElement, query: URLSearchParams): void {
  const known: readonly string[] = Object.keys(FIELDS);
  for (const [name, value] of query) {
    if (name === 'run') continue;
    if (!known.includes(name)) throw new RangeError(`there is no setting "${name}": choose from ${formatChoices(known)}`);
    const boxes = form.querySelectorAll<HTMLInputElement>(`input[type=checkbox][name=${name}]`);
    if (boxes.length > 0) check(boxes, name as Field, value);
    const field = form.elements.namedItem(name);
    if (boxes.length === 0 && (field instanceof HTMLInputElement || field instanceof HTMLSelectElement)) field.value = value;
  }
}

/** Checks the boxes that are named; "no" and nothing name none. */
function check(boxes: Iterable<HTMLInputElement>, field: Field, text: string): void {
  const values = [...boxes].map(({ value }) => value);
  const names = text === '' || text === 'no' ? [] : naming(field, () => readNames(values, text));
  for (const box of boxes) box.checked = names.includes(box.value);
}

/** Errors of `work` name the field. */
function naming<T>(field: Field, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new RangeError(`${FIELDS[field]}: ${(error as Error).message}`);
  }
}
