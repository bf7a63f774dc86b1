import type { System } from '../scene/system';
import { contactStarts, type Snapshot, type SnapshotContacts } from '../snapshot';
import { packBodies } from './bodies';
import { CandidateList } from './candidateList';
import { MEMORY_STRIDE } from './memory';

/** Bodies as in packBodies: the grains as the snapshot has them, the walls as the system does. */
export function restoreMotion(system: System, { velocities, spins }: Snapshot): Float64Array {
  const rows = (bodies: Float64Array, grains: Float64Array) => {
    const result = bodies.slice();
    result.set(grains);
    return result;
  };
  return packBodies(rows(system.velocities, velocities), rows(system.spins, spins), system.inverseMasses);
}

export function captureCandidates(list: CandidateList): SnapshotContacts {
  const { count, first, second, keys, normals, gaps, impulses, torques, memory, general, features, colours } = list;
  return {
    count,
    first: first.slice(0, count),
    second: second.slice(0, count),
    keys: keys.slice(0, features ? count : 0),
    normals: normals.slice(0, 3 * count),
    gaps: gaps.slice(0, count),
    impulses: impulses.slice(0, 3 * count),
    torques: torques.slice(0, general ? 3 * count : 0),
    memory: memory.slice(0, general ? MEMORY_STRIDE * count : 0),
    colours: colours.slice(0, count),
  };
}

/** The candidates of the last step, for the next one to find its own among. */
export function restoreCandidates(
  contacts: SnapshotContacts,
  { grains, materials, lawOf, meshes }: System,
  general: boolean,
): CandidateList {
  const list = new CandidateList(grains, general, meshes.length > 0);
  const { count, first, second, keys, normals, gaps, impulses, torques, memory, colours } = contacts;
  const kinds = Math.sqrt(lawOf.length);
  list.count = count;
  list.reserve(count);
  list.starts.set(contactStarts(contacts, grains));
  list.first.set(first);
  list.second.set(second);
  if (list.features) list.keys.set(keys);
  list.normals.set(normals);
  list.gaps.set(gaps);
  list.impulses.set(impulses);
  if (general) {
    list.torques.set(torques);
    list.memory.set(memory);
  }
  list.colours.set(colours);
  for (let c = 0; c < count; c++) list.laws[c] = lawOf[materials[first[c]] * kinds + materials[second[c]]];
  return list;
}
