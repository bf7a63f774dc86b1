import type { Fault } from '../errors';
import { boundOf, checkOneOf, isObject, type Json, objects, type Report, wallNames } from './asWritten';
import { checkEvents } from './eventReferences';
import { formatChoices, formatPath, nearest } from './faults';
import { FILL_REGIONS, GRAIN_SOURCES, RADIUS_DISTRIBUTIONS, WALL_SHAPES } from './vocabulary';

/**
 * Faults that lie between the parts of a scene: names that refer to nothing or are taken twice, and objects that give none
 * or several of the things of which they need one. Looks at the scene as written and passes over what has the wrong type,
 * so that these faults are listed together with those of single values.
 */
export function referenceFaults(scene: unknown): Fault[] {
  if (!isObject(scene)) return [];
  const faults: Fault[] = [];
  const report = (path: PropertyKey[], message: string) => faults.push({ path: formatPath(path), message });
  const materials = isObject(scene.materials) ? scene.materials : undefined;

  const checkMaterial = (path: PropertyKey[], name: unknown) => {
    if (!materials || typeof name !== 'string' || !name || Object.hasOwn(materials, name)) return;
    const known = Object.keys(materials);
    const meant = nearest(name, known);
    const hint = meant ? `did you mean "${meant}"?` : `it has ${known.length ? formatChoices(known) : 'none'}`;
    report(path, `"${name}" is not in "materials"; ${hint}`);
  };

  // The definition's records pass over this name, which objects have for themselves.
  if (materials && Object.hasOwn(materials, '__proto__')) report(['materials', '__proto__'], 'is no usable name; choose another');
  for (const [k, contact] of objects(scene.contacts)) {
    if (Array.isArray(contact.between)) {
      for (const [side, name] of contact.between.entries()) checkMaterial(['contacts', k, 'between', side], name);
    }
  }
  checkPairsOnce(scene, report);
  for (const [path, group] of [...listedAt(['grains'], scene.grains), ...inEvents(scene, 'insert')]) {
    checkMaterial([...path, 'material'], group.material);
    checkOneOf(path, group, GRAIN_SOURCES, [], report);
    checkDensity(materials, group.material, path, report);
    checkGenerators(group, path, report);
  }
  for (const [path, pour] of pours(scene)) {
    checkMaterial([...path, 'material'], pour.material);
    checkDensity(materials, pour.material, path, report);
    if (isObject(pour.radius)) checkOneOf([...path, 'radius'], pour.radius, RADIUS_DISTRIBUTIONS, [], report);
    if (isObject(pour.region)) checkOneOf([...path, 'region'], pour.region, FILL_REGIONS, [], report);
  }
  for (const [path, wall] of [...listedAt(['walls'], scene.walls), ...inEvents(scene, 'addWalls')]) {
    checkMaterial([...path, 'material'], wall.material);
    checkOneOf(path, wall, WALL_SHAPES, [], report);
    checkPiston(wall, path, report);
    checkPlate(wall, path, report);
  }
  checkWallNames(scene, report);
  checkEvents(scene, report);
  return faults;
}

function checkDensity(materials: Json | undefined, name: unknown, group: PropertyKey[], report: Report): void {
  if (!materials || typeof name !== 'string' || !Object.hasOwn(materials, name)) return;
  const material = materials[name];
  if (!isObject(material) || material.density !== undefined) return;
  report(['materials', name, 'density'], `is missing: ${formatPath(group)} is made of this material and needs its density`);
}

function checkGenerators(group: Json, path: PropertyKey[], report: Report): void {
  for (const generator of ['lattice', 'random', 'ballistic'] as const) {
    const settings = group[generator];
    if (!isObject(settings)) continue;
    if (isObject(settings.radius)) {
      checkOneOf([...path, generator, 'radius'], settings.radius, RADIUS_DISTRIBUTIONS, [], report);
    }
    if (generator === 'random') checkOneOf([...path, 'random'], settings, FILL_REGIONS, [], report);
  }
}

/** A piston moves along the normal of its plane, and by nothing else. */
function checkPiston(wall: Json, path: PropertyKey[], report: Report): void {
  if (wall.piston === undefined) return;
  const shape = WALL_SHAPES.find((key) => wall[key] !== undefined && key !== 'plane');
  if (shape === 'box') report([...path, 'piston'], 'the faces of a box cannot be pistons; give the face as a plane of its own');
  else if (shape) report([...path, 'piston'], `only a plane can be a piston, not a ${shape}; use a plane, or leave it out`);
  if (wall.motion !== undefined) report(path, 'gives motion and piston at once; keep one');
  const bound = boundOf(wall.plane);
  if (bound) report([...path, 'plane', bound], 'cannot bound a piston, which is a whole plane; leave it out');
}

function checkPlate({ plane }: Json, path: PropertyKey[], report: Report): void {
  if (!isObject(plane) || plane.disk === undefined || plane.ring === undefined) return;
  report([...path, 'plane'], 'gives disk and ring at once; keep one');
}

function checkPairsOnce(scene: Json, report: Report): void {
  const seen = new Map<string, number>();
  for (const [k, { between }] of objects(scene.contacts)) {
    if (!Array.isArray(between) || between.length !== 2 || between.some((name) => typeof name !== 'string')) continue;
    const pair = JSON.stringify([...between].sort());
    const earlier = seen.get(pair);
    if (earlier !== undefined) report(['contacts', k, 'between'], `gives the pair of contacts[${earlier}] again; keep one`);
    else seen.set(pair, k);
  }
}

function checkWallNames(scene: Json, report: Report): void {
  const seen = new Map<string, string>();
  for (const [path, wall] of [...listedAt(['walls'], scene.walls), ...inEvents(scene, 'addWalls')]) {
    for (const name of wallNames(wall, scene.dimension)) {
      const earlier = seen.get(name);
      if (earlier !== undefined) report([...path, 'name'], `${earlier} is called "${name}" too; give each wall its own name`);
      else seen.set(name, formatPath(path));
    }
  }
}

function listedAt(path: PropertyKey[], value: unknown): [PropertyKey[], Json][] {
  return objects(value).map(([k, object]) => [[...path, k], object]);
}

/** What events list under a key, with the paths. */
function inEvents(scene: Json, key: string): [PropertyKey[], Json][] {
  return objects(scene.events).flatMap(([k, event]) => listedAt(['events', k, key], event[key]));
}

function pours(scene: Json): [PropertyKey[], Json][] {
  return objects(scene.events).flatMap(([k, { pour }]): [PropertyKey[], Json][] =>
    isObject(pour) ? [[['events', k, 'pour'], pour]] : [],
  );
}
