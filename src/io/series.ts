import type { StepReport } from '../report';

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
export const SERIES_HEADER = `${SERIES_COLUMNS.join(',')}\n`;

/**
 * One line of series.csv, with its line feed. Numbers as short as they can be and still be read back exactly.
 * @param report in the units of the scene
 */
export function seriesRow(report: StepReport, timeStep: number): string {
  const balance = ''; // Measured by the coarse level, which is not supported yet.
  const { step, contacts, colours, iterations, residual, meanForce, maxPenetration, meanPenetration, kineticEnergy, momentum } =
    report;
  const time = Number((step * timeStep).toPrecision(15));
  return `${[step, time, contacts, colours, iterations, residual, balance, meanForce, maxPenetration, meanPenetration, kineticEnergy, ...momentum].join(',')}\n`;
}
