import type { Layer } from '../analysis/layers';
import type { Region } from '../analysis/region';
import { escapeXml } from '../io/xml';
import type { AnalysedFigures } from './commands/analyse';
import { figure } from './format';
import { type Series, toSvg } from './plot';

/** The diagonal of a stress, of which there are as many as dimensions. @param stress 3 x 3, row by row */
export const normalStresses = (stress: readonly number[], dimension: 2 | 3) =>
  [stress[0], stress[4], stress[8]].slice(0, dimension);

/** Along what layers are told, and their ends there: in a box its coordinate, in a cylinder the height above its point. */
export function layerEnds(region: Region, { from, to }: Layer, dimension: 2 | 3): { along: string; from: number; to: number } {
  if (region.kind === 'cylinder') return { along: 'height', from, to };
  const bottom = region.min[dimension - 1];
  return { along: 'xyz'[dimension - 1], from: bottom + from, to: bottom + to };
}

/** The tail exp(-beta F/<F>) that was fitted above the mean, through as many forces as there are. */
function tailCurve({ edges, density, tail }: NonNullable<AnalysedFigures['forces']>): Series[] {
  if (!tail) return [];
  const share = density.reduce((sum, value, k) => sum + (edges[k] >= 1 - 1e-9 ? value * (edges[k + 1] - edges[k]) : 0), 0);
  const last = edges[density.findLastIndex((value) => value > 0) + 1];
  const x = [1, last];
  const y = x.map((force) => share * tail.beta * Math.exp(-tail.beta * (force - 1)));
  return [{ name: `exp(-${figure(tail.beta, 3)} F/<F>) above the mean`, x, y, kind: 'line' }];
}

/** A page of the figures with plots, whole in one file. @param rows of the table */
export function analysisPage(
  title: string,
  rows: readonly (readonly [string, string])[],
  figures: AnalysedFigures,
  dimension: 2 | 3,
): string {
  const { forces, layers = [], radialDistribution: radial, region } = figures;
  const middles = (edges: readonly number[]) => edges.slice(1).map((edge, k) => (edge + edges[k]) / 2);
  type Bins = { edges: number[]; density: number[] };
  const curve = ({ edges, density }: Bins, kind: 'line' | 'marked'): Series[] => [
    { name: '', x: middles(edges), y: density, kind },
  ];
  const ofForces = (bins: NonNullable<typeof forces>) =>
    toSvg({
      title: 'Distribution of the normal forces',
      xLabel: 'F/<F>',
      yLabel: 'P(F/<F>)',
      // An exponential tail is a straight line there.
      logY: true,
      series: [...curve(bins, 'marked'), ...tailCurve(bins)],
    });
  const pressureOf = ({ stress }: Layer) =>
    stress ? normalStresses(stress, dimension).reduce((sum, value) => sum + value, 0) / dimension : Number.NaN;
  // None where no layer has the figure, as slices of a flat region have no volume.
  const profile = (title: string, yLabel: string, of: (layer: Layer) => number): string[] => {
    const y = layers.map(of);
    if (!y.some(Number.isFinite)) return [];
    const ends = layers.map((layer) => layerEnds(region, layer, dimension));
    const x = ends.map(({ from, to }) => (from + to) / 2);
    const xLabel = region.kind === 'box' ? ends[0].along : 'height along the axis';
    return [toSvg({ title, xLabel, yLabel, series: [{ name: '', x, y, kind: 'marked' }] })];
  };
  const plots = [
    toSvg({ title: 'Radial distribution', xLabel: 'r', yLabel: 'g(r)', series: curve(radial, 'line') }),
    ...(forces ? [ofForces(forces)] : []),
    ...profile('Layers', 'volume fraction', ({ volumeFraction }) => volumeFraction),
    ...profile('Pressure of the layers', 'pressure', pressureOf),
  ];
  const table = rows.map(([label, value]) => `<tr><th>${escapeXml(label)}</th><td>${escapeXml(value)}</td></tr>\n`).join('');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeXml(title)}</title>
<style>body{font:15px/1.5 system-ui;max-width:60em;margin:2em auto;padding:0 1em}th{text-align:left;padding-right:2em;font-weight:500;white-space:nowrap;vertical-align:top}svg{max-width:100%;display:block;margin:2em 0}</style>
</head><body><h1>${escapeXml(title)}</h1><table>
${table}</table>
<p>Lengths, times, forces and stresses are in the units of the packing. Tensors are told row by row; stress is positive where it presses.</p>
${plots.join('\n')}
</body></html>
`;
}
