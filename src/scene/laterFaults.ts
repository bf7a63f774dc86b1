import { type Fault, SceneError } from '../errors';
import { isObject, type Json, objects } from './asWritten';
import type { Problem } from './problem';
import { parseScene, type Scene } from './schema';

/** What was found wrong while files were read: the faults, and the entries of the scene (`grains[0]`) that have them. */
export interface Found {
  faults: Fault[];
  entries: string[];
}

/** Without these nothing is known of the space in which grains and walls lie. */
const SPACE = /^(format|dimension|periodic)?($|[.[])/;
/** Faults that may come of what stands in for something that is left out. */
const STANDS_IN = /^(timeStep|steps|materials|grains|walls|events)$/;
const EVENT_STAND_IN = { when: { step: 0 }, checkpoint: true };

/**
 * Reads a scene as it was written, with its files. Where it has faults, what can be read without them is checked all the same.
 * @throws SceneError with every fault found
 */
export async function readScene(
  json: unknown,
  load: (scene: Scene) => Promise<Problem>,
): Promise<{ scene: Scene; problem: Problem }> {
  let scene: Scene;
  try {
    scene = parseScene(json);
  } catch (error) {
    if (!(error instanceof SceneError)) throw error;
    const paths = error.faults.map(({ path }) => path);
    const later = paths.some((path) => SPACE.test(path)) ? [] : await laterFaults(json, paths, load);
    throw new SceneError([...error.faults, ...later]);
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
  const isSound = (entry: string) => !paths.some((path) => path.startsWith(entry));
  const rest = {
    grains: objects(json.grains).filter(([k]) => isSound(`grains[${k}]`)),
    walls: objects(json.walls).filter(([k]) => isSound(`walls[${k}]`)),
  };
  const scene = {
    format: json.format,
    dimension: json.dimension,
    periodic: json.periodic,
    timeStep: 1e-3,
    steps: 1,
    materials: Object.fromEntries(
      Object.entries(json.materials).map(([name, material]) => [name, { density: densityOf(material) }]),
    ),
    grains: rest.grains.map(([, group]) => atRest(group)),
    walls: rest.walls.map(([, wall]) => atRest(wall)),
    events: objects(json.events).map(([k, { insert, addWalls }]) =>
      isSound(`events[${k}]`) && (insert || addWalls)
        ? { ...EVENT_STAND_IN, insert, ...(addWalls ? { addWalls: objects(addWalls).map(([, wall]) => atRest(wall)) } : {}) }
        : EVENT_STAND_IN,
    ),
  };
  try {
    await load(parseScene(scene));
    return [];
  } catch (error) {
    if (!(error instanceof SceneError)) throw error;
    const asWritten = (text: string) =>
      text.replace(/\b(grains|walls)\[(\d+)\]/g, (_, list: 'grains' | 'walls', k) => `${list}[${rest[list][k]?.[0] ?? k}]`);
    const own = error.faults.filter(({ path }) => !STANDS_IN.test(path));
    return own.map(({ path, message }) => ({ path: asWritten(path), message: asWritten(message) }));
  }
}

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
