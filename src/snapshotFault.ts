import { MEMORY_STRIDE } from './cpu/memory';
import { Schedule, type ScheduleState } from './events/schedule';
import { formatValue } from './scene/faults';
import type { Problem, Wall } from './scene/problem';
import { MAX_COLOUR_WORDS } from './settings';
import type { Snapshot, SnapshotPiston } from './snapshot';

type Parts = Readonly<Record<string, unknown>>;

/** What belongs to another scene rather than being damaged is told so. */
const FOREIGN = 'it belongs to another scene';

export const partsOf = (value: unknown) => (typeof value === 'object' && value !== null ? value : {}) as Parts;
const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isVector = (value: unknown) => Array.isArray(value) && value.length === 3 && value.every(Number.isFinite);

/**
 * @param given where a simulation is to go on
 * @param name what messages call it
 * @param problem as it was given, before its events
 * @throws RangeError that says what does not fit the problem, or is damaged
 */
export function checkSnapshot(given: unknown, problem: Problem, name = 'The snapshot given as "from"'): void {
  const refuse = (fault: string | undefined) => {
    if (fault !== undefined) throw new RangeError(`${name} does not fit: ${fault}`);
  };
  const { solver, schedule } = partsOf(given);
  if (!solver) refuse(`expected what capture() gave, got ${formatValue(given)}`);
  if (schedule !== undefined) refuse(scheduleFault(schedule, problem.events?.length ?? 0));
  const now = schedule ? new Schedule(problem, schedule as ScheduleState).problem : problem;
  refuse(snapshotFault(solver, now.grains.count, now.walls));
}

/**
 * What does not fit together in what should be a Snapshot; undefined where all does.
 * @param grains that it should have
 * @param walls that it should have, where they are known
 */
export function snapshotFault(given: unknown, grains: number, walls?: readonly Wall[]): string | undefined {
  const solver = partsOf(given);
  const { positions, velocities, step, extent, reachLimit, colourWords, cold, fresh, order } = solver as Partial<Snapshot>;
  const own = (positions?.length ?? 0) / 3;
  if (walls && own > 0 && Number.isInteger(own) && own !== grains && velocities?.length === positions?.length)
    return `the snapshot has ${own} grains, the scene ${grains}: ${FOREIGN}`;
  const contacts = partsOf(solver.contacts);
  const { count } = contacts;
  if (!isWhole(count)) return 'it does not tell how many contacts it has';
  const vectors = [3 * grains];
  const lengths =
    lengthFault(solver, {
      ...{ positions: vectors, remainders: vectors, velocities: vectors, spins: vectors, orientations: [4 * grains] },
      order: [0, grains],
    }) ??
    lengthFault(contacts, {
      ...{ first: [count], second: [count], gaps: [count], colours: [count] },
      ...{ normals: [3 * count], impulses: [3 * count], torques: [0, 3 * count] },
      ...{ keys: [0, count], memory: [0, MEMORY_STRIDE * count] },
    });
  if (lengths !== undefined) return lengths;
  const all = { ...solver, ...contacts } as unknown as Snapshot & Snapshot['contacts'];
  const infinite = finiteFault(all, ['positions', 'remainders', 'velocities', 'spins', 'orientations', ...CONTACT_NUMBERS]);
  if (infinite !== undefined) return infinite;
  if (!isWhole(step)) return `its step is ${formatValue(step)}`;
  if (!(reachLimit! > 0 && Number.isFinite(reachLimit))) return `its reachLimit is ${formatValue(reachLimit)}, not above 0`;
  if (!isVector(extent) || extent!.some((length) => length < 0)) return `its extent is ${formatValue(extent)}, not three lengths`;
  if (!(isWhole(colourWords) && colourWords > 0 && colourWords <= MAX_COLOUR_WORDS))
    return `its colourWords is ${formatValue(colourWords)}, not from 1 to ${MAX_COLOUR_WORDS}`;
  if (typeof cold !== 'boolean' || typeof fresh !== 'boolean') return 'its "cold" and "fresh" are not true or false';
  if (!all.first.every((i) => i < grains) || !order!.every((i) => i < grains))
    return `it names grains that are not among its ${grains}`;
  if (walls && !all.second.every((body) => body < grains + walls.length))
    return `it has contacts with walls that are not there: ${FOREIGN}`;
  return pistonFault(solver.pistons, walls);
}

function pistonFault(pistons: unknown, walls: readonly Wall[] | undefined): string | undefined {
  const isPiston = ({ anchor, remainder, velocity }: Partial<SnapshotPiston>) => [anchor, remainder, velocity].every(isVector);
  if (!Array.isArray(pistons) || !pistons.map(partsOf).every(isPiston)) return 'its pistons are not whole';
  const places = pistons.map(({ wall }) => wall);
  const same = !walls || String(places) === String([...walls.keys()].filter((w) => walls[w].piston));
  return same ? undefined : `its pistons are other walls than those of the scene: ${FOREIGN}`;
}

const CONTACT_NUMBERS = ['normals', 'gaps', 'impulses', 'torques', 'memory'] as const;

/** The first number that is none, of the arrays of these names. */
export function finiteFault<Name extends string>(
  parts: Readonly<Record<Name, Float64Array>>,
  names: readonly Name[],
): string | undefined {
  for (const name of names) {
    const index = parts[name].findIndex((value) => !Number.isFinite(value));
    if (index >= 0) return `"${name}" has ${parts[name][index]} at index ${index}, where a finite number belongs`;
  }
  return undefined;
}

const IDS = ['first', 'second', 'keys', 'colours', 'order', 'materials'];

/** @param lengths that each array may have */
export function lengthFault(parts: Parts, lengths: Readonly<Record<string, readonly number[]>>): string | undefined {
  for (const [name, allowed] of Object.entries(lengths)) {
    const values = parts[name];
    const Type = IDS.includes(name) ? Uint32Array : Float64Array;
    if (values !== undefined && !(values instanceof Type)) return `"${name}" is no ${Type.name}`;
    const length = (values as Float64Array | undefined)?.length;
    if (length === undefined || !allowed.includes(length))
      return `"${name}" has ${length ?? 'no'} values where ${allowed.join(' or ')} belong`;
  }
  return undefined;
}

/** What does not fit in what should be a ScheduleState; undefined where all does. @param events that the scene has */
export function scheduleFault(given: unknown, events = Infinity): string | undefined {
  const { step, firedAt, rest, added } = partsOf(given);
  const { steps, momentum, step: seen } = partsOf(rest);
  const whole =
    [step, steps].every(isWhole) &&
    Number.isInteger(seen) &&
    isVector(momentum) &&
    Array.isArray(firedAt) &&
    firedAt.every(isWhole) &&
    added instanceof Uint32Array &&
    added.length % 2 === 0;
  if (!whole) return 'the state of the events is not whole';
  return firedAt.length <= events ? undefined : `${firedAt.length} events have happened, the scene has ${events}: ${FOREIGN}`;
}
