import { GrainIndex } from '../scene/grainIndex';
import { meshDistance } from '../scene/mesh/distance';
import { fromZero, wrapped } from '../scene/periodic';
import type { Vector } from '../scene/problem';
import type { System } from '../scene/system';
import { wallContact } from '../scene/wallContact';
import type { Snapshot } from '../snapshot';
import { nearestGap, seenFrom, wallSteps } from './walls';

/** Approaches below this, in mean diameters, are rounding. */
const ROUNDING = 1e-9;

/** Gap of a grain at a place, before the step or after it. */
type Gap = (place: Vector, radius: number, end: 0 | 1) => number;

/**
 * Whether grains at rest all fall alike in the next step, and no wall or fixed grain stops one of them: then no contact bears anything, and
 * impulses that they had to start from would only fade, by a share in each sweep.
 */
export function fallsFreely(system: System, { step, positions, remainders }: Snapshot): boolean {
  const { grains, radii, accelerations, spinAccelerations, inverseMasses } = system;
  const free = Array.from({ length: grains }, (_, i) => i).filter((i) => inverseMasses[i] > 0);
  const fall = [0, 1, 2].map((axis) => accelerations[3 * free[0] + axis]);
  const isAlike = (i: number) => fall.every((x, axis) => accelerations[3 * i + axis] === x);
  if (!free.every(isAlike) || spinAccelerations.some((x) => x !== 0)) return false;
  const places = positions.map((x, k) => x + remainders[k]);
  const gaps = [...gapsToWalls(system, step), ...(free.length < grains ? [gapToFixed(system, places)] : [])];
  return free.every((i) => {
    const start = [0, 1, 2].map((axis) => places[3 * i + axis]) as Vector;
    const end = start.map((x, axis) => x + fall[axis]) as Vector;
    return gaps.every((gap) => gap(end, radii[i], 1) >= Math.min(gap(start, radii[i], 0), 0) - ROUNDING);
  });
}

function gapsToWalls(system: System, step: number): Gap[] {
  const [touch, after] = [0, 1].map(() => ({ gap: 0, normal: [0, 0, 0] as Vector }));
  const walls = wallSteps(system, step);
  return walls.map((wall, w): Gap => {
    const shape = system.meshes.find((mesh) => mesh.wall === w);
    if (shape) {
      return (place, radius, end) => {
        const seen = seenFrom(system, wall, end === 0 ? { end } : { end, before: place }, place);
        return meshDistance(shape.mesh, shape.grid, seen, 2 * radius) - radius;
      };
    }
    return ([x, y, z], radius, end) => {
      if (end === 1) return nearestGap(wall, x, y, z, radius, touch, after);
      wallContact(wall.start, x, y, z, radius, touch);
      return touch.gap;
    };
  });
}

/** To the nearest of the fixed grains that a grain overlaps, or 0. */
function gapToFixed({ grains, radii, inverseMasses, periods }: System, places: Float64Array): Gap {
  const index = new GrainIndex(places, radii, periods && fromZero(periods));
  for (let i = 0; i < grains; i++) if (inverseMasses[i] === 0) index.add(i);
  return (place, radius) => {
    let least = 0;
    const [x, y, z] = place.map((c, axis) => wrapped(c, 0, periods?.[axis] ?? 0));
    index.overlaps(x, y, z, radius, (j, distance) => {
      least = Math.min(least, distance - radius - radii[j]);
      return false;
    });
    return least;
  };
}
