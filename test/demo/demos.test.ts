import { expect, test } from 'vitest';
import { type AnyDemo, type Control, defaults, type Settings } from '../../demo/demo';
import { demos } from '../../demo/demos/index';
import { createSimulation, loadProblem, parseScene } from '../../src/index';
import { noFile } from '../support/demos';

/** Grains, or as many as a demo needs. */
const FEW = 40;
/** Of the mean diameter: what a demo's start may have. */
const OVERLAP = 0.12;

const ends = (control: Control): (number | string)[] =>
  control.kind === 'choice' ? [...control.options] : [control.min, control.max];

/** Every control at each of its ends, the others as they are, and all of them at one end. */
function extremes({ controls }: AnyDemo): Settings[] {
  const single = Object.entries(controls).flatMap(([key, control]) =>
    ends(control).map((value) => ({ ...defaults(controls), [key]: value })),
  );
  const all = [0, 1].map((end) =>
    Object.fromEntries(Object.entries(controls).map(([key, control]) => [key, ends(control).at(-end)!])),
  );
  return [defaults(controls), ...single, ...all];
}

test('demos have names of their own', () => {
  expect(new Set(demos.map(({ id }) => id)).size).toBe(demos.length);
});

for (const demo of demos) {
  const few = Math.max(FEW, demo.sizes.least);
  test(`${demo.id}: every setting gives a scene that loads, in numbers of any size`, async () => {
    for (const values of extremes(demo)) {
      const problem = await loadProblem(parseScene(demo.scene(values, few)), noFile);
      const overlaps = problem.warnings.filter((warning) => warning.includes('overlaps'));
      expect(problem.warnings).toEqual(overlaps);
      const deepest = overlaps.map((text) => Number(/\(([\d.e-]+) mean diameters\)/.exec(text)![1]));
      expect(Math.max(0, ...deepest)).toBeLessThan(OVERLAP);
    }
    for (const grains of [demo.sizes.least, demo.sizes.cpu]) {
      const { grains: made, events } = await loadProblem(parseScene(demo.scene(defaults(demo.controls), grains)), noFile);
      const poured = (events ?? []).reduce((sum, { pour }) => sum + (pour?.grains.count ?? 0), 0);
      expect(made.count + poured).toBeGreaterThan(0.6 * grains);
    }
  });

  test(`${demo.id}: runs, and its figures and curves are those that it names`, async () => {
    const values = defaults(demo.controls);
    const simulation = await createSimulation(demo.scene(values, few), { backend: 'cpu' });
    const probe = demo.probe(values, simulation.problem);
    for (let look = 0; look < 3; look++) {
      await simulation.step(4, (report) => probe.onReport(report, simulation.problem));
      probe.onState?.(await simulation.read(), simulation.problem);
    }
    simulation.dispose();
    for (const { value } of probe.readings()) expect(value === null || Number.isFinite(value)).toBe(true);
    const data = probe.data();
    expect(data.map((columns) => columns.length - 1)).toEqual(demo.plots.map(({ curves }) => curves.length));
    for (const [x, ...curves] of data) {
      expect(x).toEqual([...x].sort((a, b) => a - b));
      for (const curve of curves) expect(curve).toHaveLength(x.length);
    }
  });
}
