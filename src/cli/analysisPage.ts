import type { Layer } from '../analysis/layers';
import { escapeXml } from '../io/xml';
import type { AnalysedFigures } from './commands/analyse';
import { toSvg } from './plot';

/** The diagonal of a stress, of which there are as many as dimensions. @param stress 3 x 3, row by row */
export const normalStresses = (stress: readonly number[], dimension: 2 | 3) =>
  [stress[0], stress[4], stress[8]].slice(0, dimension);

/** A figure of the layers by their height; none where no layer has it, as slices of a flat region have no volume. */
function profile(layers: readonly Layer[], title: string, yLabel: string, of: (layer: Layer) => number): string[] {
  const y = layers.map(of);
  if (!y.some(Number.isFinite)) return [];
  const x = layers.map(({ from, to }) => (from + to) / 2);
  return [toSvg({ title, xLabel: 'height in the region', yLabel, series: [{ name: '', x, y, kind: 'line' }] })];
}

/** A page of the figures with plots, whole in one file. @param rows of the table */
export function analysisPage(
  title: string,
  rows: readonly (readonly [string, string])[],
  figures: AnalysedFigures,
  dimension: 2 | 3,
): string {
  const { forces, layers = [], radialDistribution: radial } = figures;
  const middles = (edges: readonly number[]) => edges.slice(1).map((edge, k) => (edge + edges[k]) / 2);
  type Bins = { edges: number[]; density: number[] };
  const curve = ({ edges, density }: Bins, kind: 'line' | 'marked') => [{ name: '', x: middles(edges), y: density, kind }];
  const ofForces = (bins: Bins) =>
    toSvg({
      title: 'Distribution of the normal forces',
      xLabel: 'F/<F>',
      yLabel: 'P(F/<F>)',
      // An exponential tail is a straight line there.
      logY: true,
      series: curve(bins, 'marked'),
    });
  const pressureOf = ({ stress }: Layer) =>
    stress ? normalStresses(stress, dimension).reduce((sum, value) => sum + value, 0) / dimension : Number.NaN;
  const plots = [
    toSvg({ title: 'Radial distribution', xLabel: 'r', yLabel: 'g(r)', series: curve(radial, 'line') }),
    ...(forces ? [ofForces(forces)] : []),
    ...profile(layers, 'Layers', 'volume fraction', ({ volumeFraction }) => volumeFraction),
    ...profile(layers, 'Pressure of the layers', 'pressure', pressureOf),
  ];
  const table = rows.map(([label, value]) => `<tr><th>${escapeXml(label)}</th><td>${escapeXml(value)}</td></tr>\n`).join('');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeXml(title)}</title>
<style>body{font:15px/1.5 system-ui;max-width:60em;margin:2em auto;padding:0 1em}th{text-align:left;padding-right:2em;font-weight:500;white-space:nowrap;vertical-align:top}svg{max-width:100%;display:block;margin:2em 0}</style>
</head><body><h1>${escapeXml(title)}</h1><table>
${table}</table>
${plots.join('\n')}
</body></html>
`;
}
