import type { PackingFigures } from '../analysis/packingFigures';

/** A page of the figures with plots, whole in one file. @param rows of the table */
export function analysisPage(title: string, rows: readonly (readonly [string, string])[], figures: PackingFigures): string {
  const { forces, radialDistribution: radial } = figures;
  const middles = (edges: readonly number[]) => edges.slice(1).map((edge, k) => (edge + edges[k]) / 2);
  const plots = [
    plot('Radial distribution', 'r', 'g(r)', middles(radial.edges), radial.density),
    ...(forces ? [plot('Normal forces over their mean', 'F/<F>', 'P', middles(forces.edges), forces.density)] : []),
  ];
  const table = rows.map(([label, value]) => `<tr><th>${escaped(label)}</th><td>${escaped(value)}</td></tr>\n`).join('');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title>
<style>body{font:15px/1.5 system-ui;max-width:60em;margin:2em auto;padding:0 1em}th{text-align:left;padding-right:2em;font-weight:500;white-space:nowrap;vertical-align:top}svg{width:100%;max-width:44em;display:block;margin:2em 0}</style>
</head><body><h1>${escaped(title)}</h1><table>
${table}</table>
${plots.join('\n')}
</body></html>
`;
}

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [640, 300, 60, 40, 30];

function plot(title: string, xName: string, yName: string, x: readonly number[], y: readonly number[]): string {
  const [xEnd, yEnd] = [x.at(-1) || 1, Math.max(...y) || 1];
  const px = (value: number) => LEFT + (value / xEnd) * (WIDTH - LEFT - 10);
  const py = (value: number) => HEIGHT - BOTTOM - (value / yEnd) * (HEIGHT - BOTTOM - TOP);
  const points = x.map((value, k) => `${px(value).toFixed(1)},${py(y[k]).toFixed(1)}`).join(' ');
  const tick = (value: number) => String(Number(value.toPrecision(3)));
  const label = (at: string, text: string) => `<text ${at} font-size="12" fill="currentColor">${escaped(text)}</text>`;
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(title)}">
${label(`x="${LEFT}" y="16"`, title)}
<path d="M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${WIDTH - 10}" fill="none" stroke="currentColor" opacity="0.5"/>
${label(`x="${LEFT}" y="${HEIGHT - BOTTOM + 16}"`, '0')}${label(`x="${WIDTH - 10}" y="${HEIGHT - BOTTOM + 16}" text-anchor="end"`, tick(xEnd))}
${label(`x="${(LEFT + WIDTH) / 2}" y="${HEIGHT - 8}" text-anchor="middle"`, xName)}
${label(`x="${LEFT - 6}" y="${TOP + 4}" text-anchor="end"`, tick(yEnd))}${label(`x="${LEFT - 6}" y="${HEIGHT / 2}" text-anchor="end"`, yName)}
<polyline points="${points}" fill="none" stroke="#0a66c2" stroke-width="2"/></svg>`;
}

function escaped(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replace(/[&<>"]/g, (letter) => entities[letter]);
}
