import type { State, StepReport } from '../report';
import { DISK_INERTIA_FACTOR, SPHERE_INERTIA_FACTOR } from '../settings';
import { eventGrains } from './grainSets';
import { systemMeshes, toInternalMesh } from './mesh/systemMeshes';
import { fromZero, wrapPositions } from './periodic';
import type { PairLaw, Problem, Vector, WallMotion, WallShape } from './problem';
import type { System, Units } from './system';
import { isMoving } from './wallMotion';

/**
 * Internal units: length by the mean grain diameter, mass by the mean grain mass, time by the step. Grains of any size then
 * have coordinates, masses and impulses near one, which single precision needs.
 */
export function toSystem(problem: Problem, units = chooseUnits(problem)): System {
  const { grains, walls, periodic } = problem;
  const count = grains.count;
  const bodies = count + walls.length;
  const shapes = walls.map(({ shape }) => toInternalShape(shape, units));
  const system: System = {
    units,
    grains: count,
    bodies,
    inertiaFactor: inertiaFactor(problem),
    positions: new Float64Array(3 * count),
    ...(periodic ? { periods: periodic.lengths.map((length) => length / units.length) as Vector } : {}),
    radii: grains.radii.map((radius) => radius / units.length),
    inverseMasses: new Float64Array(bodies),
    velocities: new Float64Array(3 * bodies),
    spins: new Float64Array(3 * bodies),
    accelerations: new Float64Array(3 * count),
    spinAccelerations: new Float64Array(3 * count),
    materials: new Uint32Array(bodies),
    walls: shapes,
    wallNames: walls.map(({ name }) => name),
    meshes: systemMeshes(shapes),
    motions: walls.map(({ motion }) => (isMoving(motion) ? toInternalMotion(motion, units) : undefined)),
    turned: walls.map(({ turned }) => turned),
    pistons: walls.flatMap(({ piston }, wall) =>
      piston ? [{ wall, mass: piston.mass / units.mass, force: piston.force / forceUnit(units) }] : [],
    ),
    laws: problem.laws.map((law) => toInternalLaw(law, units)),
    lawOf: problem.lawOf.slice(),
    solver: problem.solver,
  };
  system.materials.set(grains.materials);
  walls.forEach((wall, w) => {
    system.materials[count + w] = wall.material;
  });
  for (let i = 0; i < count; i++) setGrain(system, problem, i);
  if (system.periods) wrapPositions(system.positions, fromZero(system.periods));
  return system;
}

function setGrain(system: System, { grains, gravity }: Problem, i: number): void {
  const { length, mass, time, origin } = system.units;
  const moves = grains.fixed[i] ? 0 : 1;
  const speed = time / length;
  system.inverseMasses[i] = moves * (mass / grains.masses[i]);
  for (let axis = 0; axis < 3; axis++) {
    const k = 3 * i + axis;
    system.positions[k] = (grains.positions[k] - origin[axis]) / length;
    system.velocities[k] = moves * (grains.velocities[k] * speed);
    system.spins[k] = moves * (grains.angularVelocities[k] * grains.radii[i] * speed);
    const acceleration = gravity[axis] + grains.forces[k] / grains.masses[i];
    system.accelerations[k] = moves * (acceleration * time * speed);
    // d(r w)/dt = r t/I
    const spinRate = (system.inertiaFactor * grains.torques[k]) / (grains.masses[i] * grains.radii[i]);
    system.spinAccelerations[k] = moves * (spinRate * time * speed);
  }
}

/** m r^2/I of solid spheres, or of disks in two dimensions. */
const inertiaFactor = ({ dimension }: Problem) => (dimension === 2 ? DISK_INERTIA_FACTOR : SPHERE_INERTIA_FACTOR);

/**
 * The mean diameter and mass over all grains, those that events bring included, and the centre of the box around the grains' centres; along periodic axes the
 * lower end of the periodic box instead.
 */
export function chooseUnits({ grains, events, timeStep, periodic }: Problem): Units {
  let [count, diameters, mass] = [0, 0, 0];
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (const { positions, radii, masses, ...set } of [grains, ...eventGrains(events)]) {
    count += set.count;
    for (let i = 0; i < set.count; i++) {
      diameters += 2 * radii[i];
      mass += masses[i];
      for (let axis = 0; axis < 3; axis++) {
        low[axis] = Math.min(low[axis], positions[3 * i + axis]);
        high[axis] = Math.max(high[axis], positions[3 * i + axis]);
      }
    }
  }
  const origin = low.map((least, axis) =>
    periodic && periodic.lengths[axis] > 0 ? periodic.min[axis] : least + (high[axis] - least) / 2,
  ) as Vector;
  return { length: diameters / count, mass: mass / count, time: timeStep, origin };
}

function toInternalPoint(point: Vector, { length, origin }: Units): Vector {
  return point.map((x, axis) => (x - origin[axis]) / length) as Vector;
}

function toInternalShape(shape: WallShape, units: Units): WallShape {
  const point = toInternalPoint(shape.point, units);
  if (shape.kind === 'mesh') {
    return { ...shape, point, home: toInternalPoint(shape.home, units), mesh: toInternalMesh(shape.mesh, units) };
  }
  if (shape.kind !== 'plane') return { ...shape, point, radius: shape.radius / units.length };
  const { region } = shape;
  if (!region) return { ...shape, point };
  return { ...shape, point, region: { ...region, inner: region.inner / units.length, outer: region.outer / units.length } };
}

function toInternalMotion({ velocity, angularVelocity, point, oscillation, start }: WallMotion, units: Units): WallMotion {
  const { length, time } = units;
  return {
    velocity: velocity.map((v) => (v * time) / length) as Vector,
    angularVelocity: angularVelocity.map((w) => w * time) as Vector,
    point: toInternalPoint(point, units),
    // Between two steps, but for rounding.
    start: Math.round(start / time),
    ...(oscillation
      ? {
          oscillation: {
            amplitude: oscillation.amplitude.map((a) => a / length) as Vector,
            frequency: oscillation.frequency * time,
            phase: oscillation.phase,
          },
        }
      : {}),
  };
}

function toInternalLaw(law: PairLaw, units: Units): PairLaw {
  return { ...law, cohesionForce: law.cohesionForce / forceUnit(units), cohesionRange: law.cohesionRange / units.length };
}

/** Scene force per internal impulse: impulse over the step. */
export const forceUnit = ({ length, mass, time }: Units) => (mass * length) / (time * time);

/** The units of a problem, and those in which its results come: those that toSceneReport and toSceneState multiply by. */
export function outputUnits(problem: Problem): { units: Units; outputs: Record<string, number> } {
  const units = chooseUnits(problem);
  const speed = units.length / units.time;
  const force = forceUnit(units);
  const outputs = {
    lengths: units.length,
    masses: units.mass,
    times: units.time,
    velocities: speed,
    forces: force,
    torques: force * units.length,
    momentum: units.mass * speed,
    energies: units.mass * speed * speed,
  };
  return { units, outputs };
}

/** Largest components of what setGrain makes of velocities, forces and gravity, in mean diameters per step. */
export function internalMotion(problem: Problem) {
  const { grains } = problem;
  const { length, time } = chooseUnits(problem);
  const speed = time / length;
  const largest = (vectors: Float64Array, i: number) =>
    Math.max(Math.abs(vectors[3 * i]), Math.abs(vectors[3 * i + 1]), Math.abs(vectors[3 * i + 2]));
  return {
    ofGravity: (gravity: Vector) => Math.max(...gravity.map(Math.abs)) * time * speed,
    /** Of grain i, with what to say of it. @param set that it is one of */
    ofGrain(i: number, set = grains): [what: string, size: number][] {
      const { velocities, angularVelocities, forces, torques, radii, masses, fixed } = set;
      if (fixed[i]) return [];
      return [
        ['its velocity moves it', largest(velocities, i) * speed],
        ['its angular velocity turns its surface', largest(angularVelocities, i) * radii[i] * speed],
        ['its force changes its way', (largest(forces, i) / masses[i]) * time * speed],
        [
          'its torque changes the turn of its surface',
          ((inertiaFactor(problem) * largest(torques, i)) / (masses[i] * radii[i])) * time * speed,
        ],
      ];
    },
  };
}

/** A backend's report in the units of the scene; impulses become forces. Displacements and overlaps stay relative to diameters. */
export function toSceneReport(report: StepReport, units: Units): StepReport {
  const force = forceUnit(units);
  const speed = units.length / units.time;
  return {
    ...report,
    meanForce: report.meanForce * force,
    kineticEnergy: report.kineticEnergy * units.mass * speed * speed,
    momentum: report.momentum.map((p) => p * units.mass * speed) as Vector,
    wallLoads: report.wallLoads.map((load, k) => load * (k % 6 < 3 ? force : force * units.length)),
    wallMotions: report.wallMotions.map((x, k) => (k % 6 < 3 ? units.origin[k % 3] + x * units.length : x * speed)),
  };
}

/** Poses of walls, W x 7, in the units of the scene. */
export function toSceneWalls(walls: Float64Array, { origin, length }: Units): Float64Array {
  return walls.map((x, k) => (k % 7 < 3 ? origin[k % 7] + x * length : x));
}

/**
 * A backend's state in the units of the scene.
 * @param radii N, in units of the scene
 */
export function toSceneState(state: State, units: Units, radii: Float64Array): State {
  const speed = units.length / units.time;
  const force = forceUnit(units);
  const { contacts } = state;
  return {
    ...state,
    positions: state.positions.map((x, k) => units.origin[k % 3] + x * units.length),
    velocities: state.velocities.map((v) => v * speed),
    angularVelocities: state.angularVelocities.map((s, k) => (s * speed) / radii[Math.floor(k / 3)]),
    walls: toSceneWalls(state.walls, units),
    contacts: {
      ...contacts,
      gaps: contacts.gaps.map((gap) => gap * units.length),
      forces: contacts.forces.map((impulse) => impulse * force),
      torques: contacts.torques.map((torque) => torque * force * units.length),
    },
  };
}
