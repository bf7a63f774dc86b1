import type { GrainIndex } from '../grainIndex';
import type { Grains, Space, Vector, Wall } from '../problem';
import type { SceneGroup } from '../schema';
import { wallDistance } from '../walls';
import { randomNumbers } from './randomNumbers';
import { placeDrawer } from './regions';

export type RandomSettings = NonNullable<SceneGroup['random']>;

/**
 * Places tried in all before a fill is given up: some, more for each grain, and never beyond a minute's worth. Equal spheres
 * come to 35 % by volume so, a few per cent less where the region is narrow.
 */
const TRIES = 10_000;
const TRIES_PER_GRAIN = 500;
const MAX_TRIES = 100_000_000;

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
  { walls, ...space }: Space,
): number {
  const { count } = settings;
  const { positions, radii } = grains;
  // Another sequence than that of the radii, or places and radii would be correlated.
  const random = randomNumbers(~settings.seed >>> 0);
  const order = Array.from({ length: count }, (_, k) => start + k).sort((a, b) => radii[b] - radii[a] || a - b);
  const place: Vector = [0, 0, 0];
  const drawPlace = placeDrawer(settings, random, space);
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
  return walls.every((wall) => wallDistance(wall, x, y, z, radius) >= radius);
}
