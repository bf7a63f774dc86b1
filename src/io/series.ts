import type { StepReport } from '../report';
import type { Problem, Vector, Wall } from '../scene/problem';
import { directionOf, isMoving, shapeAt } from '../scene/wallMotion';
import { unit } from '../scene/walls';

/** Columns of series.csv, in this order. */
const SERIES_COLUMNS = [
  'step',
  'time',
  'contacts',
  'colours',
  'iterations',
  'residual',
  'balance',
  'meanForce',
  'maxPenetration',
  'meanPenetration',
  'kineticEnergy',
  'px',
  'py',
  'pz',
] as const;

/** Columns that depend on the scene. */
export interface SeriesColumns {
  /** Names of the walls that move at some time of the run. */
  walls: string[];
  /** Whether the scene has events. */
  events: boolean;
}

export function seriesColumns({ walls, events = [] }: Pick<Problem, 'walls' | 'events'>): SeriesColumns {
  const ever = [...walls, ...events.flatMap(({ addWalls }) => addWalls)];
  const set = new Set(events.flatMap(({ setPiston, setMotion }) => [...Object.keys(setPiston), ...Object.keys(setMotion)]));
  // A run that goes on behind an event has its walls already.
  const names = new Set(ever.filter((wall) => moves(wall) || set.has(wall.name)).map(({ name }) => name));
  return { walls: [...names], events: events.length > 0 };
}

/** The first line of series.csv, with its line feed. */
export function seriesHeader({ walls, events }: SeriesColumns): string {
  const ofWalls = walls.flatMap((name) => ['position', 'velocity', 'force'].map((what) => `${name}.${what}`));
  return `${[...SERIES_COLUMNS, ...ofWalls, ...(events ? ['event'] : [])].map(quoted).join(',')}\n`;
}

/**
 * One line of series.csv, with its line feed. Numbers as short as they can be and still be read back exactly. Figures of a wall
 * that is not there are empty.
 * @param report in the units of the scene
 * @param problem as it was in the step
 * @param event what happened after the step, or, in the first row, before it
 */
export function seriesRow(
  report: StepReport,
  { timeStep, walls }: Pick<Problem, 'timeStep' | 'walls'>,
  columns: SeriesColumns,
  event = '',
): string {
  const {
    step,
    contacts,
    colours,
    iterations,
    residual,
    balance,
    meanForce,
    maxPenetration,
    meanPenetration,
    kineticEnergy,
    momentum,
  } = report;
  const time = Number((step * timeStep).toPrecision(15));
  const ofWalls = columns.walls.flatMap((name): (number | string)[] => {
    const w = walls.findIndex((wall) => wall.name === name);
    return w < 0 ? ['', '', ''] : wallFigures(report, walls[w], w, time);
  });
  const ofEvents = columns.events ? [quoted(event)] : [];
  return `${[step, time, contacts, colours, iterations, residual, balance ?? '', meanForce, maxPenetration, meanPenetration, kineticEnergy, ...momentum, ...ofWalls, ...ofEvents].join(',')}\n`;
}

const moves = ({ piston, motion }: Wall) => piston !== undefined || isMoving(motion);

/** Position, velocity and the grains' force, each its part along one direction. */
function wallFigures({ wallMotions, wallLoads }: StepReport, wall: Wall, w: number, time: number): number[] {
  const direction = directionOfFigures(wall, time);
  const along = (values: Float64Array, start: number) =>
    direction.reduce((sum, component, axis) => sum + component * values[start + axis], 0);
  return [along(wallMotions, 6 * w), along(wallMotions, 6 * w + 3), along(wallLoads, 6 * w)];
}

/** A plane's normal as it is at the time; of other walls the way that they are moved, or else the axis about which they turn. */
function directionOfFigures({ shape, motion }: Wall, time: number): Vector {
  if (shape.kind === 'plane' || !isMoving(motion)) return directionOf(shapeAt(shape, motion, time));
  const { velocity, oscillation, angularVelocity } = motion;
  const ways = [velocity, oscillation?.amplitude, angularVelocity];
  return unit(ways.find((way) => way?.some((x) => x !== 0))!);
}

/** A field of CSV; names are free text. */
function quoted(field: string): string {
  return /[",\n\r]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
