import { MEMORY_STRIDE } from '../../cpu/memory';
import { MAX_GRAINS } from '../../scene/limits';
import type { Tree } from './tree';

type Lengths = Record<string, readonly number[]>;

/**
 * What does not fit together in the arrays of a checkpoint; undefined where all does. The digest tells of damage alone: anyone can
 * write a file that has one.
 */
export function contentFault({ grains, snapshot }: Tree): string | undefined {
  const { radii } = (grains ?? {}) as Tree;
  const count = radii instanceof Float64Array ? radii.length : 0;
  if (count < 1 || count > MAX_GRAINS) return `it has ${count} grains`;
  const { solver, schedule } = (snapshot ?? {}) as Tree;
  const { contacts, pistons, extent, order } = (solver ?? {}) as Tree;
  const contactCount = Number((contacts as Tree | undefined)?.count);
  if (!Number.isSafeInteger(contactCount) || contactCount < 0) return 'it does not tell how many contacts it has';
  if (!Array.isArray(pistons) || !Array.isArray(extent) || extent.length !== 3) return 'the state of the solver is not whole';
  if (schedule !== undefined && !((schedule as Tree).added instanceof Uint32Array && Array.isArray((schedule as Tree).firedAt)))
    return 'the state of the events is not whole';
  const vectors = [3 * count];
  return (
    lengthFault(grains as Tree, { positions: vectors, velocities: vectors, angularVelocities: vectors, materials: [count] }) ??
    lengthFault(solver as Tree, {
      ...{ positions: vectors, remainders: vectors, velocities: vectors, spins: vectors, orientations: [4 * count] },
      order: [0, count],
    }) ??
    lengthFault(contacts as Tree, {
      ...{ first: [contactCount], second: [contactCount], gaps: [contactCount], colours: [contactCount] },
      ...{ normals: [3 * contactCount], impulses: [3 * contactCount], torques: [0, 3 * contactCount] },
      ...{ keys: [0, contactCount], memory: [0, MEMORY_STRIDE * contactCount] },
    }) ??
    valueFault(grains as Tree, contacts as Tree, order as Uint32Array, count)
  );
}

function lengthFault(tree: Tree, lengths: Lengths): string | undefined {
  for (const [name, allowed] of Object.entries(lengths)) {
    const values = tree[name];
    const length = ArrayBuffer.isView(values) ? values.length : undefined;
    if (length === undefined || !allowed.includes(length))
      return `"${name}" has ${length ?? 'no'} values where ${allowed.join(' or ')} belong`;
  }
  return undefined;
}

/** Numbers that would have a reader look beyond its arrays, or that are no grains. */
function valueFault(grains: Tree, contacts: Tree, order: Uint32Array, count: number): string | undefined {
  const { positions, radii } = grains as Record<string, Float64Array>;
  if (!radii.every((radius) => radius > 0 && Number.isFinite(radius))) return 'it has radii that are not above 0';
  if (!positions.every(Number.isFinite)) return 'it has positions that are not finite';
  if (!(contacts.first as Uint32Array).every((i) => i < count) || !order.every((i) => i < count))
    return `it names grains that are not among its ${count}`;
  return undefined;
}
