import { escapeXml } from '../io/xml';

/** One curve, cloud of points, or curve through marked points. */
export interface Series {
  name: string;
  x: number[];
  y: number[];
  kind: 'line' | 'points' | 'marked';
  /** The number of its colour; default: its place among the series. */
  colour?: number;
}

export interface Plot {
  title: string;
  xLabel: string;
  yLabel: string;
  logX?: boolean;
  logY?: boolean;
  /** The names of the series stand beside the plot, not in it: for curves that would cross them. */
  namesBeside?: boolean;
  series: Series[];
}

const WIDTH = 640;
const HEIGHT = 420;
const MARGIN = { left: 70, right: 20, top: 36, bottom: 48 };
/** Room for names beside the plot. */
const NAMES_WIDTH = 200;
const COLOURS = ['#1f5fa8', '#c1461f', '#2c8a4b', '#7b4ea3', '#8a6d1f', '#444444', '#b0307a', '#1f8a8a'];

/** Maps values of an axis to pixels, with ticks at round values. */
interface Axis {
  place(value: number): number;
  ticks: number[];
}

function makeAxis(values: number[], from: number, to: number, log: boolean): Axis {
  const shown = values.filter((value) => Number.isFinite(value) && (!log || value > 0)).map(log ? Math.log10 : Number);
  let [low, high] = [Math.min(...shown), Math.max(...shown)];
  // Ticks between numbers that differ in their last digits alone would never come to an end.
  const size = Math.max(Math.abs(low), Math.abs(high));
  const isWide = high - low > 1e-9 * size;
  if (!isWide) {
    const room = log || size === 0 ? 0.5 : 0.5 * size;
    [low, high] = [low - room, low + room];
  }
  const step = log ? Math.max(1, Math.round((high - low) / 5)) : roundStep((high - low) / 5);
  // Between a tick at each end it can be read where the axis begins, such as at zero.
  if (isWide && !log) [low, high] = [Math.floor(low / step + 1e-9) * step, Math.ceil(high / step - 1e-9) * step];
  const place = (value: number) => from + (((log ? Math.log10(value) : value) - low) / (high - low)) * (to - from);
  const ticks: number[] = [];
  for (let tick = Math.ceil(low / step - 1e-9) * step; tick <= high + 1e-9 * step; tick += step)
    ticks.push(log ? 10 ** tick : tick);
  return { place, ticks: log && ticks.length < 3 ? withinDecades(low, high) : ticks };
}

/** 1, 2 and 5 times the powers of ten between two logarithms. */
function withinDecades(low: number, high: number): number[] {
  const powers = Array.from({ length: Math.ceil(high) - Math.floor(low) }, (_, k) => 10 ** (Math.floor(low) + k));
  const ticks = powers.flatMap((power) => [power, 2 * power, 5 * power]);
  return ticks.filter((tick) => Math.log10(tick) >= low - 1e-9 && Math.log10(tick) <= high + 1e-9);
}

/** The 1, 2 or 5 times a power of ten that is nearest above. */
function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  return power * ([1, 2, 5, 10].find((factor) => factor * power >= step) ?? 10);
}

/** The plot as an SVG document. */
export function toSvg({ title, xLabel, yLabel, logX = false, logY = false, namesBeside = false, series }: Plot): string {
  const width = WIDTH + (namesBeside ? NAMES_WIDTH : 0);
  const visible = series.map(({ x, y, ...rest }) => {
    const kept = x.map((_, k) => k).filter((k) => Number.isFinite(x[k] + y[k]) && (!logX || x[k] > 0) && (!logY || y[k] > 0));
    return { ...rest, x: kept.map((k) => x[k]), y: kept.map((k) => y[k]) };
  });
  const horizontal = makeAxis(
    visible.flatMap(({ x }) => x),
    MARGIN.left,
    WIDTH - MARGIN.right,
    logX,
  );
  const vertical = makeAxis(
    visible.flatMap(({ y }) => y),
    HEIGHT - MARGIN.bottom,
    MARGIN.top,
    logY,
  );
  const parts = [
    ...horizontal.ticks.map((tick) => xTick(horizontal.place(tick), tick)),
    ...vertical.ticks.map((tick) => yTick(vertical.place(tick), tick)),
    ...visible.map((curve, k) => drawSeries(curve, colourOf(curve.colour ?? k), horizontal, vertical)),
    ...visible.map(({ name, colour }, k) => drawName(name, k, colourOf(colour ?? k), namesBeside)),
    text(WIDTH / 2, 20, title, 'middle', 14),
    text(WIDTH / 2, HEIGHT - 10, xLabel, 'middle'),
    `<text x="16" y="${HEIGHT / 2}" font-size="12" text-anchor="middle" transform="rotate(-90 16 ${HEIGHT / 2})">${escapeXml(yLabel)}</text>`,
  ];
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}" font-family="sans-serif">\n` +
    `<rect width="100%" height="100%" fill="white"/>\n${parts.join('\n')}\n</svg>\n`
  );
}

const colourOf = (index: number) => COLOURS[index % COLOURS.length];

function drawSeries({ x, y, kind }: Series, colour: string, horizontal: Axis, vertical: Axis): string {
  const points = x.map((value, k) => [horizontal.place(value).toFixed(1), vertical.place(y[k]).toFixed(1)]);
  const line = `<polyline fill="none" stroke="${colour}" stroke-width="1.5" points="${points.map((p) => p.join(',')).join(' ')}"/>`;
  const marks = points.map(([px, py]) => `<circle cx="${px}" cy="${py}" r="3" fill="${colour}"/>`).join('');
  return `${kind === 'points' ? '' : line}${kind === 'line' ? '' : marks}`;
}

function drawName(name: string, index: number, colour: string, beside: boolean): string {
  const top = MARGIN.top + 14 + 16 * index;
  // The name stands out from curves that pass behind it.
  const halo = 'stroke="white" stroke-width="4" paint-order="stroke"';
  const place = beside ? text(WIDTH - MARGIN.right + 10, top, name, 'start') : text(WIDTH - MARGIN.right - 6, top, name, 'end');
  return `<g fill="${colour}" ${halo}>${place}</g>`;
}

function xTick(at: number, value: number): string {
  const bottom = HEIGHT - MARGIN.bottom;
  return (
    `<line x1="${at}" x2="${at}" y1="${MARGIN.top}" y2="${bottom}" stroke="#dddddd"/>` +
    text(at, bottom + 16, tickLabel(value), 'middle')
  );
}

function yTick(at: number, value: number): string {
  return (
    `<line x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${at}" y2="${at}" stroke="#dddddd"/>` +
    text(MARGIN.left - 6, at + 4, tickLabel(value), 'end')
  );
}

function text(x: number, y: number, content: string, anchor: string, size = 12): string {
  return `<text x="${x}" y="${y}" font-size="${size}" text-anchor="${anchor}">${escapeXml(content)}</text>`;
}

/** Large numbers as powers of ten: there is room for six figures. */
function tickLabel(value: number): string {
  const rounded = Number(value.toPrecision(6));
  return Math.abs(rounded) >= 1e5 ? rounded.toExponential().replace('+', '') : String(rounded);
}
