import { coordination } from '../../src/analysis/coordination';
import type { Region } from '../../src/analysis/region';
import { touchingContacts } from '../../src/analysis/touching';
import { volumeFraction } from '../../src/analysis/volumeFraction';
import type { State, StepReport } from '../../src/report';
import type { Problem } from '../../src/scene/problem';
import { wallContact } from '../../src/scene/wallContact';
import { SILO } from './scene';

export interface Check {
  name: string;
  measured: string;
  bound: string;
  passed: boolean;
}

/** Share of the radius and of the height that the core takes. */
const CORE = { radius: 0.8, low: 0.2, high: 0.8 };

/**
 * What is known of the core of one packing, test.particles of github.com/azamatsalamat/liggghts-packing-properties (top at 1.6 m): the
 * volume fraction by its author's Monte Carlo, and 49,539 ends of contacts (gaps up to 1e-3 mean diameters) at 8,868 grains, counted in
 * Python with nothing of this library.
 */
const KNOWN = { grains: 22410, volumeFraction: 0.634, coordination: 49539 / 8868 };

/** Vertical force that the grains exert on all walls together, downwards positive. */
export function verticalLoad({ wallLoads }: StepReport): number {
  let load = 0;
  for (let k = 2; k < wallLoads.length; k += 6) load -= wallLoads[k];
  return load;
}

function meanDiameter({ grains: { radii, count } }: Problem): number {
  return (2 * radii.reduce((sum, radius) => sum + radius, 0)) / count;
}

/** Overlap of two bodies of which the second may be a wall; 0 where they do not overlap. */
function overlap({ grains, walls }: Problem, positions: Float64Array, first: number, second: number): number {
  const [x, y, z] = positions.subarray(3 * first, 3 * first + 3);
  if (second >= grains.count) {
    const contact = { gap: 0, normal: [0, 0, 0] as [number, number, number] };
    wallContact(walls[second - grains.count].shape, x, y, z, grains.radii[first], contact);
    return Math.max(0, -contact.gap);
  }
  const [x2, y2, z2] = positions.subarray(3 * second, 3 * second + 3);
  return Math.max(0, grains.radii[first] + grains.radii[second] - Math.hypot(x2 - x, y2 - y, z2 - z));
}

/** The largest growth of an overlap over the run, among all that overlap in the end; scene length. */
function overlapGrowth(problem: Problem, { positions, contacts }: State): number {
  let growth = 0;
  for (let c = 0; c < contacts.count; c++) {
    const [first, second] = [contacts.first[c], contacts.second[c]];
    const after = overlap(problem, positions, first, second);
    if (after > 0) growth = Math.max(growth, after - overlap(problem, problem.grains.positions, first, second));
  }
  return growth;
}

/** Grains whose centre is beyond a wall or above what the packing reached, by one radius of the largest. */
function countLeft(problem: Problem, positions: Float64Array): number {
  const { count, radii } = problem.grains;
  const top = height(problem) + Math.max(...radii);
  let left = 0;
  for (let i = 0; i < count; i++) {
    const [x, y, z] = positions.subarray(3 * i, 3 * i + 3);
    const inside = z > 0 && z < top && Math.hypot(x - SILO.centre[0], y - SILO.centre[1]) < SILO.radius;
    if (!inside) left++;
  }
  return left;
}

/** The top of the highest grain at the start. */
function height({ grains: { positions, radii } }: Problem): number {
  return radii.reduce((top, radius, i) => Math.max(top, positions[3 * i + 2] + radius), 0);
}

function coreOf(problem: Problem): Region {
  const top = height(problem);
  return {
    kind: 'cylinder',
    point: [...SILO.centre, CORE.low * top],
    axis: [0, 0, 1],
    radius: CORE.radius * SILO.radius,
    height: (CORE.high - CORE.low) * top,
  };
}

/** Checks of the analysis, by the packing as it comes; none where nothing is known of it. */
export function analysisChecks(problem: Problem): Check[] {
  const { positions, radii, count } = problem.grains;
  if (count !== KNOWN.grains) return [];
  const region = coreOf(problem);
  const { mean } = coordination(touchingContacts(positions, radii), positions, { region });
  return [
    check('packing density of the core, as given', volumeFraction(problem, positions, region), KNOWN.volumeFraction, 0.003, ''),
    check('coordination number of the core, as given', mean, KNOWN.coordination, 1e-3, ''),
  ];
}

/** Checks of a run of the settled packing; `reports` are those of the steps over which the wall force is averaged. */
export function packingChecks(problem: Problem, reports: readonly StepReport[], state: State): Check[] {
  const { masses, positions } = problem.grains;
  const weight = SILO.gravity * masses.reduce((sum, mass) => sum + mass, 0);
  const load = reports.reduce((sum, report) => sum + verticalLoad(report), 0) / reports.length;
  const growth = overlapGrowth(problem, state) / meanDiameter(problem);
  const left = countLeft(problem, state.positions);
  const core = coreOf(problem);
  const before = volumeFraction(problem, positions, core);
  const after = volumeFraction(problem, state.positions, core);
  return [
    check(`vertical wall force, mean of ${reports.length} steps`, load, weight, 0.01, 'N'),
    check('packing density of the core', after, before, 0.005, ''),
    {
      name: 'growth of the largest overlap',
      measured: `${growth.toExponential(2)} mean diameters`,
      bound: 'at most 1e-3',
      passed: growth <= 1e-3,
    },
    { name: 'grains that left', measured: `${left}`, bound: '0', passed: left === 0 },
  ];
}

/** Checks of the first steps on the GPU against those on the CPU. */
export function comparisonChecks(gpu: readonly StepReport[], cpu: readonly StepReport[]): Check[] {
  const load = (reports: readonly StepReport[]) =>
    reports.reduce((sum, report) => sum + verticalLoad(report), 0) / reports.length;
  const last = cpu.length - 1;
  return [
    check(`vertical wall force, mean of ${cpu.length} steps, against the CPU`, load(gpu), load(cpu), 1e-3, 'N'),
    check('vertical wall force, last step, against the CPU', verticalLoad(gpu[last]), verticalLoad(cpu[last]), 1e-3, 'N'),
    check('contacts, last step, against the CPU', gpu[last].contacts, cpu[last].contacts, 0.01, ''),
  ];
}

function check(name: string, value: number, expected: number, tolerance: number, unit: string): Check {
  const difference = value / expected - 1;
  const figure = (x: number) => `${+x.toPrecision(7)} ${unit}`.trim();
  return {
    name,
    measured: figure(value),
    bound: `${figure(expected)} within ${100 * tolerance} % (is ${(100 * difference).toFixed(4)} %)`,
    passed: Math.abs(difference) <= tolerance,
  };
}
