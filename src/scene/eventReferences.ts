import { boundOf, checkOneOf, isObject, type Json, objects, type Report, wallNames } from './asWritten';
import { formatChoices, formatPath, nearest } from './faults';
import { EVENT_ACTIONS, EVENT_TIMES } from './vocabulary';

/** Steps after which an event at a time comes: the first that begins at it or later. */
export function stepAt(time: number, timeStep: number): number {
  // A time that is a whole number of steps but for rounding is that number.
  const steps = time / timeStep;
  const nearby = Math.round(steps);
  return Math.abs(steps - nearby) <= 1e-9 * nearby ? nearby : Math.ceil(steps);
}

/**
 * Faults between events and the rest of a scene: events that can never happen, that come in the wrong order or do nothing,
 * and walls that are not there when they are named. Looks at the scene as written, as referenceFaults does.
 */
export function checkEvents(scene: Json, report: Report): void {
  const live: LiveWalls = new Map();
  for (const [, wall] of objects(scene.walls)) addWall(live, wall, scene.dimension);
  let grains = Array.isArray(scene.grains) && scene.grains.length > 0;
  let stopped: string | undefined;
  let latest: { step: number; path: string } | undefined;
  for (const [k, event] of objects(scene.events)) {
    const path = ['events', k];
    const add = (keys: PropertyKey[], message: string) => report([...path, ...keys], message);
    if (stopped) add([], `never happens: ${stopped} stops the run; leave it out, or move it before that`);
    if (!EVENT_ACTIONS.some((action) => event[action] !== undefined)) {
      add([], `does nothing; give one or more of ${EVENT_ACTIONS.join(', ')}`);
    }
    if (isObject(event.when)) {
      checkOneOf([...path, 'when'], event.when, EVENT_TIMES, [], report);
      latest = checkOrder(event.when, scene.timeStep, latest, path, add);
      if (event.when.rest !== undefined && !grains) {
        add(['when', 'rest'], 'never happens: there are no grains yet that could come to rest; insert or pour some before');
      }
    }
    checkWalls(event, live, scene.dimension, add);
    grains ||= [event.insert, event.pour].some((value) => value !== undefined);
    if (event.stop === true) stopped ??= formatPath(path);
  }
  if (Array.isArray(scene.grains) && !grains) {
    report(['grains'], 'is empty, and no event inserts or pours grains; give at least one group');
  }
}

/** Names of walls that are there, with the names that go with each: of a box its faces; and what the scene says of it. */
type LiveWalls = Map<string, { names: string[]; wall: Json }>;
type Add = (keys: PropertyKey[], message: string) => void;
type Latest = { step: number; path: string } | undefined;

/** Events at times and steps come in their order. */
function checkOrder({ time, step }: Json, timeStep: unknown, latest: Latest, path: PropertyKey[], add: Add): Latest {
  let at: number;
  if (typeof step === 'number') at = step;
  else if (typeof time === 'number' && typeof timeStep === 'number' && timeStep > 0) at = stepAt(time, timeStep);
  else return latest;
  if (!latest || at >= latest.step) return { step: at, path: formatPath(path) };
  const key = typeof step === 'number' ? 'step' : 'time';
  add(['when', key], `is before ${latest.path} (step ${latest.step}); list events in the order in which they happen`);
  return latest;
}

/** Takes out the walls that an event removes and puts in those that it adds. */
function checkWalls(event: Json, live: LiveWalls, dimension: unknown, add: Add): void {
  const { removeWalls } = event;
  for (const [k, name] of Array.isArray(removeWalls) ? removeWalls.entries() : []) {
    if (typeof name !== 'string' || name === '') continue;
    if (!live.has(name)) add(['removeWalls', k], unknownWall(name, [...live.keys()]));
    for (const gone of live.get(name)?.names ?? []) live.delete(gone);
  }
  for (const [, wall] of objects(event.addWalls)) addWall(live, wall, dimension);
  if (isObject(event.setPiston)) checkPistons(event.setPiston, live, add);
  if (isObject(event.setMotion)) checkMotions(event.setMotion, live, add);
}

function addWall(live: LiveWalls, wall: Json, dimension: unknown): void {
  const [name, ...faces] = wallNames(wall, dimension);
  if (name === undefined) return;
  live.set(name, { names: [name, ...faces], wall: { ...wall } });
  for (const face of faces) live.set(face, { names: [face], wall: {} });
}

function checkPistons(setPiston: Json, live: LiveWalls, add: Add): void {
  for (const [name, change] of Object.entries(setPiston)) {
    const path = ['setPiston', name];
    const known = live.get(name);
    if (!known) {
      add(path, unknownWall(name, [...live.keys()]));
      continue;
    }
    const { wall } = known;
    if (wall.plane === undefined || boundOf(wall.plane) || wall.motion !== undefined) {
      add(path, 'only a whole plane that does not move by itself can be a piston; name such a wall');
    }
    if (!isObject(change)) continue;
    const missing = isObject(wall.piston) ? [] : ['mass', 'force'].filter((key) => change[key] === undefined);
    if (missing.length > 0) add(path, `"${name}" is no piston yet: give ${missing.join(' and ')} too`);
    wall.piston = { ...(isObject(wall.piston) ? wall.piston : {}), ...change };
  }
}

function checkMotions(setMotion: Json, live: LiveWalls, add: Add): void {
  for (const [name, change] of Object.entries(setMotion)) {
    const path = ['setMotion', name];
    const known = live.get(name);
    if (!known) {
      add(path, unknownWall(name, [...live.keys()]));
      continue;
    }
    const { wall } = known;
    if (wall.piston !== undefined) add(path, `"${name}" is a piston, which the grains and its force move; leave it out`);
    const turns = isObject(change) && Array.isArray(change.angularVelocity) && change.angularVelocity.some((w) => w !== 0);
    if (turns && isObject(wall.box) && change.point === undefined) {
      add([...path, 'point'], 'is missing: a box that an event sets turning needs the point about which it turns');
    }
    wall.motion = change ?? undefined;
  }
}

function unknownWall(name: string, live: readonly string[]): string {
  const meant = nearest(name, live);
  const known = live.length > 0 ? formatChoices(live.slice(0, 10)) : 'none';
  const hint = meant ? `did you mean "${meant}"?` : `there are then ${known}`;
  return `no wall is called "${name}" at that time; ${hint}`;
}
