import { wrapped } from '../periodic';
import type { FillRegion, Periodic, Space, Vector } from '../problem';
import { unit } from '../walls';

/** Draws the centre of a grain that lies wholly in the region; false where one of that radius cannot. */
export type DrawPlace = (radius: number, place: Vector) => boolean;

/** A region this near to a whole period goes through all of it. */
const THROUGH = 1 - 1e-12;

/**
 * Draws centres evenly. A region that goes through a periodic box from end to end has no ends there: grains may lie across
 * the seam. In two dimensions z is 0.
 */
export function placeDrawer(region: FillRegion, random: () => number, space: Omit<Space, 'walls'>): DrawPlace {
  const { periodic } = space;
  const draw = region.box ? boxDrawer(region.box, random, space) : cylinderDrawer(region.cylinder!, random, space);
  if (!periodic) return draw;
  return (radius, place) => {
    if (!draw(radius, place)) return false;
    for (let axis = 0; axis < 3; axis++) place[axis] = wrapped(place[axis], periodic.min[axis], periodic.lengths[axis]);
    return true;
  };
}

/** Length that a region takes of space: at most the period along a periodic axis. `through`: grains may be all along it. */
function extent(length: number, period = 0): { length: number; through: boolean } {
  const through = period > 0 && length >= THROUGH * period;
  return { length: through ? period : length, through };
}

function boxDrawer(
  { min, max }: NonNullable<FillRegion['box']>,
  random: () => number,
  { dimension, periodic }: Omit<Space, 'walls'>,
): DrawPlace {
  const extents = max.map((most, axis) => extent(most - min[axis], periodic?.lengths[axis]));
  return (radius, place) => {
    for (let axis = 0; axis < dimension; axis++) {
      const { length, through } = extents[axis];
      const margin = through ? 0 : radius;
      const room = length - 2 * margin;
      if (room < 0) return false;
      place[axis] = min[axis] + margin + room * random();
    }
    return true;
  };
}

function cylinderDrawer(
  cylinder: NonNullable<FillRegion['cylinder']>,
  random: () => number,
  { dimension, periodic }: Omit<Space, 'walls'>,
): DrawPlace {
  const { point, radius: outer } = cylinder;
  const [along, across, beyond] = frame(unit(cylinder.axis));
  const { length, through } = extent(cylinder.height, periodAlong(along, periodic));
  return (radius, place) => {
    const margin = through ? 0 : radius;
    if (outer < radius || (dimension === 3 && length < 2 * margin)) return false;
    const rho = (outer - radius) * Math.sqrt(random());
    const angle = 2 * Math.PI * random();
    const level = dimension === 2 ? 0 : margin + (length - 2 * margin) * random();
    const [u, v] = [rho * Math.cos(angle), rho * Math.sin(angle)];
    for (let k = 0; k < 3; k++) place[k] = point[k] + level * along[k] + u * across[k] + v * beyond[k];
    return true;
  };
}

/** The period in the direction of an axis of space, 0 in any other. */
function periodAlong(direction: Vector, periodic: Periodic | undefined): number {
  const axis = direction.findIndex((x) => Math.abs(x) === 1);
  return axis < 0 ? 0 : (periodic?.lengths[axis] ?? 0);
}

/** Three unit vectors at right angles, the first given. */
function frame(axis: Vector): [Vector, Vector, Vector] {
  const [x, y, z] = axis;
  const least = [Math.abs(x), Math.abs(y), Math.abs(z)];
  const helper: Vector = [0, 0, 0];
  helper[least.indexOf(Math.min(...least))] = 1;
  const across = unit(cross(axis, helper));
  return [axis, across, cross(axis, across)];
}

function cross([ax, ay, az]: Vector, [bx, by, bz]: Vector): Vector {
  return [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx];
}

/** Volume of a region, in two dimensions its area; no more than there is of it in a periodic box. */
export function regionVolume({ box, cylinder }: FillRegion, { dimension, periodic }: Omit<Space, 'walls'>): number {
  if (box) {
    const lengths = box.max.map((max, axis) => extent(max - box.min[axis], periodic?.lengths[axis]).length);
    return lengths.slice(0, dimension).reduce((volume, length) => volume * length, 1);
  }
  const { axis, radius, height } = cylinder!;
  const along = dimension === 2 ? 1 : extent(height, periodAlong(unit(axis), periodic)).length;
  return Math.PI * radius ** 2 * along;
}

/** Largest coordinate, by amount, that a grain in the region can have. */
export function regionExtent({ box, cylinder }: FillRegion): number {
  if (box) return Math.max(...[...box.min, ...box.max].map(Math.abs));
  return Math.max(...cylinder!.point.map(Math.abs)) + cylinder!.height + cylinder!.radius;
}
