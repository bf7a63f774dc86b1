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

/** The first line of series.csv, with its line feed. */
export function seriesHeader(walls: readonly Wall[]): string {
  const ofWalls = walls.filter(moves).flatMap(({ name }) => ['position', 'velocity', 'force'].map((what) => `${name}.${what}`));
  return `${[...SERIES_COLUMNS, ...ofWalls.map(quoted)].join(',')}\n`;
}

/**
 * One line of series.csv, with its line feed. Numbers as short as they can be and still be read back exactly.
 * @param report in the units of the scene
 */
export function seriesRow(report: StepReport, { timeStep, walls }: Pick<Problem, 'timeStep' | 'walls'>): string {
  const balance = ''; // Measured by the coarse level, which is not supported yet.
  const { step, contacts, colours, iterations, residual, meanForce, maxPenetration, meanPenetration, kineticEnergy, momentum } =
    report;
  const time = Number((step * timeStep).toPrecision(15));
  const ofWalls = walls.flatMap((wall, w) => (moves(wall) ? wallFigures(report, wall, w) : []));
  return `${[step, time, contacts, colours, iterations, residual, balance, meanForce, maxPenetration, meanPenetration, kineticEnergy, ...momentum, ...ofWalls].join(',')}\n`;
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
