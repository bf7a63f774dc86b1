import type { Comparison, RapierRun } from '../suite/result';
import { SCENES } from '../suite/scenes';
import { figure, type Section } from '../suite/table';

/** Times also as shares of the first row's. */
function comparisonSection({ scene, grains, steps, results }: RapierRun): Section {
  return {
    title: `Beside Rapier: ${SCENES[scene].title}`,
    text: `${grains} spheres, ${steps} steps from the first on, in turn step by step. Overlaps in mean diameters: the mean late in the run, the largest of all.`,
    header: ['solver', 'ms/step', 'of the first', 'mean overlap', 'max overlap'],
    rows: results.map(({ name, millisecondsPerStep, meanOverlap, maxOverlap }) => [
      name,
      figure(millisecondsPerStep),
      figure(millisecondsPerStep / results[0].millisecondsPerStep),
      ...[meanOverlap.toExponential(1), maxOverlap.toExponential(1)],
    ]),
  };
}

/** The quickest of those whose mean and largest overlap are no larger than another's. */
export function quickestAsAccurate(than: Comparison, among: readonly Comparison[]): Comparison | undefined {
  return among
    .filter(({ meanOverlap, maxOverlap }) => meanOverlap <= than.meanOverlap && maxOverlap <= than.maxOverlap)
    .reduce<Comparison | undefined>((a, b) => (a && a.millisecondsPerStep <= b.millisecondsPerStep ? a : b), undefined);
}

/** What as small overlaps take here, as a share of Rapier's time. */
function equalAccuracySection({ scene, results }: RapierRun): Section {
  const solvers = [...new Set(results.map(({ solver }) => solver))].filter((solver) => solver !== 'rapier');
  return {
    title: `At equal accuracy: ${SCENES[scene].title}`,
    text: 'The quickest run here whose mean and largest overlap are both no larger, and its time as a share of that of Rapier.',
    header: ['Rapier', 'ms/step', 'quickest as accurate', 'ms/step', 'share of the time'],
    rows: results
      .filter(({ solver }) => solver === 'rapier')
      .flatMap((one) =>
        solvers.map((solver) => {
          const { name, millisecondsPerStep } = one;
          const best = quickestAsAccurate(
            one,
            results.filter((other) => other.solver === solver),
          );
          const found = best
            ? [best.name, figure(best.millisecondsPerStep), figure(best.millisecondsPerStep / millisecondsPerStep)]
            : [`none of ${solver}`, '', ''];
          return [name, figure(millisecondsPerStep), ...found];
        }),
      ),
  };
}

export const comparisonSections = (run: RapierRun): Section[] => [comparisonSection(run), equalAccuracySection(run)];
