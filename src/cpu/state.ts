import { contactStates } from '../contactStates';
import type { State } from '../report';
import type { System } from '../scene/system';
import { wallPoses } from '../scene/wallMotion';
import { SPIN, unpackBodies } from './bodies';
import { pullOf } from './bonds';
import type { CandidateList } from './candidateList';
import { reducedRadius } from './contacts';

/**
 * Everything that a user may see, in internal units.
 * @param motion bodies at the end of the last step
 * @param list candidates of the last step
 */
export function readState(
  system: System,
  step: number,
  positions: Float64Array,
  orientations: Float64Array,
  motion: Float64Array,
  list: CandidateList,
): State {
  const { count, first, second, normals, gaps, impulses, laws, memory } = list;
  const contactLaws = Array.from(laws.subarray(0, count), (law) => system.laws[law]);
  return {
    step,
    positions: positions.slice(),
    velocities: unpackBodies(motion, 0, system.grains),
    angularVelocities: unpackBodies(motion, SPIN, system.grains),
    orientations: orientations.slice(),
    walls: wallPoses(system.walls, system.motions, system.turned, step),
    contacts: {
      count,
      first: first.slice(0, count),
      second: second.slice(0, count),
      normals: normals.slice(0, 3 * count),
      gaps: gaps.slice(0, count),
      forces: impulses.slice(0, 3 * count),
      torques: torquesOf(system, list),
      states: contactStates(normals, impulses, {
        staticFriction: Float64Array.from(contactLaws, ({ staticFriction }) => staticFriction),
        dynamicFriction: Float64Array.from(contactLaws, ({ dynamicFriction }) => dynamicFriction),
        pulls: Float64Array.from(contactLaws, ({ cohesionForce }, c) => pullOf(memory, c, cohesionForce)),
      }),
    },
  };
}

/** C x 3, torques T of the contacts. */
function torquesOf(system: System, { count, first, second, torques, general }: CandidateList): Float64Array {
  if (!general) return new Float64Array(3 * count);
  return torques.slice(0, 3 * count).map((torque, k) => {
    const c = Math.floor(k / 3);
    return reducedRadius(system, first[c], second[c]) * torque;
  });
}
