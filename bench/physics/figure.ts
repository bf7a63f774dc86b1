import type { Plot } from '../../src/cli/plot';

export type Verdict = 'pass' | 'FAIL' | 'info';

/** One line of the table. */
export interface Row {
  name: string;
  expected: string;
  got: string;
  /** 'info': no right value is known for it, or a closed form that the scene meets only in part. */
  verdict: Verdict;
}

/** What a figure's run leaves; kept as JSON so that a later call need not run it again. */
export interface Result {
  rows: Row[];
  plots: Plot[];
}

/** A published figure, or one part of it that can be run alone. */
export interface Figure {
  /** Of validation's part and what it shows, e.g. "A-random". File names are made of it. */
  id: string;
  title: string;
  /** Part of a run without `--full`. */
  quick: boolean;
  run(progress: (message: string) => void): Promise<Result>;
}

/** A row that passes where `got` is within `tolerance` of `expected`. */
export function near(name: string, got: number, expected: number, tolerance: number, note = ''): Row {
  return {
    name,
    expected: `${figure(expected)} +- ${figure(tolerance, 2)}${note}`,
    got: figure(got),
    verdict: Math.abs(got - expected) <= tolerance ? 'pass' : 'FAIL',
  };
}

/** A row that passes where `got` lies between the two, ends included. */
export function between(name: string, got: number, low: number, high: number): Row {
  return {
    name,
    expected: `${figure(low)} to ${figure(high)}`,
    got: figure(got),
    verdict: got >= low && got <= high ? 'pass' : 'FAIL',
  };
}

/** A row that tells a figure beside what is known of it, without a verdict. */
export function info(name: string, got: string, expected = ''): Row {
  return { name, expected, got, verdict: 'info' };
}

export function figure(value: number, digits = 5): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  return size !== 0 && (size >= 1e6 || size < 1e-3) ? value.toExponential(digits - 1) : String(Number(value.toPrecision(digits)));
}
