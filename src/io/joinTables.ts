import { SceneError } from '../errors';
import { MAX_GRAINS } from '../scene/limits';
import { repeatedIds } from './repeatedIds';
import type { ParticleBox, ParticleTable } from './table';

const OPTIONAL = ['velocities', 'angularVelocities', 'masses', 'ids', 'types'] as const;

/**
 * The grains of several files as one frame, one file after the other. The step is that of the first; the box is around all.
 * @param file names them, for messages
 * @throws SceneError naming it, where some have what others lack, for ids given again, and for more grains than a scene can hold
 */
export function joinTables(file: string, tables: readonly ParticleTable[]): ParticleTable {
  const [first] = tables;
  if (tables.length === 1) return first;
  const fault = (message: string) => new SceneError([{ path: file, message }]);
  const count = tables.reduce((sum, table) => sum + table.count, 0);
  if (count > MAX_GRAINS) throw fault(`lists ${count} grains for one time; the most that one scene can hold is ${MAX_GRAINS}`);
  const all: ParticleTable = {
    ...first,
    count,
    positions: concatenated(tables.map(({ positions }) => positions)),
    radii: concatenated(tables.map(({ radii }) => radii)),
  };
  for (const key of OPTIONAL) {
    const arrays = tables.map((table) => table[key]).filter((array) => array !== undefined);
    if (arrays.length > 0 && arrays.length < tables.length)
      throw fault(`lists several parts for one time, of which not all have ${key}; all or none must have them`);
    if (arrays.length > 0) Object.assign(all, { [key]: concatenated<Float64Array | Uint32Array>(arrays) });
  }
  const repeated = all.ids ? repeatedIds(file, all.ids) : [];
  if (repeated.length > 0) throw new SceneError(repeated);
  const boxes = tables.map(({ box }) => box).filter((box) => box !== undefined);
  if (boxes.length > 0) all.box = around(boxes);
  return all;
}

/** Arrays one after the other. */
export function concatenated<T extends Float64Array | Uint32Array>(arrays: readonly T[]): T {
  const length = arrays.reduce((sum, array) => sum + array.length, 0);
  const all = new (arrays[0].constructor as new (length: number) => T)(length);
  let at = 0;
  for (const array of arrays) {
    all.set(array, at);
    at += array.length;
  }
  return all;
}

function around(boxes: readonly ParticleBox[]): ParticleBox {
  const ends = (end: 'min' | 'max') =>
    [0, 1, 2].map((axis) => Math[end](...boxes.map((box) => box[end][axis]))) as ParticleBox['min'];
  return { min: ends('min'), max: ends('max'), periodic: boxes[0].periodic };
}
