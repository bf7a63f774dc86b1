import { readFile } from 'node:fs/promises';
import { createSimulation, type SceneInput, type Simulation, type State } from '../../src/index';
import { type Figure, figure, info, type Result, type Row } from './figure';

/** A column, as it stands when its wall goes, and what becomes of it. Lengths in units of the scene. */
interface Collapse {
  grains: number;
  /** Width or radius of the column. */
  length: number;
  /** Of a level column with the same mean height of grains. */
  height: number;
  /** Where the deposit ends; of a round one the mean over directions. */
  front: number;
  /** Grains that rolled ahead of it. */
  stragglers: number;
  /** Outline of the deposit up to its front: height of its surface by the distance. */
  outline: { x: number[]; y: number[] };
  steps: number;
}

/** Lube et al. (2004, 2005): run-out over the column's length, by its aspect ratio. */
const runOut = {
  planar: (a: number) => (a < 2.3 ? 1.2 * a : 1.9 * a ** (2 / 3)),
  round: (a: number) => (a < 1.7 ? 1.24 * a : 1.6 * Math.sqrt(a)),
};

const fileOf = (name: string) => readFile(new URL(`../scenes/${name}`, import.meta.url));
const sceneOf = async (name: string): Promise<SceneInput> => JSON.parse(String(await fileOf(`${name}.json`)));

interface Place {
  distance: number;
  top: number;
  /** About the axis of a round deposit, from 0 to 1. */
  direction: number;
}

function placesOf({ positions }: State, { dimension, grains: { radii } }: Simulation['problem']): Place[] {
  return Array.from(radii, (radius, i) => {
    const [x, y, z] = positions.subarray(3 * i, 3 * i + 3);
    if (dimension === 2) return { distance: x + radius, top: y + radius, direction: 0 };
    return { distance: Math.hypot(x, y) + radius, top: z + radius, direction: 0.5 + Math.atan2(y, x) / (2 * Math.PI) };
  });
}

async function collapse(scene: SceneInput, length: number, progress: (message: string) => void): Promise<Collapse> {
  const simulation = await createSimulation(scene, { backend: 'cpu', readBytes: fileOf });
  const { problem } = simulation;
  let height = 0;
  while (!simulation.stopped && simulation.steps < problem.steps) {
    const happened = simulation.events.length;
    await simulation.step();
    if (simulation.steps % 250 === 0) progress(`step ${simulation.steps}`);
    if (happened > 0 || simulation.events.length === 0) continue;
    // The mean height of a level column is twice that of its grains.
    const column = placesOf(await simulation.read(), problem);
    height = 2 * (column.reduce((sum, { top }, i) => sum + top - problem.grains.radii[i], 0) / column.length);
  }
  const state = await simulation.read();
  const { steps, stopped } = simulation;
  simulation.dispose();
  if (!stopped) progress(`the scene's events did not stop it after ${steps} steps`);
  const all = placesOf(state, problem);
  const deposit = depositOf(state, problem.grains.radii).map((i) => all[i]);
  return {
    grains: all.length,
    length,
    height,
    front: frontOf(deposit),
    stragglers: all.length - deposit.length,
    outline: outlineOf(deposit),
    steps,
  };
}

/** Of the mean diameter: grains that are nearer hang together. What a deposit rests on at its rim often bears nothing. */
const NEAR = 0.1;

/** The grains of the largest cluster that hangs together. What rolled ahead alone is not of the deposit. */
function depositOf({ positions }: State, radii: Float64Array): number[] {
  const near = (NEAR * 2 * radii.reduce((sum, radius) => sum + radius, 0)) / radii.length;
  const waiting = new Set(radii.keys());
  let largest: number[] = [];
  for (const first of waiting) {
    waiting.delete(first);
    const cluster = [first];
    for (const i of cluster) {
      for (const j of waiting) {
        const distance = Math.hypot(...[0, 1, 2].map((axis) => positions[3 * j + axis] - positions[3 * i + axis]));
        if (distance > radii[i] + radii[j] + near) continue;
        waiting.delete(j);
        cluster.push(j);
      }
    }
    if (cluster.length > largest.length) largest = cluster;
  }
  return largest;
}

/** Directions in which the front of a round deposit is looked for. */
const DIRECTIONS = 16;

function frontOf(deposit: readonly Place[]): number {
  const fronts = new Map<number, number>();
  for (const { distance, direction } of deposit) {
    const sector = Math.floor(direction * DIRECTIONS) % DIRECTIONS;
    fronts.set(sector, Math.max(fronts.get(sector) ?? 0, distance));
  }
  return [...fronts.values()].reduce((sum, front) => sum + front, 0) / fronts.size;
}

function outlineOf(deposit: readonly Place[]): Collapse['outline'] {
  const heights = new Map<number, number>();
  for (const { distance, top } of deposit) {
    const bin = Math.floor(distance);
    heights.set(bin, Math.max(heights.get(bin) ?? 0, top));
  }
  const bins = [...heights.keys()].sort((a, b) => a - b);
  return { x: bins.map((bin) => bin + 0.5), y: bins.map((bin) => heights.get(bin)!) };
}

function resultOf(
  title: string,
  { grains, length, height, front, stragglers, outline, steps }: Collapse,
  law: (a: number) => number,
): Result {
  const a = height / length;
  const got = (front - length) / length;
  const rows: Row[] = [
    info('aspect ratio a of the column at rest', figure(a, 3)),
    // The constants are those of sand in many grains; so few, with one coefficient of friction, need not meet them.
    info(`run-out over initial length, ${grains} grains`, figure(got, 3), `${figure(law(a), 3)} (Lube et al.)`),
    info('final height over initial length', figure(Math.max(...outline.y) / length, 3)),
    info('steps', String(steps)),
    info('grains that rolled ahead, left out', String(stragglers)),
  ];
  const series = [{ name: 'surface', ...outline, kind: 'line' as const }];
  return { rows, plots: [{ title, xLabel: 'distance', yLabel: 'height', series }] };
}

/** Room between the places of the lattice, and from the last one to the gate. */
const SPACING = 1.05;

/** The column of the scene in more grains, which roll less easily; with a step as long in the time that it takes to fall. */
async function columnOf(across: number, up: number, rollingFriction: number): Promise<{ scene: SceneInput; length: number }> {
  const scene = await sceneOf('collapse');
  const length = across * SPACING + 0.1;
  const longer = Math.sqrt(up / 20);
  scene.grains[0].lattice!.count = [across, up, 1];
  scene.walls!.find(({ name }) => name === 'gate')!.plane!.point = [length, 0, 0];
  for (const contact of scene.contacts!) contact.rollingFriction = rollingFriction;
  scene.events![1].when = { step: Math.round(1500 * longer) };
  scene.steps = Math.round(1600 * longer);
  return { scene, length };
}

/** The heap of the scene `larger` times as wide and high. */
async function heapOf(larger: number): Promise<{ scene: SceneInput; length: number }> {
  const scene = await sceneOf('heap');
  const length = 3 * larger;
  const { random } = scene.grains[0];
  random!.count = Math.round(150 * larger ** 3);
  random!.cylinder!.radius = length;
  random!.cylinder!.height = 16 * larger;
  scene.walls!.find(({ name }) => name === 'tube')!.mesh!.scale = larger;
  const longer = Math.sqrt(larger);
  scene.events!.forEach(({ when }) => {
    when.step = Math.round(when.step! * longer);
  });
  scene.steps = Math.round(scene.steps * longer);
  return { scene, length };
}

interface Made {
  scene: SceneInput;
  length: number;
}

const deposit = (id: string, title: string, quick: boolean, law: (a: number) => number, make: () => Promise<Made>): Figure => ({
  id,
  title,
  quick,
  run: async (progress) => {
    const { scene, length } = await make();
    return resultOf(title, await collapse(scene, length, progress), law);
  },
});

const { planar, round } = runOut;
const rolling = 'with rolling friction 0.1';

export const collapses: Figure[] = [
  deposit('I-column', 'Collapse of a column of 200 disks behind a gate', true, planar, () => columnOf(10, 20, 0)),
  deposit('I-column-1000', `Collapse of a column of 1056 disks ${rolling}`, false, planar, () => columnOf(22, 48, 0.1)),
  deposit('I-heap', 'Heap of 150 spheres from a tube that is lifted', true, round, () => heapOf(1)),
  deposit('I-heap-1200', 'Heap of 1200 spheres from a tube that is lifted', false, round, () => heapOf(2)),
];
