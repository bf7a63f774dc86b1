import type { Fault } from '../errors';
import { formatPath } from './faults';
import { MAX_DIAMETERS } from './grainIndex';
import type { MeshShape } from './mesh/read';
import type { Grains, Vector } from './problem';
import type { Scene, SceneWall } from './schema';
import { unit, type WallLength } from './walls';

/** A wall, and a motion that it has at some time of the run. */
export interface MovingWall {
  wall: SceneWall;
  /** Of the motion. */
  path: PropertyKey[];
  /** Given by an event, not with the wall. */
  set?: true;
}

/** Every motion of a scene: those that walls come with, and those that events give them. */
export function movingWalls({ walls, events }: Pick<Scene, 'walls' | 'events'>): MovingWall[] {
  const withPaths = (list: readonly SceneWall[], path: PropertyKey[]) =>
    list.flatMap((wall, w) => (wall.motion ? [{ wall, path: [...path, w, 'motion'] }] : []));
  const ever = [...walls, ...events.flatMap(({ addWalls = [] }) => addWalls)];
  return [
    ...withPaths(walls, ['walls']),
    ...events.flatMap(({ addWalls = [], setMotion = {} }, k): MovingWall[] => [
      ...withPaths(addWalls, ['events', k, 'addWalls']),
      ...Object.entries(setMotion).flatMap(([name, motion]): MovingWall[] => {
        const wall = ever.find((each) => each.name === name || (each.box && name.startsWith(`${each.name}.`)));
        return wall && motion ? [{ wall: { ...wall, motion }, path: ['events', k, 'setMotion', name], set: true }] : [];
      }),
    ]),
  ];
}

/** Points and amplitudes of the motions that events set; those that walls come with are among the lengths of their walls. */
export function setMotionLengths(moving: readonly MovingWall[]): WallLength[] {
  return moving.flatMap(({ wall: { motion }, path, set }) =>
    [['point', motion?.point] as const, ['oscillation', motion?.oscillation?.amplitude] as const].flatMap(([key, vector]) =>
      vector && set ? [{ path: formatPath([...path, key]), length: Math.max(...vector.map(Math.abs)) }] : [],
    ),
  );
}

/** Radians that a wall may turn in a step: beyond, the ways of its points are no straight lines at all. */
const MAX_TURN = 1;
/** Share of an oscillation that may pass in a step: with fewer than four steps in each, the wall's way says nothing of it. */
const MAX_SHARE = 0.25;

/**
 * Motions with which grains could not keep up: steps in which a wall turns or swings too far, or moves over whole grains that
 * it then never met. (Planes, and cylinders and spheres from inside, have nothing behind them: they push what they
 * reach.)
 * @param meshes by the name of their wall
 */
export function motionFaults(
  moving: readonly MovingWall[],
  meshes: ReadonlyMap<string, MeshShape>,
  { radii }: Pick<Grains, 'radii'>,
  timeStep: number,
): Fault[] {
  const smallest = radii.reduce((least, radius) => Math.min(least, radius), Infinity);
  return moving.flatMap(({ wall, path }): Fault[] => {
    const { motion } = wall;
    if (!motion) return [];
    const faults: Fault[] = [];
    const fault = (key: string, message: string) => faults.push({ path: formatPath([...path, key]), message });
    const turn = length(motion.angularVelocity) * timeStep;
    if (!(turn <= MAX_TURN)) {
      fault(
        'angularVelocity',
        `turns the wall by ${turn.toPrecision(3)} rad in a step, at most 1 can be followed; use a shorter timeStep`,
      );
    }
    const { frequency = 0, amplitude = [0, 0, 0] } = motion.oscillation ?? {};
    if (!(frequency * timeStep <= MAX_SHARE)) {
      const share = (frequency * timeStep).toPrecision(3);
      fault(
        'oscillation',
        `goes through ${share} of an oscillation in a step, at most a quarter can be followed; use a shorter timeStep`,
      );
    }
    const ways = {
      velocity: length(motion.velocity) * timeStep,
      oscillation: 2 * Math.PI * frequency * length(amplitude as Vector) * timeStep,
      angularVelocity: turn * armOf(wall, meshes.get(wall.name)),
    };
    const way = ways.velocity + ways.oscillation + ways.angularVelocity;
    const farthest = Object.entries(ways).reduce((a, b) => (b[1] > a[1] ? b : a))[0];
    if (!(way / (2 * smallest) < MAX_DIAMETERS)) {
      fault(
        farthest,
        `moves the wall by ${way.toPrecision(3)} in a step, more than 10^9 diameters of the smallest grain; use a shorter timeStep`,
      );
    } else if (way > thicknessOf(wall) + smallest) {
      const message = `moves the wall by ${way.toPrecision(3)} in a step: it could jump over grains (smallest radius ${smallest.toPrecision(3)}); use a shorter timeStep`;
      fault(farthest, message);
    }
    return faults;
  });
}

const length = (v: readonly number[]) => Math.hypot(...v);

/** How far from the axis of turning those points are that do not turn in themselves: the wall's own, a tilting plate's rim, all of a mesh. */
function armOf({ motion, plane, cylinder, sphere }: SceneWall, mesh?: MeshShape): number {
  if (motion && mesh && length(motion.angularVelocity) > 0) return meshArm(motion, mesh);
  const point = plane?.point ?? cylinder?.point ?? sphere?.centre;
  if (!motion || !point || length(motion.angularVelocity) === 0) return 0;
  const axis = unit(motion.angularVelocity);
  const arm = length(across(point.map((x, k) => x - (motion.point ?? point)[k]) as Vector, axis));
  const rim = plane ? (plane.disk ?? plane.ring?.[1] ?? 0) : 0;
  return arm + (plane ? rim * length(across(unit(plane.normal), axis)) : 0);
}

function meshArm({ angularVelocity, point }: NonNullable<SceneWall['motion']>, { mesh, point: origin }: MeshShape): number {
  const axis = unit(angularVelocity);
  let longest = 0;
  for (let v = 0; v < mesh.vertices.length; v += 3) {
    const arm = [0, 1, 2].map((k) => mesh.vertices[v + k] - (point ?? origin)[k]) as Vector;
    longest = Math.max(longest, length(across(arm, axis)));
  }
  return longest;
}

/** Half of what there is of a wall to jump over; all space where grains have nowhere to be jumped to. */
function thicknessOf({ plane, cylinder, sphere, mesh }: SceneWall): number {
  if (mesh || plane?.disk !== undefined || plane?.ring) return 0;
  const round = cylinder ?? sphere;
  return round?.side === 'outside' ? round.radius : Infinity;
}

/** The part of a vector across a unit vector. */
function across(v: Vector, axis: Vector): Vector {
  const along = v[0] * axis[0] + v[1] * axis[1] + v[2] * axis[2];
  return v.map((x, k) => x - along * axis[k]) as Vector;
}
