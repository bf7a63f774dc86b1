import type { CaseResult, Fit, Settling, SuiteResult } from './result';

/** CPU time on the CPU, where it is disturbed least and told; the clock on a GPU. */
export const timeOf = ({ softwareAdapter, backend, cpuMillisecondsPerStep, millisecondsPerStep }: CaseResult): number =>
  backend === 'cpu' || softwareAdapter ? (cpuMillisecondsPerStep ?? millisecondsPerStep) : millisecondsPerStep;

/** Slope of log y against log x; NaN for fewer than two sizes. */
export function exponent(x: readonly number[], y: readonly number[]): number {
  const [logX, logY] = [x.map(Math.log), y.map(Math.log)];
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanX, meanY] = [mean(logX), mean(logY)];
  const squares = logX.reduce((sum, value) => sum + (value - meanX) ** 2, 0);
  return squares > 0 ? logX.reduce((sum, value, k) => sum + (value - meanX) * (logY[k] - meanY), 0) / squares : Number.NaN;
}

/** Else the sweeps are those that were allowed, and their growth tells nothing. */
export const allConverged = (family: readonly CaseResult[]) => family.every(({ steps, converged }) => converged === steps);

/** Those of one scene on one backend together, by size. */
export function families<T extends Pick<CaseResult, 'scene' | 'backend' | 'grains'>>(results: readonly T[]): T[][] {
  const groups = new Map<string, T[]>();
  for (const result of [...results].sort((a, b) => a.grains - b.grains)) {
    const key = `${result.scene} ${result.backend}`;
    groups.set(key, [...(groups.get(key) ?? []), result]);
  }
  return [...groups.values()];
}

/** Settlings that came to rest. */
export const settled = (settlings: readonly Settling[]) => settlings.filter(({ atRest }) => atRest);

/** Exponents of growth, where there are two sizes at least. */
export function fit({ cases, settlings }: Pick<SuiteResult, 'cases' | 'settlings'>): Fit[] {
  const grown = <T extends Pick<CaseResult, 'scene' | 'backend' | 'grains'>>(
    family: T[],
    quantity: Fit['quantity'],
    value: (one: T) => number,
  ): Fit => {
    const [{ scene, backend }] = family;
    return {
      scene,
      backend,
      quantity,
      exponent: exponent(
        family.map(({ grains }) => grains),
        family.map(value),
      ),
    };
  };
  const ofCases = families(cases).flatMap((family) => [
    grown(family, 'milliseconds per step', timeOf),
    ...(allConverged(family) ? [grown(family, 'sweeps', ({ sweeps }) => sweeps)] : []),
  ]);
  const ofSettlings = families(settled(settlings)).map((family) => grown(family, 'seconds to rest', ({ seconds }) => seconds));
  return [...ofCases, ...ofSettlings].filter((one) => Number.isFinite(one.exponent));
}
