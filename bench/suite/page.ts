import { type Plot, toSvg } from '../../src/cli/plot';
import { escapeXml } from '../../src/io/xml';
import { allConverged, exponent, families, settled, timeOf } from './growth';
import { BACKENDS } from './names';
import type { CaseResult, SuiteResult } from './result';
import { SCENE_NAMES, SCENES } from './scenes';
import { sectionsOf } from './sections';
import { toHtml } from './table';

type Sized = Pick<CaseResult, 'scene' | 'backend' | 'grains'>;

/**
 * A curve for each scene, with its exponent of growth, in the colour that the scene has in every plot.
 * @param name for curves that are not one for each scene
 */
export function logLog<T extends Sized>(
  title: string,
  yLabel: string,
  groups: readonly T[][],
  value: (one: T) => number,
  name?: (group: T[]) => string,
): Plot {
  const series = groups.map((group) => {
    const [x, y] = [group.map(({ grains }) => grains), group.map(value)];
    const slope = exponent(x, y);
    const [{ scene }] = group;
    return {
      name: `${name?.(group) ?? SCENES[scene].title}${Number.isFinite(slope) ? `: N^${slope.toFixed(2)}` : ''}`,
      ...(name ? {} : { colour: SCENE_NAMES.indexOf(scene) }),
      ...{ x, y, kind: 'marked' as const },
    };
  });
  return { title, xLabel: 'grains', yLabel, logX: true, logY: true, namesBeside: true, series };
}

function plotsOf({ cases, settlings }: SuiteResult): Plot[] {
  const ofBackends = BACKENDS.flatMap((backend) => {
    const groups = families(cases.filter((result) => result.backend === backend));
    const plot = (quantity: string, some: CaseResult[][], value: (result: CaseResult) => number) =>
      some.length > 0 ? [logLog(`${quantity}, ${backend}`, quantity, some, value)] : [];
    return [
      ...plot('milliseconds per step', groups, timeOf),
      ...plot('sweeps per step', groups.filter(allConverged), ({ sweeps }) => sweeps),
      ...plot('contact updates per second', groups, ({ contactUpdatesPerSecond }) => contactUpdatesPerSecond),
    ];
  });
  const rested = families(settled(settlings));
  const seconds = rested.length > 0 ? [logLog('seconds to a settled packing', 'seconds', rested, (one) => one.seconds)] : [];
  return [...ofBackends, ...seconds];
}

export const plotFigures = (plots: readonly Plot[]): string =>
  `<section class="plots">${plots.map((plot) => `<figure class="scroll">${toSvg(plot)}</figure>`).join('')}</section>`;

/** The report as HTML, to stand in a page. */
export function reportHtml(result: SuiteResult): string {
  const [summary, ...rest] = sectionsOf(result).map(toHtml);
  return [summary, plotFigures(plotsOf(result)), ...rest].join('\n');
}

const STYLE = `:root { color-scheme: light dark }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 82em; padding: 0 1em; background: light-dark(#fff, #17181a); color: light-dark(#222, #e9e6df) }
.scroll { overflow-x: auto; margin: 0 } table { border-collapse: collapse; font-size: 13px }
p { overflow-wrap: anywhere } td, th { white-space: nowrap; border-bottom: 1px solid light-dark(#ddd, #383b40); padding: 3px 8px; text-align: right }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 36rem), 1fr)); gap: 1rem; margin-top: 2rem }
svg { display: block; width: 100%; min-width: 26rem; height: auto } @media (prefers-color-scheme: dark) { svg { filter: invert(0.9) hue-rotate(180deg) } }`;

/** A page that needs nothing beside itself. */
export function toPage(result: SuiteResult): string {
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeXml(`contact-dynamics: benchmark, ${result.date}`)}</title>
<style>${STYLE}</style>
<h1>Benchmark</h1>
${reportHtml(result)}
</html>
`;
}
