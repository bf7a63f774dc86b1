import { expect, test } from 'vitest';
import { analysisPage } from '../../src/cli/analysisPage';
import type { AnalysedFigures } from '../../src/cli/commands/analyse';
import { toSvg } from '../../src/cli/plot';

const plotOf = (y: number[], logY = false) =>
  toSvg({ title: '', xLabel: 'x', yLabel: 'y', logY, series: [{ name: '', x: y.map((_, k) => k), y, kind: 'marked' }] });
const marks = (svg: string) => [...svg.matchAll(/<circle cx="([^"]+)" cy="([^"]+)"/g)].map(([, x, y]) => [Number(x), Number(y)]);

test.each([
  ['differ in their last digit', [0.7405, 0.7405 + 2 ** -53, 0.7405]],
  ['are the same and large', [1e20, 1e20]],
  ['are the same and tiny', [-1e-300, -1e-300]],
  ['are all zero', [0, 0]],
])('values that %s are drawn in the middle, with ticks', (_, y) => {
  for (const log of y[0] > 0 ? [false, true] : [false]) {
    const svg = plotOf(y, log);
    const places = marks(svg).map(([, place]) => place);
    expect(places).toHaveLength(y.length);
    for (const place of places) expect(place).toBeCloseTo(204, 0);
    const ticks = svg.match(/<line x1="70"/g) ?? [];
    expect(ticks.length).toBeGreaterThanOrEqual(1);
    expect(ticks.length).toBeLessThan(15);
  }
});

test('the tail of an exponential distribution of forces is a straight line on the page, and empty bins are left out', () => {
  const edges = Array.from({ length: 41 }, (_, k) => k / 5);
  const density = edges.slice(1).map((edge, k) => (k % 10 === 9 ? 0 : Math.exp(-1.5 * (edge - 0.1))));
  const figures = { radialDistribution: { edges: [0, 1, 2], density: [0, 1] }, forces: { edges, density } };
  const page = analysisPage('', [], figures as unknown as AnalysedFigures, 3);
  const points = marks(page);
  expect(points).toHaveLength(36);
  const [[x0, y0], [x1, y1]] = [points[0], points.at(-1)!];
  for (const [x, y] of points) expect(y).toBeCloseTo(y0 + ((x - x0) * (y1 - y0)) / (x1 - x0), 0);
  expect(y1 - y0).toBeGreaterThan(300);
});
