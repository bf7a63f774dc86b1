import type { SceneInput, Simulation, Vector } from '../../src/index';
import { type Figure, figure, info, near, type Result, type Run } from './figure';
import { experiment } from './shearBand';

/** Lengths in mean diameters, gravity 1. Radius of the disk that rests, and of the cell. */
const DISK = 10;
const CELL = 15;
/** Of the ring and the side, which turn: slow, so that the flow is quasi-static. */
const RATE = 5e-4;
const STEP = 0.2;
/** Radians that the ring turns until the band is steady, and then while it is measured. */
const START = 0.25;
const MEASURED = 0.4;
/** Solid share of a poured packing, by which grains are counted for a height. */
const DENSITY = 0.6;
const SETTLING = 150;

function cellScene(height: number): SceneInput {
  const turning = { angularVelocity: [0, 0, RATE] as Vector };
  const plane = { point: [0, 0, 0] as Vector, normal: [0, 0, 1] as Vector };
  const axis = { point: [0, 0, 0] as Vector, axis: [0, 0, 1] as Vector };
  return {
    format: 'contact-dynamics/1',
    title: `Split-bottom cell filled to ${height} diameters`,
    gravity: [0, 0, -1],
    timeStep: STEP,
    steps: 1_000_000,
    materials: { grain: { density: 6 / Math.PI }, rough: {} },
    contacts: [
      { between: ['grain', 'grain'], friction: 0.5 },
      { between: ['grain', 'rough'], friction: 1 },
    ],
    grains: [
      {
        material: 'grain',
        random: {
          count: Math.round(6 * DENSITY * CELL ** 2 * height),
          radius: { uniform: [0.45, 0.55] },
          cylinder: { ...axis, radius: CELL, height: 3 * height },
          seed: 1,
        },
      },
    ],
    walls: [
      { name: 'disk', material: 'rough', plane: { ...plane, disk: DISK } },
      { name: 'ring', material: 'rough', plane: { ...plane, ring: [DISK, CELL + 1] } },
      { name: 'side', material: 'rough', cylinder: { ...axis, radius: CELL, side: 'inside' } },
    ],
    events: [{ when: { step: SETTLING }, setMotion: { ring: turning, side: turning } }],
    solver: {
      momentum: 0.8,
      coarse: 'off',
      convergence: { criterion: 'residual', tolerance: 1e-2, balance: null, maxIterations: 100 },
    },
    output: { frames: 'none' },
  };
}

/** Angle about the axis of the cell. */
const angleOf = (positions: Float64Array, i: number) => Math.atan2(positions[3 * i + 1], positions[3 * i]);

interface Cell {
  /** Of the surface. */
  height: number;
  /** Distance from the axis of grains at the surface, and their mean angular velocity over that of the ring. */
  r: number[];
  rate: number[];
}

async function shear({ simulate, progress }: Run, height: number): Promise<Cell> {
  const simulation = await simulate(cellScene(height));
  const stepsFor = (angle: number) => Math.round(angle / (RATE * STEP));
  await simulation.step(SETTLING);
  await advance(simulation, stepsFor(START), progress);
  const before = await simulation.read();
  await advance(simulation, stepsFor(MEASURED), progress);
  const after = await simulation.read();
  simulation.dispose();
  const count = after.positions.length / 3;
  let mean = 0;
  for (let i = 0; i < count; i++) mean += after.positions[3 * i + 2] / count;
  // The mean height of a level packing is half of it.
  const surface = 2 * mean;
  const cell: Cell = { height: surface, r: [], rate: [] };
  for (let i = 0; i < count; i++) {
    if (Math.min(before.positions[3 * i + 2], after.positions[3 * i + 2]) < surface - 1) continue;
    const turned = angleOf(after.positions, i) - angleOf(before.positions, i);
    cell.r.push(Math.hypot(after.positions[3 * i], after.positions[3 * i + 1]));
    cell.rate.push((turned - 2 * Math.PI * Math.round(turned / (2 * Math.PI))) / MEASURED);
  }
  return cell;
}

async function advance(simulation: Simulation, steps: number, progress: (message: string) => void): Promise<void> {
  for (let done = 0; done < steps; done += 250) {
    await simulation.step(Math.min(250, steps - done));
    progress(`step ${simulation.steps}`);
  }
}

/** Abramowitz and Stegun, 7.1.26: within 1.5e-7. */
function erf(x: number): number {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const sum = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return Math.sign(x) * (1 - sum * Math.exp(-x * x));
}

const band = (r: number, centre: number, width: number) => 0.5 + 0.5 * erf((r - centre) / width);

/** Centre and width of the error function nearest to the rates: least squares over a grid that is made finer. */
function fitBand({ r, rate }: Cell): { centre: number; width: number } {
  const error = (centre: number, width: number) => r.reduce((sum, x, k) => sum + (rate[k] - band(x, centre, width)) ** 2, 0);
  let [centre, width, span] = [DISK, 2, 4];
  for (let round = 0; round < 12; round++, span /= 2) {
    let best = error(centre, width);
    const [c, w] = [centre, width];
    for (let i = -8; i <= 8; i++) {
      for (let j = -8; j <= 8; j++) {
        const [nextCentre, nextWidth] = [c + (i * span) / 8, Math.max(0.05, w + (j * span) / 16)];
        const next = error(nextCentre, nextWidth);
        if (next < best) [best, centre, width] = [next, nextCentre, nextWidth];
      }
    }
  }
  return { centre, width };
}

/** R_c/R_s is right within this where the cell is wide enough for the height: two grain diameters. */
const TOLERANCE = 2 / DISK;

/** @param judged whether the fit is to be met; else it is told beside what came out */
async function run(on: Run, height: number, judged: boolean): Promise<Result> {
  const cell = await shear(on, height);
  const { centre, width } = fitBand(cell);
  const expected = experiment(cell.height / DISK);
  const name = 'R_c/R_s at the surface';
  const x = Array.from({ length: 60 }, (_, k) => (CELL * (k + 0.5)) / 60);
  return {
    rows: [
      info('H/R_s of the surface', figure(cell.height / DISK, 4)),
      judged ? near(name, centre / DISK, expected, TOLERANCE) : info(name, figure(centre / DISK, 4), figure(expected, 4)),
      info('width of the band, diameters', figure(width, 3)),
    ],
    plots: [
      {
        title: `Split-bottom cell, H/R_s = ${figure(cell.height / DISK, 3)}`,
        xLabel: 'distance from the axis in diameters',
        yLabel: 'angular velocity over that of the ring',
        series: [
          { name: 'grains at the surface', x: cell.r, y: cell.rate, kind: 'points' },
          { name: 'error function', x, y: x.map((r) => band(r, centre, width)), kind: 'line' },
        ],
      },
    ],
  };
}

const cell = (height: number, judged: boolean): Figure => ({
  id: `H-cell-${height}`,
  title: `Shear band in a split-bottom cell filled to ${height} diameters over a disk of radius ${DISK}`,
  quick: false,
  gpu: 'full',
  run: (on) => run(on, height, judged),
});

/** At twice the height the band is 6 diameters wide and its centre at 0.23 R_s: in so small a cell it is at home nowhere. */
export const splitBottom: Figure[] = [cell(3, true), cell(6, false)];
