import { randomNumbers } from '../scene/generators/randomNumbers';
import { placeDrawer } from '../scene/generators/regions';
import type { Grains, Pour, Problem, RunEvent, Vector } from '../scene/problem';
import { INSERT_INTERVAL, POUR_TRIES } from '../settings';
import type { Room } from './room';

/** Grains of one event that are still to come in. */
export interface Source {
  /** Of the sources that there are: 2 to an event, first the grains that have places of their own. */
  id: number;
  event: number;
  grains: Grains;
  /** Indices of those that are still to come, in their order. */
  waiting: number[];
  /** Absent for grains that have places of their own. */
  pour?: Pour;
  /** Steps done when the event happened. */
  start: number;
  /** Steps done at the last try; undefined before the first. */
  tried?: number;
}

/** @param step steps done when the event happened */
export function sourcesOf({ insert, pour }: RunEvent, event: number, step: number): Source[] {
  const source = (grains: Grains, kind: 0 | 1): Source => ({
    id: 2 * event + kind,
    event,
    grains,
    waiting: Array.from({ length: grains.count }, (_, k) => k),
    start: step,
  });
  return [...(insert ? [source(insert, 0)] : []), ...(pour ? [{ ...source(pour.grains, 1), pour }] : [])];
}

/** Steps done when grains of a source can come in next: tries are made at multiples of INSERT_INTERVAL. */
export function nextTry({ pour, start, tried, grains, waiting }: Source, timeStep: number): number {
  const next = INSERT_INTERVAL * (Math.floor((tried ?? start) / INSERT_INTERVAL) + 1);
  if (!pour) return next;
  const due = start + (grains.count - waiting.length + 1) / (pour.rate * timeStep);
  return Math.max(next, INSERT_INTERVAL * Math.ceil(due / INSERT_INTERVAL - ROUNDING));
}

/** Share of a grain, or of a step, by which rounding may delay a grain. */
const ROUNDING = 1e-9;

/**
 * Tries to put in what is due of a source, and takes it off the list.
 * @param step steps done
 */
export function findPlaces(source: Source, room: Room, step: number, problem: Problem): Placed[] {
  source.tried = step;
  const placed = source.pour ? pourGrains(source, source.pour, room, step, problem) : insertGrains(source, room);
  const gone = new Set(placed.map(({ index }) => index));
  source.waiting = source.waiting.filter((index) => !gone.has(index));
  return placed;
}

/** A grain that found room. */
export interface Placed {
  /** Among the grains of its source. */
  index: number;
  place: Vector;
}

function insertGrains({ grains: { positions, radii }, waiting }: Source, room: Room): Placed[] {
  const placeOf = (i: number): Vector => [positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]];
  return waiting.filter((i) => room.take(placeOf(i), radii[i])).map((index) => ({ index, place: placeOf(index) }));
}

/** Grains come in their order; where one finds no room, it and those after it wait. */
function pourGrains(
  { grains, waiting, start }: Source,
  { region, rate, seed }: Pour,
  room: Room,
  step: number,
  problem: Problem,
): Placed[] {
  const { radii } = grains;
  const due = Math.floor(rate * problem.timeStep * (step - start) + ROUNDING) - (grains.count - waiting.length);
  // A new sequence for each try, so that a resumed run needs no state of it.
  const draw = placeDrawer(region, randomNumbers((seed ^ Math.imul(step + 1, 0x9e3779b1)) >>> 0), problem);
  const placed: Placed[] = [];
  const place: Vector = [0, 0, 0];
  for (const i of waiting.slice(0, Math.max(0, due))) {
    let tries = POUR_TRIES;
    while (tries > 0 && !(draw(radii[i], place) && room.take(place, radii[i]))) tries--;
    if (tries === 0) break;
    placed.push({ index: i, place: [...place] });
  }
  return placed;
}
