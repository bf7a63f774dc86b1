import { MEMORY_STRIDE, SLIP } from '../cpu/memory';
import type { ContactState, State } from '../report';
import type { System } from '../scene/system';
import type { Snapshot, SnapshotContacts } from '../snapshot';

/** Bits of a cell's number along each axis. */
const AXIS_BITS = 10;
/** Numbers that one pass of the sort tells apart. */
const RADIX = 2 ** 15;

/** Ten bits with two zeros between each. */
function spread(x: number): number {
  let bits = (x | (x << 16)) & 0x030000ff;
  bits = (bits | (bits << 8)) & 0x0300f00f;
  bits = (bits | (bits << 4)) & 0x030c30c3;
  return (bits | (bits << 2)) & 0x09249249;
}

/**
 * Grains along a Morton curve through cells of a mean diameter, or larger where there are more than 1024 along an axis; within a
 * cell by their ids. So neighbours in space are neighbours in memory.
 * @param positions N x 3
 * @returns N, the grain at each place
 */
export function mortonOrder(positions: Float64Array): Uint32Array<ArrayBuffer> {
  const grains = positions.length / 3;
  const low = [Infinity, Infinity, Infinity];
  let longest = 0;
  for (let k = 0; k < positions.length; k++) low[k % 3] = Math.min(low[k % 3], positions[k]);
  for (let k = 0; k < positions.length; k++) longest = Math.max(longest, positions[k] - low[k % 3]);
  const cell = Math.max(1, longest / (2 ** AXIS_BITS - 1));
  const keys = new Uint32Array(grains);
  for (let i = 0; i < grains; i++) {
    for (let axis = 0; axis < 3; axis++) keys[i] |= spread(Math.floor((positions[3 * i + axis] - low[axis]) / cell)) << axis;
  }
  const ids = Uint32Array.from(keys, (_, i) => i);
  const byLowBits = countingSort(ids, (i) => keys[i] % RADIX, RADIX);
  return countingSort(byLowBits, (i) => Math.floor(keys[i] / RADIX), RADIX);
}

/** Stable. @param keyOf from 0 to keys - 1 */
function countingSort(items: Uint32Array, keyOf: (item: number) => number, keys: number): Uint32Array<ArrayBuffer> {
  const starts = new Uint32Array(keys + 1);
  for (const item of items) starts[keyOf(item) + 1]++;
  for (let key = 0; key < keys; key++) starts[key + 1] += starts[key];
  const sorted = new Uint32Array(items.length);
  for (const item of items) sorted[starts[keyOf(item)]++] = item;
  return sorted;
}

/** Where each grain of an order is, or the other way round. */
export function inverse(order: Uint32Array): Uint32Array<ArrayBuffer> {
  const places = new Uint32Array(order.length);
  order.forEach((grain, place) => {
    places[grain] = place;
  });
  return places;
}

/** Rows in a new order; rows beyond it stay where they are. */
function reordered<Rows extends Float64Array | Uint32Array>(rows: Rows, order: Uint32Array, width: number): Rows {
  const result = rows.slice() as Rows;
  for (let place = 0; place < order.length; place++) {
    for (let k = 0; k < width; k++) result[width * place + k] = rows[width * order[place] + k];
  }
  return result;
}

/** The system with its grains in another order. */
export function reorderSystem(system: System, order: Uint32Array): System {
  const vectors = (rows: Float64Array) => reordered(rows, order, 3);
  return {
    ...system,
    positions: vectors(system.positions),
    radii: reordered(system.radii, order, 1),
    inverseMasses: reordered(system.inverseMasses, order, 1),
    velocities: vectors(system.velocities),
    spins: vectors(system.spins),
    accelerations: vectors(system.accelerations),
    spinAccelerations: vectors(system.spinAccelerations),
    materials: reordered(system.materials, order, 1),
  };
}

/**
 * What was kept of grains in one order, for another.
 * @param order which of the grains as they were comes to each place
 * @param radii N, in the new order
 */
export function reorderSnapshot(from: Snapshot, order: Uint32Array, radii: Float64Array): Snapshot {
  const { contacts } = from;
  const moved = moveContacts(contacts.first, contacts.second, contacts.keys, { placeOf: inverse(order), radii });
  return {
    ...from,
    positions: reordered(from.positions, order, 3),
    remainders: reordered(from.remainders, order, 3),
    velocities: reordered(from.velocities, order, 3),
    spins: reordered(from.spins, order, 3),
    orientations: reordered(from.orientations, order, 4),
    contacts: reorderContacts(contacts, moved),
  };
}

/** The same for a state that a user may see. */
export function reorderState(state: State, order: Uint32Array, radii: Float64Array): State {
  const { contacts } = state;
  const moved = moveContacts(contacts.first, contacts.second, new Uint32Array(0), { placeOf: inverse(order), radii });
  return {
    ...state,
    positions: reordered(state.positions, order, 3),
    velocities: reordered(state.velocities, order, 3),
    angularVelocities: reordered(state.angularVelocities, order, 3),
    orientations: reordered(state.orientations, order, 4),
    contacts: {
      ...contacts,
      ...moved.bodies,
      normals: moved.vectors(contacts.normals),
      gaps: moved.rows(contacts.gaps, 1),
      forces: moved.vectors(contacts.forces),
      torques: moved.vectors(contacts.torques),
      states: Uint8Array.from(moved.order, (c) => contacts.states[c]),
    } satisfies ContactState,
  };
}

/** Contacts sorted by their bodies' new numbers. */
interface MovedContacts {
  /** Which of the contacts as they were comes to each place. */
  order: Uint32Array;
  bodies: { first: Uint32Array; second: Uint32Array };
  keys: Uint32Array;
  rows(values: Float64Array, width: number): Float64Array;
  /** Vectors that point from the first body to the second, or act on the second: the other way where the two have changed places. */
  vectors(values: Float64Array, width?: number, at?: number): Float64Array;
}

/**
 * A contact's first body is the smaller grain and among equals the lower number, as shaders/candidates.ts has it: in single
 * precision. Contacts go by first body and then by key, or by second body where there are no keys.
 */
function moveContacts(
  first: Uint32Array,
  second: Uint32Array,
  keys: Uint32Array,
  { placeOf, radii }: { placeOf: Uint32Array; radii: Float64Array },
): MovedContacts {
  const grains = placeOf.length;
  const place = (body: number) => (body < grains ? placeOf[body] : body);
  const [firsts, seconds] = [first.map(place), second.map(place)];
  const swapped = firsts.map((a, c) => {
    const b = seconds[c];
    return b < grains && a > b && Math.fround(radii[a]) === Math.fround(radii[b]) ? 1 : 0;
  });
  const movedKeys = keys.map((key, c) => (swapped[c] ? firsts[c] : place(key)));
  for (let c = 0; c < first.length; c++) if (swapped[c]) [firsts[c], seconds[c]] = [seconds[c], firsts[c]];
  const order = sortedByFirst(firsts, keys.length > 0 ? movedKeys : seconds, grains);
  const rows = (values: Float64Array, width: number) => {
    const result = new Float64Array(values.length);
    for (let c = 0; c < order.length && values.length > 0; c++) {
      for (let k = 0; k < width; k++) result[width * c + k] = values[width * order[c] + k];
    }
    return result;
  };
  return {
    order,
    bodies: { first: order.map((c) => firsts[c]), second: order.map((c) => seconds[c]) },
    keys: keys.length > 0 ? order.map((c) => movedKeys[c]) : keys,
    rows,
    vectors(values, width = 3, at = 0) {
      const result = rows(values, width);
      order.forEach((from, c) => {
        for (let k = 0; swapped[from] && k < 3 && result.length > 0; k++) result[width * c + at + k] *= -1;
      });
      return result;
    },
  };
}

/** Contacts by first body, those of one by their key; those of equal keys stay in their order. */
function sortedByFirst(firsts: Uint32Array, keys: Uint32Array, grains: number): Uint32Array {
  const order = countingSort(
    Uint32Array.from(firsts, (_, c) => c),
    (c) => firsts[c],
    grains,
  );
  for (let end = 1; end < order.length; end++) {
    const contact = order[end];
    let at = end;
    for (; at > 0 && firsts[order[at - 1]] === firsts[contact] && keys[order[at - 1]] > keys[contact]; at--) {
      order[at] = order[at - 1];
    }
    order[at] = contact;
  }
  return order;
}

function reorderContacts(contacts: SnapshotContacts, moved: MovedContacts): SnapshotContacts {
  return {
    ...contacts,
    ...moved.bodies,
    keys: moved.keys,
    normals: moved.vectors(contacts.normals),
    gaps: moved.rows(contacts.gaps, 1),
    impulses: moved.vectors(contacts.impulses),
    torques: moved.vectors(contacts.torques),
    memory: moved.vectors(contacts.memory, MEMORY_STRIDE, SLIP),
    colours: moved.order.map((c) => contacts.colours[c]),
  };
}
