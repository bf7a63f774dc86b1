import type { Simulation, State } from '../../src/index';
import { type Column, columnScene, fileOf } from './collapseScenes';
import { byPrecision, type Figure, figure, info, mean, median, near, type Result, type Run } from './figure';

/** A column, as it stands when its wall goes, and what becomes of it. Lengths in units of the scene. */
interface Collapse {
  /** Of a level column with the same mean height of grains. */
  height: number;
  /** Where the deposit ends; of a round one the mean over directions. */
  front: number;
  /** As far as 99 % of all grains are. */
  most: number;
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

/** 3000 disks without rolling friction, by soft spheres in two dimensions (K. Kumar, thesis, Cambridge 2015, ch. 4). */
const runOutOfDisks = (a: number) => (a < 2.3 ? 1.67 * a : 2.5 * a ** (2 / 3));

interface Place {
  x: number;
  y: number;
  z: number;
  radius: number;
  distance: number;
  top: number;
  /** About the axis of a round deposit, from 0 to 1. */
  direction: number;
}

/** Of the grains that can move. */
function placesOf({ positions }: State, { dimension, grains: { radii, fixed } }: Simulation['problem']): Place[] {
  return [...radii.keys()]
    .filter((i) => fixed[i] === 0)
    .map((i) => {
      const [x, y, z] = positions.subarray(3 * i, 3 * i + 3);
      const radius = radii[i];
      const common = { x, y, z, radius };
      if (dimension === 2) return { ...common, distance: x + radius, top: y + radius, direction: 0 };
      return {
        ...common,
        distance: Math.hypot(x, y) + radius,
        top: z + radius,
        direction: 0.5 + Math.atan2(y, x) / (2 * Math.PI),
      };
    });
}

async function collapse({ simulate, progress }: Run, column: Column): Promise<Collapse> {
  const simulation = await simulate(columnScene(column), { readBytes: fileOf });
  const { problem } = simulation;
  let height = 0;
  while (!simulation.stopped && simulation.steps < problem.steps) {
    const happened = simulation.events.length;
    await simulation.step();
    if (simulation.steps % 250 === 0) progress(`step ${simulation.steps}`);
    if (happened > 0 || simulation.events.length === 0) continue;
    // The mean height of a level column is twice that of its grains.
    const places = placesOf(await simulation.read(), problem);
    height = 2 * (places.reduce((sum, { top, radius }) => sum + top - radius, 0) / places.length);
  }
  const all = placesOf(await simulation.read(), problem);
  const { steps } = simulation;
  simulation.dispose();
  const deposit = depositOf(all);
  const distances = all.map(({ distance }) => distance).sort((a, b) => a - b);
  return {
    height,
    front: frontOf(deposit),
    most: distances[Math.floor(0.99 * distances.length)],
    stragglers: all.length - deposit.length,
    outline: outlineOf(deposit),
    steps,
  };
}

/** Of the mean diameter: grains that are nearer hang together. What a deposit rests on at its rim often bears nothing. */
const NEAR = 0.1;

/** The grains of the largest cluster that hangs together. What rolled ahead alone is not of the deposit. */
function depositOf(grains: readonly Place[]): Place[] {
  const near = (NEAR * 2 * grains.reduce((sum, { radius }) => sum + radius, 0)) / grains.length;
  const waiting = new Set(grains);
  let largest: Place[] = [];
  for (const first of waiting) {
    waiting.delete(first);
    const cluster = [first];
    for (const one of cluster) {
      for (const other of waiting) {
        if (Math.hypot(one.x - other.x, one.y - other.y, one.z - other.z) > one.radius + other.radius + near) continue;
        waiting.delete(other);
        cluster.push(other);
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

/** Of the run-out, either way: columns that differ by the seed of their fill alone differ by a tenth. */
const TOLERANCE = 0.25;

/** What a run-out is compared with: a law of the aspect ratio, and whether so few grains can be on it. */
interface Law {
  of: string;
  runOut(a: number): number;
  judged: boolean;
}

const SAND_PLANAR = { of: 'Lube et al.', runOut: runOut.planar };
const SAND_ROUND = { of: 'Lube et al., of wider ones', runOut: runOut.round, judged: false };
const FREE_DISKS = { of: 'Kumar, 3000 disks', runOut: runOutOfDisks, judged: true };

/** Fills that differ by their seed, of which the median is taken; on the GPU one alone. */
const FILLS = [1, 2, 3];

async function compareFills(on: Run, title: string, column: Column, law: Law): Promise<Result> {
  const fills: Collapse[] = [];
  for (const seed of byPrecision(on, FILLS, FILLS.slice(0, 1))) fills.push(await collapse(on, { ...column, seed }));
  const { grains, length } = column;
  const a = median(fills.map(({ height }) => height)) / length;
  const expected = law.runOut(a);
  const fronts = fills.map(({ front }) => (front - length) / length);
  const got = median(fronts);
  const name = `run-out over initial length, ${grains} grains, median of ${fills.length}`;
  const [{ outline, steps }] = fills;
  const of = (pick: (fill: Collapse) => number) => figure(median(fills.map(pick)), 3);
  return {
    rows: [
      info('aspect ratio a of the column at rest', figure(a, 3)),
      law.judged
        ? near(name, got, expected, TOLERANCE * expected, ` (${law.of})`)
        : info(name, figure(got, 3), `${figure(expected, 3)} (${law.of})`),
      info('run-out over the law, of each', fills.map((_, k) => figure(fronts[k] / expected, 3)).join(', ')),
      info(
        'run-out of 99 % of the grains',
        of(({ most }) => (most - length) / length),
      ),
      info(
        'final height over initial length',
        of(({ outline: { y } }) => Math.max(...y) / length),
      ),
      info('steps', String(steps)),
      info(
        'grains that rolled ahead, left out',
        of(({ stragglers }) => stragglers),
      ),
    ],
    plots: [{ title, xLabel: 'distance', yLabel: 'height', series: [{ name: 'surface', ...outline, kind: 'line' }] }],
  };
}

/** Sand is angular: its grains slide and roll as badly as these, on a floor that is as rough. */
const SAND = { friction: 0.6, rolling: 0.3, rough: true };
/** Grains that roll as freely as the plain law has it. */
const ROUND = { friction: 0.5, rolling: 0, rough: true };

const deposit = (id: string, title: string, runs: Pick<Figure, 'quick' | 'gpu'>, column: Column, law: Law): Figure => ({
  id,
  title: `${title} on a rough floor`,
  ...runs,
  run: (on) => compareFills(on, title, column, law),
});

const columnOf = (grains: number, length: number, timeStep: number): Column => ({
  ...{ dimension: 2, grains, length, ...SAND, reach: 6, timeStep, standing: 60, fallen: 110 },
});

const heapOf = (larger: number): Column => ({
  ...{ dimension: 3, grains: Math.round(150 * larger ** 3), length: 3 * larger, ...ROUND },
  ...{ reach: 4, timeStep: 0.05, standing: 30, fallen: 30 + 25 * Math.sqrt(larger) },
});

/** Tubes' radii over that of the smallest, and the fills of each: of the small ones more, as they differ more. */
const HEAPS = [
  { larger: 1, seeds: [1, 2, 3] },
  { larger: 2, seeds: [1, 2] },
  { larger: 3, seeds: [1] },
];

/** How the run-out of heaps over Lube's grows with the tube's radius R: the least squares of A - B d/R, d about 1. */
const heapTrend: Figure = {
  id: 'I-heap-trend',
  title: 'Heaps of 150, 1200 and 4050 spheres from a tube that is lifted, friction 0.5, on a rough floor',
  quick: false,
  gpu: 'full',
  async run(on) {
    const [x, y]: [number[], number[]] = [[], []];
    for (const { larger, seeds } of HEAPS) {
      const ratios: number[] = [];
      const column = heapOf(larger);
      for (const seed of seeds) {
        const { front, height } = await collapse(on, { ...column, seed });
        ratios.push((front - column.length) / column.length / runOut.round(height / column.length));
      }
      x.push(1 / column.length);
      y.push(ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length);
    }
    const { slope, end } = line(x, y);
    const measured = y.map((value) => figure(value, 3)).join(', ');
    return {
      rows: [
        info('run-out over that of Lube et al., tubes of radius 3, 6, 9', measured, '1'),
        near('the same, where the tube is ever wider', end, 1, TOLERANCE),
      ],
      plots: [
        {
          title: 'Run-out of heaps over that of Lube et al.',
          xLabel: 'diameter of a sphere over the radius of the tube',
          yLabel: 'run-out over the law',
          series: [
            { name: 'simulation', x, y, kind: 'points' },
            { name: 'fit', x: [0, x[0]], y: [end, end + slope * x[0]], kind: 'line' },
          ],
        },
      ],
    };
  },
};

/** Least squares of y = end + slope x. */
function line(x: readonly number[], y: readonly number[]): { slope: number; end: number } {
  const [mx, my] = [mean(x), mean(y)];
  const slope = x.reduce((sum, value, k) => sum + (value - mx) * (y[k] - my), 0) / x.reduce((sum, v) => sum + (v - mx) ** 2, 0);
  return { slope, end: my - slope * mx };
}

export const collapses: Figure[] = [
  // Too few for the law: docs/decisions/run-out.md.
  deposit('I-column-200', 'Collapse of a column of 200 disks', { quick: true, gpu: 'quick' }, columnOf(200, 10.6, 0.05), {
    ...SAND_PLANAR,
    judged: false,
  }),
  deposit('I-column', 'Collapse of a column of 1000 disks', { quick: true, gpu: 'full' }, columnOf(1000, 22, 0.04), {
    ...SAND_PLANAR,
    judged: true,
  }),
  deposit(
    'I-round',
    'Collapse of a column of 1000 disks that roll freely',
    { quick: true, gpu: 'full' },
    { ...columnOf(1000, 22, 0.04), ...ROUND },
    FREE_DISKS,
  ),
  deposit('I-column-3000', 'Collapse of a column of 3000 disks', { quick: false, gpu: 'full' }, columnOf(3000, 38, 0.02), {
    ...SAND_PLANAR,
    judged: true,
  }),
  deposit('I-heap', 'Heap of 150 spheres from a tube that is lifted', { quick: true, gpu: 'quick' }, heapOf(1), SAND_ROUND),
  deposit('I-heap-1200', 'Heap of 1200 spheres from a tube that is lifted', { quick: false, gpu: 'full' }, heapOf(2), SAND_ROUND),
  heapTrend,
];
