import { fromAxis, type Region } from '../analysis/region';
import type { Periodic, Vector } from '../scene/problem';
import type { Scene, SceneWall } from '../scene/schema';

/** The region reaches so far beyond the outermost centres, in its height, lest rounding leave them out. */
const BEYOND = 1e-9;
/** Directions and places that differ by less are the same. */
const SAME = 1e-9;

/** The walls that are cylinders about grains. */
export const roundWalls = ({ walls }: Scene) => walls.filter(({ cylinder }) => cylinder?.side === 'inside');

/**
 * The region in the round wall about all grains, where that is the only wall beside planes and boxes and stays where it is: along its
 * axis from the first centre to the last, in a periodic box a period.
 * @param positions N x 3
 * @returns undefined where no such wall is there, or the centres are all at one height
 */
export function containerRegion(scene: Scene, positions: Float64Array, periodic?: Periodic): Region | undefined {
  const added = scene.events.flatMap(({ addWalls = [] }) => addWalls);
  const [wall, ...others] = [...scene.walls, ...added].filter(({ plane, box }) => !plane && !box);
  if (!wall?.cylinder || others.length > 0 || !roundWalls(scene).includes(wall) || !staysInPlace(wall, scene)) return undefined;
  const { point, radius } = wall.cylinder;
  const axis = unit(wall.cylinder.axis);
  let [low, high] = [Infinity, -Infinity];
  for (let k = 0; k < positions.length; k += 3) {
    const { along, across } = fromAxis({ point, axis }, [positions[k], positions[k + 1], positions[k + 2]]);
    if (Math.hypot(...across) > radius) return undefined;
    low = Math.min(low, along);
    high = Math.max(high, along);
  }
  if (!(high > low)) return undefined;
  const beyond = BEYOND * (high - low);
  [low, high] = [low - beyond, high + beyond];
  // Space can be periodic along the axis of a cylinder alone.
  if (periodic) {
    [low, high] = [periodic.min, periodic.min.map((from, k) => from + periodic.lengths[k]) as Vector]
      .map((end) => fromAxis({ point, axis }, end).along)
      .sort((a, b) => a - b);
  }
  return { kind: 'cylinder', point: point.map((x, k) => x + low * axis[k]) as Vector, axis, radius, height: high - low };
}

const unit = (axis: Vector) => axis.map((x) => x / Math.hypot(...axis)) as Vector;

/** Whether the surface of a cylinder is, in the whole run, where the scene says. */
function staysInPlace({ name, cylinder, motion }: SceneWall, { events }: Scene): boolean {
  if (events.some(({ removeWalls, setMotion }) => removeWalls?.includes(name) || Object.hasOwn(setMotion ?? {}, name)))
    return false;
  if (!motion) return true;
  const { point, radius } = cylinder!;
  const axis = unit(cylinder!.axis);
  const fromLine = (through: Vector, x: Vector) => Math.hypot(...fromAxis({ point: through, axis }, x).across);
  const { velocity, angularVelocity, oscillation } = motion;
  const ways = [velocity, angularVelocity, oscillation?.amplitude ?? [0, 0, 0]] as Vector[];
  return (
    fromLine(point, motion.point ?? point) <= SAME * radius &&
    ways.every((way) => fromLine([0, 0, 0], way) <= SAME * Math.hypot(...way))
  );
}
