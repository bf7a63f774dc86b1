import type { State } from '../report';
import { hasTorques } from '../scene/laws';
import { nearestImage } from '../scene/periodic';
import type { Periodic, Problem } from '../scene/problem';
import { encodePolyData, type NamedArray } from './polyData';

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
export function encodeGrainFrame({ grains, timeStep, periodic }: Problem, state: State): Uint8Array {
  const ids = Uint32Array.from({ length: grains.count }, (_, i) => i);
  return encodePolyData({
    time: state.step * timeStep,
    step: state.step,
    fieldData: periodicFields(periodic),
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

/** Lower ends and lengths of the periodic box, for frames; lengths are 0 along open axes. */
export function periodicFields(periodic: Pick<Periodic, 'min' | 'lengths'> | undefined): NamedArray[] {
  if (!periodic) return [];
  return [
    { name: 'periodicMin', values: Float64Array.from(periodic.min), components: 3 },
    { name: 'periodicLengths', values: Float64Array.from(periodic.lengths), components: 3 },
  ];
}

/**
 * A frame of the contacts: one line cell per candidate, from centre to centre, or from centre to the contact point on a wall.
 * A line that leaves a periodic box ends where the image of the second centre is, outside the box. Torques are written where
 * some law of the problem has them. The first N points are the grains' centres, by id; the points on walls and outside the
 * box follow. `second` is a grain, or N + index of the wall.
 */
export function encodeContactFrame(problem: Problem, state: State): Uint8Array {
  const { timeStep, laws, periodic } = problem;
  const { contacts } = state;
  const { points, connectivity } = branches(problem, state);
  const normalForces = Float32Array.from({ length: contacts.count }, (_, c) => normalForce(contacts, c));
  const perContact = (values: Float64Array, components: number) =>
    Float32Array.from(values.subarray(0, components * contacts.count));
  return encodePolyData({
    time: state.step * timeStep,
    step: state.step,
    fieldData: periodicFields(periodic),
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

/** Points and lines of a contact frame. */
function branches({ grains, periodic }: Problem, { contacts, positions }: State) {
  const { count, first, second, normals, gaps } = contacts;
  const lengths = periodic?.lengths ?? [0, 0, 0];
  const isNear = (c: number) =>
    second[c] < grains.count &&
    lengths.every((period, k) => {
      const way = positions[3 * second[c] + k] - positions[3 * first[c] + k];
      return nearestImage(way, period) === way;
    });
  const connectivity = new Int32Array(2 * count);
  const ends: number[] = [];
  for (let c = 0; c < count; c++) {
    connectivity[2 * c] = first[c];
    connectivity[2 * c + 1] = isNear(c) ? second[c] : grains.count + ends.length / 3;
    if (isNear(c)) continue;
    const arm = grains.radii[first[c]] + gaps[c] + (second[c] < grains.count ? grains.radii[second[c]] : 0);
    for (let k = 0; k < 3; k++) ends.push(positions[3 * first[c] + k] + arm * normals[3 * c + k]);
  }
  const points = new Float64Array(positions.length + ends.length);
  points.set(positions);
  points.set(ends, positions.length);
  return { points, connectivity };
}

function normalForce({ forces, normals }: State['contacts'], c: number): number {
  return forces[3 * c] * normals[3 * c] + forces[3 * c + 1] * normals[3 * c + 1] + forces[3 * c + 2] * normals[3 * c + 2];
}
