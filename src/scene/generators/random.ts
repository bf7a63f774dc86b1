import type { GrainIndex } from '../grainIndex';
import type { Grains, Vector, Wall } from '../problem';
import type { SceneGroup } from '../schema';
import { unit, wallDistance } from '../walls';
import { drawRadii } from './radii';
import { randomNumbers } from './randomNumbers';

export type RandomSettings = NonNullable<SceneGroup['random']>;

/**
 * Places tried in all before a fill is given up: some, more for each grain, and never beyond a minute's worth. Equal spheres
 * come to 35 % by volume so, a few per cent less where the region is narrow.
 */
const TRIES = 10_000;
const TRIES_PER_GRAIN = 500;
const MAX_TRIES = 100_000_000;

/** Draws the radii of a fill, so that the index of all grains can be sized before grains are placed. */
export function drawFillRadii({ radius, count, seed }: RandomSettings, grains: Grains, start: number): void {
  grains.radii.set(drawRadii(radius, count, randomNumbers(seed)), start);
}

/**
 * Random sequential addition: grains at random places of the region where they overlap neither each other, nor grains that
 * are there already, nor walls. The largest are placed first, since they find room least easily; ids keep the drawn order.
 * @param start the first grain of the fill; radii from there on are given
 * @param index holds the grains that are there already, and then those of the fill
 * @returns how many grains found room
 */
export function fillRandom(
  settings: RandomSettings,
  grains: Grains,
  start: number,
  index: GrainIndex,
  walls: readonly Wall[],
): number {
  const { count } = settings;
  const { positions, radii } = grains;
  // Another sequence than that of the radii, or places and radii would be correlated.
  const random = randomNumbers(~settings.seed >>> 0);
  const order = Array.from({ length: count }, (_, k) => start + k).sort((a, b) => radii[b] - radii[a] || a - b);
  const place: Vector = [0, 0, 0];
  const drawPlace = placeDrawer(settings, random);
  const stop = () => true;
  let tries = Math.min(TRIES + TRIES_PER_GRAIN * count, MAX_TRIES);
  for (let placed = 0; placed < count; placed++) {
    const i = order[placed];
    const radius = radii[i];
    do {
      if (tries-- === 0 || !drawPlace(radius, place)) return placed;
    } while (!clearOfWalls(walls, place, radius) || index.overlaps(place[0], place[1], place[2], radius, stop));
    positions.set(place, 3 * i);
    index.add(i);
  }
  return count;
}

function clearOfWalls(walls: readonly Wall[], [x, y, z]: Vector, radius: number): boolean {
  return walls.every((wall) => wallDistance(wall, x, y, z) >= radius);
}

/** Draws centres of grains that lie wholly in the region; false where a grain of that radius cannot. */
function placeDrawer({ box, cylinder }: RandomSettings, random: () => number): (radius: number, place: Vector) => boolean {
  if (box) {
    return (radius, place) => {
      for (let axis = 0; axis < 3; axis++) {
        const room = box.max[axis] - box.min[axis] - 2 * radius;
        if (room < 0) return false;
        place[axis] = box.min[axis] + radius + room * random();
      }
      return true;
    };
  }
  const { point, radius: outer, height, axis } = cylinder!;
  const [along, across, beyond] = frame(unit(axis));
  return (radius, place) => {
    if (outer < radius || height < 2 * radius) return false;
    const rho = (outer - radius) * Math.sqrt(random());
    const angle = 2 * Math.PI * random();
    const level = radius + (height - 2 * radius) * random();
    const [u, v] = [rho * Math.cos(angle), rho * Math.sin(angle)];
    for (let k = 0; k < 3; k++) place[k] = point[k] + level * along[k] + u * across[k] + v * beyond[k];
    return true;
  };
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

/** Volume of the region that a fill is given. */
export function regionVolume({ box, cylinder }: RandomSettings): number {
  if (box) return box.max.reduce((volume, max, axis) => volume * (max - box.min[axis]), 1);
  return Math.PI * cylinder!.radius ** 2 * cylinder!.height;
}

/** Largest coordinate, by amount, that a grain of the fill can have. */
export function regionExtent({ box, cylinder }: RandomSettings): number {
  if (box) return Math.max(...[...box.min, ...box.max].map(Math.abs));
  return Math.max(...cylinder!.point.map(Math.abs)) + cylinder!.height + cylinder!.radius;
}
