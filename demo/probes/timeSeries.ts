import type { Columns } from '../demo';

/** What a plot is worth drawing of: twice as many points as a narrow plot has pixels. */
const MOST_POINTS = 800;

/** Values in the course of time. A long run is thinned out, so that all of it stays in sight. */
export class TimeSeries {
  private readonly columns: (number | null)[][];
  private stride = 1;
  private skipped = 0;

  constructor(curves: number) {
    this.columns = Array.from({ length: curves + 1 }, () => []);
  }

  push(x: number, ...ys: (number | null)[]): void {
    if (++this.skipped < this.stride) return;
    this.skipped = 0;
    [x, ...ys].forEach((value, k) => {
      this.columns[k].push(value);
    });
    if (this.columns[0].length < MOST_POINTS) return;
    this.columns.forEach((column, k) => {
      this.columns[k] = column.filter((_, place) => place % 2 === 0);
    });
    this.stride *= 2;
  }

  data(): Columns {
    return this.columns.map((column) => [...column]) as Columns;
  }

  get last(): (number | null)[] {
    return this.columns.map((column) => column.at(-1) ?? null);
  }
}

/** Mean of a value over the last stretch of time. */
export class RunningMean {
  private readonly samples: { time: number; value: number }[] = [];

  constructor(private readonly span: number) {}

  push(time: number, value: number): number {
    this.samples.push({ time, value });
    while (this.samples.length > 2 && this.samples[0].time < time - this.span) this.samples.shift();
    return this.value!;
  }

  get value(): number | null {
    const { samples } = this;
    return samples.length > 0 ? samples.reduce((sum, { value }) => sum + value, 0) / samples.length : null;
  }
}
