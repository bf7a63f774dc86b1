import { MEMORY_STRIDE } from '../cpu/memory';
import type { System } from '../scene/system';
import { extentOf, type Snapshot, type SnapshotContacts, startOf, uprightOrientations } from '../snapshot';

/** Grains that come, as a share of all, from which on the contacts of the next step count as mostly new. */
const MANY_NEW = 0.1;

/**
 * The snapshot of a system for one with more grains, which follow those there were, and with other walls. Contacts with walls
 * that are gone are dropped, so that nothing holds what leaned on them.
 * @param old the system of the snapshot
 * @param wallOf new index of each wall that there was, or -1
 */
export function remap(from: Snapshot, old: System, system: System, wallOf: readonly number[]): Snapshot {
  const { grains } = system;
  const before = from.positions.length / 3;
  const after = <Row extends Float64Array>(rows: Row, added: Float64Array, width: number) => {
    const all = new Float64Array(width * grains);
    all.set(rows);
    all.set(added.subarray(0, width * (grains - before)), width * before);
    return all;
  };
  const positions = after(from.positions, system.positions.subarray(3 * before), 3);
  const kept = from.pistons.map((piston) => ({ ...piston, wall: wallOf[piston.wall] }));
  return {
    ...from,
    positions,
    remainders: after(from.remainders, new Float64Array(3 * (grains - before)), 3),
    velocities: after(from.velocities, system.velocities.subarray(3 * before), 3),
    spins: after(from.spins, system.spins.subarray(3 * before), 3),
    orientations: after(from.orientations, uprightOrientations(grains - before), 4),
    pistons: startOf(system).pistons.map((still) => kept.find(({ wall }) => wall === still.wall) ?? still),
    contacts: remapContacts(from.contacts, old, system, wallOf),
    fresh: from.fresh || grains - before > MANY_NEW * grains,
    order: Uint32Array.from({ length: from.order.length > 0 ? grains : 0 }, (_, place) => from.order[place] ?? place),
    extent: grains > before ? extentOf(positions) : from.extent,
  };
}

/** Contacts stay sorted: walls that remain keep their order. */
function remapContacts(from: SnapshotContacts, old: System, system: System, wallOf: readonly number[]): SnapshotContacts {
  const body = (id: number) => (id < old.grains ? id : system.grains + wallOf[id - old.grains]);
  const kept = Uint32Array.from({ length: from.count }, (_, c) => c).filter(
    (c) => from.second[c] < old.grains || wallOf[from.second[c] - old.grains] >= 0,
  );
  const rows = (values: Float64Array, width: number) =>
    values.length === 0
      ? values
      : Float64Array.from({ length: width * kept.length }, (_, k) => values[width * kept[Math.floor(k / width)] + (k % width)]);
  const key = featureKey(old, system, wallOf);
  const second = kept.map((c) => body(from.second[c]));
  return {
    count: kept.length,
    first: kept.map((c) => from.first[c]),
    second,
    keys: system.meshes.length === 0 ? new Uint32Array(0) : kept.map((c, k) => key(from.keys[c]) ?? second[k]),
    normals: rows(from.normals, 3),
    gaps: rows(from.gaps, 1),
    impulses: rows(from.impulses, 3),
    torques: rows(from.torques, 3),
    memory: rows(from.memory, MEMORY_STRIDE),
    colours: kept.map((c) => from.colours[c]),
  };
}

/** New key of a feature of a mesh; undefined for the key of a body. */
function featureKey(old: System, system: System, wallOf: readonly number[]): (key: number | undefined) => number | undefined {
  return (key = 0) => {
    if (key < old.bodies) return undefined;
    const feature = key - old.bodies;
    const mesh = old.meshes.findLast(({ firstFeature }) => firstFeature <= feature)!;
    const now = system.meshes.find(({ wall }) => wall === wallOf[mesh.wall])!;
    return system.bodies + now.firstFeature + feature - mesh.firstFeature;
  };
}
