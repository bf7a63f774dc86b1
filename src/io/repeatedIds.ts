import type { Fault } from '../errors';
import { FaultList } from '../scene/faults';

/**
 * What is wrong with grains that have the id of another.
 * @param file that holds them
 * @param ids N, of all grains of a frame
 * @param place where the file has a grain: `line 12`
 */
export function repeatedIds(file: string, ids: Float64Array, place = (grain: number) => `grain ${grain}`): readonly Fault[] {
  // In order, as most files have them, nothing needs to be sorted.
  if (ids.every((id, k) => k === 0 || id > ids[k - 1])) return [];
  const sorted = ids.slice().sort();
  const repeated = new Set(sorted.filter((id, k) => k > 0 && id === sorted[k - 1]));
  const firsts = new Map<number, number>();
  const faults = new FaultList(`ids given again in ${file}`);
  for (let k = 0; repeated.size > 0 && k < ids.length; k++) {
    const id = ids[k];
    if (!repeated.has(id)) continue;
    const first = firsts.get(id);
    if (first === undefined) {
      firsts.set(id, k);
      continue;
    }
    const mend = 'give each grain an id of its own, or leave the ids out';
    faults.add(() => ({ path: `${file} ${place(k)}`, message: `has the id ${id}, as ${place(first)} has; ${mend}` }));
  }
  return faults.faults;
}
