import { NO_COLOUR } from '../../cpu/colouring';
import type { ScheduleState } from '../../events/schedule';
import { formatValue } from '../../scene/faults';
import { MAX_GRAINS } from '../../scene/limits';
import type { Snapshot } from '../../snapshot';
import { finiteFault, lengthFault, partsOf, scheduleFault, snapshotFault } from '../../snapshotFault';
import type { CheckpointGrains } from './checkpoint';
import type { Node, Tree } from './tree';

/**
 * What does not fit together in the arrays of a checkpoint; undefined where all does. The digest tells of damage alone: anyone can
 * write a file that has one.
 */
export function contentFault(tree: Tree): string | undefined {
  const { snapshot } = tree;
  const grains = partsOf(tree.grains);
  const { radii } = grains;
  const count = radii instanceof Float64Array ? radii.length : 0;
  if (count < 1 || count > MAX_GRAINS) return `it has ${count} grains`;
  const { solver, schedule } = partsOf(snapshot);
  const vectors = [3 * count];
  return (
    lengthFault(grains, { positions: vectors, velocities: vectors, angularVelocities: vectors, materials: [count] }) ??
    snapshotFault(solver, count) ??
    (schedule === undefined ? undefined : scheduleFault(schedule)) ??
    valueFault(grains as unknown as CheckpointGrains) ??
    periodicFault(tree.periodic) ??
    stateFault(solver as Snapshot, schedule as ScheduleState | undefined) ??
    headFault(tree, (solver as Snapshot).step)
  );
}

/** @param own the step of the state */
function headFault({ backend, step, time, program, scene }: Tree, own: number): string | undefined {
  if (backend !== 'cpu' && backend !== 'webgpu') return `its backend is ${formatValue(backend)}, not "cpu" or "webgpu"`;
  if (step !== own) return `its step is ${formatValue(step)}, its state that after step ${own}`;
  if (!(Number.isFinite(time) && (time as number) >= 0)) return `its time is ${formatValue(time)}`;
  const parts = partsOf(scene);
  const known = [program, parts.solver, ...Object.values(parts)].every((text) => typeof text === 'string');
  return known ? undefined : 'it does not tell of which scene it is, or what wrote it';
}

/** Numbers that are no grains. */
function valueFault(grains: CheckpointGrains): string | undefined {
  if (!grains.radii.every((radius) => radius > 0 && Number.isFinite(radius))) return 'it has radii that are not above 0';
  return finiteFault(grains, ['positions', 'velocities', 'angularVelocities']);
}

/** The box of periodic space, which may be left out. */
function periodicFault(periodic: Node): string | undefined {
  if (periodic === undefined) return undefined;
  const parts = partsOf(periodic);
  const { lengths } = parts;
  const negative = lengths instanceof Float64Array && lengths.some((length) => length < 0);
  return (
    lengthFault(parts, { min: [3], lengths: [3] }) ??
    finiteFault(parts as Record<'min' | 'lengths', Float64Array>, ['min', 'lengths']) ??
    (negative ? 'its periodic box has a length below 0' : undefined)
  );
}

/** More colours than any contact comes to: memory is taken for as many. */
const MOST_COLOURS = 2 ** 16;

function stateFault({ step, contacts }: Snapshot, schedule: ScheduleState | undefined): string | undefined {
  if (schedule && schedule.step !== step) return `its events are those after step ${schedule.step}, its state that after ${step}`;
  const known = contacts.colours.every((colour) => colour < MOST_COLOURS || colour === NO_COLOUR);
  return known ? undefined : `its contacts have more than ${MOST_COLOURS} colours`;
}
