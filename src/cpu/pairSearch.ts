import { nearestImage } from '../scene/periodic';
import type { Vector } from '../scene/problem';
import type { System } from '../scene/system';
import { STRETCH_COST } from '../settings';
import { CellBox, CellRanges, CellsAround } from './cellRanges';
import { CELL_PARTS, cellCount, type Grid, type GridLevel } from './grid';
import { grown } from './growable';
import { mostPairs, tooManyPairs } from './pairLimit';

/** Where the grains of a level are in Grid.grains. */
interface Slots {
  begin: number;
  end: number;
  /** Of its grains, their radii included, in mean diameters. */
  meanReach: number;
}

/** Finds the pairs of grains and holds all pairs of a step, in no order. */
export class PairSearch {
  /** First and second body, in turn. */
  pairs = new Uint32Array(0);
  count = 0;
  private step = 0;
  /** N x (x, y, z, radius + reach), by cell, so that the distance tests read memory in order */
  private readonly sorted: Float64Array;
  private readonly ranges = new CellRanges();

  private readonly most: number;

  constructor(private readonly system: System) {
    this.most = mostPairs(system);
    this.sorted = new Float64Array(4 * system.grains);
  }

  /**
   * Begins a step with all pairs of grains within reach, except those of two that never move.
   * @param step for errors
   * @throws NumericalError where there are more pairs than there may be
   */
  find(grid: Grid, reach: Float64Array, step: number): void {
    this.count = 0;
    this.step = step;
    this.sortByCell(grid, reach);
    const slots = grid.levels.map((_, level) => this.slotsOf(grid, level));
    grid.levels.forEach((level, l) => {
      this.findInLevel(grid, level);
      for (let coarser = l + 1; coarser < grid.levels.length; coarser++) this.findAcross(grid, l, coarser, slots);
    });
  }

  /** Pairs of bodies other than two grains are put in one by one. */
  add(first: number, second: number): void {
    if (this.pairs.length < 2 * this.count + 2) this.grow();
    this.pairs[2 * this.count] = first;
    this.pairs[2 * this.count + 1] = second;
    this.count++;
  }

  private sortByCell({ grains, positions }: Grid, reach: Float64Array): void {
    const { sorted, system } = this;
    for (let slot = 0; slot < grains.length; slot++) {
      const i = grains[slot];
      sorted[4 * slot] = positions[3 * i];
      sorted[4 * slot + 1] = positions[3 * i + 1];
      sorted[4 * slot + 2] = positions[3 * i + 2];
      sorted[4 * slot + 3] = system.radii[i] + reach[i];
    }
  }

  /** Each cell against itself and the 13 neighbours (4 in one layer) that follow it, so that every pair of cells is met once. */
  private findInLevel({ starts, grains }: Grid, level: GridLevel): void {
    const { ranges } = this;
    const { dims } = level;
    const layers = dims[2] === 1 ? 0 : 1;
    for (let z = 0, cell = level.firstCell; z < dims[2]; z++) {
      for (let y = 0; y < dims[1]; y++) {
        for (let x = 0; x < dims[0]; x++, cell++) {
          const begin = starts[cell];
          const end = starts[cell + 1];
          if (begin === end) continue;
          ranges.count = 0;
          ranges.addRow(starts, level, x + 1, x + 1, y, z);
          ranges.addRow(starts, level, x - 1, x + 1, y + 1, z);
          for (let dy = -layers; dy <= layers; dy++) if (layers > 0) ranges.addRow(starts, level, x - 1, x + 1, y + dy, z + 1);
          for (let slot = begin; slot < end; slot++) {
            this.testRange(grains, slot, slot + 1, end);
            this.testRanges(grains, slot);
          }
        }
      }
    }
  }

  /** Each grain of a level against those of a level of larger grains, from the side that has less to look at. */
  private findAcross(grid: Grid, level: number, coarser: number, slots: readonly Slots[]): void {
    const [finer, larger] = [grid.levels[level], grid.levels[coarser]];
    const [small, large] = [slots[level], slots[coarser]];
    if (costOfLooking(large, finer, small) < costOfLooking(small, larger, large)) this.lookDown(grid, finer, large);
    else this.lookUp(grid, small, larger);
  }

  private slotsOf({ levels, starts, grains }: Grid, level: number): Slots {
    const begin = starts[levels[level].firstCell];
    const end = level + 1 < levels.length ? starts[levels[level + 1].firstCell] : grains.length;
    let reach = 0;
    for (let slot = begin; slot < end; slot++) reach += this.sorted[4 * slot + 3];
    return { begin, end, meanReach: reach / Math.max(1, end - begin) };
  }

  private lookUp({ starts, grains, positions }: Grid, { begin, end }: Slots, coarser: GridLevel): void {
    const { ranges, sorted } = this;
    const around = new CellsAround(coarser, this.system.periods);
    for (let slot = begin; slot < end; slot++) {
      around.place(positions, grains[slot], partsToMeet(sorted[4 * slot + 3], coarser));
      around.collect(starts, ranges);
      this.testRanges(grains, slot);
    }
  }

  private lookDown({ starts, grains, positions }: Grid, finer: GridLevel, { begin, end }: Slots): void {
    const { ranges, sorted } = this;
    const box = new CellBox(finer, this.system.periods);
    const farthest = finer.cellParts / CELL_PARTS / 2;
    for (let slot = begin; slot < end; slot++) {
      box.place(positions, grains[slot], sorted[4 * slot + 3] + farthest);
      for (let z = 0; z < box.counts[2]; z++) {
        for (let y = 0; y < box.counts[1]; y++) {
          box.collectRow(starts, ranges, y, z);
          this.testRanges(grains, slot);
        }
      }
    }
  }

  private testRanges(grains: Uint32Array, slot: number): void {
    const { count, bounds } = this.ranges;
    for (let k = 0; k < count; k++) this.testRange(grains, slot, bounds[2 * k], bounds[2 * k + 1]);
  }

  /** One grain against those in slots begin to end. */
  private testRange(grains: Uint32Array, slot: number, begin: number, end: number): void {
    const { sorted } = this;
    if (this.system.periods) {
      this.testImages(this.system.periods, grains, slot, begin, end);
      return;
    }
    const x = sorted[4 * slot];
    const y = sorted[4 * slot + 1];
    const z = sorted[4 * slot + 2];
    const range = sorted[4 * slot + 3];
    for (let k = 4 * begin; k < 4 * end; k += 4) {
      const dx = sorted[k] - x;
      const dy = sorted[k + 1] - y;
      const dz = sorted[k + 2] - z;
      const distance = sorted[k + 3] + range;
      if (dx * dx + dy * dy + dz * dz <= distance * distance) this.addGrains(grains[slot], grains[k >> 2]);
    }
  }

  /** The same in periodic space: the nearest image counts, and no other can be within reach (longestReach). */
  private testImages(periods: Vector, grains: Uint32Array, slot: number, begin: number, end: number): void {
    const { sorted } = this;
    for (let k = 4 * begin; k < 4 * end; k += 4) {
      let square = 0;
      for (let axis = 0; axis < 3; axis++) {
        square += nearestImage(sorted[k + axis] - sorted[4 * slot + axis], periods[axis]) ** 2;
      }
      const distance = sorted[k + 3] + sorted[4 * slot + 3];
      if (square <= distance * distance) this.addGrains(grains[slot], grains[k >> 2]);
    }
  }

  private addGrains(i: number, j: number): void {
    const { radii, inverseMasses } = this.system;
    if (inverseMasses[i] === 0 && inverseMasses[j] === 0) return;
    if (radii[i] < radii[j] || (radii[i] === radii[j] && i < j)) this.add(i, j);
    else this.add(j, i);
  }

  private grow(): void {
    if (this.count > this.most) throw tooManyPairs(this.step, this.most);
    this.pairs = grown(this.pairs, 2 * this.count + 2);
  }
}

/** An estimate of what it takes grains to look at the cells of another level for those that are in it, in distance tests. */
function costOfLooking({ begin, end, meanReach }: Slots, { dims, cellParts }: GridLevel, others: Slots): number {
  // A partner lies up to half a cell farther than the grain reaches, on either side of its own cell.
  const [x, y, z] = dims.map((count) => Math.min(count, 2 + (2 * meanReach * CELL_PARTS) / cellParts));
  const tests = ((others.end - others.begin) * x * y * z) / cellCount({ dims });
  return (end - begin) * (STRETCH_COST * y * z + tests);
}

/** How far from its centre a grain may meet those of a level, in parts; two more than needed, for what the GPU rounds. */
function partsToMeet(radiusAndReach: number, { cellParts }: GridLevel): number {
  return Math.ceil(radiusAndReach * CELL_PARTS) + Math.ceil(cellParts / 2) + 2;
}
