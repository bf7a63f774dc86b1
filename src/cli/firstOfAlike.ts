import { FaultList, kindOf } from '../scene/faults';

/** Of texts in a row that are alike but for numbers the first ten, and how many more there are. */
export function firstOfAlike(texts: readonly string[]): string[] {
  const lists: FaultList[] = [];
  texts.forEach((text, k) => {
    if (k === 0 || kindOf(text) !== kindOf(texts[k - 1])) lists.push(new FaultList('like the last'));
    lists.at(-1)!.add(() => ({ path: '', message: text }));
  });
  return lists.flatMap(({ faults }) => faults.map(({ message }) => message));
}
