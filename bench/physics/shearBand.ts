import { between, type Figure, near, type Row } from './figure';

/**
 * A curve on which the integral of r^2 (H - h) over its length is least (Unger, thesis eq. (7.6)): r and depth y below the surface,
 * along the curve. The weight n = r^2 y bends it as light: d theta/ds = (cos theta n_y - sin theta n_r)/n, with (cos theta,
 * sin theta) its direction in (r, y). Scaling a solution gives another, so one curve from the surface holds all open bands, cut
 * off where it meets the floor, and one from the axis all closed ones.
 */
interface Curve {
  r: number[];
  y: number[];
}

const STEP = 1e-3;

function trace(start: [r: number, y: number, theta: number], isDone: (r: number, y: number) => boolean): Curve {
  const slope = ([r, y, theta]: number[]) => [Math.cos(theta), Math.sin(theta), Math.cos(theta) / y - (2 * Math.sin(theta)) / r];
  const moved = (state: number[], rate: number[], by: number) => state.map((x, k) => x + by * rate[k]);
  const curve: Curve = { r: [], y: [] };
  for (let state: number[] = start; !isDone(state[0], state[1]); ) {
    curve.r.push(state[0]);
    curve.y.push(state[1]);
    const step = STEP * Math.max(1, state[0]);
    const k1 = slope(state);
    const k2 = slope(moved(state, k1, step / 2));
    const k3 = slope(moved(state, k2, step / 2));
    const k4 = slope(moved(state, k3, step));
    state = state.map((x, k) => x + (step / 6) * (k1[k] + 2 * k2[k] + 2 * k3[k] + k4[k]));
  }
  return curve;
}

/** Open bands: from the surface at r = 1, where they are vertical (theta = pi/2 - y/r to first order). */
function openBand(): Curve {
  const y = STEP;
  return trace([1 + y ** 2 / 2, y, Math.PI / 2 - y], (r) => r > 6);
}

/** Closed bands: from the axis at depth 1, where they are level with curvature 1/3. */
function closedBand(): Curve {
  const s = STEP;
  return trace([s, 1 + s ** 2 / 6, s / 3], (r) => r > 20);
}

/** Value of a quantity where another, which rises along the curve up to its first maximum, has the given value. */
function at(target: number, rising: number[], values: number[]): number {
  const k = rising.findIndex((value) => value >= target);
  if (k <= 0) throw new Error(`No band has ${target}`);
  const share = (target - rising[k - 1]) / (rising[k] - rising[k - 1]);
  return values[k - 1] + share * (values[k] - values[k - 1]);
}

/** R_c/R_s of the open band in a cell filled to H/R_s. */
export function openCentre(height: number): number {
  const { r, y } = openBand();
  return at(
    height,
    y.map((depth, k) => depth / r[k]),
    r.map((radius) => 1 / radius),
  );
}

/** Least H/R_s with a closed band, and h_top/R_s there. */
export function firstCupola(): { height: number; top: number } {
  const { r, y } = closedBand();
  const k = r.reduce((least, _, m) => (y[m] / r[m] < y[least] / r[least] ? m : least), 0);
  return { height: y[k] / r[k], top: (y[k] - 1) / r[k] };
}

/** h_top/R_s of the shallow closed band in a cell filled to H/R_s: on the curve's part near the axis. */
export function cupolaTop(height: number): number {
  const { r, y } = closedBand();
  return at(
    -height,
    y.map((depth, k) => -depth / r[k]),
    r.map((radius, k) => (y[k] - 1) / radius),
  );
}

/** Most H/R_s with an open band, and R_c/R_s there. */
export function lastOpen(): { height: number; centre: number } {
  const { r, y } = openBand();
  const k = r.reduce((most, _, m) => (y[m] / r[m] > y[most] / r[most] ? m : most), 0);
  return { height: y[k] / r[k], centre: 1 / r[k] };
}

/** Experiment (Fenistein and others): R_c/R_s = 1 - (H/R_s)^2.5. */
export const experiment = (height: number) => 1 - height ** 2.5;

/** The table's accuracy: this curve and one by the equation in Cartesian form agree to 2e-5 and differ from it by up to 3e-4. */
const TABLE = 5e-4;

const OPEN = [
  [0.05, 0.9987],
  [0.15, 0.9885],
  [0.25, 0.9675],
  [0.35, 0.9342],
  [0.45, 0.8858],
  [0.55, 0.8154],
  [0.65, 0.7052],
];
const CLOSED = [
  [0.7716, 0.3087],
  [0.9913, 0.1983],
  [1.3426, 0.1343],
  [1.8604, 0.093],
];

const variational: Figure = {
  id: 'H-variational',
  title: 'Shear band in a split-bottom cell: the variational model',
  quick: true,
  gpu: { not: 'nothing is simulated' },
  async run() {
    const { height, centre } = lastOpen();
    const cupola = firstCupola();
    const rows: Row[] = [
      ...OPEN.map(([filled, expected]) => near(`R_c/R_s, open, H/R_s = ${filled}`, openCentre(filled), expected, TABLE)),
      near('H/R_s where open bands end', height, 0.7427, 1e-4),
      between('R_c/R_s there', centre, 0.385, 0.401),
      near('H/R_s where closed bands begin', cupola.height, 0.6968, 1e-4),
      near('h_top/R_s there', cupola.top, 0.512, 0.004),
      ...CLOSED.map(([filled, expected]) => near(`h_top/R_s, closed, H/R_s = ${filled}`, cupolaTop(filled), expected, TABLE)),
    ];
    const x = Array.from({ length: 70 }, (_, k) => 0.03 + 0.01 * k);
    const series = [
      { name: 'model', x, y: x.map(openCentre), kind: 'line' as const },
      { name: "experiment's fit", x, y: x.map(experiment), kind: 'line' as const },
    ];
    return { rows, plots: [{ title: 'Centre of the band at the surface', xLabel: 'H/R_s', yLabel: 'R_c/R_s', series }] };
  },
};

export const shearBand: Figure[] = [variational];
