import { GrainIndex } from '../scene/grainIndex';
import { meshDistance } from '../scene/mesh/distance';
import { fromZero, nearestImage, wrapPositions } from '../scene/periodic';
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
 * Share of the free grains at rest that something holds up in the next step: a wall or a fixed grain stops them, or they touch a grain that is
 * held. The others fall alike with all that they touch: between them no contact bears anything, and impulses that they had to start from
 * would only fade, by a share in each sweep.
 * @param reach gap up to which grains touch, mean diameters
 */
export function shareHeld(system: System, { step, positions, remainders }: Snapshot, reach: number): number {
  const { grains, radii, accelerations, inverseMasses, periods } = system;
  const places = positions.map((x, k) => x + remainders[k]);
  if (periods) wrapPositions(places, fromZero(periods));
  const walls = gapsToWalls(system, step);
  const index = new GrainIndex(places, radii, periods && fromZero(periods));
  const isFree = (i: number) => inverseMasses[i] > 0;
  const groups = new Groups(grains + 1);
  const holder = grains;
  const placeOf = (i: number) => [places[3 * i], places[3 * i + 1], places[3 * i + 2]] as Vector;
  const fallen = (i: number) => placeOf(i).map((x, axis) => x + accelerations[3 * i + axis]) as Vector;
  const comesNearer = (before: number, after: number) => after < Math.min(before, 0) - ROUNDING;
  const stops = (fixed: number, i: number, distance: number) => {
    const way = fallen(i).map((x, axis) => nearestImage(x - places[3 * fixed + axis], periods?.[axis] ?? 0));
    const touching = radii[i] + radii[fixed];
    return comesNearer(distance - touching, Math.hypot(...way) - touching);
  };
  for (let i = 0; i < grains; i++) {
    const place = placeOf(i);
    if (isFree(i) && walls.some((gap) => comesNearer(gap(place, radii[i], 0), gap(fallen(i), radii[i], 1)))) {
      groups.join(i, holder);
    }
    index.overlaps(...place, radii[i] + reach, (j, distance) => {
      if (isFree(i) && isFree(j)) groups.join(i, j);
      else if (isFree(i) && stops(j, i, distance)) groups.join(i, holder);
      else if (isFree(j) && stops(i, j, distance)) groups.join(j, holder);
      return false;
    });
    index.add(i);
  }
  let [free, held] = [0, 0];
  for (let i = 0; i < grains; i++) {
    if (!isFree(i)) continue;
    free++;
    if (groups.of(i) === groups.of(holder)) held++;
  }
  return free > 0 ? held / free : 0;
}

/** Members that are joined, in groups that grow together. */
class Groups {
  private readonly parents: Int32Array;

  constructor(members: number) {
    this.parents = Int32Array.from({ length: members }, (_, i) => i);
  }

  /** The member that stands for a group at the moment. */
  of(member: number): number {
    const { parents } = this;
    let i = member;
    while (parents[i] !== i) {
      parents[i] = parents[parents[i]];
      i = parents[i];
    }
    return i;
  }

  join(a: number, b: number): void {
    this.parents[this.of(a)] = this.of(b);
  }
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
