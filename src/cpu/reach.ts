import type { System } from '../scene/system';
import { BASE_REACH, SLOW } from '../settings';
import { BODY_STRIDE } from './bodies';
import { CellsAround, partUnits, wholeParts } from './cellRanges';
import { cellCount, type Grid, type GridLevel, totalCells } from './grid';

/**
 * The speed up to which grains count as at rest: what loads give in a step to most grains that can move, and a little more. Mean diameters
 * per step.
 */
export function slowSpeed({
  grains,
  accelerations,
  inverseMasses,
}: Pick<System, 'grains' | 'accelerations' | 'inverseMasses'>): number {
  const gains = new Float64Array(grains);
  let movable = 0;
  for (let i = 0, k = 0; i < grains; i++, k += 3) {
    if (inverseMasses[i] > 0) gains[movable++] = Math.hypot(accelerations[k], accelerations[k + 1], accelerations[k + 2]);
  }
  const sorted = gains.subarray(0, movable).sort();
  return (movable > 0 ? sorted[movable >> 1] : 0) + SLOW;
}

/**
 * Reach of every grain: how far it may move in this step before a pair that is no candidate could touch. It goes by the
 * fastest grain around, since a fast grain sets others in motion: among those of its level in the 27 cells around it. Finer ones in
 * these, and larger ones as near as it could meet them, count where they are faster by more than SLOW. All count as slow at least, or
 * as fast as the fastest of all where none is faster than that; then it is the same for all, and cells are not needed.
 * @param free bodies with their free velocities
 * @param floors N, least reach, from an attempt that a grain outran
 * @param reach N, written, mean diameters
 * @param slow speed up to which grains count as at rest, see slowSpeed
 * @param longest see longestReach
 * @param range how far beyond touch grains may still hold each other
 * @param pushes N, what moving walls add to the speeds of grains that they may meet, see wallPushes
 * @returns the largest reach
 */
export function findReach(
  grid: Grid,
  free: Float64Array,
  floors: Float64Array,
  reach: Float64Array,
  slow: number,
  longest = Infinity,
  range = 0,
  pushes?: Float64Array,
): number {
  const speeds = grainSpeeds(reach.length, free, pushes);
  const fastest = fastestOf(grid, speeds);
  const most = Math.max(0, ...fastest);
  if (most <= slow) reach.fill(most);
  else meetFast(grid, speeds, fastest, slow, reach);
  let largest = 0;
  for (let i = 0; i < reach.length; i++) {
    reach[i] = Math.min(longest, Math.max(floors[i], BASE_REACH + range + reach[i]));
    if (reach[i] > largest) largest = reach[i];
  }
  return largest;
}

/** N, diameters per step. */
function grainSpeeds(grains: number, free: Float64Array, pushes?: Float64Array): Float64Array {
  const speeds = new Float64Array(grains);
  for (let i = 0, body = 0; i < grains; i++, body += BODY_STRIDE) {
    speeds[i] = Math.sqrt(free[body] ** 2 + free[body + 1] ** 2 + free[body + 2] ** 2) + (pushes?.[i] ?? 0);
  }
  return speeds;
}

/** The largest speed of each level. */
function fastestOf({ levels, levelOf }: Grid, speeds: Float64Array): Float64Array {
  const fastest = new Float64Array(levels.length);
  for (let i = 0; i < speeds.length; i++) if (speeds[i] > fastest[levelOf[i]]) fastest[levelOf[i]] = speeds[i];
  return fastest;
}

/**
 * What each grain reckons with where some are not slow.
 * @param fastest of each level
 * @param reach N, written
 */
function meetFast(grid: Grid, speeds: Float64Array, fastest: Float64Array, slow: number, reach: Float64Array): void {
  const { cells, levels } = grid;
  const own = new Float64Array(totalCells(levels)).fill(slow);
  for (let i = 0; i < cells.length; i++) if (speeds[i] > own[cells[i]]) own[cells[i]] = speeds[i];
  const around = own.slice();
  for (const level of levels) spreadAround(level, around.subarray(level.firstCell));
  for (let i = 0; i < reach.length; i++) reach[i] = around[cells[i]];
  if (levels.length > 1) meetOtherLevels(grid, speeds, fastest, { own, around }, reach);
}

/** Raises the value of each cell of a level, the first ones here, to the largest of the 27 cells around, axis by axis. */
function spreadAround({ dims }: Pick<GridLevel, 'dims'>, values: Float64Array): void {
  const end = cellCount({ dims });
  for (let axis = 0, stride = 1; axis < 3; stride *= dims[axis++]) {
    const length = stride * (dims[axis] - 1);
    for (let begin = 0; begin < end; begin += length + stride) {
      for (let row = begin; row < begin + stride; row++) {
        const first = values[row];
        let before = values[row + length];
        for (let cell = row; cell <= row + length; cell += stride) {
          const here = values[cell];
          const next = cell < row + length ? values[cell + stride] : first;
          if (before > here) values[cell] = before;
          if (next > values[cell]) values[cell] = next;
          before = here;
        }
      }
    }
  }
}

/**
 * Raises what each grain reckons with where grains of other levels are faster by more than SLOW: by those of each coarser one in turn, then
 * by those of all finer ones.
 * @param fastest of each level
 * @param own in each cell the largest speed of its level's grains
 * @param around in the 27 cells around each
 * @param reach N, raised
 */
function meetOtherLevels(
  grid: Grid,
  speeds: Float64Array,
  fastest: Float64Array,
  { own, around }: { own: Float64Array; around: Float64Array },
  reach: Float64Array,
): void {
  const { levels, positions, periods } = grid;
  const members = membersOf(grid);
  const units = partUnits(periods);
  const place = new Float64Array(3);
  const cellsAround = levels.map((level) => new CellsAround(level, periods));
  for (let level = 0; level + 1 < levels.length; level++) {
    const most = Math.max(...fastest.subarray(level + 1));
    const ids = members[level];
    for (let k = 0; k < ids.length; k++) {
      const i = ids[k];
      // Most grains need not look: no larger one is faster than what they reckon with.
      if (most <= reach[i] + SLOW) continue;
      wholeParts(positions, i, units, place);
      for (let coarser = level + 1; coarser < levels.length; coarser++) {
        if (fastest[coarser] <= reach[i] + SLOW) continue;
        const there = cellsAround[coarser];
        if (around[there.homeOf(place)] <= reach[i] + SLOW) continue;
        there.put(place, partsBetween(levels[level], levels[coarser]));
        reach[i] = larger(reach[i], there.largest(own));
      }
    }
  }
  meetFiner(grid, speeds, fastest, members, reach);
}

/**
 * Raises what grains reckon with by all finer ones that are faster by more than SLOW. The coarser levels of these have their turn first: they have few
 * grains, and most of those of the next one are no faster than what all larger ones know of then.
 */
function meetFiner(
  grid: Grid,
  speeds: Float64Array,
  fastest: Float64Array,
  members: readonly Uint32Array[],
  reach: Float64Array,
): void {
  const { levels, positions, periods, cells } = grid;
  const cellsAround = levels.map((level) => new CellsAround(level, periods));
  const units = partUnits(periods);
  const place = new Float64Array(3);
  const faster = new Float64Array(totalCells(levels));
  const around = faster.slice();
  const known = new Float64Array(levels.length);
  for (let finer = levels.length - 2; finer >= 0; finer--) {
    let least = Infinity;
    for (let level = finer + 1; level < levels.length; level++) {
      known[level] = leastKnown(members[level], cells, around, reach);
      least = Math.min(least, known[level]);
    }
    if (fastest[finer] <= least) continue;
    const ids = members[finer];
    for (let k = 0; k < ids.length; k++) {
      const i = ids[k];
      const speed = speeds[i];
      if (speed <= least) continue;
      wholeParts(positions, i, units, place);
      for (let level = finer + 1; level < levels.length; level++) {
        if (speed <= known[level]) continue;
        const home = cellsAround[level].homeOf(place);
        if (speed > faster[home]) faster[home] = speed;
      }
    }
    for (let level = finer + 1; level < levels.length; level++) {
      if (fastest[finer] <= known[level]) continue;
      const { firstCell } = levels[level];
      const end = firstCell + cellCount(levels[level]);
      around.set(faster.subarray(firstCell, end), firstCell);
      spreadAround(levels[level], around.subarray(firstCell, end));
    }
  }
  for (let level = 1; level < levels.length; level++) {
    const ids = members[level];
    for (let k = 0; k < ids.length; k++) reach[ids[k]] = larger(reach[ids[k]], around[cells[ids[k]]]);
  }
}

/** Of grains, the least speed beyond which a finer one raises what they reckon with, given how fast others around are. */
function leastKnown(ids: Uint32Array, cells: Uint32Array, around: Float64Array, reach: Float64Array): number {
  let least = Infinity;
  for (let k = 0; k < ids.length; k++) {
    const known = Math.max(reach[ids[k]] + SLOW, around[cells[ids[k]]]);
    if (known < least) least = known;
  }
  return least;
}

/** The grains of each level. */
function membersOf({ levels, levelOf }: Grid): Uint32Array[] {
  const members = levels.map(({ grains }) => new Uint32Array(grains));
  const counts = new Uint32Array(levels.length);
  for (let i = 0; i < levelOf.length; i++) {
    const level = levelOf[i];
    members[level][counts[level]++] = i;
  }
  return members;
}

/** What a grain reckons with that does so with a speed, beside another one. */
function larger(speed: number, other: number): number {
  return other > speed + SLOW ? other : speed;
}

/** Farther from each other than this, in parts, centres of two grains of these levels cannot be candidates. */
function partsBetween(level: GridLevel, coarser: GridLevel): number {
  return Math.ceil((level.cellParts + coarser.cellParts) / 2);
}
