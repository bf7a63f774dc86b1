import { leastPeriod } from '../cpu/longestReach';
import type { Fault } from '../errors';
import { boundOf } from './asWritten';
import { formatPath } from './faults';
import { type MovingWall, movingWalls } from './motionChecks';
import type { Periodic, Vector } from './problem';
import type { Scene, SceneWall } from './schema';
import type { WallLength } from './walls';

/** Components of unit vectors below this are rounding. */
const ALONG = 1e-12;

/** The periodic box that a scene asks for, if any. */
export function toPeriodic({ periodic }: Scene): Periodic | undefined {
  if (!periodic) return undefined;
  const { axes, min, max } = periodic;
  const lengths = min.map((least, axis) => (axes.includes('xyz'[axis]) ? max[axis] - least : 0)) as Vector;
  return { min, lengths };
}

const periodicAxes = ({ lengths }: Periodic) => [0, 1, 2].filter((axis) => lengths[axis] > 0);

/** How far the ends of the box are from the origin. */
export function boxLengths(periodic: Periodic | undefined): WallLength[] {
  if (!periodic) return [];
  return periodicAxes(periodic).map((axis) => {
    const [least, length] = [Math.abs(periodic.min[axis]), periodic.lengths[axis]];
    return { path: least > length ? 'periodic.min' : 'periodic.max', length: least + length };
  });
}

/** What in a scene as a whole does not go with its periodic axes. */
export function periodicFaults(scene: Scene, periodic: Periodic | undefined): Fault[] {
  if (!periodic) return [];
  const falls = scene.grains.flatMap(({ ballistic }, k): Fault[] => {
    if (!ballistic || periodic.lengths[2] === 0) return [];
    return [
      { path: `grains[${k}].ballistic`, message: 'falls along z, which cannot be a periodic axis; change "periodic.axes"' },
    ];
  });
  return [
    ...falls,
    ...periodicWallFaults(scene.walls, periodic, ['walls']),
    ...periodicMotionFaults(movingWalls(scene), periodic),
  ];
}

/** Walls that would differ from image to image of the box. What they are at one end must go on at the other. */
export function periodicWallFaults(walls: readonly SceneWall[], periodic: Periodic, list: PropertyKey[]): Fault[] {
  return walls.flatMap((wall, w) =>
    shapeFaults(wall, periodic).map(([keys, message]) => ({ path: formatPath([...list, w, ...keys]), message })),
  );
}

type FaultAt = [keys: PropertyKey[], message: string];

/** Motions with which a wall would differ from image to image. */
function periodicMotionFaults(moving: readonly MovingWall[], periodic: Periodic | undefined): Fault[] {
  return moving.flatMap(({ wall: { motion }, path }): Fault[] => {
    if (!periodic || !motion || !isAcross(motion.angularVelocity, periodic)) return [];
    const message = `is not along the only periodic axis: the motion would differ from image to image of the periodic box; leave it out, or change "periodic.axes"`;
    return [{ path: formatPath([...path, 'angularVelocity']), message }];
  });
}

function shapeFaults({ plane, cylinder, box, mesh }: SceneWall, periodic: Periodic): FaultAt[] {
  const axes = periodicAxes(periodic);
  const names = axes.map((axis) => 'xyz'[axis]).join(' and ');
  if (plane) {
    const bound = boundOf(plane);
    if (bound) return [[['plane', bound], `has no images in a periodic box; leave it out, or leave out "periodic"`]];
    const length = Math.hypot(...plane.normal);
    if (axes.every((axis) => Math.abs(plane.normal[axis]) <= ALONG * length)) return [];
    return [
      [
        ['plane', 'normal'],
        `must be at right angles to ${names}, in which space is periodic: the plane would end at the sides of the box`,
      ],
    ];
  }
  if (cylinder) {
    if (!isAcross(cylinder.axis, periodic)) return [];
    const only =
      axes.length === 1
        ? `must lie along ${names}, in which space is periodic`
        : `cannot be: space is periodic in ${names}, and a cylinder has no images; let it be so along its axis alone`;
    return [[['cylinder', 'axis'], only]];
  }
  if (box) {
    const closed = axes
      .flatMap((axis) => ['-', '+'].map((sign) => `${sign}${'xyz'[axis]}`))
      .filter((face) => !(box.open as string[]).includes(face));
    if (closed.length === 0) return [];
    return [
      [
        ['box', 'open'],
        `must list ${closed.map((face) => `"${face}"`).join(', ')}: space is periodic in ${names}, and such faces would close it`,
      ],
    ];
  }
  if (mesh) return [];
  return [
    [[], `planes, cylinders, boxes and meshes alone have images in a periodic box; take one of them, or leave out "periodic"`],
  ];
}

/** Whether a vector has a component that makes what is about it differ between images: any but one along the only periodic axis. */
function isAcross(vector: Vector, periodic: Periodic): boolean {
  const axes = periodicAxes(periodic);
  const length = Math.hypot(...vector);
  return length > 0 && (axes.length > 1 || vector.some((x, axis) => axis !== axes[0] && Math.abs(x) > ALONG * length));
}

/**
 * Boxes so narrow that a grain could touch its own image, or another grain from two sides.
 * @param radii of the grains that there are, none where all are still to come
 * @param cohesionRange the longest of all laws
 */
export function narrowFaults(periodic: Periodic | undefined, radii: Float64Array, cohesionRange: number): Fault[] {
  if (!periodic || radii.length === 0) return [];
  const meanDiameter = (2 * radii.reduce((sum, radius) => sum + radius, 0)) / radii.length;
  const largest = radii.reduce((most, radius) => Math.max(most, radius), 0);
  const least = meanDiameter * leastPeriod(largest / meanDiameter, cohesionRange / meanDiameter);
  return periodicAxes(periodic)
    .filter((axis) => !(periodic.lengths[axis] >= least))
    .map((axis) => {
      const message = `the box is ${periodic.lengths[axis].toPrecision(4)} long in ${'xyz'[axis]}: a grain of diameter ${(2 * largest).toPrecision(4)} could touch its own image, or another grain from two sides; at least ${least.toPrecision(4)} is needed, two of the largest diameters and some room`;
      return { path: 'periodic.max', message };
    });
}
