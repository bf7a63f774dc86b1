import { nearestImage } from '../scene/periodic';
import type { Vector } from '../scene/problem';
import type { System } from '../scene/system';
import type { WallContact } from '../scene/wallContact';
import { directionOf, type WallStep } from '../scene/wallMotion';
import type { CandidateList } from './candidateList';
import type { Grid } from './grid';
import { KeptPairs } from './keptPairs';
import { MeshSearch } from './meshSearch';
import { PairSearch } from './pairSearch';
import { boundaryContact, longestWay, nearestGap, seenFrom, wallOfKey, wallSteps } from './walls';

/** Finds pairs and keeps the buffers that this takes from step to step. */
export class CandidateFinder {
  private readonly pairSearch: PairSearch;
  private readonly kept: KeptPairs;
  /** N, radii and reaches. */
  private readonly ranges: Float64Array;
  private readonly touch: WallContact = { gap: 0, normal: [0, 0, 0] };
  private readonly searches: MeshSearch[];
  private readonly touchAfter: WallContact = { gap: 0, normal: [0, 0, 0] };
  private walls: readonly WallStep[] = [];

  constructor(private readonly system: System) {
    this.pairSearch = new PairSearch(system);
    this.kept = new KeptPairs(system);
    this.ranges = new Float64Array(system.grains);
    this.searches = system.meshes.map(({ mesh, grid }) => new MeshSearch(mesh, grid));
  }

  /**
   * All pairs with gap <= sum of their reaches, except between two bodies that never move.
   * @param reach N, see findReach; no larger than the grid's cells allow for
   * @param list overwritten; impulses are left for the warm start
   * @param step the step at hand, for errors
   * @param walls in this step
   * @param wallReach W, by how much pistons may come nearer in the step; absent: there are none
   * @throws NumericalError where grains reach so far that memory would not hold the pairs
   */
  find(
    grid: Grid,
    reach: Float64Array,
    list: CandidateList,
    step: number,
    walls: readonly WallStep[] = wallSteps(this.system, step - 1),
    wallReach?: Float64Array,
  ): void {
    this.walls = walls;
    const { pairSearch, kept, searches, system } = this;
    const { positions } = grid;
    if (!kept.hold(positions, reach)) kept.search(pairSearch, grid, reach, step);
    pairSearch.begin(step);
    if (system.walls.length > 0) this.findWallPairs(positions, reach, wallReach);
    const atWalls = pairSearch.count;
    if (searches.length > 0) this.findFeaturePairs(positions, reach, wallReach);
    this.gather(positions, reach, atWalls, list);
    if (searches.length > 0) nameWalls(system, list);
    this.measureWalls(positions, list);
  }

  private findWallPairs(positions: Float64Array, reach: Float64Array, wallReach?: Float64Array): void {
    const { walls, touch, touchAfter, pairSearch } = this;
    const { grains, radii, inverseMasses } = this.system;
    const isBare = (w: number) => isBarePlane(walls[w]) && !wallReach?.[w];
    const all = walls.flatMap(({ start }, w) => (start.kind === 'mesh' ? [] : [w]));
    const others = all.filter((w) => !isBare(w));
    const planes = all.filter(isBare);
    // Point and normal of each in turn: most walls are such planes, and most grains are far from them.
    const shapes = Float64Array.from(planes.flatMap((w) => [...walls[w].start.point, ...directionOf(walls[w].start)]));
    for (let i = 0; i < grains; i++) {
      if (inverseMasses[i] === 0) continue;
      const x = positions[3 * i];
      const y = positions[3 * i + 1];
      const z = positions[3 * i + 2];
      const radius = radii[i];
      const most = reach[i];
      for (let k = 0, p = 0; p < shapes.length; k++, p += 6) {
        const height =
          shapes[p + 3] * (x - shapes[p]) + shapes[p + 4] * (y - shapes[p + 1]) + shapes[p + 5] * (z - shapes[p + 2]);
        if (height - radius <= most) pairSearch.add(i, grains + planes[k]);
      }
      for (const w of others) {
        const gap = nearestGap(walls[w], x, y, z, radius, touch, touchAfter);
        if (gap <= most + (wallReach?.[w] ?? 0)) pairSearch.add(i, grains + w);
      }
    }
  }

  /** Until the pairs are gathered, the second body is N + W + number of the feature. */
  private findFeaturePairs(positions: Float64Array, reach: Float64Array, wallReach?: Float64Array): void {
    const { grains, walls, radii, inverseMasses, meshes } = this.system;
    const ways = meshes.map(({ wall, grid }) => (wallReach?.[wall] ?? 0) + longestWay(this.walls[wall], grid));
    for (let i = 0; i < grains; i++) {
      if (inverseMasses[i] === 0) continue;
      const place: Vector = [positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]];
      for (let m = 0; m < meshes.length; m++) {
        const search = this.searches[m];
        const [x, y, z] = seenFrom(this.system, this.walls[meshes[m].wall], { end: 0 }, place);
        search.find(x, y, z, radii[i], reach[i] + ways[m]);
        for (const feature of search.found) this.pairSearch.add(i, grains + walls.length + meshes[m].firstFeature + feature);
      }
    }
  }

  /**
   * Of the kept pairs those within reach, measured, and behind those of each grain, its pairs with walls, then with features, by insertion.
   * @param atWalls pairs with walls; those with features were found after them all
   */
  private gather(positions: Float64Array, reach: Float64Array, atWalls: number, list: CandidateList): void {
    const { kept, ranges } = this;
    const { radii, periods } = this.system;
    const { pairs, count: others } = this.pairSearch;
    list.reserve(kept.count + others);
    list.partners = list.second;
    const { starts, first, second, normals, gaps } = list;
    for (let i = 0; i < radii.length; i++) ranges[i] = radii[i] + reach[i];
    const next = [0, atWalls];
    const ends = [atWalls, others];
    let count = 0;
    for (let i = 0, k = 0; i < radii.length; i++) {
      starts[i] = count;
      const x = positions[3 * i];
      const y = positions[3 * i + 1];
      const z = positions[3 * i + 2];
      for (; k < kept.starts[i + 1]; k++) {
        const j = kept.seconds[k];
        let dx = positions[3 * j] - x;
        let dy = positions[3 * j + 1] - y;
        let dz = positions[3 * j + 2] - z;
        if (periods) {
          dx = nearestImage(dx, periods[0]);
          dy = nearestImage(dy, periods[1]);
          dz = nearestImage(dz, periods[2]);
        }
        const square = dx * dx + dy * dy + dz * dz;
        const range = ranges[i] + ranges[j];
        if (square > range * range) continue;
        const distance = Math.sqrt(square);
        normals[3 * count] = dx / distance;
        normals[3 * count + 1] = dy / distance;
        normals[3 * count + 2] = dz / distance;
        gaps[count] = distance - radii[i] - radii[j];
        first[count] = i;
        second[count++] = j;
      }
      const begin = count;
      for (let kind = 0; kind < 2; kind++) {
        for (; next[kind] < ends[kind] && pairs[2 * next[kind]] === i; next[kind]++) {
          let slot = count++;
          first[slot] = i;
          for (; slot > begin && second[slot - 1] > pairs[2 * next[kind] + 1]; slot--) second[slot] = second[slot - 1];
          second[slot] = pairs[2 * next[kind] + 1];
        }
      }
    }
    starts[radii.length] = count;
    list.count = count;
  }

  private measureWalls(positions: Float64Array, { count, first, second, keys, normals, gaps, laws }: CandidateList): void {
    const { grains, radii, materials, lawOf } = this.system;
    const { touch } = this;
    const kinds = Math.sqrt(lawOf.length);
    for (let c = 0; c < count; c++) {
      const i = first[c];
      const j = second[c];
      laws[c] = lawOf[materials[i] * kinds + materials[j]];
      if (j < grains) continue;
      const k = 3 * i;
      boundaryContact(this.system, this.walls, keys[c], positions[k], positions[k + 1], positions[k + 2], radii[i], touch);
      normals.set(touch.normal, 3 * c);
      gaps[c] = touch.gap;
    }
  }
}

/** Whether a wall is a plane without an end, at rest. */
function isBarePlane({ start, end }: WallStep): boolean {
  return start === end && start.kind === 'plane' && !start.region;
}

/** Keeps the keys of sorted pairs and names the walls that features are part of. */
function nameWalls(system: System, { count, second, keys }: CandidateList): void {
  keys.set(second.subarray(0, count));
  for (let c = 0; c < count; c++) second[c] = wallOfKey(system, keys[c]);
}
