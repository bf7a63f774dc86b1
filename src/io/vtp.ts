import type { State } from '../report';
import { hasTorques } from '../scene/laws';
import type { Problem } from '../scene/problem';
import { encodePolyData } from './polyData';

/** Contacts that bear (P_n > 0) on each of N grains; a contact with a wall counts for its grain alone. */
export function contactsPerGrain({ contacts }: State, grains: number): Uint32Array {
  const counts = new Uint32Array(grains);
  for (let c = 0; c < contacts.count; c++) {
    if (normalForce(contacts, c) <= 0) continue;
    counts[contacts.first[c]]++;
    if (contacts.second[c] < grains) counts[contacts.second[c]]++;
  }
  return counts;
}

/**
 * A frame of the grains: one point and one vertex cell per grain, in the order of their ids.
 * Points and radii in double precision, so that gaps can be had from the file; velocities in single.
 */
export function encodeGrainFrame({ grains, timeStep }: Problem, state: State): Uint8Array {
  const ids = Uint32Array.from({ length: grains.count }, (_, i) => i);
  return encodePolyData({
    time: state.step * timeStep,
    points: state.positions,
    cells: { kind: 'verts', size: 1, connectivity: Int32Array.from(ids) },
    pointData: [
      { name: 'id', values: ids },
      { name: 'radius', values: grains.radii },
      { name: 'velocity', values: Float32Array.from(state.velocities), components: 3 },
      { name: 'angularVelocity', values: Float32Array.from(state.angularVelocities), components: 3 },
      { name: 'material', values: grains.materials },
      { name: 'contacts', values: contactsPerGrain(state, grains.count) },
    ],
    cellData: [],
  });
}

/**
 * A frame of the contacts: one line cell per candidate, from centre to centre, or from centre to the contact point on a wall.
 * Torques are written where some law of the problem has them. The first N points are the grains' centres, by id; the points on walls follow. `second` is a grain, or N + index of the wall.
 */
export function encodeContactFrame({ grains, timeStep, laws }: Problem, state: State): Uint8Array {
  const { contacts, positions } = state;
  const onWalls = contacts.second.subarray(0, contacts.count).reduce((sum, second) => sum + (second >= grains.count ? 1 : 0), 0);
  const points = new Float64Array(3 * (grains.count + onWalls));
  points.set(positions);
  const connectivity = new Int32Array(2 * contacts.count);
  const normalForces = new Float32Array(contacts.count);
  let next = grains.count;
  for (let c = 0; c < contacts.count; c++) {
    const [first, second] = [contacts.first[c], contacts.second[c]];
    connectivity[2 * c] = first;
    connectivity[2 * c + 1] = second < grains.count ? second : next;
    normalForces[c] = normalForce(contacts, c);
    if (second < grains.count) continue;
    const arm = grains.radii[first] + contacts.gaps[c];
    for (let k = 0; k < 3; k++) points[3 * next + k] = positions[3 * first + k] + arm * contacts.normals[3 * c + k];
    next++;
  }
  const perContact = (values: Float64Array, components: number) =>
    Float32Array.from(values.subarray(0, components * contacts.count));
  return encodePolyData({
    time: state.step * timeStep,
    points,
    cells: { kind: 'lines', size: 2, connectivity },
    pointData: [],
    cellData: [
      { name: 'force', values: perContact(contacts.forces, 3), components: 3 },
      ...(laws.some(hasTorques) ? [{ name: 'torque', values: perContact(contacts.torques, 3), components: 3 }] : []),
      { name: 'normalForce', values: normalForces },
      { name: 'gap', values: perContact(contacts.gaps, 1) },
      { name: 'state', values: contacts.states.subarray(0, contacts.count) },
      { name: 'first', values: contacts.first.subarray(0, contacts.count) },
      { name: 'second', values: contacts.second.subarray(0, contacts.count) },
    ],
  });
}

function normalForce({ forces, normals }: State['contacts'], c: number): number {
  return forces[3 * c] * normals[3 * c] + forces[3 * c + 1] * normals[3 * c + 1] + forces[3 * c + 2] * normals[3 * c + 2];
}
