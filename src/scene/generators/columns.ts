import { nearestImage } from '../periodic';
import type { Periodic } from '../problem';

/** Cells of the x-y plane along an axis: where they begin, their edge, and how many fill a period (0 along an open axis). */
interface Axis {
  min: number;
  edge: number;
  count: number;
  period: number;
}

/** Spheres in square columns along z, by height: finds those below or near a point without looking at the rest. */
export class Columns {
  private readonly axes: readonly Axis[];
  private readonly columns = new Map<number, Map<number, number[]>>();

  /**
   * @param positions N x 3, read when a sphere is put in and when it is visited
   * @param edge least edge of a column
   */
  constructor(
    private readonly positions: Float64Array,
    edge: number,
    periodic: Periodic | undefined,
  ) {
    this.axes = [0, 1].map((axis) => {
      const period = periodic?.lengths[axis] ?? 0;
      const count = period > 0 ? Math.max(1, Math.floor(period / edge)) : 0;
      return { min: count > 0 ? periodic!.min[axis] : 0, edge: count > 0 ? period / count : edge, count, period };
    });
  }

  /** Puts sphere i in. Most come to lie on top, so that sorting by height costs little. */
  add(i: number): void {
    const { positions } = this;
    const column = this.column(this.cell(0, positions[3 * i]), this.cell(1, positions[3 * i + 1]));
    let place = column.push(i) - 1;
    for (; place > 0 && positions[3 * column[place - 1] + 2] > positions[3 * i + 2]; place--) column[place] = column[place - 1];
    column[place] = i;
  }

  /**
   * Visits spheres whose columns come within `range` of (x, y), in each column from the highest down.
   * @param visit gets a sphere, and the way to its nearest image in x and in y; returns false to go no deeper in its column
   */
  around(x: number, y: number, range: number, visit: (sphere: number, dx: number, dy: number) => boolean): void {
    const [alongX, alongY] = this.axes;
    const rows = this.cellsAround(1, y, range);
    for (const cx of this.cellsAround(0, x, range)) {
      const row = this.columns.get(cx);
      if (!row) continue;
      for (const cy of rows) {
        const column = row.get(cy) ?? [];
        for (let k = column.length - 1; k >= 0; k--) {
          const j = column[k];
          const dx = nearestImage(this.positions[3 * j] - x, alongX.period);
          const dy = nearestImage(this.positions[3 * j + 1] - y, alongY.period);
          if (!visit(j, dx, dy)) break;
        }
      }
    }
  }

  private cell(axis: number, x: number): number {
    const { min, edge, count } = this.axes[axis];
    const cell = Math.floor((x - min) / edge);
    return count > 0 ? ((cell % count) + count) % count : cell;
  }

  /** Cells along an axis within `range` of a coordinate, each once. */
  private cellsAround(axis: number, x: number, range: number): number[] {
    const { edge, count } = this.axes[axis];
    const cells = Math.ceil(range / edge);
    if (count > 0 && 2 * cells + 1 >= count) return Array.from({ length: count }, (_, k) => k);
    const middle = this.cell(axis, x);
    return Array.from({ length: 2 * cells + 1 }, (_, k) => {
      const cell = middle + k - cells;
      return count > 0 ? (cell + count) % count : cell;
    });
  }

  private column(cx: number, cy: number): number[] {
    let row = this.columns.get(cx);
    if (!row) {
      row = new Map();
      this.columns.set(cx, row);
    }
    let column = row.get(cy);
    if (!column) {
      column = [];
      row.set(cy, column);
    }
    return column;
  }
}
