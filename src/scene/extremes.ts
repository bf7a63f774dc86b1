import type { Fault } from '../errors';
import { FaultList, formatPath } from './faults';
import { MAX_DIAMETERS } from './grainIndex';
import { type GrainGroup, grainName } from './grains';
import type { Grains, Problem } from './problem';
import type { Scene } from './schema';
import { internalMotion, outputUnits } from './units';

/** Units of results lie between this and its inverse: sums and squares of them then stay within double precision. */
const LEAST_UNIT = 1e-140;

/** Mean mass over that of the lightest grain that moves: its inverse mass must have room in single precision. */
const MAX_MASS_RATIO = 1e30;

/** Times, masses and motions with which a step or its results would leave the range of numbers. */
export function extremeFaults(problem: Problem, groups: readonly GrainGroup[], events: Scene['events']): Fault[] {
  const { units, outputs } = outputUnits(problem);
  const unfit = Object.entries(outputs).find(([, unit]) => !(unit > LEAST_UNIT && unit < 1 / LEAST_UNIT));
  if (unfit) {
    const size = (x: number) => Math.abs(Math.log10(x));
    const paths = { timeStep: units.time, grains: units.length, materials: units.mass };
    const [path] = Object.entries(paths).reduce((a, b) => (size(b[1]) > size(a[1]) ? b : a));
    const message = `a step of ${units.time} with grains of mean diameter ${units.length.toPrecision(3)} and mean mass ${units.mass.toPrecision(3)} leaves the range of numbers: the unit of ${unfit[0]} would be ${unfit[1]}; check it, or choose other units`;
    return [{ path, message }];
  }
  return [
    ...motionFaults(problem, groups, events),
    ...massFaults(problem.grains, units.mass, groups),
    ...cohesionFaults(problem, units.length, outputs.forces),
  ];
}

/** Pistons, given with walls or changed by events, that their force would take farther in a step than can be computed. */
export function pistonFaults({ walls, events }: Scene, problem: Problem): Fault[] {
  const { length, mass: meanMass } = outputUnits(problem).units;
  const masses = new Map<string, number>();
  const check = (
    path: PropertyKey[],
    name: string,
    { mass = masses.get(name), force = 0 }: { mass?: number; force?: number },
  ) => {
    if (mass === undefined) return [];
    masses.set(name, mass);
    const way = (Math.abs(force) / mass) * (problem.timeStep ** 2 / length);
    if (!(mass / meanMass < MAX_MASS_RATIO && mass / meanMass > 1 / MAX_MASS_RATIO)) {
      const message = `the mass ${mass} is more than 10^30 times, or less than 10^-30 of, the mean mass of grains (${meanMass.toPrecision(3)}); bring them nearer`;
      return [{ path: formatPath([...path, 'mass']), message }];
    }
    return way < MAX_DIAMETERS ? [] : [{ path: formatPath([...path, 'force']), message: tooFast('it moves the piston', way) }];
  };
  const ofWalls = (path: PropertyKey[], list: Scene['walls']) =>
    list.flatMap(({ name, piston }, w) => (piston ? check([...path, w, 'piston'], name, piston) : []));
  return [
    ...ofWalls(['walls'], walls),
    ...events.flatMap(({ addWalls = [], setPiston = {} }, k) => [
      ...ofWalls(['events', k, 'addWalls'], addWalls),
      ...Object.entries(setPiston).flatMap(([name, change]) => check(['events', k, 'setPiston', name], name, change)),
    ]),
  ];
}

/** Displacements, and their changes, that grains have in a step by themselves. */
function motionFaults(problem: Problem, groups: readonly GrainGroup[], events: Scene['events']): Fault[] {
  const faults = new FaultList('grains too fast');
  const motion = internalMotion(problem);
  const gravities = [
    { path: 'gravity', gravity: problem.gravity },
    ...events.flatMap(({ setGravity: gravity }, k) => (gravity ? [{ path: `events[${k}].setGravity`, gravity }] : [])),
  ];
  const tooStrong = gravities.flatMap(({ path, gravity }): Fault[] => {
    const size = motion.ofGravity(gravity);
    return size < MAX_DIAMETERS ? [] : [{ path, message: tooFast('it changes the way of grains', size) }];
  });
  if (tooStrong.length > 0) return tooStrong;
  for (let i = 0; i < problem.grains.count; i++) {
    for (const [what, size] of motion.ofGrain(i)) {
      if (!(size < MAX_DIAMETERS)) faults.add(() => ({ path: grainName(groups, i), message: tooFast(what, size) }));
    }
  }
  return faults.faults;
}

function tooFast(what: string, size: number): string {
  return `${what} in one step by ${size.toPrecision(3)} mean diameters, at most 10^9 can be computed; use a shorter timeStep, or check the units`;
}

/** Bonds that reach so far that all pairs would be candidates, or pull so hard that it cannot be computed. */
function cohesionFaults({ laws }: Problem, diameter: number, force: number): Fault[] {
  // The first law is that of pairs without one.
  return laws.slice(1).flatMap(({ cohesionForce, cohesionRange }, k): Fault[] => {
    const path = `contacts[${k}].cohesion`;
    const faults: Fault[] = [];
    if (cohesionRange > diameter) {
      const message = `bonds of range ${cohesionRange} reach farther than the mean grain diameter, ${diameter.toPrecision(3)}; make it shorter, or check the units`;
      faults.push({ path: `${path}.range`, message });
    }
    if (!(cohesionForce / force < MAX_DIAMETERS)) {
      const pull = (cohesionForce / force).toPrecision(3);
      faults.push({
        path: `${path}.force`,
        message: tooFast(`a pull of ${cohesionForce} moves a grain of mean mass`, Number(pull)),
      });
    }
    return faults;
  });
}

function massFaults({ count, masses, fixed }: Grains, mean: number, groups: readonly GrainGroup[]): Fault[] {
  const faults = new FaultList('grains too light');
  for (let i = 0; i < count; i++) {
    if (fixed[i] || mean / masses[i] < MAX_MASS_RATIO) continue;
    const message = `the mass ${masses[i].toPrecision(3)} is less than 10^-30 of the mean (${mean.toPrecision(3)}); bring the densities or radii nearer`;
    faults.add(() => ({ path: grainName(groups, i), message }));
  }
  return faults.faults;
}
