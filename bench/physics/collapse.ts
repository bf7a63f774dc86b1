import { readFile } from 'node:fs/promises';
import { createSimulation, type SceneInput, type Simulation } from '../../src/index';
import { type Figure, figure, info, type Result, type Row } from './figure';

/** A column, as it stands when its wall goes, and what becomes of it. Lengths in units of the scene. */
interface Collapse {
  grains: number;
  /** Width or radius of the column. */
  length: number;
  /** Of a level column with the same mean height of grains. */
  height: number;
  /** Where the deposit ends. */
  farthest: number;
  /** Outline of the deposit up to its front: height of its surface by the distance. */
  outline: { x: number[]; y: number[] };
  steps: number;
}

/** Lube et al. (2004, 2005): run-out over the column's length, by its aspect ratio. */
const runOut = {
  planar: (a: number) => (a < 2.3 ? 1.2 * a : 1.9 * a ** (2 / 3)),
  round: (a: number) => (a < 1.7 ? 1.24 * a : 1.6 * Math.sqrt(a)),
};

const sceneOf = async (name: string): Promise<SceneInput> =>
  JSON.parse(await readFile(new URL(`../scenes/${name}.json`, import.meta.url), 'utf8'));

interface Place {
  distance: number;
  top: number;
}

async function places(simulation: Simulation, axisymmetric: boolean): Promise<Place[]> {
  const { positions } = await simulation.read();
  return Array.from(simulation.problem.grains.radii, (radius, i) => {
    const [x, y, z] = positions.subarray(3 * i, 3 * i + 3);
    return axisymmetric ? { distance: Math.hypot(x, y) + radius, top: z + radius } : { distance: x + radius, top: y + radius };
  });
}

async function collapse(name: string, length: number, progress: (message: string) => void): Promise<Collapse> {
  const scene = await sceneOf(name);
  const simulation = await createSimulation(scene, { backend: 'cpu' });
  const axisymmetric = simulation.problem.dimension === 3;
  let height = 0;
  while (!simulation.stopped && simulation.steps < simulation.problem.steps) {
    const happened = simulation.events.length;
    await simulation.step();
    if (simulation.steps % 250 === 0) progress(`step ${simulation.steps}`);
    if (happened === 0 && simulation.events.length > 0) {
      // The mean height of a level column is twice that of its grains.
      const column = await places(simulation, axisymmetric);
      const radii = simulation.problem.grains.radii;
      height = 2 * (column.reduce((sum, { top }, i) => sum + top - radii[i], 0) / column.length);
    }
  }
  const end = await places(simulation, axisymmetric);
  const { steps, stopped } = simulation;
  simulation.dispose();
  if (!stopped) progress(`the scene's events did not stop it after ${steps} steps`);
  const farthest = frontOf(end);
  const outline = outlineOf(end.filter(({ distance }) => distance <= farthest));
  return { grains: end.length, length, height, farthest, outline, steps };
}

/** Where the deposit ends: beyond the first gap lie grains that roll ahead, which nothing holds without rolling friction. */
function frontOf(grains: readonly Place[]): number {
  const sorted = grains.map(({ distance }) => distance).sort((a, b) => a - b);
  const gap = sorted.findIndex((distance, k) => k > 0 && distance - sorted[k - 1] > GAP);
  return gap < 0 ? sorted[sorted.length - 1] : sorted[gap - 1];
}

/** In units of length, the largest diameter. */
const GAP = 1;

function outlineOf(grains: readonly Place[]): Collapse['outline'] {
  const heights = new Map<number, number>();
  for (const { distance, top } of grains) {
    const bin = Math.floor(distance);
    heights.set(bin, Math.max(heights.get(bin) ?? 0, top));
  }
  const bins = [...heights.keys()].sort((a, b) => a - b);
  return { x: bins.map((bin) => bin + 0.5), y: bins.map((bin) => heights.get(bin)!) };
}

function resultOf(
  title: string,
  { grains, length, height, farthest, outline, steps }: Collapse,
  law: (a: number) => number,
): Result {
  const a = height / length;
  const got = (farthest - length) / length;
  const rows: Row[] = [
    info('aspect ratio a of the column at rest', figure(a, 3)),
    // The constants are those of sand in many grains; so few, with one coefficient of friction, need not meet them.
    info(`run-out over initial length, ${grains} grains`, figure(got, 3), `${figure(law(a), 3)} (Lube et al.)`),
    info('final height over initial length', figure(Math.max(...outline.y) / length, 3)),
    info('steps, grains that roll ahead left out', String(steps)),
  ];
  const series = [{ name: 'surface', ...outline, kind: 'line' as const }];
  return { rows, plots: [{ title, xLabel: 'distance', yLabel: 'height', series }] };
}

const column: Figure = {
  id: 'I-column',
  title: 'Collapse of a column of disks behind a gate',
  quick: true,
  run: async (progress) => resultOf('Deposit of a column of disks', await collapse('collapse', 10.6, progress), runOut.planar),
};

const heap: Figure = {
  id: 'I-heap',
  title: 'Heap of spheres from a cylinder that is taken away',
  quick: true,
  run: async (progress) => resultOf('Heap of spheres', await collapse('heap', 3, progress), runOut.round),
};

export const collapses: Figure[] = [column, heap];
