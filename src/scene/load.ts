import { AMOUNT, checkArgument, checkOptions, FUNCTION, type Kind } from '../arguments';
import { type Fault, SceneError } from '../errors';
import { oneChunk } from '../io/bytes';
import { CHECKPOINT_NAME } from '../io/fileNames';
import {
  boxWarnings,
  checkPlaces,
  idleMotionWarnings,
  massRatioWarnings,
  massWarnings,
  meshWarnings,
  missingLaws,
  timeStepWarnings,
  typeWarnings,
} from './checks';
import { planarGrainFaults } from './dimension';
import { allGroups, countEventGrains, makeEvents, pourLengths, readEventGroups } from './events';
import { extremeFaults, pistonFaults } from './extremes';
import { FaultList, formatValue } from './faults';
import { eventGrains, joinGrains } from './grainSets';
import { type GrainGroup, grainName, makeGrains, placed, type ReadTable, readGroups, spreadFaults } from './grains';
import { grainVolume } from './grainVolume';
import { type Found, laterFaults } from './laterFaults';
import { coulomb, toPairLaw } from './laws';
import { estimateMemory, gibibytes, MAX_GRAINS, MAX_WALLS } from './limits';
import { type MeshShape, type ReadMeshes, readMeshes } from './mesh/read';
import { repeatMeshes } from './mesh/repeat';
import { motionFaults, movingWalls, setMotionLengths } from './motionChecks';
import { narrowFaults, periodicFaults, toPeriodic } from './periodicScene';
import type { Grains, Material, Periodic, Problem, SolverOptions } from './problem';
import type { Scene } from './schema';
import { farWalls, makeWalls, wallLengths } from './walls';

export interface LoadOptions {
  /** Bytes of memory that the machine has; a scene that needs more is refused. Absent: only the count of grains is limited. */
  memory?: number;
  /** Reads a file of a mesh, or one of grains that is no plain text, by its path as the scene gives it; what it throws becomes a fault. */
  readBytes?: (path: string) => Promise<Uint8Array>;
  /** Reads files of grains instead of readText and readBytes; what it throws becomes a fault. */
  readTable?: ReadTable;
}

/** Defaults are filled in where a scene was parsed. */
const PARSED: Kind = [
  'what parseScene gave',
  (scene) => {
    const { events, solver } = (scene ?? {}) as Partial<Scene>;
    return Array.isArray(events) && solver?.seed !== undefined;
  },
];
const LOAD_OPTIONS = { readBytes: FUNCTION, readTable: FUNCTION, memory: AMOUNT };

/**
 * Reads the files that a scene names, makes its grains and walls, and checks them together.
 * @param readText reads a grain file, by its path as the scene gives it; what it throws becomes a fault
 * @throws SceneError with every fault found
 * @throws TypeError naming an argument that is not what it must be
 */
export async function loadProblem(
  scene: Scene,
  readText: (path: string) => Promise<string>,
  options: LoadOptions = {},
): Promise<Problem> {
  checkArgument('loadProblem', 'scene', scene, PARSED);
  checkArgument('loadProblem', 'readText', readText, FUNCTION);
  checkOptions('loadProblem', options, LOAD_OPTIONS);
  const { memory, readBytes = noBytes, readTable = tableReader(readText, readBytes) } = options;
  const materials = Object.entries(scene.materials).map(([name, { density }]): Material => ({ name, density }));
  const indices = new Map(materials.map(({ name }, index) => [name, index]));
  const materialIndex = (name: string) => indices.get(name)!;
  const { dimension } = scene;
  const periodic = toPeriodic(scene);
  const found: Found = { faults: [], entries: [] };
  const meshes = await readMeshes(scene.walls, readBytes, found);
  const addedMeshes: ReadMeshes[] = [];
  for (const [k, { addWalls = [] }] of scene.events.entries()) {
    addedMeshes.push(await readMeshes(addWalls, readBytes, found, `events[${k}].addWalls`));
  }
  const groups = await readGroups(scene.grains, readTable, found);
  const eventGroups = await readEventGroups(scene, readTable, found);
  if (found.entries.length > 0)
    found.faults.push(...(await laterFaults(scene, found.entries, (rest) => loadProblem(rest, readText, options))));
  refuse(found.faults);
  if (periodic) refuse(repeatRead([meshes, ...addedMeshes], periodic));
  const walls = makeWalls(scene.walls, materialIndex, dimension, meshes.shapes);
  const count = groups.reduce((sum, group) => sum + group.count, 0) + countEventGrains(scene, eventGroups);
  const added = scene.events.map(({ addWalls = [] }, k) => makeWalls(addWalls, materialIndex, dimension, addedMeshes[k].shapes));
  const wallCount = added.reduce((sum, { length }) => sum + length, walls.length);
  refuse([...sizeFaults(count, wallCount, memory), ...periodicFaults(scene, periodic)]);

  const space = { dimension, walls, periodic };
  const grains = makeGrains(groups, space, materialIndex, wallLengths(scene.walls, meshes.shapes));
  const massFaults = setMasses(grains, materials, groups, dimension);
  // Walls that come before the first step find the grains where the scene has them.
  const later = scene.events.findIndex(({ when: { step, time } }) => (step ?? time) !== 0);
  const early = added.slice(0, later < 0 ? added.length : later).flat();
  const { faults, warnings } = checkPlaces(grains, { ...space, walls: [...walls, ...early] }, groups);
  const made = makeEvents(scene, eventGroups, space, added, materialIndex);
  for (const [k, { insert, pour }] of made.events.entries()) {
    if (insert) massFaults.push(...setMasses(insert, materials, eventGroups[k].groups, dimension));
    if (pour) massFaults.push(...setMasses(pour.grains, materials, [], dimension, `events[${k}].pour`));
  }
  const everyGroup = allGroups(scene, groups, eventGroups);
  numberGroups([grains, ...eventGrains(made.events)], everyGroup);
  const everyGrain = joinGrains([grains, ...eventGrains(made.events)]);
  const smallest = everyGrain.radii.reduce((least, radius) => Math.min(least, radius), Number.POSITIVE_INFINITY);
  const moving = movingWalls(scene);
  const addedLengths = scene.events.flatMap(({ addWalls = [] }, k) =>
    wallLengths(addWalls, addedMeshes[k].shapes, ['events', k, 'addWalls']),
  );
  const laterLengths = [...addedLengths, ...setMotionLengths(moving), ...pourLengths(scene)];
  const everyWall = [...walls, ...added.flat()];
  if (dimension === 2) refuse(planarGrainFaults(everyGrain, (grain) => grainName(everyGroup, grain)));

  const meshOf = new Map([
    ...[...meshes.shapes].map(([w, shape]) => [scene.walls[w].name, shape] as const),
    ...addedMeshes.flatMap(({ shapes }, k) =>
      [...shapes].map(([w, shape]) => [scene.events[k].addWalls![w].name, shape] as const),
    ),
  ]);
  const { laws, lawOf, hasLaw } = pairLaws(scene, materials.length, materialIndex);
  const problem: Problem = {
    title: scene.title,
    dimension,
    gravity: scene.gravity,
    timeStep: scene.timeStep,
    steps: scene.steps,
    materials,
    laws,
    lawOf,
    ...(periodic ? { periodic } : {}),
    grains,
    walls,
    ...(made.events.length > 0 ? { events: made.events } : {}),
    solver: solverOptions(scene),
    output: scene.output,
    warnings: [
      ...meshes.warnings,
      ...addedMeshes.flatMap((read) => read.warnings),
      ...warnings,
      ...massWarnings(groups, grains.masses),
      ...massRatioWarnings(everyGrain),
      ...typeWarnings(everyGroup),
      ...boxWarnings(everyGroup, periodic, scene.dimension),
      ...idleMotionWarnings(everyGroup),
      ...missingLaws(materials, everyGrain, everyWall, hasLaw),
      ...made.warnings,
      ...timeStepWarnings(scene.gravity, scene.timeStep, everyGrain),
      ...meshWarnings(meshOf, smallest),
    ],
  };
  const all = { ...problem, grains: everyGrain, events: [] };
  const extremes = massFaults.length > 0 ? [] : [...extremeFaults(all, everyGroup, scene.events), ...pistonFaults(scene, all)];
  const longestCohesion = laws.reduce((longest, { cohesionRange }) => Math.max(longest, cohesionRange), 0);
  const motions = motionFaults(moving, meshOf, everyGrain, scene.timeStep);
  const narrow = narrowFaults(periodic, everyGrain.radii, longestCohesion);
  const far = [...spreadFaults(everyGrain, placed(everyGroup, 'events')), ...farWalls(laterLengths, smallest)];
  refuse([...massFaults, ...faults, ...motions, ...made.faults, ...far, ...extremes, ...narrow]);
  return problem;
}

/** @param sets all grains, in the order of the groups */
function numberGroups(sets: readonly Grains[], groups: readonly GrainGroup[]): void {
  let first = 0;
  for (const set of sets) {
    for (const [number, { start, count }] of groups.entries()) {
      if (start >= first && start < first + set.count) set.groups.fill(number, start - first, start - first + count);
    }
    first += set.count;
  }
}

/** Puts in place of the meshes that were read those that go on beyond the periodic box. @returns what is wrong with them */
function repeatRead(read: readonly ReadMeshes[], periodic: Periodic): Fault[] {
  const all = read.flatMap(({ list, shapes }) =>
    [...shapes].map(([w, shape]) => ({
      path: `${list}[${w}].mesh`,
      shape,
      put: (repeated: MeshShape) => shapes.set(w, repeated),
    })),
  );
  const { shapes, faults } = repeatMeshes(all, periodic);
  for (const [k, shape] of shapes.entries()) all[k].put(shape);
  return faults;
}

/** What stands in where nothing was given that reads mesh files. */
async function noBytes(): Promise<Uint8Array> {
  throw new Error('give a readBytes that reads mesh files and grains that are no plain text');
}

/** Reads whole files of grains. */
function tableReader(readText: (path: string) => Promise<string>, readBytes: (path: string) => Promise<Uint8Array>): ReadTable {
  const open = async (path: string) => {
    if (/\.(vtp|pvd|gz)$/i.test(path)) {
      const bytes: unknown = await readBytes(path);
      if (bytes instanceof Uint8Array) return oneChunk(bytes);
      throw new Error(`readBytes gave ${formatValue(bytes)}; it must give the bytes of the file`);
    }
    const text: unknown = await readText(path);
    if (typeof text !== 'string') throw new Error(`readText gave ${formatValue(text)}; it must give the text of the file`);
    return oneChunk(new TextEncoder().encode(text));
  };
  return async (file) => {
    if (CHECKPOINT_NAME.test(file))
      throw new Error('checkpoints can be read in Node alone, by loadSceneFile or the command line');
    // What reads files is loaded where a scene names one.
    return (await import('../io/particleFile')).lastFrame(file, open, true);
  };
}

function refuse(faults: readonly Fault[]): void {
  if (faults.length > 0) throw new SceneError(faults);
}

/** Sizes are checked before anything is made for them. */
function sizeFaults(grains: number, walls: number, memory: number | undefined): Fault[] {
  const faults: Fault[] = [];
  if (grains > MAX_GRAINS) {
    faults.push({ path: 'grains', message: `${grains} grains in all are more than one scene can hold: at most ${MAX_GRAINS}` });
  } else if (memory !== undefined && estimateMemory(grains) > memory) {
    const fit = Math.floor(memory / estimateMemory(1));
    const need = `${gibibytes(estimateMemory(grains))} GiB of main memory and there are ${gibibytes(memory)} GiB`;
    faults.push({ path: 'grains', message: `${grains} grains need about ${need}; ${fit} would fit` });
  }
  if (walls > MAX_WALLS) {
    faults.push({
      path: 'walls',
      message: `${walls} walls, faces of boxes counted, are more than one scene can hold: at most ${MAX_WALLS}`,
    });
  }
  return faults;
}

/**
 * Mass of a solid sphere, or of a disk by its area, by the density of its material.
 * @param path what faults name instead of each grain's place in its group
 */
function setMasses(
  { count, masses, radii, materials }: Grains,
  known: readonly Material[],
  groups: readonly GrainGroup[],
  dimension: 2 | 3,
  path?: string,
): Fault[] {
  const faults = new FaultList('masses out of range');
  for (let i = 0; i < count; i++) {
    masses[i] = grainVolume(radii[i], dimension) * known[materials[i]].density!;
    if (masses[i] > 0 && Number.isFinite(masses[i])) continue;
    const message = `the mass is ${masses[i]}: radius ${radii[i]} and its density leave the range of numbers; choose other units`;
    faults.add(() => ({ path: path ?? grainName(groups, i), message }));
  }
  return faults.faults;
}

/** The law of each pair of materials; pairs without one have the first, which is frictionless. */
function pairLaws(scene: Scene, count: number, materialIndex: (name: string) => number) {
  const lawOf = new Uint32Array(count * count);
  const laws = [coulomb(0), ...scene.contacts.map(toPairLaw)];
  scene.contacts.forEach(({ between }, k) => {
    const [a, b] = between.map(materialIndex);
    for (const pair of [a * count + b, b * count + a]) lawOf[pair] = k + 1;
  });
  return { laws, lawOf, hasLaw: (a: number, b: number) => lawOf[a * count + b] !== 0 };
}

function solverOptions({ solver }: Scene): SolverOptions {
  const { sweep, order, momentum, coarse, convergence, warmStart, seed } = solver;
  return { sweep, order, momentum, coarse, convergence, warmStart, seed };
}
