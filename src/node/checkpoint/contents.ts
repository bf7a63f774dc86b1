import { formatValue } from '../../scene/faults';
import { MAX_GRAINS } from '../../scene/limits';
import type { Snapshot } from '../../snapshot';
import { lengthFault, partsOf, scheduleFault, snapshotFault } from '../../snapshotFault';
import type { Tree } from './tree';

/**
 * What does not fit together in the arrays of a checkpoint; undefined where all does. The digest tells of damage alone: anyone can
 * write a file that has one.
 */
export function contentFault(tree: Tree): string | undefined {
  const { snapshot } = tree;
  const grains = partsOf(tree.grains);
  const { radii, positions } = grains;
  const count = radii instanceof Float64Array ? radii.length : 0;
  if (count < 1 || count > MAX_GRAINS) return `it has ${count} grains`;
  const { solver, schedule } = partsOf(snapshot);
  const vectors = [3 * count];
  return (
    lengthFault(grains, { positions: vectors, velocities: vectors, angularVelocities: vectors, materials: [count] }) ??
    snapshotFault(solver, count) ??
    (schedule === undefined ? undefined : scheduleFault(schedule)) ??
    valueFault(radii as Float64Array, positions as Float64Array) ??
    headFault(tree, (solver as Snapshot).step)
  );
}

/** @param own the step of the state */
function headFault({ backend, step, time, program, scene }: Tree, own: number): string | undefined {
  if (backend !== 'cpu' && backend !== 'webgpu') return `its backend is ${formatValue(backend)}, not "cpu" or "webgpu"`;
  if (step !== own) return `its step is ${formatValue(step)}, its state that after step ${own}`;
  if (!Number.isFinite(time)) return `its time is ${formatValue(time)}`;
  const texts = Object.values(partsOf(scene));
  const known = texts.length > 0 && [program, ...texts].every((text) => typeof text === 'string');
  return known ? undefined : 'it does not tell of which scene it is, or what wrote it';
}

/** Numbers that are no grains. */
function valueFault(radii: Float64Array, positions: Float64Array): string | undefined {
  if (!radii.every((radius) => radius > 0 && Number.isFinite(radius))) return 'it has radii that are not above 0';
  if (!positions.every(Number.isFinite)) return 'it has positions that are not finite';
  return undefined;
}
