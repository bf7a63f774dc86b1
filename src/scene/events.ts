import type { Fault } from '../errors';
import { stepAt } from './eventReferences';
import { FaultList, formatValue } from './faults';
import { drawRadii } from './generators/radii';
import { randomNumbers } from './generators/randomNumbers';
import { placeDrawer, regionExtent } from './generators/regions';
import { allocateGrains, setAll } from './grainSets';
import { type GrainGroup, grainName, makeGrains, type ReadTable, readGroups } from './grains';
import type { Found } from './laterFaults';
import { periodicWallFaults } from './periodicScene';
import type { FillRegion, Grains, Pour, RunEvent, Space, Vector, Wall } from './problem';
import type { Scene, SceneEvent } from './schema';
import { type WallLength, wallDistance } from './walls';

/** The groups of grains that an event brings, as the scene gives them. */
export interface EventGroups {
  path: string;
  groups: GrainGroup[];
}

/** Reads the files that the events of a scene name. @throws SceneError with the faults of the first event that has any */
export async function readEventGroups({ events }: Scene, readTable: ReadTable, found: Found): Promise<EventGroups[]> {
  const all: EventGroups[] = [];
  for (const [k, { insert }] of events.entries()) {
    const path = `events[${k}]`;
    all.push({ path, groups: await readGroups(insert ?? [], readTable, found, `${path}.insert`) });
  }
  return all;
}

/** All groups of a scene, each from the grain on that it has among all grains in the order of joinGrains; a pour is one too. */
export function allGroups({ events }: Scene, groups: readonly GrainGroup[], ofEvents: readonly EventGroups[]): GrainGroup[] {
  let start = groups.reduce((sum, { count }) => sum + count, 0);
  const later = events.flatMap(({ pour }, k): GrainGroup[] => {
    const path = `events[${k}].pour`;
    const poured = pour ? [{ settings: { material: pour.material, force: pour.force }, path, start: 0, count: pour.count }] : [];
    return [...ofEvents[k].groups, ...poured].map((group) => {
      start += group.count;
      return { ...group, start: start - group.count };
    });
  });
  return [...groups, ...later];
}

/** Grains that the events of a scene bring. */
export function countEventGrains({ events }: Scene, groups: readonly EventGroups[]): number {
  const inserted = groups.reduce((sum, event) => event.groups.reduce((total, { count }) => total + count, sum), 0);
  return events.reduce((sum, { pour }) => sum + (pour?.count ?? 0), inserted);
}

export interface MadeEvents {
  events: RunEvent[];
  faults: Fault[];
  warnings: string[];
}

/**
 * Makes what the events of a scene bring; grains without their masses.
 * @param space with the walls at the start
 * @param added the walls that each event adds
 * @throws SceneError for fills that do not fit
 */
export function makeEvents(
  scene: Scene,
  groups: readonly EventGroups[],
  space: Space,
  added: readonly Wall[][],
  materialIndex: (name: string) => number,
): MadeEvents {
  const { events, steps, timeStep } = scene;
  const made: MadeEvents = { events: [], faults: [], warnings: [] };
  let live = [...space.walls];
  const everMoved = new Set<string>();
  for (const [k, event] of events.entries()) {
    const path = `events[${k}]`;
    const removed = live.filter(({ name, box }) => event.removeWalls?.some((gone) => gone === name || gone === box));
    const addWalls = added[k];
    live = [...live.filter((wall) => !removed.includes(wall)), ...addWalls];
    made.faults.push(...wallFaults(event, k, space));
    for (const { name, motion } of live) if (motion) everMoved.add(name);
    for (const name of Object.keys(motionsOf(event, live))) everMoved.add(name);
    const insert = event.insert && makeGrains(groups[k].groups, { ...space, walls: live }, materialIndex, []);
    if (insert)
      made.faults.push(
        ...misplaced(
          insert,
          live.filter(({ name }) => !everMoved.has(name)),
          groups[k].groups,
        ),
      );
    const pour = event.pour && makePour(event.pour, materialIndex, space.dimension);
    if (pour) made.faults.push(...narrowRegion(pour, space, `${path}.pour.region`));
    const when = whenOf(event, timeStep);
    if ('step' in when && when.step > steps) {
      made.warnings.push(`${path} comes at step ${when.step}, after the last (${steps}): it never happens`);
    }
    made.events.push({
      when,
      removeWalls: removed.map(({ name }) => name),
      addWalls,
      setPiston: event.setPiston ?? {},
      setMotion: motionsOf(event, live),
      ...(event.setGravity ? { gravity: event.setGravity } : {}),
      ...(insert ? { insert } : {}),
      ...(pour ? { pour } : {}),
      checkpoint: event.checkpoint ?? false,
      stop: event.stop ?? false,
      text: describe(event, insert?.count ?? 0),
    });
  }
  return made;
}

function wallFaults({ addWalls }: SceneEvent, k: number, { periodic }: Space): Fault[] {
  return addWalls && periodic ? periodicWallFaults(addWalls, periodic, ['events', k, 'addWalls']) : [];
}

/** What an event makes of the motions of walls that are there, boxes by their faces. */
function motionsOf({ setMotion = {} }: SceneEvent, live: readonly Wall[]): RunEvent['setMotion'] {
  // A face's own motion goes before that of its box.
  const keyOf = ({ name, box }: Wall) => [name, box].find((key) => key !== undefined && Object.hasOwn(setMotion, key));
  return Object.fromEntries(
    live.flatMap((wall) => {
      const key = keyOf(wall);
      return key === undefined ? [] : [[wall.name, setMotion[key]]];
    }),
  );
}

function whenOf({ when: { time, step, rest } }: SceneEvent, timeStep: number): RunEvent['when'] {
  if (rest !== undefined) return { rest };
  return { step: step ?? stepAt(time!, timeStep) };
}

/** Grains that would be put on the wrong side of a wall would wait for ever; fixed ones may lie anywhere. */
function misplaced({ count, positions, fixed }: Grains, walls: readonly Wall[], groups: readonly GrainGroup[]): Fault[] {
  const faults = new FaultList('grains outside the walls');
  for (const wall of walls) {
    if (wall.piston) continue;
    for (let i = 0; i < count; i++) {
      if (fixed[i]) continue;
      const distance = wallDistance(wall, positions[3 * i], positions[3 * i + 1], positions[3 * i + 2], 0);
      if (!(distance < 0)) continue;
      const message = `the centre is ${(-distance).toPrecision(3)} beyond wall ${formatValue(wall.name)}, on the side where no grains are: it would never find room`;
      faults.add(() => ({ path: grainName(groups, i), message }));
    }
  }
  return faults.faults;
}

function makePour(
  { material, count, radius, velocity, force, region, rate, seed }: NonNullable<SceneEvent['pour']>,
  materialIndex: (name: string) => number,
  dimension: Space['dimension'],
): Pour {
  const grains = allocateGrains(count);
  grains.radii.set(drawRadii(radius, count, randomNumbers(seed)));
  grains.materials.fill(materialIndex(material));
  setAll(grains.positions, middleOf(region, dimension), 0, count);
  setAll(grains.velocities, velocity, 0, count);
  setAll(grains.forces, force, 0, count);
  return { grains, region, rate, seed };
}

/** A grain that is too large for its region would wait for ever, and those after it too. */
function narrowRegion({ grains: { radii }, region }: Pour, space: Space, path: string): Fault[] {
  const draw = placeDrawer(region, () => 0.5, space);
  const place: Vector = [0, 0, 0];
  const large = radii.find((radius) => !draw(radius, place));
  if (large === undefined) return [];
  return [{ path, message: `has no room for a grain of radius ${large.toPrecision(3)}: make it wider, or the grains smaller` }];
}

/** How far from the origin grains that are poured may be. */
export function pourLengths({ events }: Scene): WallLength[] {
  return events.flatMap(({ pour }, k) => (pour ? [{ path: `events[${k}].pour.region`, length: regionExtent(pour.region) }] : []));
}

function middleOf({ box, cylinder }: FillRegion, dimension: Space['dimension']): Vector {
  if (box) return box.min.map((x, axis) => (x + box.max[axis]) / 2) as Vector;
  const { point, axis, height } = cylinder!;
  if (dimension === 2) return point;
  const length = Math.hypot(...axis);
  return point.map((x, k) => x + (height / 2) * (axis[k] / length)) as Vector;
}

/** What an event does, for the log. */
function describe(
  { removeWalls, addWalls, setPiston, setMotion, setGravity, pour, checkpoint, stop }: SceneEvent,
  inserted: number,
): string {
  const parts = [
    removeWalls && `removeWalls ${removeWalls.join(' ')}`,
    addWalls && `addWalls ${addWalls.map(({ name }) => name).join(' ')}`,
    setPiston && `setPiston ${changesOf(setPiston, ({ mass, force }) => ({ mass, force }))}`,
    setMotion && `setMotion ${changesOf(setMotion, (motion) => ({ ...motion, point: undefined, ...motion?.oscillation }))}`,
    setGravity && `setGravity ${figures(setGravity)}`,
    inserted > 0 && `insert ${inserted} grains`,
    pour && `pour ${pour.count} grains`,
    checkpoint && 'checkpoint',
    stop && 'stop',
  ];
  return parts.filter(Boolean).join('; ');
}

/** By the names of walls what they get, zeros left out; all of them zero: the wall stops. */
function changesOf<T>(changes: Record<string, T>, valuesOf: (change: T) => Record<string, unknown>): string {
  const texts = Object.entries(changes).map(([name, change]) => {
    const parts = Object.entries(valuesOf(change)).flatMap(([key, value]) => {
      const numbers = [value].flat().filter((x) => typeof x === 'number');
      return numbers.some((x) => x !== 0) ? [`${key} ${figures(numbers)}`] : [];
    });
    return `${name} ${parts.length > 0 ? parts.join(' ') : 'stops'}`;
  });
  return texts.join(', ');
}

const figures = (numbers: readonly number[]) => numbers.map((x) => Number(x.toPrecision(4))).join(' ');
