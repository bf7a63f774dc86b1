import type { Fault } from '../errors';
import { FaultList } from '../scene/faults';
import type { Grains, NewMotion, Problem } from '../scene/problem';
import { forceUnit, internalMotion, outputUnits } from '../scene/units';

/**
 * The least that motions, loads and impulses may be in internal units, and the inverse of the most: the law takes squares of them, which
 * single precision holds down to 1e-38. Below, friction and then all motion go wrong.
 */
const LEAST = 1e-16;

const isTiny = (size: number) => size > 0 && size < LEAST;

/**
 * The figures of a scene, events included, that single precision would lose: where each is, what it comes to in internal units, and
 * the mend. What is too large for either backend the scene's own checks refuse.
 */
export function singleFaults(problem: Problem): readonly Fault[] {
  const { grains, events = [], walls, laws } = problem;
  const { units } = outputUnits(problem);
  const force = forceUnit(units);
  const motion = internalMotion(problem);
  const faults = new FaultList('figures that single precision does not hold');
  const refuse = (path: string, message: string) => faults.add(() => ({ path, message }));
  let fastest = 0;
  /** @param what something that moves or drives by so many mean diameters in a step */
  const checkMotion = (path: string, what: string, size: number) => {
    fastest = Math.max(fastest, size);
    if (isTiny(size)) refuse(path, tooSmall(`${what} in one step by ${size.toPrecision(3)} mean diameters`));
  };
  const checkWall = (path: string, moves: Partial<NewMotion> | null | undefined) => {
    const { velocity = [0], angularVelocity = [0], oscillation } = moves ?? {};
    const swing = oscillation
      ? 2 * Math.PI * oscillation.frequency * units.time * (Math.hypot(...oscillation.amplitude) / units.length)
      : 0;
    const moved = (Math.hypot(...velocity) * units.time) / units.length;
    checkMotion(path, 'it moves the wall', Math.max(moved, Math.hypot(...angularVelocity) * units.time, swing));
  };
  const checkPiston = (path: string, { mass, force: push = 0 }: { mass?: number; force?: number } = {}) => {
    const sizes = { mass: (mass ?? units.mass) / units.mass, force: Math.abs(push) / force };
    for (const [key, size] of Object.entries(sizes)) {
      if (isTiny(size)) refuse(`${path}.${key}`, tooSmall(said(size)));
      if (size > 1 / LEAST) refuse(`${path}.${key}`, `${said(size)}; the GPU takes up to 1e16. Use the CPU backend, or less`);
    }
  };

  checkMotion('gravity', 'it changes the way of grains', motion.ofGravity(problem.gravity));
  for (const { name, motion: moves, piston } of walls) {
    checkWall(`motion of wall "${name}"`, moves);
    checkPiston(`piston of wall "${name}"`, piston);
  }
  events.forEach(({ gravity, setMotion, setPiston, addWalls }, k) => {
    const path = `events[${k}]`;
    if (gravity) checkMotion(`${path}.setGravity`, 'it changes the way of grains', motion.ofGravity(gravity));
    for (const [name, moves] of Object.entries(setMotion)) checkWall(`${path}.setMotion.${name}`, moves);
    for (const [name, change] of Object.entries(setPiston)) checkPiston(`${path}.setPiston.${name}`, change);
    for (const { name, motion: moves, piston } of addWalls) {
      checkWall(`${path}.addWalls, motion of "${name}"`, moves);
      checkPiston(`${path}.addWalls, piston of "${name}"`, piston);
    }
  });
  laws.forEach(({ cohesionForce }, k) => {
    const size = cohesionForce / force;
    // The first law is that of pairs without one.
    if (isTiny(size)) refuse(`contacts[${k - 1}].cohesion.force`, tooSmall(said(size)));
  });
  const sets: [path: string, set: Grains][] = [
    ['grains', grains],
    ...events.flatMap(({ insert, pour }, k): [string, Grains][] => [
      ...(insert ? [[`events[${k}].insert`, insert] as [string, Grains]] : []),
      ...(pour ? [[`events[${k}].pour`, pour.grains] as [string, Grains]] : []),
    ]),
  ];
  const largest = largestMotions(sets, motion);
  // Slow grains among what moves faster count as at rest: states that come from elsewhere have such velocities.
  const rests = fastest > 0;
  for (const [what, { path, size }] of largest) {
    if (!rests || !/velocity/.test(what)) checkMotion(path, what, size);
  }
  fastest = Math.max(fastest, ...[...largest.values()].map(({ size }) => size));
  // Beside motions that are lost all grains would count as light.
  if (!isTiny(fastest)) checkLight(sets, units.mass, fastest, refuse);
  return faults.faults;
}

/** Of what grains have by themselves, velocity, force and so on, the largest of each and whose it is. */
function largestMotions(sets: readonly [string, Grains][], motion: ReturnType<typeof internalMotion>) {
  const largest = new Map<string, { path: string; size: number }>();
  for (const [path, set] of sets) {
    for (let i = 0; i < set.count; i++) {
      for (const [what, size] of motion.ofGrain(i, set)) {
        if (size > (largest.get(what)?.size ?? 0)) largest.set(what, { path: pathOf(path, set, i), size });
      }
    }
  }
  return largest;
}

/** Grains so light that the impulses on them are lost, with the fastest motion there is: the first of each set. */
function checkLight(
  sets: readonly [string, Grains][],
  mean: number,
  fastest: number,
  refuse: (path: string, message: string) => void,
): void {
  for (const [path, set] of sets) {
    const light = set.masses.findIndex((mass, i) => !set.fixed[i] && isTiny((mass / mean) * fastest));
    if (light < 0) continue;
    const share = (set.masses[light] / mean).toPrecision(3);
    const impulses = `impulses of ${share} times ${fastest.toPrecision(3)}`;
    refuse(pathOf(path, set, light), tooSmall(`grain ${light} has ${share} of the mean mass, and ${impulses}`));
  }
}

const pathOf = (path: string, { groups }: Grains, i: number) => (path === 'grains' ? `grains[${groups[i]}]` : path);

const said = (size: number) => `it is ${size.toPrecision(3)} in mean masses and diameters of grains and steps`;

const tooSmall = (what: string) =>
  `${what}; single precision on the GPU needs 1e-16. Check the units, use a longer timeStep, or the CPU backend`;
