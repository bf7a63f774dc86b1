import { fitDampedOscillation } from '../../bench/physics/dampedOscillation';
import type { Problem, SceneInput, Vector } from '../../src/index';
import { type Columns, choice, demo, slider, type Values } from '../demo';
import { DENSITY, DIAMETER, STEPS } from '../materials';
import { packDisks, spreadRadii } from '../packing';
import { loadOn, meanDiameter } from '../probes/figures';
import { TimeSeries } from '../probes/timeSeries';

/** Seconds; the false sound is as fast as the step is short, so that any will do. */
const STEP = 1e-3;
/** Per depth, N/m: so little that disks move far less than their size in a step. */
const FORCE = 20;
const RAISED = 1.5 * FORCE;
/** Of the piston, in disks. */
const PISTON_DISKS = 1;
/** Width of the packing over its length, and its area fraction. */
const ASPECT = 0.28;
const FRACTION = 0.8;
/** So often the force goes up and down again. */
const CHANGES = 400;

/**
 * Frequency and damping of the longest wave of a line of grains with one end held and the other free, N_I plain sweeps a step:
 * sound of speed c = sqrt(q N_I) d/dt with D = q N_I d^2/dt (Unger and Kertesz, eqs (54) to (60)); q is 1 for colours in a fixed order.
 * @param length of the line over the diameter
 * @returns per step; omega is null where the wave is too short-lived to swing
 */
function falseSound(sweeps: number, length: number): { omega: number | null; tau: number } {
  const wave = Math.PI / (2 * length);
  const squared = wave ** 2 * sweeps - (wave ** 2 * sweeps) ** 2 / 4;
  return { omega: squared > 0 ? Math.sqrt(squared) : null, tau: 2 / (wave ** 2 * sweeps) };
}

/** Steps from one change of the force to the next: until the ringing has died away. */
const holdOf = (sweeps: number, length: number) => Math.round(Math.min(1500, Math.max(120, 5 * falseSound(sweeps, length).tau)));

interface Layout {
  /** Of the packing, in the diameter. */
  length: number;
  width: number;
  list: { position: Vector; radius: number }[];
}

/** Disks in a line. Pairs stand a little apart at first, so that their contacts get two colours, as theory has it. */
function line(grains: number): Layout {
  const count = Math.min(grains, 60);
  const slit = 0.05;
  const list = Array.from({ length: count }, (_, k) => ({
    position: [DIAMETER * (0.5 + k + slit * Math.floor(k / 2)), 0, 0] as Vector,
    radius: DIAMETER / 2,
  }));
  return { length: count, width: 3, list };
}

function packed(grains: number): Layout {
  const length = Math.max(6, Math.sqrt((grains * Math.PI) / 4 / FRACTION / ASPECT));
  const width = Math.max(4, ASPECT * length);
  const sizes = spreadRadii(grains, 0.5, 2, 4);
  const area = sizes.reduce((sum, radius) => sum + Math.PI * radius ** 2, 0);
  const long = area / FRACTION / width;
  const places = packDisks(sizes, {
    draw: (u, v) => [u * long, v * width],
    hold: (x, y, radius) => [Math.min(Math.max(x, radius), long - radius), y - width * Math.floor(y / width)],
    period: width,
  });
  const list = places.map(([x, y], i) => ({ position: [x * DIAMETER, y * DIAMETER, 0] as Vector, radius: sizes[i] * DIAMETER }));
  return { length: long, width, list };
}

function events(hold: number): SceneInput['events'] {
  return Array.from({ length: CHANGES }, (_, k) => ({
    when: { step: (k + 1) * hold },
    setPiston: { piston: { force: k % 2 === 0 ? RAISED : FORCE } },
  }));
}

const controls = {
  sweeps: slider('Sweeps in a step, N_I', 10, [2, 160, 1]),
  arrangement: choice('Disks', ['dense packing', 'single file']),
  friction: slider('Friction', 0.05, [0, 0.5, 0.05]),
};

/** The swing of the wall's load after the piston's force changed, and what theory says. */
class Ringing {
  private samples: number[] = [];
  private target = FORCE;
  private before = 0;
  curve: [x: number[], measured: number[], theory: (number | null)[]] = [[], [], []];
  measured: number | null = null;

  constructor(
    private readonly expected: { omega: number | null; tau: number },
    private readonly hold: number,
  ) {}

  push(step: number, load: number, target: number): void {
    if ((step - 1) % this.hold === 0) {
      this.before = step > this.hold ? this.target : 0;
      this.target = target;
      this.samples = [];
      this.curve = [[], [], []];
    }
    const t = this.samples.length;
    this.samples.push(load - target);
    this.curve[0].push(t * STEP);
    this.curve[1].push(load);
    this.curve[2].push(this.theory(t));
    if (step % this.hold === 0 && step > this.hold) this.fit();
  }

  /** Load of the held end after a sudden force at the free one: the longest wave has 4/pi times the change. */
  private theory(t: number): number | null {
    const { omega, tau } = this.expected;
    if (omega === null) return null;
    return this.target - (4 / Math.PI) * (this.target - this.before) * Math.exp(-t / tau) * Math.cos(omega * t);
  }

  /** Frequency in Hz, of all but the first part, in which shorter waves die away. */
  private fit(): void {
    const { omega, tau } = this.expected;
    if (omega === null) return;
    const samples = this.samples.slice(Math.round(0.4 * tau), Math.round(4 * tau));
    const squares = (guess: number) => {
      const fit = fitDampedOscillation(samples, { omega: guess, tau });
      return { fit, error: fit.fitted.reduce((sum, y, t) => sum + (y - samples[t]) ** 2, 0) };
    };
    const best = [0.6, 0.8, 1, 1.25, 1.6].map((factor) => squares(factor * omega)).reduce((a, b) => (b.error < a.error ? b : a));
    this.measured = best.fit.omega / (2 * Math.PI * STEP);
  }
}

/** Length of the packing as it lies at the start, in mean diameters. */
const lengthOf = (problem: Problem) => {
  const wall = problem.walls.find(({ name }) => name === 'piston')!.shape;
  return wall.point[0] / meanDiameter(problem);
};

/** Frequencies that were measured since the page was opened, by kind of packing and number of sweeps, so that the law grows to the eye. */
const found = new Map<string, Map<number, number>>();

/** Points of a curve at given places, null at the others. */
function at(places: readonly number[], points: ReadonlyMap<number, number>): (number | null)[] {
  return places.map((place) => points.get(place) ?? null);
}

const hertz = (omega: number | null) => (omega === null ? null : omega / (2 * Math.PI * STEP));
const CURVE = Array.from({ length: 40 }, (_, k) => Math.round(2 * 80 ** (k / 39)));

export const piston = demo<typeof controls>({
  id: 'piston',
  title: 'False sound',
  teaser: 'Rigid grains ring like springs, if you let the solver stop too early',
  look: [
    "Rigid disks cannot ring: sound in them would be infinitely fast. But force information goes from contact to contact by the solver's sweeps, and with few of them in a step it diffuses so slowly that the packing swings like a spring. " +
      'Twice a cycle the piston presses half as hard again, and the load on the far wall rings.',
    'Theory gives the frequency of a line of as many disks, growing as the root of N_I. The single file meets it; the packing swings somewhat otherwise but with the same power of N_I. Give it more sweeps and the ringing dies at once; with momentum, the default of this solver, far fewer suffice.',
  ],
  sources: [
    'T. Unger, J. Kertész, The contact dynamics method for granular media, arXiv:cond-mat/0211696, eqs (54) to (60)',
    'docs/solving.md, "Are the sweeps enough?"',
  ],
  controls,
  sizes: { cpu: 220, gpu: 220, least: 24, most: 800 },
  stepsPerFrame: 2,
  view: { colourBy: 'force', forceChains: true },
  plots: [
    {
      title: 'Load on the far wall',
      x: 'time since the change, s',
      y: 'N/m',
      curves: [
        { label: 'measured', kind: 'line' },
        { label: 'theory', kind: 'dashed' },
      ],
    },
    {
      title: 'Frequency',
      x: 'sweeps in a step',
      y: 'Hz',
      curves: [
        { label: 'theory', kind: 'dashed' },
        { label: 'measured before', kind: 'points' },
        { label: 'measured', kind: 'points' },
      ],
    },
  ],
  scene({ sweeps, arrangement, friction }, grains) {
    const { length, width, list } = arrangement === 'single file' ? line(grains) : packed(grains);
    const end = list.reduce((most, { position, radius }) => Math.max(most, position[0] + radius), 0);
    return {
      format: 'contact-dynamics/1',
      title: `Disks under a piston, ${sweeps} sweeps a step`,
      dimension: 2,
      timeStep: STEP,
      steps: STEPS,
      periodic: { axes: 'y', min: [0, 0, 0], max: [0, width * DIAMETER, 0] },
      materials: { disk: { density: DENSITY }, wall: {} },
      contacts: [
        { between: ['disk', 'disk'], friction },
        { between: ['disk', 'wall'], friction },
      ],
      grains: [{ material: 'disk', list }],
      walls: [
        { name: 'wall', material: 'wall', plane: { point: [0, 0, 0], normal: [1, 0, 0] } },
        {
          name: 'piston',
          material: 'wall',
          plane: { point: [end, 0, 0], normal: [-1, 0, 0] },
          piston: { mass: (PISTON_DISKS * DENSITY * Math.PI * DIAMETER ** 2) / 4, force: FORCE },
        },
      ],
      events: events(holdOf(sweeps, length)),
      solver: { momentum: 0, coarse: 'off', convergence: { criterion: 'fixed', iterations: sweeps } },
    };
  },
  probe({ sweeps, arrangement, friction }: Values<typeof controls>, start) {
    const length = lengthOf(start);
    const expected = falseSound(sweeps, length);
    const first = start.events![0].when;
    const hold = 'step' in first ? first.step : 1;
    const ringing = new Ringing(expected, hold);
    const kind = [arrangement, friction, start.grains.count].join();
    const points = found.get(kind) ?? new Map<number, number>();
    found.set(kind, points);
    const speeds = new TimeSeries(1);
    const frequencies = (): Columns => {
      if (ringing.measured !== null) points.set(sweeps, ringing.measured);
      const places = [...new Set([...CURVE, ...points.keys()])].sort((a, b) => a - b);
      const now = new Map(ringing.measured === null ? [] : [[sweeps, ringing.measured]]);
      const before = new Map([...points].filter(([count]) => !now.has(count)));
      return [places, places.map((count) => hertz(falseSound(count, length).omega)), at(places, before), at(places, now)];
    };
    return {
      onReport(report, problem) {
        const wall = problem.walls.find(({ name }) => name === 'piston')!;
        ringing.push(report.step, -loadOn('wall', report, problem)[0], wall.piston!.force);
        speeds.push(report.step * STEP, report.maxPenetration);
      },
      readings: () => [
        { label: 'Time', value: speeds.last[0], unit: 's' },
        {
          label: 'Frequency',
          value: ringing.measured,
          unit: 'Hz',
          expected: `${hertz(expected.omega)?.toPrecision(3) ?? 'none'} (theory)`,
        },
        {
          label: 'False speed of sound',
          value: (Math.sqrt(sweeps) * DIAMETER) / STEP,
          unit: 'm/s',
          expected: 'infinite, for rigid grains',
        },
        {
          label: 'Reach of a step',
          value: 2 * Math.sqrt(sweeps),
          unit: 'diameters',
          expected: `${length.toFixed(0)} (the packing)`,
        },
        { label: 'Largest overlap', value: speeds.last[1] === null ? null : 100 * speeds.last[1], unit: '% of a diameter' },
      ],
      data: () => [ringing.curve, frequencies()],
    };
  },
});
