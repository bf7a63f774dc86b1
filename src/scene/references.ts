import type { Fault } from '../errors';
import { formatChoices, formatPath, nearest } from './faults';
import { FILL_REGIONS, GRAIN_SOURCES, RADIUS_DISTRIBUTIONS, UNSUPPORTED_WALL_SHAPES, WALL_SHAPES } from './vocabulary';
import { boxFaces } from './walls';

type Json = Record<string, unknown>;

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
  for (const [k, group] of objects(scene.grains)) {
    checkMaterial(['grains', k, 'material'], group.material);
    checkOneOf(['grains', k], group, GRAIN_SOURCES, [], report);
    checkDensity(materials, group.material, k, report);
    checkGenerators(group, k, report);
  }
  for (const [k, wall] of objects(scene.walls)) {
    checkMaterial(['walls', k, 'material'], wall.material);
    checkOneOf(['walls', k], wall, WALL_SHAPES, UNSUPPORTED_WALL_SHAPES, report);
    checkPiston(wall, k, report);
    if (wall.mesh !== undefined && isObject(scene.periodic)) {
      report(['walls', k, 'mesh'], 'is not supported in periodic space yet; leave out one of the two');
    }
  }
  checkWallNames(scene, report);
  return faults;
}

type Report = (path: PropertyKey[], message: string) => void;

function checkOneOf(
  path: PropertyKey[],
  object: Json,
  keys: readonly string[],
  unsupported: readonly string[],
  report: Report,
): void {
  const given = keys.filter((key) => object[key] !== undefined);
  if (given.length > 1) report(path, `gives ${given.join(' and ')} at once; keep one`);
  else if (given.length === 0 && !unsupported.some((key) => key in object)) report(path, `needs one of ${keys.join(', ')}`);
}

function checkDensity(materials: Json | undefined, name: unknown, group: number, report: Report): void {
  if (!materials || typeof name !== 'string' || !Object.hasOwn(materials, name)) return;
  const material = materials[name];
  if (!isObject(material) || material.density !== undefined) return;
  report(['materials', name, 'density'], `is missing: grains[${group}] is made of this material and needs its density`);
}

function checkGenerators(group: Json, k: number, report: Report): void {
  for (const generator of ['lattice', 'random', 'ballistic'] as const) {
    const settings = group[generator];
    if (!isObject(settings)) continue;
    if (isObject(settings.radius)) {
      checkOneOf(['grains', k, generator, 'radius'], settings.radius, RADIUS_DISTRIBUTIONS, [], report);
    }
    if (generator === 'random') checkOneOf(['grains', k, 'random'], settings, FILL_REGIONS, [], report);
  }
}

/** A piston moves along the normal of its plane, and by nothing else. */
function checkPiston(wall: Json, k: number, report: Report): void {
  if (wall.piston === undefined) return;
  const shape = [...WALL_SHAPES, ...UNSUPPORTED_WALL_SHAPES].find((key) => wall[key] !== undefined && key !== 'plane');
  if (shape === 'box')
    report(['walls', k, 'piston'], 'the faces of a box cannot be pistons; give the face as a plane of its own');
  else if (shape) report(['walls', k, 'piston'], `only a plane can be a piston, not a ${shape}; use a plane, or leave it out`);
  if (wall.motion !== undefined) report(['walls', k], 'gives motion and piston at once; keep one');
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
  const seen = new Map<string, number>();
  for (const [k, wall] of objects(scene.walls)) {
    if (typeof wall.name !== 'string') continue;
    const faces = isObject(wall.box)
      ? boxFaces(wall.box.open, scene.dimension === 2 ? 2 : 3).map((face) => `${wall.name}.${face}`)
      : [];
    for (const name of [wall.name, ...faces]) {
      const earlier = seen.get(name);
      if (earlier !== undefined)
        report(['walls', k, 'name'], `walls[${earlier}] is called "${name}" too; give each wall its own name`);
      else seen.set(name, k);
    }
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objects(value: unknown): [number, Json][] {
  return Array.isArray(value) ? [...value.entries()].filter((entry): entry is [number, Json] => isObject(entry[1])) : [];
}
