import { expect, test } from 'vitest';
import type { Layer } from '../../src/analysis/layers';
import type { Region } from '../../src/analysis/region';
import { analysisPage, layerEnds } from '../../src/cli/analysisPage';
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
  const withTail = { ...figures, forces: { ...figures.forces, tail: { beta: 1.5, error: 0.1 } } };
  const line = /<polyline fill="none" stroke="#c1461f"[^>]* points="([^ ]+) ([^"]+)"/;
  const fitted = line.exec(analysisPage('', [], withTail as unknown as AnalysedFigures, 3))!;
  const [[, startY], [, endY]] = fitted.slice(1).map((point) => point.split(',').map(Number));
  const points = marks(page);
  expect(points).toHaveLength(36);
  const [[x0, y0], [x1, y1]] = [points[0], points.at(-1)!];
  for (const [x, y] of points) expect(y).toBeCloseTo(y0 + ((x - x0) * (y1 - y0)) / (x1 - x0), 0);
  expect(y1 - y0).toBeGreaterThan(300);
  expect(page).not.toMatch(line);
  // Both fall by the same in the same distance, from F = 1 to 7.8 and from 0.1 to 7.9.
  expect((endY - startY) / (y1 - y0)).toBeCloseTo(6.8 / 7.8, 1);
});

test('a linear axis begins and ends with a tick, so that zero can be read where curves begin near it', () => {
  const ticks = (y: number[]) => [...plotOf(y).matchAll(/text-anchor="end">([^<]+)</g)].map(([, tick]) => Number(tick));
  expect(ticks([0.06, 3, 5.94]).slice(0, 1)).toEqual([0]);
  expect(ticks([0.06, 3, 5.94]).at(-1)).toBe(6);
  expect(ticks([0.5235, 0.5764])).toEqual([0.52, 0.54, 0.56, 0.58]);
  expect(ticks([-7, 10])).toEqual([-10, -5, 0, 5, 10]);
  // Ends that are ticks stay the ends.
  expect(ticks([0, 0.3])).toEqual([0, 0.1, 0.2, 0.3]);
});

test('layers are told by the coordinate in a box, by the height in a cylinder', () => {
  const layer = { from: 1, to: 2 } as Layer;
  const box = { kind: 'box', min: [0, -7, 5], max: [1, 0, 9] } as const;
  expect(layerEnds({ ...box, min: [...box.min], max: [...box.max] }, layer, 3)).toEqual({ along: 'z', from: 6, to: 7 });
  expect(layerEnds({ ...box, min: [...box.min], max: [...box.max] }, layer, 2)).toEqual({ along: 'y', from: -6, to: -5 });
  const cylinder: Region = { kind: 'cylinder', point: [0, 0, 5], axis: [1, 0, 0], radius: 1, height: 4 };
  expect(layerEnds(cylinder, layer, 3)).toEqual({ along: 'height', from: 1, to: 2 });
});
