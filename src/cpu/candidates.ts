import { nearestImage } from '../scene/periodic';
import type { Vector } from '../scene/problem';
import type { System } from '../scene/system';
import type { WallContact } from '../scene/wallContact';
import type { WallStep } from '../scene/wallMotion';
import type { CandidateList } from './candidateList';
import type { Grid } from './grid';
import { MeshSearch } from './meshSearch';
import { PairSearch } from './pairSearch';
import { boundaryContact, longestWay, nearestGap, seenFrom, wallOfKey, wallSteps } from './walls';

/** Finds pairs and keeps the buffers that this takes from step to step. */
export class CandidateFinder {
  private readonly pairSearch: PairSearch;
  private readonly cursors: Uint32Array;
  private readonly touch: WallContact = { gap: 0, normal: [0, 0, 0] };
  private readonly searches: MeshSearch[];
  private readonly touchAfter: WallContact = { gap: 0, normal: [0, 0, 0] };
  private walls: readonly WallStep[] = [];

  constructor(private readonly system: System) {
    this.pairSearch = new PairSearch(system);
    this.cursors = new Uint32Array(system.grains);
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
    const { positions } = grid;
    this.pairSearch.find(grid, reach, step);
    if (this.system.walls.length > 0) this.findWallPairs(positions, reach, wallReach);
    if (this.searches.length > 0) this.findFeaturePairs(positions, reach, wallReach);
    this.sortPairs(list);
    if (this.searches.length > 0) nameWalls(this.system, list);
    this.measurePairs(positions, list);
  }

  private findWallPairs(positions: Float64Array, reach: Float64Array, wallReach?: Float64Array): void {
    const { walls, touch, touchAfter } = this;
    const { grains, radii, inverseMasses } = this.system;
    for (let i = 0; i < grains; i++) {
      if (inverseMasses[i] === 0) continue;
      const [x, y, z] = [positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]];
      for (let w = 0; w < walls.length; w++) {
        if (walls[w].start.kind === 'mesh') continue;
        const gap = nearestGap(walls[w], x, y, z, radii[i], touch, touchAfter);
        if (gap <= reach[i] + (wallReach?.[w] ?? 0)) this.pairSearch.add(i, grains + w);
      }
    }
  }

  /** Until the pairs are sorted, the second body is N + W + number of the feature. */
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

  /** Counting sort by the first body, then by insertion within its short list. */
  private sortPairs(list: CandidateList): void {
    const { cursors } = this;
    const { pairs, count: pairCount } = this.pairSearch;
    const { starts } = list;
    list.count = pairCount;
    list.reserve(pairCount);
    list.partners = list.second;
    const { first, second } = list;
    starts.fill(0);
    for (let k = 0; k < pairCount; k++) starts[pairs[2 * k] + 1]++;
    for (let i = 1; i < starts.length; i++) starts[i] += starts[i - 1];
    cursors.set(starts.subarray(0, cursors.length));
    for (let k = 0; k < pairCount; k++) {
      const begin = starts[pairs[2 * k]];
      let slot = cursors[pairs[2 * k]]++;
      first[slot] = pairs[2 * k];
      for (; slot > begin && second[slot - 1] > pairs[2 * k + 1]; slot--) second[slot] = second[slot - 1];
      second[slot] = pairs[2 * k + 1];
    }
  }

  private measurePairs(positions: Float64Array, { count, first, second, keys, normals, gaps, laws }: CandidateList): void {
    const { grains, radii, materials, lawOf, periods } = this.system;
    const kinds = Math.sqrt(lawOf.length);
    for (let c = 0; c < count; c++) {
      const i = first[c];
      const j = second[c];
      laws[c] = lawOf[materials[i] * kinds + materials[j]];
      if (j >= grains) this.measureWall(i, keys[c], positions, normals, gaps, c);
      else gaps[c] = measureGrains(positions, periods, i, j, normals, c) - radii[i] - radii[j];
    }
  }

  private measureWall(
    i: number,
    key: number,
    positions: Float64Array,
    normals: Float64Array,
    gaps: Float64Array,
    c: number,
  ): void {
    const [x, y, z] = [positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]];
    boundaryContact(this.system, this.walls, key, x, y, z, this.system.radii[i], this.touch);
    normals.set(this.touch.normal, 3 * c);
    gaps[c] = this.touch.gap;
  }
}

/** Keeps the keys of sorted pairs and names the walls that features are part of. */
function nameWalls(system: System, { count, second, keys }: CandidateList): void {
  keys.set(second.subarray(0, count));
  for (let c = 0; c < count; c++) second[c] = wallOfKey(system, keys[c]);
}

/** Distance of two centres, by nearest images in periodic space; the direction goes to normals[3 c]. */
function measureGrains(
  positions: Float64Array,
  periods: Vector | undefined,
  i: number,
  j: number,
  normals: Float64Array,
  c: number,
): number {
  let dx = positions[3 * j] - positions[3 * i];
  let dy = positions[3 * j + 1] - positions[3 * i + 1];
  let dz = positions[3 * j + 2] - positions[3 * i + 2];
  if (periods) {
    dx = nearestImage(dx, periods[0]);
    dy = nearestImage(dy, periods[1]);
    dz = nearestImage(dz, periods[2]);
  }
  const distance = Math.sqrt(dx * dx + dy * dy + dz * dz);
  normals[3 * c] = dx / distance;
  normals[3 * c + 1] = dy / distance;
  normals[3 * c + 2] = dz / distance;
  return distance;
}
