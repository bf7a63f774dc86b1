import { GrainIndex } from '../scene/grainIndex';
import type { Problem, Vector, Wall } from '../scene/problem';
import { wallDistance } from '../scene/walls';
import { INSERT_TOLERANCE } from '../settings';

/** Finds out whether there is room for a grain among those that are there, and keeps account of what is put in. */
export class Room {
  private readonly positions: Float64Array;
  private readonly radii: Float64Array;
  private readonly index: GrainIndex;
  private count: number;
  private readonly walls: readonly Wall[];
  private readonly periodic: Problem['periodic'];

  /**
   * @param positions N x 3, where the grains are now, in the periodic box if there is one
   * @param coming grains that may be put in, at most
   * @param smallestRadius of all of them
   */
  constructor(
    positions: Float64Array,
    { grains: { count, radii }, walls, periodic }: Problem,
    coming: number,
    smallestRadius: number,
  ) {
    this.walls = walls;
    this.periodic = periodic;
    this.count = count;
    this.positions = new Float64Array(3 * (count + coming));
    this.positions.set(positions);
    // The index goes by the smallest radius that it is given.
    this.radii = new Float64Array(count + coming).fill(smallestRadius);
    this.radii.set(radii);
    this.index = new GrainIndex(this.positions, this.radii, periodic);
    for (let i = 0; i < count; i++) this.index.add(i);
  }

  /** Puts the grain in where it overlaps nothing; false where it would. */
  take([x, y, z]: Vector, radius: number): boolean {
    const least = radius * (1 - INSERT_TOLERANCE);
    if (!this.walls.every((wall) => wallDistance(wall, x, y, z, radius, this.periodic) >= least)) return false;
    const meets = (j: number, distance: number) => distance < (radius + this.radii[j]) * (1 - INSERT_TOLERANCE);
    if (this.index.overlaps(x, y, z, radius, meets)) return false;
    const i = this.count++;
    this.positions.set([x, y, z], 3 * i);
    this.radii[i] = radius;
    this.index.add(i);
    return true;
  }
}
