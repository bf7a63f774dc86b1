import { nearestImage } from '../scene/periodic';
import type { System } from '../scene/system';
import { CellBox, CellRanges } from './cellRanges';
import { type Grid, type GridLevel, looksAt, wrapCell } from './grid';
import { grown } from './growable';
import { mostPairs, tooManyPairs } from './pairLimit';

/** Where the grains of a level are in Grid.grains. */
interface Slots {
  begin: number;
  end: number;
  /** Of its grains, their radii included, in mean diameters. */
  longestReach: number;
}

/** Kept free where a way to cells is reckoned from others, for what is rounded; in mean diameters. */
const ROUNDING = 1e-3;

/** Finds the pairs of grains and holds all pairs of a step, in no order. */
export class PairSearch {
  /** First and second body, in turn. */
  pairs = new Uint32Array(0);
  count = 0;
  private step = 0;
  /** N x (x, y, z, radius + reach), by cell, so that the distance tests read memory in order */
  private readonly sorted: Float64Array;
  private ids: Grid['grains'] = new Uint32Array(0);
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
    this.begin(step);
    this.ids = grid.grains;
    this.sortByCell(grid, reach);
    const slots = grid.levels.map((_, level) => this.slotsOf(grid, level));
    grid.levels.forEach((level, l) => {
      this.findInLevel(grid, level);
      for (let coarser = l + 1; coarser < grid.levels.length; coarser++) this.findAcross(grid, l, coarser, slots);
    });
  }

  /** Begins a step with no pairs. @param step for errors */
  begin(step: number): void {
    this.count = 0;
    this.step = step;
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
  private findInLevel({ starts }: Grid, level: GridLevel): void {
    const { ranges } = this;
    const [nx, ny, nz] = level.dims;
    for (let z = 0, row = level.firstCell; z < nz; z++) {
      for (let y = 0; y < ny; y++, row += nx) {
        const beside = rowsBeside(level, y, z);
        for (let x = 0; x < nx; x++) {
          const begin = starts[row + x];
          const end = starts[row + x + 1];
          if (begin === end) continue;
          ranges.count = 0;
          // The rest of the cell, to begin with; it goes on in the next one.
          ranges.addRow(starts, row, nx, x, x + 1);
          for (const other of beside) ranges.addRow(starts, other, nx, x - 1, x + 1);
          for (let slot = begin; slot < end; slot++) {
            ranges.bounds[0] = slot + 1;
            this.testRanges(slot);
          }
        }
      }
    }
  }

  /** Each grain of a level against those of a level of larger grains, from the side that has less to look at. */
  private findAcross(grid: Grid, level: number, coarser: number, slots: readonly Slots[]): void {
    const [finer, larger] = [grid.levels[level], grid.levels[coarser]];
    const [small, large] = [slots[level], slots[coarser]];
    if (looksAt(larger, finer)) this.look(grid, large, finer, small);
    else this.look(grid, small, larger, large);
  }

  private slotsOf({ levels, starts, grains }: Grid, level: number): Slots {
    const begin = starts[levels[level].firstCell];
    const end = level + 1 < levels.length ? starts[levels[level + 1].firstCell] : grains.length;
    let longest = 0;
    for (let slot = begin; slot < end; slot++) longest = Math.max(longest, this.sorted[4 * slot + 3]);
    return { begin, end, longestReach: longest };
  }

  /** Grains against those of another level, in rows of cells that the sphere in which their centres may be cuts. */
  private look({ starts, periods }: Grid, { begin, end }: Slots, level: GridLevel, { longestReach }: Slots): void {
    const { ranges, sorted } = this;
    const box = new CellBox(level, periods);
    for (let slot = begin; slot < end; slot++) {
      const x = sorted[4 * slot];
      const y = sorted[4 * slot + 1];
      const z = sorted[4 * slot + 2];
      const distance = sorted[4 * slot + 3] + longestReach + ROUNDING;
      box.place(0, x, distance);
      box.place(1, y, distance);
      box.place(2, z, distance);
      for (let kz = 0; kz < box.counts[2]; kz++) {
        const square = distance * distance - box.squareTo(2, z, kz);
        for (let ky = 0; ky < box.counts[1]; ky++) {
          const rest = square - box.squareTo(1, y, ky);
          if (rest < 0) continue;
          box.collectRow(starts, ranges, x, Math.sqrt(rest), ky, kz);
          if (ranges.count > 0) this.testRanges(slot);
        }
      }
    }
  }

  /** One grain against those of the stretches. */
  private testRanges(slot: number): void {
    const { sorted, ids } = this;
    const { count, bounds } = this.ranges;
    const { periods } = this.system;
    const x = sorted[4 * slot];
    const y = sorted[4 * slot + 1];
    const z = sorted[4 * slot + 2];
    const range = sorted[4 * slot + 3];
    for (let r = 0; r < count; r++) {
      const end = 4 * bounds[2 * r + 1];
      for (let k = 4 * bounds[2 * r]; k < end; k += 4) {
        let dx = sorted[k] - x;
        let dy = sorted[k + 1] - y;
        let dz = sorted[k + 2] - z;
        if (periods) {
          // No image but the nearest can be within reach (longestReach).
          dx = nearestImage(dx, periods[0]);
          dy = nearestImage(dy, periods[1]);
          dz = nearestImage(dz, periods[2]);
        }
        const distance = sorted[k + 3] + range;
        if (dx * dx + dy * dy + dz * dz <= distance * distance) this.addGrains(ids[slot], ids[k >> 2]);
      }
    }
  }

  private addGrains(i: number, j: number): void {
    const { radii, inverseMasses } = this.system;
    if (inverseMasses[i] === 0 && inverseMasses[j] === 0) return;
    if (radii[i] < radii[j] || (radii[i] === radii[j] && i < j)) this.add(i, j);
    else this.add(j, i);
  }

  private grow(): void {
    if (this.count > this.most) throw tooManyPairs(this.step, this.most, this.system);
    this.pairs = grown(this.pairs, 2 * this.count + 2);
  }
}

/** First cells of the rows beside one, of those that follow it: 4, or 1 in one layer. */
function rowsBeside({ dims, firstCell }: GridLevel, y: number, z: number): number[] {
  const [nx, ny, nz] = dims;
  const rows = [firstCell + (z * ny + wrapCell(y + 1, ny)) * nx];
  const next = firstCell + wrapCell(z + 1, nz) * ny * nx;
  for (let dy = -1; nz > 1 && dy <= 1; dy++) rows.push(next + wrapCell(y + dy, ny) * nx);
  return rows;
}
