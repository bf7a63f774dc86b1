import type { StepReport } from '../report';
import type { NewMotion, Problem, Vector, Wall } from '../scene/problem';
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

/** Force and torque on a wall, as in a report. */
const LOADS = ['fx', 'fy', 'fz', 'tx', 'ty', 'tz'];

/** A wall that moves at some time of the run. */
interface SeriesWall {
  name: string;
  /** Along which its figures are told where it is no plane (unit): one for the whole run. */
  axis?: Vector;
}

/** Beyond so many walls the rows would be of their loads alone. */
const MOST_LOADED = 16;

/** Columns that depend on the scene. */
export interface SeriesColumns {
  walls: SeriesWall[];
  /** Walls whose loads are told as vectors, of those that turn at some time the torque too. */
  loads: { name: string; turns: boolean }[];
  /** Whether events of the scene bring grains: how many there are, and their mass. */
  grains: boolean;
  /** Whether the scene has events. */
  events: boolean;
}

/** @param scene as it is before its events: what has happened in a run that is resumed does not change its columns */
export function seriesColumns({ walls, events = [] }: Pick<Problem, 'walls' | 'events'>): SeriesColumns {
  const ever = [...walls, ...events.flatMap(({ addWalls }) => addWalls)];
  const ofWalls = [...new Set(ever.map(({ name }) => name))].map((name) => {
    const same = ever.filter((wall) => wall.name === name);
    const motions = [...same.map(({ motion }) => motion), ...events.map(({ setMotion }) => own(setMotion, name))].filter(
      isMoving,
    );
    const isPiston = same.some(({ piston }) => piston) || events.some(({ setPiston }) => own(setPiston, name));
    const turns = motions.some(({ angularVelocity }) => angularVelocity.some((x) => x !== 0));
    return { name, turns, axis: axisOf(motions), shown: isPiston || motions.length > 0 };
  });
  return {
    walls: ofWalls.filter(({ shown }) => shown).map(({ name, axis }) => ({ name, axis })),
    loads: ofWalls.length > MOST_LOADED ? [] : ofWalls.map(({ name, turns }) => ({ name, turns })),
    grains: events.some(({ insert, pour }) => insert || pour),
    events: events.length > 0,
  };
}

/** Names are free text. */
const own = <T>(values: Record<string, T>, name: string): T | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;

/** The first way that a wall is carried, or else swings, or else the first axis about which it turns. */
function axisOf(motions: readonly NewMotion[]): Vector | undefined {
  const first = (wayOf: (motion: NewMotion) => Vector | undefined) => motions.map(wayOf).find((way) => way?.some((x) => x !== 0));
  const way =
    first(({ velocity }) => velocity) ??
    first(({ oscillation }) => oscillation?.amplitude) ??
    first(({ angularVelocity }) => angularVelocity);
  return way && unit(way);
}

/** The first line of series.csv, with its line feed. */
export function seriesHeader({ walls, loads, grains, events }: SeriesColumns): string {
  const ofWalls = walls.flatMap(({ name }) => ['position', 'velocity', 'force'].map((what) => `${name}.${what}`));
  const ofLoads = loads.flatMap(({ name, turns }) => LOADS.slice(0, turns ? 6 : 3).map((what) => `${name}.${what}`));
  return `${[...SERIES_COLUMNS, ...ofWalls, ...ofLoads, ...(grains ? ['grains', 'mass'] : []), ...(events ? ['event'] : [])].map(quoted).join(',')}\n`;
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
  { timeStep, walls, grains }: Pick<Problem, 'timeStep' | 'walls' | 'grains'>,
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
  const places = new Map(walls.map(({ name }, w) => [name, w]));
  const ofLoads = columns.loads.flatMap(({ name, turns }): (number | string)[] => {
    const [w, count] = [places.get(name), turns ? 6 : 3];
    return w === undefined ? Array(count).fill('') : [...report.wallLoads.subarray(6 * w, 6 * w + count)];
  });
  const ofWalls = columns.walls.flatMap(({ name, axis }): (number | string)[] => {
    const w = places.get(name) ?? -1;
    const direction = w < 0 ? undefined : directionOfFigures(walls[w], axis, time);
    return direction ? wallFigures(report, direction, w) : ['', '', ''];
  });
  const ofGrains = columns.grains ? [grains.count, grains.masses.reduce((sum, mass) => sum + mass, 0)] : [];
  const ofEvents = columns.events ? [quoted(event)] : [];
  return `${[step, time, contacts, colours, iterations, residual, balance ?? '', meanForce, maxPenetration, meanPenetration, kineticEnergy, ...momentum, ...ofWalls, ...ofLoads, ...ofGrains, ...ofEvents].join(',')}\n`;
}

/** Position, velocity and the grains' force, each its part along one direction. */
function wallFigures({ wallMotions, wallLoads }: StepReport, direction: Vector, w: number): number[] {
  const along = (values: Float64Array, start: number) =>
    direction.reduce((sum, component, axis) => sum + component * values[start + axis], 0);
  return [along(wallMotions, 6 * w), along(wallMotions, 6 * w + 3), along(wallLoads, 6 * w)];
}

/** A plane's normal as it is at the time; of other walls their axis. */
const directionOfFigures = ({ shape, motion }: Wall, axis: Vector | undefined, time: number): Vector | undefined =>
  shape.kind === 'plane' ? directionOf(shapeAt(shape, motion, time)) : axis;

/** A field of CSV; names are free text. */
function quoted(field: string): string {
  return /[",\n\r]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
