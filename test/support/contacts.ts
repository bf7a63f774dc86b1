import type { ContactState } from '../../src/report';

/** Contacts given as [first, second, normal, force]; gaps 0 */
export function makeContacts(list: readonly [number, number, number[], number[]][]): ContactState {
  return {
    count: list.length,
    first: Uint32Array.from(list, ([first]) => first),
    second: Uint32Array.from(list, ([, second]) => second),
    normals: Float64Array.from(list.flatMap(([, , normal]) => normal)),
    gaps: new Float64Array(list.length),
    forces: Float64Array.from(list.flatMap(([, , , force]) => force)),
    torques: new Float64Array(3 * list.length),
    states: new Uint8Array(list.length).fill(1),
  };
}
