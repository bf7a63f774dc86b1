import type { StepReport } from '../report';
import type { Problem, Vector, Wall } from '../scene/problem';

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
  const set = new Set(events.flatMap(({ setPiston }) => Object.keys(setPiston)));
  return { walls: ever.filter((wall) => moves(wall) || set.has(wall.name)).map(({ name }) => name), events: events.length > 0 };
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
  const balance = ''; // Measured by the coarse level, which is not supported yet.
  const { step, contacts, colours, iterations, residual, meanForce, maxPenetration, meanPenetration, kineticEnergy, momentum } =
    report;
  const time = Number((step * timeStep).toPrecision(15));
  const ofWalls = columns.walls.flatMap((name): (number | string)[] => {
    const w = walls.findIndex((wall) => wall.name === name);
    return w < 0 ? ['', '', ''] : wallFigures(report, walls[w], w);
  });
  const ofEvents = columns.events ? [quoted(event)] : [];
  return `${[step, time, contacts, colours, iterations, residual, balance, meanForce, maxPenetration, meanPenetration, kineticEnergy, ...momentum, ...ofWalls, ...ofEvents].join(',')}\n`;
}

const moves = ({ piston }: Wall) => piston !== undefined;

/** Position, velocity and the grains' force, each its part along the wall's normal. */
function wallFigures({ wallMotions, wallLoads }: StepReport, { shape }: Wall, w: number): number[] {
  const direction: Vector = shape.kind === 'plane' ? shape.normal : shape.kind === 'cylinder' ? shape.axis : [0, 0, 1];
  const along = (values: Float64Array, start: number) =>
    direction.reduce((sum, component, axis) => sum + component * values[start + axis], 0);
  return [along(wallMotions, 6 * w), along(wallMotions, 6 * w + 3), along(wallLoads, 6 * w)];
}

/** A field of CSV; names are free text. */
function quoted(field: string): string {
  return /[",\n\r]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
