import uPlot from 'uplot';
import type { Columns, PlotAxes } from '../demo';

const HEIGHT = 150;
/** Pixels between two numbers beside a plot, at least: so low a plot would have but one of them. */
const NUMBERS_APART = 18;

type CurveAxes = PlotAxes['curves'][number];

/** A colour of the page's style, as it is now. */
const styleOf = (name: string) => resolveColour(`var(${name})`);

/** light-dark() is resolved by the page, not by a canvas. */
function resolveColour(colour: string): string {
  const probe = document.createElement('span');
  probe.style.color = colour;
  document.body.append(probe);
  const resolved = getComputedStyle(probe).color;
  probe.remove();
  return resolved;
}

function seriesOf({ kind, label }: CurveAxes, k: number): uPlot.Series {
  const stroke = styleOf(`--curve-${k}`);
  const base: uPlot.Series = { label, stroke, width: 1.6, points: { show: false }, spanGaps: false };
  if (kind === 'dashed') return { ...base, dash: [6, 5] };
  if (kind === 'points') return { ...base, paths: () => null, points: { show: true, size: 6, fill: stroke, width: 0 } };
  return base;
}

/** On a logarithmic axis powers of ten alone: lines between them would be a wall. */
const decades = (_: uPlot, splits: number[]) =>
  splits.map((value) => (Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-6 ? value : null));

/** A title that names the curves by their colours. */
function heading({ title, curves }: PlotAxes): HTMLElement {
  const head = document.createElement('h3');
  head.append(title);
  curves.forEach(({ label, kind }, k) => {
    const key = document.createElement('span');
    const mark = document.createElement('i');
    mark.className = kind;
    mark.style.color = `var(--curve-${k})`;
    key.append(mark, label);
    if (curves.length > 1) head.append(key);
  });
  return head;
}

/** The plots of a demo, one below the other, as wide as there is room. */
export class Plots {
  private plots: uPlot[] = [];
  /** Of each plot, what it waits for. */
  private waits: HTMLElement[] = [];
  private readonly watch = new ResizeObserver(() => this.fit());

  constructor(private readonly place: HTMLElement) {
    this.watch.observe(place);
  }

  show(axes: readonly PlotAxes[]): void {
    for (const plot of this.plots) plot.destroy();
    this.place.replaceChildren();
    this.waits = [];
    this.plots = axes.map((one) => this.make(one));
  }

  private make(axes: PlotAxes): uPlot {
    const figure = document.createElement('figure');
    figure.className = 'plot';
    const wait = document.createElement('p');
    wait.className = 'wait';
    wait.textContent = axes.until ?? '';
    wait.hidden = true;
    this.waits.push(wait);
    figure.append(heading(axes), wait);
    this.place.append(figure);
    const [ink, grid] = [styleOf('--faint'), styleOf('--line')];
    const axis: uPlot.Axis = {
      stroke: ink,
      grid: { stroke: grid, width: 1 },
      ticks: { stroke: grid, width: 1 },
      font: '11px system-ui',
    };
    const plot = new uPlot(
      {
        width: this.width,
        height: HEIGHT,
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false }, y: { distr: axes.logY ? 3 : 1 } },
        axes: [
          { ...axis, label: axes.x, labelSize: 18, labelFont: '11px system-ui', size: 26 },
          {
            ...axis,
            label: axes.y,
            labelSize: 16,
            labelFont: '11px system-ui',
            size: 50,
            space: NUMBERS_APART,
            ...(axes.logY
              ? { filter: decades, grid: { ...axis.grid, filter: decades }, ticks: { ...axis.ticks, filter: decades } }
              : {}),
          },
        ],
        series: [{}, ...axes.curves.map(seriesOf)],
      },
      [[], ...axes.curves.map(() => [])],
      figure,
    );
    plot.root.role = 'img';
    plot.root.ariaLabel = `${axes.title}: ${axes.y} by ${axes.x}`;
    return plot;
  }

  draw(data: readonly Columns[]): void {
    this.plots.forEach((plot, k) => {
      const [, ...curves] = data[k];
      plot.setData(data[k] as uPlot.AlignedData);
      this.waits[k].hidden = this.waits[k].textContent === '' || curves.some((curve) => curve.some((y) => y !== null));
    });
  }

  private get width(): number {
    return Math.max(120, this.place.clientWidth);
  }

  private fit(): void {
    for (const plot of this.plots) if (plot.width !== this.width) plot.setSize({ width: this.width, height: HEIGHT });
  }
}
