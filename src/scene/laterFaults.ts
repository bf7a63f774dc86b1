import { type Fault, SceneError } from '../errors';
import { isObject, type Json, objects } from './asWritten';
import type { Problem } from './problem';
import { checkScene, parseScene, type Scene, type SceneGroup, type SceneWall } from './schema';
import { BOX_FACES } from './vocabulary';

/** What was found wrong while files were read: the faults, and the entries of the scene (`grains[0]`) that have them. */
export interface Found {
  faults: Fault[];
  entries: string[];
}

/** Without these nothing is known of the space in which grains and walls lie. */
const SPACE = /^(format|dimension|periodic)?($|[.[])/;
/** Faults that may come of what stands in for something that is left out. */
const STANDS_IN = /^(timeStep|steps|materials|grains|walls|events)$/;
const ZERO: [number, number, number] = [0, 0, 0];
/** What keeps the place of an entry that is left out. */
const NO_GRAINS: SceneGroup = { material: 'none', list: [], force: ZERO };
const NO_WALL: SceneWall = { name: '', material: 'none', box: { min: ZERO, max: ZERO, open: [...BOX_FACES] } };
const EVENT_STAND_IN = { when: { step: 0 }, checkpoint: true };

/**
 * Reads a scene as it was written, with its files. Where it has faults, what can be read without them is checked all the same.
 * @throws SceneError with every fault found
 */
export async function readScene(
  json: unknown,
  load: (scene: Scene) => Promise<Problem>,
): Promise<{ scene: Scene; problem: Problem }> {
  const { data: scene, faults } = checkScene(json);
  if (!scene || faults.length > 0) {
    const paths = faults.map(({ path }) => path);
    const later = paths.some((path) => SPACE.test(path)) ? [] : await laterFaults(json, paths, load);
    throw new SceneError([...faults, ...later]);
  }
  return { scene, problem: await load(scene) };
}

/**
 * The faults of the files and the fills of those groups of grains, walls and events that have none of the faults found before.
 * @param paths of these
 */
export async function laterFaults(
  json: unknown,
  paths: readonly string[],
  load: (scene: Scene) => Promise<Problem>,
): Promise<Fault[]> {
  if (!isObject(json) || !isObject(json.materials)) return [];
  const unsound = new Set(paths.map((path) => /^\w+\[\d+\]/.exec(path)?.[0]));
  // With what keeps places a scene comes here again where its files have faults.
  const isOut = (entry: unknown, path: string) => unsound.has(path) || entry === NO_GRAINS || entry === NO_WALL;
  const list = (key: 'grains' | 'walls' | 'events') =>
    (Array.isArray(json[key]) ? (json[key] as Json[]) : []).map((entry, k) => (isOut(entry, `${key}[${k}]`) ? undefined : entry));
  const [grains, walls, events] = [list('grains'), list('walls'), list('events')];
  const rest = {
    format: json.format,
    dimension: json.dimension,
    periodic: json.periodic,
    timeStep: 1e-3,
    steps: 1,
    materials: {
      none: { density: 1 },
      ...Object.fromEntries(Object.entries(json.materials).map(([name, material]) => [name, { density: densityOf(material) }])),
    },
    grains: [
      ...grains.flatMap((group) => (group ? [atRest(group)] : [])),
      { ...NO_GRAINS, list: [{ position: ZERO, radius: 1 }] },
    ],
    walls: walls.flatMap((wall) => (wall ? [atRest(wall)] : [])),
    events: events.map(({ insert, addWalls } = {}) =>
      insert || addWalls ? { ...EVENT_STAND_IN, insert, addWalls: addWalls && objects(addWalls).map(movable) } : EVENT_STAND_IN,
    ),
  };
  try {
    const parsed = parseScene(rest);
    // Every entry keeps its place, so that faults name it.
    let [group, wall] = [0, 0];
    await load({
      ...parsed,
      grains: grains.map((entry) => (entry ? parsed.grains[group++] : NO_GRAINS)),
      walls: walls.map((entry) => (entry ? parsed.walls[wall++] : NO_WALL)),
      // Which walls are where when grains come is not known: those of earlier are out of their way.
      events: parsed.events.map((event, k) => ({
        ...event,
        removeWalls: (k > 0 ? (parsed.events[k - 1].addWalls ?? []) : parsed.walls).map(({ name }) => name),
      })),
    });
    return [];
  } catch (error) {
    if (!(error instanceof SceneError)) throw error;
    return error.faults.filter(({ path }) => !STANDS_IN.test(path));
  }
}

/** An added wall of which is left open whether it moves: no grain is beyond it. */
const movable = ([, wall]: [number, Json]) => ({ ...atRest(wall), motion: {} });

/** Motion, and what drives it, is judged by the time step, which may be at fault. */
function atRest({ motion, piston, velocity, force, ...rest }: Json): Json {
  const { list } = rest;
  if (!Array.isArray(list)) return rest;
  return { ...rest, list: list.map(({ position, radius, fixed }) => ({ position, radius, fixed })) };
}

function densityOf(material: unknown): number {
  const density = isObject(material) ? Number(material.density) : 0;
  return density > 0 && density < Infinity ? density : 1;
}
